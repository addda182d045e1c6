from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.gates import BLOCKING, CheckName, GateReport, gate_report
from eval_pipeline.domain.golden_sets import Gate, TagGate
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.regression import Comparison, Verdict
from eval_pipeline.domain.responses import UNKNOWN_GENERATOR, ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline_tests.builders import SERVED_BY
from eval_pipeline_tests.domain.compared import APPLICATION, ELSEWHERE, NEWER, NOON, as_stored, result

FIRST = Comparison(verdict=Verdict.FIRST, reason="the first result of its kind")
FLOOR = CheckName.MEETS_FLOOR


def comparison(verdict: Verdict, reason: str = "why") -> Comparison:
    return Comparison(verdict=verdict, reason=reason)


def report(
    of: EvaluationResult | None = None, given: Comparison = FIRST, unpassed_musts: tuple[str, ...] = ()
) -> GateReport:
    return gate_report(of or result(), given, unpassed_musts, NOON)


def failed(found: GateReport) -> list[str]:
    """The names of the blocking checks that failed."""
    return [check.name.value for check in found.failures()]


def with_floor(floor: float, *statuses: str, max_error_share: float = 1) -> GateReport:
    return report(result(*statuses, gate=Gate(min_pass_rate=floor, max_error_share=max_error_share)))


def test_every_check_speaks_once_and_gives_a_reason() -> None:
    found = report()
    assert [check.name for check in found.checks] == list(CheckName)
    assert all(check.reason for check in found.checks)
    assert all(found.check(name).name is name for name in CheckName)


def test_only_a_changed_generator_warns_and_does_not_block() -> None:
    assert set(CheckName) - BLOCKING == {CheckName.GENERATOR_CHANGED}
    assert {check.name for check in report().checks if check.blocks} == BLOCKING


def test_a_complete_first_result_of_one_generator_passes_everything() -> None:
    found = report()
    assert found.passed
    assert all(check.passed for check in found.checks)
    assert "the first result of its kind" in found.check(CheckName.NO_REGRESSION).reason


# What the comparison says


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_passes_unless_it_is_worse_or_could_not_be_reached(verdict: Verdict) -> None:
    found = report(given=comparison(verdict, "because of it"))
    passes = verdict in (Verdict.FIRST, Verdict.NO_REGRESSION, Verdict.SNAPSHOT_CHANGED)
    assert found.passed is passes
    assert failed(found) == ([] if passes else ["no_regression"])
    assert found.check(CheckName.NO_REGRESSION).reason == f"{verdict.value.replace('_', ' ')}: because of it"


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("changed", [None, "tern-5 answers instead of tern-4"])
def test_a_changed_generator_warns_whatever_the_verdict(verdict: Verdict, changed: str | None) -> None:
    given = comparison(verdict).model_copy(update={"generator_changed": changed})
    check = report(given=given).check(CheckName.GENERATOR_CHANGED)
    assert check.passed is (changed is None)
    assert not check.blocks
    if changed is not None:
        assert check.reason == changed


def test_another_snapshot_within_the_tolerance_warns_and_is_accepted() -> None:
    changed = comparison(Verdict.SNAPSHOT_CHANGED).model_copy(update={"generator_changed": "tern-5"})
    found = report(result(served_by=[NEWER]), changed)
    assert found.passed
    assert not found.check(CheckName.GENERATOR_CHANGED).passed


def test_another_snapshot_that_is_worse_is_held_back_and_the_check_says_which_kind() -> None:
    found = report(result(served_by=[NEWER]), comparison(Verdict.HELD_BACK))
    assert failed(found) == ["no_regression"]
    assert found.check(CheckName.NO_REGRESSION).reason.startswith("held back")


def test_earlier_results_of_another_provider_under_the_same_key_warn_and_do_not_block() -> None:
    first = FIRST.model_copy(update={"generator_changed": "eu-west answers instead of us-east"})
    found = report(given=first)
    assert found.passed
    check = found.check(CheckName.GENERATOR_CHANGED)
    assert not check.passed
    assert "us-east" in check.reason


def test_too_few_shared_prompts_block_a_result_that_has_nothing_else_against_it() -> None:
    given = comparison(Verdict.NOT_COMPARABLE, "only 5 prompts are shared")
    assert failed(report(given=given)) == ["no_regression"]


# Completeness and generator: one cause fails one blocking check


@pytest.mark.parametrize(
    ("incomplete", "reason"),
    [
        (result(*["pass"] * 9, "error"), "1 of 10 prompts could not be measured"),
        (result(partial=True), "only a part of the set"),
    ],
)
def test_an_incomplete_result_fails_for_that_alone(incomplete: EvaluationResult, reason: str) -> None:
    found = report(incomplete, comparison(Verdict.NOT_COMPARABLE, "the result is incomplete"))
    assert failed(found) == ["complete"]
    assert reason in found.check(CheckName.COMPLETE).reason
    check = found.check(CheckName.NO_REGRESSION)
    assert (check.passed, check.blocks) == (False, False)


@pytest.mark.parametrize(
    ("served_by", "word"),
    [
        ([SERVED_BY, ELSEWHERE], "mixed"),
        ([SERVED_BY, NEWER], "mixed"),
        ([APPLICATION, SERVED_BY], "mixed"),
        ([SERVED_BY, UNKNOWN_GENERATOR], "partly unknown"),
        ([ServedBy("eu-west", "tern-large", None)], "unknown"),
    ],
)
def test_a_result_without_one_known_generator_fails_for_that_alone(
    served_by: list[ServedBy], word: str
) -> None:
    found = report(result(served_by=served_by), comparison(Verdict.NOT_COMPARABLE))
    assert failed(found) == ["one_generator"]
    reason = found.check(CheckName.ONE_GENERATOR).reason
    assert reason.startswith(f"{word}: ")
    assert "(5)" in reason or "(10)" in reason
    assert not found.check(CheckName.NO_REGRESSION).blocks


def test_a_record_that_is_no_evidence_fails_with_the_reason() -> None:
    damaged = replace(
        result().summary, provenance=GeneratorProvenance.no_evidence("the stored provenance is malformed")
    )
    found = report(replace(result(), summary=damaged), comparison(Verdict.NOT_COMPARABLE))
    assert failed(found) == ["one_generator"]
    assert found.check(CheckName.ONE_GENERATOR).reason == "unverified: the stored provenance is malformed"


def test_an_application_that_declares_itself_is_one_generator_and_shown_as_unverified() -> None:
    found = report(result(served_by=[APPLICATION]))
    assert found.passed
    reason = found.check(CheckName.ONE_GENERATOR).reason
    assert "shop-bot 2.1" in reason
    assert "declared, unverified" in reason


def test_a_regression_of_one_generator_in_a_complete_result_blocks() -> None:
    check = report(given=comparison(Verdict.REGRESSION)).check(CheckName.NO_REGRESSION)
    assert (check.passed, check.blocks) == (False, True)


def test_a_handed_result_in_which_no_call_succeeded_is_incomplete_and_no_quality_of_0(
    shared_cases: Path,
) -> None:
    case = json.loads((shared_cases / "gate-08-all-errors.json").read_text("utf-8"))["current"]
    of = result(*["error"] * case["attempted"])
    found = report(of, comparison(Verdict.NOT_COMPARABLE))
    assert (of.summary.total.graded_count, of.summary.total.pass_rate, of.model_id) == (0, None, None)
    assert not found.check(CheckName.COMPLETE).passed
    assert not found.check(CheckName.NO_REGRESSION).blocks


def test_a_handed_result_of_which_little_was_measured_is_incomplete_however_good(shared_cases: Path) -> None:
    case = json.loads((shared_cases / "gate-09-error-share.json").read_text("utf-8"))["current"]
    of = result(*["pass"] * case["scored"], *["error"] * (case["attempted"] - case["scored"]))
    assert of.summary.total.mean_score == case["mean"]
    assert failed(report(of, comparison(Verdict.NOT_COMPARABLE))) == ["complete"]


def test_a_handed_first_result_passes_unless_it_misses_a_floor(shared_cases: Path) -> None:
    case = json.loads((shared_cases / "gate-10-first-run.json").read_text("utf-8"))
    passed = round(case["current"]["pass_rate"] * 10)
    statuses = ["pass"] * passed + ["fail"] * (10 - passed)
    assert report(result(*statuses)).passed
    assert failed(with_floor(0.5, *statuses)) == ["meets_floor"]


def test_handed_answers_of_several_models_are_credited_to_none(shared_cases: Path) -> None:
    case = json.loads((shared_cases / "gate-11-mixed-models.json").read_text("utf-8"))
    served_by = [ServedBy("eu-west", case["requested"], row["reported"]) for row in case["rows"]]
    of = result(*("pass" if row["pass"] else "fail" for row in case["rows"]), served_by=served_by)
    assert of.model_id is None
    assert of.summary.total.pass_rate == pytest.approx(2 / 3)
    reason = report(of, comparison(Verdict.NOT_COMPARABLE)).check(CheckName.ONE_GENERATOR).reason
    assert reason.startswith("partly unknown: ")
    for part in ("alias-large (reported by the same name) (1)", "small-backup-v2 (1)", "unknown (1)"):
        assert part in reason


# Floors


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 20), st.integers(0, 10_000))
def test_a_floor_holds_exactly_when_passes_over_passes_fails_and_errors_reach_it(
    passed: int, fails: int, errors: int, digits: int
) -> None:
    statuses = ["pass"] * passed + ["fail"] * fails + ["error"] * errors
    found = with_floor(digits / 10_000, *statuses or ["skipped"])
    measured = passed + fails + errors
    reached = measured > 0 and passed * 10_000 >= digits * measured
    assert found.check(FLOOR).passed is reached


@pytest.mark.parametrize("passed", range(1, 11))
def test_a_pass_rate_of_exactly_the_floor_meets_it(passed: int) -> None:
    statuses = ["pass"] * passed + ["fail"] * (10 - passed)
    assert with_floor(passed / 10, *statuses).check(FLOOR).passed
    assert not with_floor(passed / 10, *statuses, "fail").check(FLOOR).passed


def test_a_missed_floor_is_told_with_its_counts() -> None:
    reason = with_floor(0.9, *["pass"] * 8, "fail", "error").check(FLOOR).reason
    assert reason == "the pass rate is 8 of 10, 1 of them errors, below the floor of 0.9"
    assert "errors" not in with_floor(0.9, *["pass"] * 8, "fail", "fail").check(FLOOR).reason


def test_an_error_lifts_no_result_over_a_floor() -> None:
    assert with_floor(1, *["pass"] * 200).passed
    assert failed(with_floor(1, *["pass"] * 199, "error", max_error_share=0.01)) == ["meets_floor"]


def test_skipped_prompts_take_no_part_in_a_floor() -> None:
    assert with_floor(1, "pass", *["skipped"] * 9).check(FLOOR).passed


def test_a_floor_of_0_is_a_floor_that_every_measured_result_meets() -> None:
    assert with_floor(0, *["fail"] * 10).check(FLOOR).passed
    check = with_floor(0, *["skipped"] * 10).check(FLOOR)
    assert not check.passed
    assert "not measured" in check.reason


def test_without_a_floor_nothing_is_missed() -> None:
    assert report(result(*["fail"] * 10)).check(FLOOR).passed


def test_a_floor_of_a_tag_is_over_the_prompts_of_the_tag_alone() -> None:
    gate = Gate(min_pass_rate=0.5, tags={"safety": TagGate(min_pass_rate=1)})
    good = result(*["fail"] * 2, tagged={"safety": ["pass"] * 2}, gate=gate)
    bad = result(*["pass"] * 18, tagged={"safety": ["pass", "fail"]}, gate=gate)
    assert report(good).passed
    assert failed(report(bad)) == ["meets_floor"]
    reason = report(bad).check(FLOOR).reason
    assert reason == "the pass rate of tag 'safety' is 1 of 2, below the floor of 1"


def test_an_error_counts_as_a_fail_of_its_tag() -> None:
    gate = Gate(max_error_share=1, tags={"safety": TagGate(min_pass_rate=0.6)})
    found = report(result(tagged={"safety": ["pass", "error"]}, gate=gate))
    assert failed(found) == ["meets_floor"]
    assert "1 of 2, 1 of them errors" in found.check(FLOOR).reason


@pytest.mark.parametrize("tagged", [{"safety": ["skipped"]}, {}])
def test_a_floor_of_a_tag_of_which_nothing_was_measured_is_missed(tagged: dict[str, list[str]]) -> None:
    found = report(result("pass", tagged=tagged, gate=Gate(tags={"safety": TagGate(min_pass_rate=0)})))
    assert failed(found) == ["meets_floor"]
    assert "tag 'safety' was not measured" in found.check(FLOOR).reason


def test_a_tag_with_tolerances_only_has_no_floor() -> None:
    gate = Gate(tags={"safety": TagGate(max_pass_rate_drop=0)})
    assert report(result("pass", tagged={"safety": ["fail"]}, gate=gate)).check(FLOOR).passed


def test_must_pass_prompts_that_did_not_pass_are_named() -> None:
    found = report(unpassed_musts=("opening-hours", "7"))
    assert failed(found) == ["meets_floor"]
    assert found.check(FLOOR).reason == "must pass and did not: opening-hours, 7"


def test_everything_that_is_missed_is_told_at_once() -> None:
    gate = Gate(min_pass_rate=0.9, tags={"safety": TagGate(min_pass_rate=0.9)})
    found = report(result("pass", tagged={"safety": ["fail"]}, gate=gate), unpassed_musts=("p1",))
    assert [part.split(" is ")[0] for part in found.check(FLOOR).reason.split("; ")] == [
        "the pass rate",
        "the pass rate of tag 'safety'",
        "must pass and did not: p1",
    ]


def test_different_causes_fail_different_checks_together() -> None:
    found = report(
        result(*["fail"] * 10, gate=Gate(min_pass_rate=0.5)), comparison(Verdict.REGRESSION), ("p1",)
    )
    assert failed(found) == ["no_regression", "meets_floor"]


# The record


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_report_comes_back_from_the_database_as_it_went_in(verdict: Verdict) -> None:
    found = report(result(*["pass"] * 9, "error"), comparison(verdict), ("p1",))
    assert GateReport.model_validate(as_stored(found)) == found
