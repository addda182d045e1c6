"""Which generator produced a result: the identity rule, and its versioned, content-free record.

A result has one generator only when every answered prompt was served by the same complete triple of
provider instance, outbound model and reported model. No subset ever stands for the whole: mixed and
partly unknown results keep their grades and have no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeGuard

from eval_pipeline.domain.canonical import canonical_json
from eval_pipeline.domain.responses import ServedBy

VERSION = 1
"""The version of the record; a reader refuses every other."""


class GeneratorStatus(StrEnum):
    """What the responses of a result say together about their generator."""

    ONE = "one"
    MIXED = "mixed"
    PARTLY_UNKNOWN = "partly_unknown"
    UNKNOWN = "unknown"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class GeneratorProvenance:
    """How many answered prompts each generator served.

    Attributes:
        counts: Answered prompts by complete generator, most first, equal counts by name.
        unknown_count: Answered prompts whose generator is not completely known.
    """

    counts: tuple[tuple[ServedBy, int], ...]
    unknown_count: int

    @classmethod
    def of(cls, served: Iterable[ServedBy]) -> GeneratorProvenance:
        """The provenance of a result whose answered prompts were served by `served`."""
        known: Counter[ServedBy] = Counter()
        unknown = 0
        for served_by in served:
            if served_by.complete:
                known[served_by] += 1
            else:
                unknown += 1
        return cls(tuple(sorted(known.items(), key=_most_first)), unknown)

    @property
    def answered_count(self) -> int:
        """Answered prompts in all."""
        return sum(count for _, count in self.counts) + self.unknown_count

    @property
    def status(self) -> GeneratorStatus:
        """The identity rule of this module, as one word."""
        if not self.answered_count:
            return GeneratorStatus.EMPTY
        if not self.counts:
            return GeneratorStatus.UNKNOWN
        if self.unknown_count:
            return GeneratorStatus.PARTLY_UNKNOWN
        return GeneratorStatus.ONE if len(self.counts) == 1 else GeneratorStatus.MIXED

    @property
    def generator(self) -> ServedBy | None:
        """The one generator, or none when there is not exactly one."""
        return self.counts[0][0] if self.status is GeneratorStatus.ONE else None

    @property
    def model_id(self) -> str | None:
        """The outbound model of the one generator, or none."""
        return self.generator.outbound_model if self.generator else None

    def summary(self) -> str:
        """One line for people: which generators, and how many prompts each."""
        parts = [f"{generator_name(served_by)} ({count})" for served_by, count in self.counts]
        if self.unknown_count:
            parts.append(f"unknown ({self.unknown_count})")
        return ", ".join(parts) or "no prompt was answered"

    def encoded(self) -> dict[str, Any]:
        """The record for the `provenance` column."""
        return {
            "version": VERSION,
            "status": self.status.value,
            "generators": [
                {
                    "provider_instance": served_by.provider_instance,
                    "outbound_model": served_by.outbound_model,
                    "reported_model": served_by.reported_model,
                    "alias_only": served_by.alias_only,
                    "responses": count,
                }
                for served_by, count in self.counts
            ],
            "unknown": self.unknown_count,
            "answered": self.answered_count,
        }

    @classmethod
    def decoded(cls, record: object) -> GeneratorProvenance | None:
        """The provenance that `record` holds.

        None, which is no evidence, when it is absent, malformed, of another version, or at odds
        with itself. Nothing is repaired.
        """
        if not isinstance(record, Mapping):
            return None
        generators, unknown = record.get("generators"), record.get("unknown")
        if not isinstance(generators, list) or not _is_count(unknown):
            return None
        counts = [_decoded_generator(entry) for entry in generators]
        provenance = cls(tuple(entry for entry in counts if entry is not None), unknown)
        distinct = len({served_by for served_by, _ in provenance.counts}) == len(generators)
        in_order = provenance.counts == tuple(sorted(provenance.counts, key=_most_first))
        return provenance if distinct and in_order and _is_exactly(record, provenance.encoded()) else None


def generator_name(served_by: ServedBy) -> str:
    """A generator for people: `provider/outbound → reported`."""
    sent = f"{served_by.provider_instance or '?'}/{served_by.outbound_model or '?'}"
    if served_by.alias_only:
        return f"{sent} (reported by the same name)"
    return f"{sent} → {served_by.reported_model or '?'}"


def _most_first(entry: tuple[ServedBy, int]) -> tuple[int, str, str, str]:
    served_by, count = entry
    return (
        -count,
        served_by.provider_instance or "",
        served_by.outbound_model or "",
        served_by.reported_model or "",
    )


def _decoded_generator(entry: object) -> tuple[ServedBy, int] | None:
    if not isinstance(entry, Mapping):
        return None
    parts = [entry.get(name) for name in ("provider_instance", "outbound_model", "reported_model")]
    count = entry.get("responses")
    if not all(isinstance(part, str) and part for part in parts) or not _is_count(count) or count == 0:
        return None
    return ServedBy(*parts), count


def _is_exactly(record: Mapping[str, Any], encoded: Mapping[str, Any]) -> bool:
    """Whether they are the same JSON; to Python, 1 and true would be equal."""
    try:
        return canonical_json(record) == canonical_json(encoded)
    except (ValueError, RecursionError):
        return False


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
