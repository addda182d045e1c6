"""The assertions of one prompt: weights, metrics and sets of assertions as promptfoo counts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from eval_pipeline.adapters.promptfoo.assertions import counterpart
from eval_pipeline.adapters.promptfoo.entries import Entry, printed
from eval_pipeline.adapters.promptfoo.files import Files
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.variables import Variables

_KEYS = {"type", "value", "threshold", "weight", "metric"}
_SET_KEYS = {"type", "assert", "weight", "metric"}
_OF_GRADERS = {"provider", "rubricPrompt"}
_WITH_THRESHOLD = ("cost", "latency")
_TRANSFORMS = ("transform", "contextTransform")


@dataclass(frozen=True, slots=True)
class Expected:
    """An assertion of ours.

    Attributes:
        definition: In the long form, without its weight.
        weight: Its share in the prompt's score.
        metrics: What promptfoo counts its score under.
    """

    definition: dict[str, Any]
    weight: float
    metrics: tuple[str, ...]

    @property
    def written(self) -> Any:
        """As a set writes it, in the shortest form."""
        weight = {} if self.weight == 1 else {"weight": self.weight}
        kind, *_ = self.definition.values()
        parameters = {key: value for key, value in self.definition.items() if key != "type"}
        if not parameters and not weight:
            return kind
        if not weight and parameters.keys() == {"value"}:
            return {kind: parameters["value"]}
        return {**self.definition, **weight}


@dataclass(frozen=True, slots=True)
class Reader:
    """Translates the assertions of a prompt.

    Attributes:
        variables: The prompt's variables.
        files: Where files are.
        findings: Takes what is left out.
    """

    variables: Variables
    files: Files
    findings: Findings

    def expected(self, declared: Iterable[Entry]) -> Iterator[Expected]:
        """The assertions that have a counterpart; the others are reported."""
        for entry in declared:
            kind = entry.mapping.get("type", entry).text
            if kind is None or not entry.mapping:
                self.findings.leave_out(entry, "assertion", "it is not a mapping with a type")
                continue
            try:
                if kind == "assert-set":
                    yield from self._set(entry)
                else:
                    yield self._one(entry, kind)
            except NoCounterpart as why:
                self.findings.leave_out(entry, f"assertion {kind}", why)

    def _one(self, entry: Entry, kind: str) -> Expected:
        self._check_keys(entry, kind, _KEYS | _OF_GRADERS)
        weight = self._weight(entry)
        if weight == 0:
            raise NoCounterpart(
                "a weight of 0 only records a score in promptfoo; here it would decide the verdict"
            )
        definition = counterpart(entry, kind, self.variables, self.files, self.findings)
        for key in sorted(_OF_GRADERS & entry.mapping.keys()):
            self.findings.note(entry, f"assertion {kind}", f"{key} is for judging models only")
        if "threshold" in entry.mapping and kind.removeprefix("not-") not in _WITH_THRESHOLD:
            self.findings.note(entry, f"assertion {kind}", "promptfoo makes no use of its threshold either")
        return Expected(definition, weight, self._metrics(entry, kind))

    def _set(self, entry: Entry) -> Iterator[Expected]:
        """A set without threshold passes when all of it does; its own weight is shared among its assertions."""
        if "threshold" in entry.mapping:
            raise NoCounterpart("it has a threshold: here, all assertions must hold")
        self._check_keys(entry, "assert-set", _SET_KEYS)
        members = list(self.expected(entry.mapping.get("assert", entry.made([])).members))
        weight, whole = self._weight(entry), sum(member.weight for member in members)
        metrics = self._metrics(entry, "assert-set")
        for member in members:
            yield Expected(member.definition, weight * member.weight / whole, (*metrics, *member.metrics))

    def _check_keys(self, entry: Entry, kind: str, known: set[str]) -> None:
        for key in entry.mapping:
            if key in _TRANSFORMS:
                raise NoCounterpart(f"{key} is a script, which is not run")
            if key not in known and not (key == "config" and kind != "assert-set"):
                raise NoCounterpart(f"the key '{key}' is not known here, and may change what it means")

    def _weight(self, entry: Entry) -> float:
        declared = entry.mapping.get("weight", entry.made(1)).value
        if (
            isinstance(declared, bool)
            or not isinstance(declared, int | float)
            or not 0 <= declared <= 1_000_000
        ):
            raise NoCounterpart("its weight is not a number between 0 and 1000000")
        return declared

    def _metrics(self, entry: Entry, kind: str) -> tuple[str, ...]:
        declared = entry.mapping.get("metric")
        if declared is None or declared.value is None:
            return ()
        if isinstance(declared.value, list | dict):
            self.findings.leave_out(declared, f"metric of assertion {kind}", "it is not a text")
            return ()
        try:
            metric = self.variables.fill(printed(declared.value)).strip()
        except NoCounterpart as why:
            self.findings.leave_out(declared, f"metric of assertion {kind}", why)
            return ()
        return (metric,) if metric else ()
