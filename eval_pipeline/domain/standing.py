"""Where a result stands: its verdict of record, and what people decided about it by hand.

A decision is a row that is never changed; the newest of its kind counts. Not here: how a verdict is
reached (`gates.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.gates import GateReport
from eval_pipeline.domain.provenance import GeneratorStatus
from eval_pipeline.domain.results import EvaluationResult


class Action(StrEnum):
    """What a person can decide about a result."""

    ACCEPT = "accept"
    """To let it pass whatever its checks say, and be a baseline."""
    WITHDRAW = "withdraw"
    """To take an acceptance back, be it by hand or by its checks."""
    PIN = "pin"
    """To make it the baseline of what follows, until it is unpinned."""
    UNPIN = "unpin"


@dataclass(frozen=True, slots=True)
class ManualDecision:
    """One decision about a result.

    Attributes:
        result_id: The result.
        action: What was decided.
        reason: Why; an acceptance always has one.
        decided_by: Who: the name given, else the user of the operating system.
        decided_at: Aware, in UTC.
        until: When an acceptance ends; none never.
    """

    result_id: int
    action: Action
    reason: str
    decided_by: str
    decided_at: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known about a result beyond its numbers.

    Attributes:
        report: The verdict of record; none where none was reached.
        acceptance: The acceptance that was not withdrawn; it may have expired.
        withdrawal: The withdrawal after which it was not accepted again.
        pin: The pin that was not taken off.
    """

    report: GateReport | None = None
    acceptance: ManualDecision | None = None
    withdrawal: ManualDecision | None = None
    pin: ManualDecision | None = None

    def accepted_by_hand(self, now: datetime) -> bool:
        """Whether an acceptance holds at `now`."""
        return self.acceptance is not None and (self.acceptance.until is None or now < self.acceptance.until)

    def approved(self, now: datetime) -> bool:
        """Whether something may follow the result: its checks accepted it, or a person did."""
        by_checks = self.report is not None and self.report.accepts and self.withdrawal is None
        return by_checks or self.accepted_by_hand(now)

    def why_not_approved(self) -> str:
        """What stands in the way, for people; only where it is not approved."""
        if self.withdrawal is not None:
            return f"its acceptance was withdrawn by {self.withdrawal.decided_by}"
        if self.report is None:
            return "no verdict was reached on it"
        if self.report.passed:
            return f"it passed its checks, but {self.report.not_accepted_because}"
        failed = "; ".join(f"{check.name} failed ({check.reason})" for check in self.report.failures())
        if self.acceptance is not None:
            return f"{failed}; it was accepted until {self.acceptance.until:%Y-%m-%d %H:%M}Z, which is over"
        return failed


def require_decidable(result: EvaluationResult, action: Action) -> None:
    """Refuse to make a result a baseline that can never be one.

    Raises:
        UsageError: The result is incomplete, or not one known generator produced it.
    """
    if action not in (Action.ACCEPT, Action.PIN):
        return
    if not result.complete:
        raise UsageError(
            f"result {result.id} is incomplete ({result.incomplete_because}): it can never be a baseline;"
            " evaluate again"
        )
    provenance = result.summary.provenance
    if provenance.status not in (GeneratorStatus.ONE, GeneratorStatus.DECLARED):
        raise UsageError(
            f"result {result.id} was not produced by one known generator"
            f" ({provenance.status.value.replace('_', ' ')}: {provenance.summary()}): it can never be a baseline"
        )


def standing_of(report: GateReport | None, decisions: Iterable[ManualDecision]) -> Standing:
    """Where a result stands, by its verdict of record and the decisions about it, oldest first."""
    acceptance, withdrawal, pin = None, None, None
    for decision in decisions:
        match decision.action:
            case Action.ACCEPT:
                acceptance, withdrawal = decision, None
            case Action.WITHDRAW:
                acceptance, withdrawal = None, decision
            case Action.PIN:
                pin = decision
            case Action.UNPIN:
                pin = None
    return Standing(report, acceptance, withdrawal, pin)
