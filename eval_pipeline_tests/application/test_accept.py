"""Decisions by hand: what may be accepted or pinned, and what is kept of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from eval_pipeline.application.accept import decide_by_hand
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.standing import Action, ManualDecision
from eval_pipeline_tests.builders import SERVED_BY
from eval_pipeline_tests.evaluated import APPLICATION, NEWER, World
from eval_pipeline_tests.fakes import FakeClock

START = datetime.fromisoformat("2026-01-01T00:00:00+00:00")


@pytest.fixture
def world() -> World:
    return World(clock=FakeClock())


def decided(
    world: World, result_id: int, action: Action, reason: str = "known", until: datetime | None = None
) -> ManualDecision:
    return decide_by_hand(
        result_id,
        action,
        reason=reason,
        decided_by="ada",
        until=until,
        store=world.store,
        verdicts=world.history,
        clock=world.clock,
    )


def test_a_decision_is_kept_with_who_when_and_why(world: World) -> None:
    result = world.result()
    before = world.clock()
    until = before + timedelta(days=7)
    made = decided(world, result.id, Action.ACCEPT, "  a known fault \n", until)
    assert (made.reason, made.decided_by, made.until) == ("a known fault", "ada", until)
    assert made.decided_at == before + timedelta(seconds=1)
    assert world.history.decisions(result.id) == [made]


def test_an_accepted_result_is_approved_whatever_its_checks_say(world: World) -> None:
    world.evaluated(10)
    result, report = world.evaluated(2)
    assert not report.passed
    decided(world, result.id, Action.ACCEPT)
    assert world.history.standings([result.id])[result.id].approved(world.clock())


def test_a_result_of_an_application_that_declares_itself_can_be_accepted(world: World) -> None:
    result = world.result(served_by=APPLICATION)
    assert decided(world, result.id, Action.ACCEPT).action is Action.ACCEPT


@pytest.mark.parametrize("reason", ["", " ", "\t\n", "\u00a0", "\u200b"])
def test_an_acceptance_without_a_reason_is_refused(world: World, reason: str) -> None:
    result = world.result()
    with pytest.raises(UsageError, match="an acceptance needs a reason"):
        decided(world, result.id, Action.ACCEPT, reason)
    assert world.history.audit == []


@pytest.mark.parametrize("action", [Action.PIN, Action.UNPIN, Action.WITHDRAW])
def test_other_decisions_need_no_reason(world: World, action: Action) -> None:
    result = world.result()
    decided(world, result.id, Action.PIN)
    decided(world, result.id, Action.ACCEPT)
    assert decided(world, result.id, action, "").reason == ""


def test_an_acceptance_that_would_be_over_already_is_refused(world: World) -> None:
    result = world.result()
    with pytest.raises(UsageError, match="until 2026-01-01 00:00Z would be over already"):
        decided(world, result.id, Action.ACCEPT, until=START)
    assert world.history.audit == []


def test_an_acceptance_that_ends_at_this_moment_is_over_already(world: World) -> None:
    result = world.result()
    now = world.clock() + timedelta(seconds=1)
    with pytest.raises(UsageError, match="over already"):
        decided(world, result.id, Action.ACCEPT, until=now)


@pytest.mark.parametrize("action", Action)
def test_a_decision_about_a_result_that_does_not_exist_is_refused(world: World, action: Action) -> None:
    with pytest.raises(UsageError, match="there is no result 99"):
        decided(world, 99, action)
    assert world.history.audit == []


@pytest.mark.parametrize("action", [Action.ACCEPT, Action.PIN])
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"texts": {"p0": None}}, "is incomplete .1 of 10 prompts could not be measured.*evaluate again"),
        ({"prompt_ids": ["p1"]}, "is incomplete .only a part of the set was evaluated"),
        ({"served_by": [SERVED_BY, NEWER]}, "was not produced by one known generator .mixed: "),
    ],
    ids=["incomplete", "partial", "mixed"],
)
def test_a_result_that_can_never_be_a_baseline_is_neither_accepted_nor_pinned(
    world: World, action: Action, changes: dict[str, Any], said: str
) -> None:
    result = world.result(**changes)
    with pytest.raises(UsageError, match=said):
        decided(world, result.id, action)
    assert world.history.audit == []


def test_an_acceptance_is_withdrawn_once(world: World) -> None:
    result = world.result()
    decided(world, result.id, Action.ACCEPT)
    decided(world, result.id, Action.WITHDRAW)
    with pytest.raises(UsageError, match=f"result {result.id} is not accepted: there is nothing to withdraw"):
        decided(world, result.id, Action.WITHDRAW)


def test_what_passed_its_checks_is_withdrawn_and_no_baseline_until_it_is_accepted_again(world: World) -> None:
    first, _ = world.evaluated()
    result, report = world.evaluated()
    assert report.accepts
    withdrawal = decided(world, result.id, Action.WITHDRAW, "the answers were cached")
    standing = world.history.standings([result.id])[result.id]
    assert (standing.withdrawal, standing.approved(world.clock())) == (withdrawal, False)
    assert world.evaluated()[1].comparison.baseline_id != result.id
    with pytest.raises(UsageError, match="is not accepted: there is nothing to withdraw"):
        decided(world, result.id, Action.WITHDRAW)
    later = world.result()
    for kept in range(first.id, later.id):
        if kept != result.id:
            decided(world, kept, Action.WITHDRAW)
    assert world.decided(later).comparison.baseline_id is None
    decided(world, result.id, Action.ACCEPT)
    assert world.decided(later).comparison.baseline_id == result.id


def test_a_withdrawal_stays_when_the_verdict_is_reached_anew(world: World) -> None:
    result, _ = world.evaluated()
    decided(world, result.id, Action.WITHDRAW)
    assert world.decided(result).accepts
    assert not world.history.standings([result.id])[result.id].approved(world.clock())


def test_what_neither_passed_nor_was_accepted_cannot_be_withdrawn(world: World) -> None:
    world.evaluated(10)
    regressed, _ = world.evaluated(2)
    for result_id in (regressed.id, world.result().id):
        with pytest.raises(
            UsageError, match=f"result {result_id} is not accepted: there is nothing to withdraw"
        ):
            decided(world, result_id, Action.WITHDRAW)


def test_what_is_not_pinned_cannot_be_unpinned(world: World) -> None:
    result = world.result()
    with pytest.raises(UsageError, match=f"result {result.id} is not pinned"):
        decided(world, result.id, Action.UNPIN)


def test_a_pin_comes_off_even_when_the_result_could_not_be_pinned_any_more(world: World) -> None:
    result = world.result()
    decided(world, result.id, Action.PIN)
    world.store.kept[result.id] = world.result(texts={"p0": None})
    decided(world, result.id, Action.UNPIN)
    assert world.history.standings([result.id])[result.id].pin is None


def test_an_acceptance_that_is_over_can_be_given_anew(world: World) -> None:
    result = world.result()
    decided(world, result.id, Action.ACCEPT, until=world.clock() + timedelta(seconds=2))
    world.clock()
    again = decided(world, result.id, Action.ACCEPT, "still known")
    assert world.history.standings([result.id])[result.id].acceptance == again
