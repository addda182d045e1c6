"""Which generator produced a result: the identity rule, and its versioned, content-free record.

A result has one generator only when every answered prompt was served by the same complete triple of
provider instance, outbound model and reported model. No subset ever stands for the whole: mixed and
partly unknown results keep their grades and have no model. An application that only declares what it
is can be compared with itself, and is never evidence of a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeGuard

from eval_pipeline.domain.responses import ServedBy

VERSION = 1
"""The version of the record; a reader refuses every other."""

_IDENTITY = ("provider_instance", "outbound_model", "reported_model")
_CLAIM = ("provider_instance", "outbound_model", "declared_name", "declared_version")
_PARTS = tuple(dict.fromkeys(_IDENTITY + _CLAIM))


class GeneratorStatus(StrEnum):
    """What the responses of a result say together about their generator."""

    ONE = "one"
    DECLARED = "declared"
    """One application, by its own claim."""
    MIXED = "mixed"
    PARTLY_UNKNOWN = "partly_unknown"
    UNKNOWN = "unknown"
    EMPTY = "empty"
    UNVERIFIED = "unverified"
    """The stored record is no evidence."""


@dataclass(frozen=True, slots=True)
class GeneratorProvenance:
    """How many answered prompts each generator served.

    Attributes:
        counts: Answered prompts by identified generator, most first, equal counts by name.
        unknown_count: Answered prompts whose generator is not known.
        unverified_because: Why what is stored is no evidence; none when it is, or was just computed.
    """

    counts: tuple[tuple[ServedBy, int], ...]
    unknown_count: int
    unverified_because: str | None = None

    @classmethod
    def of(cls, served: Iterable[ServedBy]) -> GeneratorProvenance:
        """The provenance of a result whose answered prompts were served by `served`."""
        known: Counter[ServedBy] = Counter()
        unknown = 0
        for served_by in served:
            if served_by.complete:
                known[replace(served_by, declared_name=None, declared_version=None)] += 1
            elif served_by.declared:
                known[ServedBy(**{name: getattr(served_by, name) or None for name in _CLAIM})] += 1
            else:
                unknown += 1
        return cls(tuple(sorted(known.items(), key=_most_first)), unknown)

    @classmethod
    def no_evidence(cls, because: str) -> GeneratorProvenance:
        """What stands for a record that proves nothing."""
        return cls((), 0, because)

    @property
    def answered_count(self) -> int:
        """Answered prompts in all."""
        return sum(count for _, count in self.counts) + self.unknown_count

    @property
    def status(self) -> GeneratorStatus:
        """The identity rule of this module, as one word."""
        if self.unverified_because is not None:
            return GeneratorStatus.UNVERIFIED
        if not self.answered_count:
            return GeneratorStatus.EMPTY
        if not self.counts:
            return GeneratorStatus.UNKNOWN
        if self.unknown_count:
            return GeneratorStatus.PARTLY_UNKNOWN
        if len(self.counts) > 1:
            return GeneratorStatus.MIXED
        return GeneratorStatus.DECLARED if self.counts[0][0].declared else GeneratorStatus.ONE

    @property
    def generator(self) -> ServedBy | None:
        """What served every answered prompt, be it by its own claim; none when there is not exactly one."""
        one = self.status in (GeneratorStatus.ONE, GeneratorStatus.DECLARED)
        return self.counts[0][0] if one else None

    @property
    def model_id(self) -> str | None:
        """The outbound model of the one verified generator, or none; a claim is no model."""
        return self.counts[0][0].outbound_model if self.status is GeneratorStatus.ONE else None

    def summary(self) -> str:
        """One line for people: which generators, and how many prompts each."""
        if self.unverified_because is not None:
            return self.unverified_because
        parts = [f"{generator_name(served_by)} ({count})" for served_by, count in self.counts]
        if self.unknown_count:
            parts.append(f"unknown ({self.unknown_count})")
        return ", ".join(parts) or "no prompt was answered"

    def encoded(self) -> dict[str, Any]:
        """The record for the `provenance` column."""
        return {
            "version": VERSION,
            "status": self.status.value,
            "generators": [{**identity(served_by), "responses": count} for served_by, count in self.counts],
            "unknown": self.unknown_count,
            "answered": self.answered_count,
        }

    @classmethod
    def decoded(cls, record: object) -> GeneratorProvenance:
        """The provenance that `record` holds.

        It is no evidence when the record is absent, malformed, of another version, or at odds with
        itself. Nothing is repaired.
        """
        if record is None:
            return cls.no_evidence("no provenance is stored with this result")
        if not isinstance(record, dict):
            return cls.no_evidence("the stored provenance is malformed")
        if not _is_version(record.get("version")):
            return cls.no_evidence("the stored provenance is of a version that this code does not know")
        return cls._read(record) or cls.no_evidence("the stored provenance is malformed")

    @classmethod
    def _read(cls, record: Mapping[str, Any]) -> GeneratorProvenance | None:
        generators, unknown = record.get("generators"), record.get("unknown")
        if not isinstance(generators, list) or not _is_count(unknown):
            return None
        counts = [_decoded_generator(entry) for entry in generators]
        provenance = cls(tuple(entry for entry in counts if entry is not None), unknown)
        distinct = len({served_by for served_by, _ in provenance.counts}) == len(generators)
        in_order = provenance.counts == tuple(sorted(provenance.counts, key=_most_first))
        return provenance if distinct and in_order and _is_exactly(record, provenance.encoded()) else None

    def verified_against(
        self, *, prompt_count: int, graded_count: int, model_id: str | None
    ) -> GeneratorProvenance:
        """This provenance, or no evidence where the result that it is stored with says otherwise."""
        if self.unverified_because is not None:
            return self
        if not graded_count <= self.answered_count <= prompt_count:
            return self.no_evidence("the stored provenance does not fit the counts of its result")
        if self.model_id != model_id:
            return self.no_evidence("the stored provenance names another model than its result")
        return self


def identity(served_by: ServedBy) -> dict[str, Any]:
    """A generator as it is written to records and to JSON: what was verified, or what was claimed."""
    if served_by.declared:
        return {name: getattr(served_by, name) for name in _CLAIM}
    return {**{name: getattr(served_by, name) for name in _IDENTITY}, "alias_only": served_by.alias_only}


def generator_name(served_by: ServedBy) -> str:
    """A generator for people: `provider/outbound → reported`."""
    if served_by.declared:
        version = f" {served_by.declared_version}" if served_by.declared_version else ""
        return f"{served_by.provider_instance}: {served_by.declared_name}{version} (declared, unverified)"
    sent = f"{served_by.provider_instance or '?'}/{served_by.outbound_model or '?'}"
    if served_by.alias_only:
        return f"{sent} (reported by the same name)"
    return f"{sent} → {served_by.reported_model or '?'}"


def _most_first(entry: tuple[ServedBy, int]) -> tuple[int, list[str]]:
    served_by, count = entry
    return -count, [getattr(served_by, name) or "" for name in _PARTS]


def _decoded_generator(entry: object) -> tuple[ServedBy, int] | None:
    if not isinstance(entry, Mapping):
        return None
    count = entry.get("responses")
    parts = {name: entry.get(name) for name in _PARTS}
    if not all(part is None or (isinstance(part, str) and part) for part in parts.values()):
        return None
    served_by = ServedBy(**parts)
    return (served_by, count) if served_by.identified and _is_count(count) and count > 0 else None


def _is_exactly(value: object, expected: object) -> bool:
    """Whether they are the same JSON; to Python, 1 and true would be equal. As deep as `expected` is."""
    if type(value) is not type(expected):
        return False
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(
            _is_exactly(value[key], expected[key]) for key in expected
        )
    if isinstance(value, list) and isinstance(expected, list):
        return len(value) == len(expected) and all(map(_is_exactly, value, expected))
    return value == expected


def _is_version(value: Any) -> bool:
    return _is_count(value) and value == VERSION


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
