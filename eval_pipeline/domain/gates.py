"""The checks that a result has to pass before anything may follow it, and what they say of one.

A result that passes all blocking checks is accepted, and a baseline for later. Not here: acceptance by
hand (`standing.py`), and how a regression is found (`regression.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from fractions import Fraction

from pydantic import BaseModel, ConfigDict, field_validator

from eval_pipeline.domain.aggregates import Aggregate
from eval_pipeline.domain.provenance import GeneratorStatus
from eval_pipeline.domain.regression import Comparison, Verdict
from eval_pipeline.domain.results import EvaluationResult


class CheckName(StrEnum):
    """The checks on a result."""

    COMPLETE = "complete"
    ONE_GENERATOR = "one_generator"
    NO_REGRESSION = "no_regression"
    MEETS_FLOOR = "meets_floor"
    GENERATOR_CHANGED = "generator_changed"


BLOCKING = frozenset(CheckName) - {CheckName.GENERATOR_CHANGED}
"""The checks that stop what follows; the other one warns."""

_IDENTIFIED = (GeneratorStatus.ONE, GeneratorStatus.DECLARED)
_NOT_WORSE = (Verdict.FIRST, Verdict.NO_REGRESSION, Verdict.SNAPSHOT_CHANGED)


class Check(BaseModel):
    """What one check says.

    Attributes:
        name: Which check.
        passed: Whether what it asks for holds.
        blocks: Whether it stops what follows. A comparison that was not possible because another check
            failed blocks nothing by itself: one cause fails one check.
        reason: For people.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: CheckName
    passed: bool
    blocks: bool
    reason: str


class GateReport(BaseModel):
    """The verdict of record on a result.

    Attributes:
        decided_at: Aware, in UTC.
        checks: One of every name.
        comparison: With the baseline.
        not_accepted_because: Why passing the checks does not accept the result: it was compared more
            loosely than its set asks for, or with a result that was not accepted itself. None otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    decided_at: datetime
    checks: tuple[Check, ...]
    comparison: Comparison
    not_accepted_because: str | None = None

    @field_validator("checks")
    @classmethod
    def _all_names_once(cls, checks: tuple[Check, ...]) -> tuple[Check, ...]:
        if sorted(check.name for check in checks) != sorted(CheckName):
            raise ValueError("a report has one check of every name")
        return checks

    @property
    def passed(self) -> bool:
        """Whether no blocking check failed."""
        return not self.failures()

    @property
    def accepts(self) -> bool:
        """Whether the result is accepted by it: something may follow it, and it is a baseline for later."""
        return self.passed and self.not_accepted_because is None

    def failures(self) -> list[Check]:
        """The blocking checks that failed."""
        return [check for check in self.checks if check.blocks and not check.passed]

    def check(self, name: CheckName) -> Check:
        """The check of that name."""
        return next(check for check in self.checks if check.name is name)


def gate_report(
    result: EvaluationResult,
    comparison: Comparison,
    unpassed_musts: tuple[str, ...],
    decided_at: datetime,
    not_accepted_because: str | None = None,
) -> GateReport:
    """What all checks say of `result`.

    Args:
        result: The result.
        comparison: With its baseline.
        unpassed_musts: Ids of the must-pass prompts that did not pass.
        decided_at: Now.
        not_accepted_because: See `GateReport`.
    """
    return GateReport(
        decided_at=decided_at,
        comparison=comparison,
        not_accepted_because=not_accepted_because,
        checks=(
            _check(CheckName.COMPLETE, result.incomplete_because),
            _one_generator(result),
            _no_regression(result, comparison),
            _check(CheckName.MEETS_FLOOR, "; ".join(_below_floor(result, unpassed_musts)) or None),
            _check(CheckName.GENERATOR_CHANGED, comparison.generator_changed),
        ),
    )


def _check(name: CheckName, fault: str | None) -> Check:
    return Check(name=name, passed=fault is None, blocks=name in BLOCKING, reason=fault or _GOOD[name])


_GOOD: Mapping[CheckName, str] = {
    CheckName.COMPLETE: "the result covers the whole set, with few enough errors",
    CheckName.MEETS_FLOOR: "no floor is missed, and every must-pass prompt that this grader measures passed",
    CheckName.GENERATOR_CHANGED: "nothing says that another model answers under this name",
}


def _one_generator(result: EvaluationResult) -> Check:
    provenance = result.summary.provenance
    return Check(
        name=CheckName.ONE_GENERATOR,
        passed=provenance.status in _IDENTIFIED,
        # That nothing was answered is what makes such a result incomplete.
        blocks=result.complete or provenance.status is not GeneratorStatus.EMPTY,
        reason=f"{provenance.status.value.replace('_', ' ')}: {provenance.summary()}",
    )


def _no_regression(result: EvaluationResult, comparison: Comparison) -> Check:
    has_another_cause = not result.complete or result.summary.provenance.status not in _IDENTIFIED
    return Check(
        name=CheckName.NO_REGRESSION,
        passed=comparison.verdict in _NOT_WORSE,
        blocks=not has_another_cause,
        reason=f"{comparison.verdict.value.replace('_', ' ')}: {comparison.reason}",
    )


def _below_floor(result: EvaluationResult, unpassed_musts: tuple[str, ...]) -> list[str]:
    gate, summary = result.gate, result.summary
    faults = [_missed("the pass rate", summary.total, gate.min_pass_rate)]
    faults += [
        _missed(f"the pass rate of tag '{tag}'", summary.breakdown.get(tag), own.min_pass_rate)
        for tag, own in gate.tags.items()
    ]
    if unpassed_musts:
        faults.append(f"must pass and did not: {', '.join(unpassed_musts)}")
    return [fault for fault in faults if fault is not None]


def _missed(what: str, aggregate: Aggregate | None, floor: float | None) -> str | None:
    """Why a floor is missed. An error counts as a fail: what could not be measured lifts nothing."""
    if floor is None:
        return None
    measured = aggregate.graded_count + aggregate.error_count if aggregate is not None else 0
    if aggregate is None or not measured:
        return f"{what} was not measured; the floor is {floor:g}"
    if Fraction(aggregate.passed_count, measured) >= Fraction(str(floor)):
        return None
    errors = f", {aggregate.error_count} of them errors" if aggregate.error_count else ""
    return f"{what} is {aggregate.passed_count} of {measured}{errors}, below the floor of {floor:g}"
