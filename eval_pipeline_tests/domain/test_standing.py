from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.gates import GateReport, gate_report
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.regression import Comparison, Verdict
from eval_pipeline.domain.responses import UNKNOWN_GENERATOR, ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.standing import Action, ManualDecision, Standing, require_decidable, standing_of
from eval_pipeline_tests.builders import SERVED_BY
from eval_pipeline_tests.domain.compared import APPLICATION, ELSEWHERE, NOON, result

SOON = NOON + timedelta(days=1)


def report(verdict: Verdict) -> GateReport:
    return gate_report(result(), Comparison(verdict=verdict, reason="a drop of 0.2"), (), NOON)


def decision(action: Action, until: datetime | None = None) -> ManualDecision:
    return ManualDecision(7, action, "the new wording is wanted", "ada", NOON, until)


PASSES, FAILS = report(Verdict.NO_REGRESSION), report(Verdict.REGRESSION)
ACCEPTED = decision(Action.ACCEPT)


def test_a_result_without_a_verdict_is_not_approved() -> None:
    assert not Standing().approved(NOON)
    assert Standing().why_not_approved() == "no verdict was reached on it"


def test_a_result_that_passed_its_checks_is_approved_without_anybody() -> None:
    assert Standing(PASSES).approved(NOON)
    assert not Standing(PASSES).accepted_by_hand(NOON)


def test_a_result_that_passed_but_is_not_accepted_by_that_says_why() -> None:
    loose = gate_report(
        result(),
        Comparison(verdict=Verdict.NO_REGRESSION, reason="no drop"),
        (),
        NOON,
        "it was compared loosely",
    )
    assert (loose.passed, loose.accepts) == (True, False)
    assert not Standing(loose).approved(NOON)
    assert Standing(loose).why_not_approved() == "it passed its checks, but it was compared loosely"
    assert Standing(loose, ACCEPTED).approved(NOON)


@pytest.mark.parametrize("verdict", [PASSES, FAILS])
def test_a_result_that_was_withdrawn_is_not_approved_and_says_by_whom(verdict: GateReport) -> None:
    standing = Standing(verdict, withdrawal=decision(Action.WITHDRAW))
    assert not standing.approved(NOON)
    assert standing.why_not_approved() == "its acceptance was withdrawn by ada"


def test_the_newest_decision_of_each_kind_counts() -> None:
    withdrawn, pinned = decision(Action.WITHDRAW), decision(Action.PIN)
    assert standing_of(PASSES, []) == Standing(PASSES)
    assert standing_of(None, [ACCEPTED, pinned]) == Standing(None, ACCEPTED, None, pinned)
    assert standing_of(PASSES, [ACCEPTED, withdrawn]) == Standing(PASSES, None, withdrawn)
    assert standing_of(PASSES, [withdrawn, ACCEPTED]) == Standing(PASSES, ACCEPTED)
    assert standing_of(PASSES, [pinned, decision(Action.UNPIN)]) == Standing(PASSES)


def test_a_result_that_failed_a_check_is_not_approved_and_says_which_one_and_why() -> None:
    standing = Standing(FAILS)
    assert not standing.approved(NOON)
    assert standing.why_not_approved() == "no_regression failed (regression: a drop of 0.2)"


@pytest.mark.parametrize("verdict", [None, FAILS, PASSES])
def test_an_acceptance_approves_whatever_the_checks_say(verdict: GateReport | None) -> None:
    standing = Standing(verdict, ACCEPTED)
    assert standing.accepted_by_hand(NOON)
    assert standing.approved(NOON + timedelta(days=10_000))


def test_an_acceptance_ends_at_its_moment_and_not_before() -> None:
    standing = Standing(FAILS, decision(Action.ACCEPT, until=SOON))
    assert standing.approved(SOON - timedelta(microseconds=1))
    assert not standing.approved(SOON)


def test_a_result_whose_acceptance_is_over_says_what_failed_and_until_when_it_held() -> None:
    reason = Standing(FAILS, decision(Action.ACCEPT, until=SOON)).why_not_approved()
    assert "no_regression failed" in reason
    assert "accepted until 2026-03-02 12:00Z, which is over" in reason


def test_an_acceptance_that_is_over_takes_nothing_from_a_result_that_passed() -> None:
    assert Standing(PASSES, decision(Action.ACCEPT, until=NOON)).approved(SOON)


def test_a_pin_approves_nothing() -> None:
    standing = Standing(FAILS, pin=decision(Action.PIN))
    assert not standing.approved(NOON)
    assert not standing.accepted_by_hand(NOON)


def test_the_end_of_an_acceptance_is_an_instant_whatever_zone_it_is_written_in() -> None:
    berlin = datetime.fromisoformat("2026-03-02T13:00:00+01:00")
    standing = Standing(FAILS, decision(Action.ACCEPT, until=berlin))
    assert standing.approved(datetime(2026, 3, 2, 11, 59, tzinfo=UTC))
    assert not standing.approved(datetime(2026, 3, 2, 12, 0, tzinfo=UTC))


@pytest.mark.parametrize("action", [Action.ACCEPT, Action.PIN])
@pytest.mark.parametrize("served_by", [SERVED_BY, APPLICATION])
def test_a_complete_result_of_one_generator_can_be_a_baseline(action: Action, served_by: ServedBy) -> None:
    require_decidable(result(*["fail"] * 10, served_by=[served_by]), action)


@pytest.mark.parametrize("action", [Action.ACCEPT, Action.PIN])
@pytest.mark.parametrize(
    ("unfit", "why"),
    [
        (result(*["pass"] * 9, "error"), "incomplete .*could not be measured"),
        (result(partial=True), "incomplete .*only a part of the set"),
        (result(served_by=[SERVED_BY, ELSEWHERE]), "one known generator .mixed: "),
        (result(served_by=[SERVED_BY, UNKNOWN_GENERATOR]), "one known generator .partly unknown: "),
        (result(served_by=[UNKNOWN_GENERATOR]), "one known generator .unknown: "),
    ],
)
def test_what_can_never_be_a_baseline_is_refused_with_the_reason(
    action: Action, unfit: EvaluationResult, why: str
) -> None:
    with pytest.raises(UsageError, match=f"^result 7 .*{why}.*never be a baseline"):
        require_decidable(unfit, action)


def test_a_record_that_is_no_evidence_makes_no_baseline() -> None:
    provenance = GeneratorProvenance.no_evidence("no provenance is stored with this result")
    unfit = replace(result(), summary=replace(result().summary, provenance=provenance))
    with pytest.raises(UsageError, match="unverified: no provenance is stored"):
        require_decidable(unfit, Action.ACCEPT)


@pytest.mark.parametrize("action", [Action.WITHDRAW, Action.UNPIN])
def test_a_decision_can_be_taken_back_whatever_the_result(action: Action) -> None:
    require_decidable(result(partial=True, served_by=[UNKNOWN_GENERATOR]), action)


def test_a_handed_result_of_one_selected_prompt_is_nobodys_baseline(shared_cases: Path) -> None:
    case = json.loads((shared_cases / "gate-06-partial-run.json").read_text("utf-8"))["previous"]
    of = result(*["pass"] * case["scored"], partial=case["filter"] is not None, gate=Gate())
    with pytest.raises(UsageError, match="part of the set"):
        require_decidable(of, Action.ACCEPT)
