"""Decisions that people take about results: acceptance and pins, kept in an audit."""

from __future__ import annotations

from datetime import datetime

from eval_pipeline.application.ports import Clock, ResultStore, Verdicts
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.standing import Action, ManualDecision, Standing, require_decidable
from eval_pipeline.domain.text import is_blank


def decide_by_hand(
    result_id: int,
    action: Action,
    *,
    reason: str,
    decided_by: str,
    until: datetime | None,
    store: ResultStore,
    verdicts: Verdicts,
    clock: Clock,
) -> ManualDecision:
    """Record what a person decided about a result.

    Args:
        result_id: The result.
        action: What is decided.
        reason: Why; an acceptance needs one.
        decided_by: Who.
        until: When an acceptance ends; none never.
        store: Holds the result.
        verdicts: Keeps the audit.
        clock: Tells when it was decided.

    Raises:
        UsageError: There is no such result, it can never be a baseline, an acceptance has no reason or is
            over already, or there is nothing to take back.
    """
    result = store.result(result_id)
    if result is None:
        raise UsageError(f"there is no result {result_id}; see eval-pipeline results list")
    require_decidable(result, action)
    now = clock()
    if action is Action.ACCEPT and is_blank(reason):
        raise UsageError("an acceptance needs a reason: say with --reason why the result may pass")
    if until is not None and until <= now:
        raise UsageError(f"an acceptance until {until:%Y-%m-%d %H:%M}Z would be over already")
    _require_something_to_take_back(result_id, action, verdicts.standings([result_id])[result_id], now)
    decision = ManualDecision(result_id, action, reason.strip(), decided_by, now, until)
    verdicts.record_decision(decision)
    return decision


def _require_something_to_take_back(
    result_id: int, action: Action, standing: Standing, now: datetime
) -> None:
    if action is Action.WITHDRAW and standing.acceptance is None and not standing.approved(now):
        raise UsageError(f"result {result_id} is not accepted: there is nothing to withdraw")
    if action is Action.UNPIN and standing.pin is None:
        raise UsageError(f"result {result_id} is not pinned")
