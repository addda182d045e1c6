"""The verdict of record on a result: which baseline, what the comparison says, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from eval_pipeline.application.baseline import ComparisonRules, FileBaseline
from eval_pipeline.application.sides import side_of
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.baselines import Against
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.gates import Check, CheckName, GateReport
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.regression import Verdict
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.standing import Action, ManualDecision
from eval_pipeline_tests.builders import SERVED_BY, golden_set, model, prompt
from eval_pipeline_tests.evaluated import APPLICATION, NEWER, World, set_of
from eval_pipeline_tests.fakes import UnverifiedResults
from eval_pipeline_tests.stored import NOON

ELSEWHERE = replace(SERVED_BY, provider_instance="us-east")
NAMELESS = replace(SERVED_BY, reported_model=None)


@pytest.fixture
def world() -> World:
    return World()


def failed_checks(report: GateReport) -> list[str]:
    """The names of the blocking checks that failed."""
    return [check.name.value for check in report.failures()]


def accept(world: World, result: EvaluationResult) -> None:
    world.history.record_decision(ManualDecision(result.id, Action.ACCEPT, "known", "ada", NOON))


def pin(world: World, result: EvaluationResult, action: Action = Action.PIN) -> None:
    world.history.record_decision(ManualDecision(result.id, action, "", "ada", NOON))


def kept(world: World, result: EvaluationResult, **changes: Any) -> EvaluationResult:
    """A stored result, changed behind the back of the use cases."""
    changed = replace(result, **changes)
    world.store.save_result(changed)
    return changed


# The table of outcomes


def test_the_first_result_of_its_kind_passes_and_is_approved(world: World) -> None:
    _, report = world.evaluated(2)
    assert (report.comparison.verdict, report.passed) == (Verdict.FIRST, True)
    assert report.comparison.reason == "the first result of its kind"
    assert report.comparison.differences is None


def test_a_result_that_is_no_worse_passes_and_becomes_the_next_baseline(world: World) -> None:
    world.evaluated()
    second, report = world.evaluated()
    assert (report.comparison.verdict, report.passed) == (Verdict.NO_REGRESSION, True)
    _, third = world.evaluated()
    assert third.comparison.baseline_id == second.id


def test_a_drop_of_exactly_the_tolerance_is_no_regression(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(9)
    assert report.comparison.verdict is Verdict.NO_REGRESSION


def test_a_drop_beyond_the_tolerance_fails_the_check_of_regressions_alone(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(8)
    assert report.comparison.verdict is Verdict.REGRESSION
    assert failed_checks(report) == ["no_regression"]
    assert "pass rate fell from 1 to 0.8, by more than 0.1" in report.comparison.reason


def test_a_result_that_regressed_is_no_baseline_until_it_is_accepted(world: World) -> None:
    first, _ = world.evaluated(10)
    regressed, _ = world.evaluated(8)
    _, again = world.evaluated(8)
    assert (again.comparison.baseline_id, again.comparison.verdict) == (first.id, Verdict.REGRESSION)
    accept(world, regressed)
    _, after = world.evaluated(8)
    assert (after.comparison.baseline_id, after.passed) == (regressed.id, True)


def test_another_snapshot_within_the_tolerance_passes_with_a_warning(world: World) -> None:
    first, _ = world.evaluated(10)
    _, report = world.evaluated(9, served_by=NEWER)
    assert (report.comparison.verdict, report.passed) == (Verdict.SNAPSHOT_CHANGED, True)
    assert report.comparison.baseline_id == first.id
    warning = report.check(CheckName.GENERATOR_CHANGED)
    assert (warning.passed, warning.blocks) == (False, False)


def test_another_snapshot_that_is_worse_is_held_back_and_never_called_a_regression(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(8, served_by=NEWER)
    assert report.comparison.verdict is Verdict.HELD_BACK
    assert failed_checks(report) == ["no_regression"]
    assert "another snapshot answers under the same name" in report.comparison.reason
    assert not report.check(CheckName.GENERATOR_CHANGED).passed


def test_a_snapshot_that_passed_is_from_then_on_compared_with_itself(world: World) -> None:
    world.evaluated(10)
    own, _ = world.evaluated(9, served_by=NEWER)
    _, report = world.evaluated(9, served_by=NEWER)
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.NO_REGRESSION, own.id)


def test_a_snapshot_that_is_held_back_stays_held_back_until_it_is_accepted(world: World) -> None:
    first, _ = world.evaluated(10)
    held, _ = world.evaluated(8, served_by=NEWER)
    _, again = world.evaluated(8, served_by=NEWER)
    assert (again.comparison.verdict, again.comparison.baseline_id) == (Verdict.HELD_BACK, first.id)
    accept(world, held)
    _, after = world.evaluated(8, served_by=NEWER)
    assert (after.comparison.verdict, after.comparison.baseline_id) == (Verdict.NO_REGRESSION, held.id)


def test_a_snapshot_that_comes_back_is_compared_with_its_own_last_result_and_warns(world: World) -> None:
    old, _ = world.evaluated(10)
    other, _ = world.evaluated(8, served_by=NEWER)
    accept(world, other)
    _, report = world.evaluated(10)
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.NO_REGRESSION, old.id)
    warning = report.check(CheckName.GENERATOR_CHANGED)
    assert (warning.passed, warning.blocks, report.accepts) == (False, False, True)
    assert warning.reason == (
        "eu-west/tern-large → tern-4-2026 answers instead of eu-west/tern-large → tern-5-2026"
    )
    _, steady = world.evaluated(10)
    assert steady.check(CheckName.GENERATOR_CHANGED).passed


def test_a_snapshot_that_is_held_back_warns_as_long_as_it_is(world: World) -> None:
    world.evaluated(10)
    for _ in range(2):
        _, report = world.evaluated(8, served_by=NEWER)
        assert report.comparison.verdict is Verdict.HELD_BACK
        assert not report.check(CheckName.GENERATOR_CHANGED).passed


def test_another_provider_in_between_is_what_a_result_is_changed_from(world: World) -> None:
    own, _ = world.evaluated()
    world.evaluated(served_by=ELSEWHERE)
    _, report = world.evaluated()
    assert report.comparison.baseline_id == own.id
    assert (report.comparison.generator_changed or "").endswith(
        "answers instead of us-east/tern-large → tern-4-2026"
    )


def test_a_declared_version_alone_is_no_change_of_the_generator(world: World) -> None:
    world.evaluated(served_by=APPLICATION)
    _, report = world.evaluated(served_by=replace(APPLICATION, declared_version="3.0"))
    assert (report.comparison.verdict, report.comparison.generator_changed) == (Verdict.NO_REGRESSION, None)


def test_without_verified_reads_the_baseline_is_what_a_result_is_changed_from(world: World) -> None:
    named = world.result()
    rules, source = ComparisonRules(result_id=named.id), UnverifiedResults(world.store)
    for served_by, changed in ((NEWER, True), (SERVED_BY, False)):
        report = world.decided(world.result(served_by=served_by), rules=rules, source=source)
        assert (report.comparison.generator_changed is not None) is changed


def test_a_pass_rate_below_its_floor_fails_the_check_of_the_floor_alone(world: World) -> None:
    strict = set_of(gate=Gate(min_pass_rate=0.9))
    _, report = world.evaluated(8, strict)
    assert failed_checks(report) == ["meets_floor"]
    assert report.comparison.verdict is Verdict.FIRST


def test_a_must_pass_prompt_that_did_not_pass_fails_the_check_of_the_floor_and_is_named(
    world: World,
) -> None:
    golden = golden_set(*(prompt(f"p{number}", must_pass=number == 9) for number in range(10)))
    _, report = world.evaluated(9, golden)
    assert failed_checks(report) == ["meets_floor"]
    assert report.check(CheckName.MEETS_FLOOR).reason == "must pass and did not: p9"


def test_a_must_pass_prompt_in_error_has_not_passed(world: World) -> None:
    golden = golden_set(
        *(prompt(f"p{number}", must_pass=number == 9) for number in range(10)), gate=Gate(max_error_share=0.5)
    )
    _, report = world.evaluated(10, golden, texts={"p9": None})
    assert failed_checks(report) == ["meets_floor"]


def test_a_must_pass_prompt_that_the_grader_skips_fails_nothing(world: World) -> None:
    golden = golden_set(prompt("p0"), prompt("p1", assertions=[], reference="right", must_pass=True))
    _, report = world.evaluated(10, golden)
    assert report.passed


def test_a_must_pass_prompt_passes_only_when_every_repeat_of_it_does(world: World) -> None:
    golden = golden_set(prompt("p0", must_pass=True), prompt("p1"))
    run = world.run(10, golden, repeats=3)
    bad = world.store.exchanges[run.id]["p0", 2]
    reply = replace(bad.response.reply, text="no")
    world.store.exchanges[run.id]["p0", 2] = replace(bad, response=replace(bad.response, reply=reply))
    report = world.decided(world.graded(run, golden), golden)
    assert failed_checks(report) == ["meets_floor"]


def test_a_result_below_its_floor_is_no_baseline_until_it_is_accepted(world: World) -> None:
    strict = set_of(gate=Gate(min_pass_rate=0.9))
    low, _ = world.evaluated(8, strict)
    _, second = world.evaluated(8, strict)
    assert second.comparison.baseline_id is None
    accept(world, low)
    _, third = world.evaluated(8, strict)
    assert third.comparison.baseline_id == low.id


UNKNOWN_GENERATORS: dict[str, tuple[list[ServedBy], str]] = {
    "mixed": ([SERVED_BY, NEWER], "mixed"),
    "partly unknown": ([SERVED_BY, NAMELESS], "partly unknown"),
    "unknown": ([NAMELESS], "unknown"),
}
without_one_generator = pytest.mark.parametrize(
    ("served_by", "word"), UNKNOWN_GENERATORS.values(), ids=UNKNOWN_GENERATORS
)


@without_one_generator
def test_a_result_without_one_known_generator_fails_that_check_alone_and_is_not_comparable(
    world: World, served_by: list[ServedBy], word: str
) -> None:
    world.evaluated()
    _, report = world.evaluated(served_by=served_by)
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert failed_checks(report) == ["one_generator"]
    assert f"the result has not one known generator ({word}: " in report.comparison.reason


@without_one_generator
def test_a_result_without_one_known_generator_is_no_baseline_even_when_it_is_accepted(
    world: World, served_by: list[ServedBy], word: str
) -> None:
    first, _ = world.evaluated()
    unknown, _ = world.evaluated(served_by=served_by)
    accept(world, unknown)
    _, report = world.evaluated()
    assert report.comparison.baseline_id == first.id


def test_without_enough_shared_prompts_results_are_not_comparable(world: World) -> None:
    world.evaluated(10, set_of(10))
    _, report = world.evaluated(13, set_of(13))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert failed_checks(report) == ["no_regression"]
    assert "only 10 prompts are shared (3 added, 0 removed, 0 edited)" in report.comparison.reason


def test_a_set_that_changed_a_lot_has_a_baseline_again_once_a_result_is_accepted(world: World) -> None:
    world.evaluated(10, set_of(10))
    larger, _ = world.evaluated(13, set_of(13))
    accept(world, larger)
    _, report = world.evaluated(13, set_of(13))
    assert (report.comparison.baseline_id, report.passed) == (larger.id, True)


def test_with_enough_shared_prompts_only_these_are_compared_and_the_others_counted(world: World) -> None:
    world.evaluated(10, set_of(10))
    _, report = world.evaluated(10, set_of(11))
    found = report.comparison.differences
    assert report.comparison.verdict is Verdict.NO_REGRESSION
    assert found is not None
    assert (found.shared, found.added, found.removed, found.pass_rate.current) == (10, 1, 0, 1.0)


def test_an_incomplete_result_fails_the_check_of_completeness_alone(world: World) -> None:
    world.evaluated()
    _, report = world.evaluated(texts={"p0": None})
    assert failed_checks(report) == ["complete"]
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "the result is incomplete: 1 of 10 prompts" in report.comparison.reason


def test_an_incomplete_first_result_is_not_the_first_of_its_kind(world: World) -> None:
    _, report = world.evaluated(texts={"p0": None})
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    _, whole = world.evaluated()
    assert whole.comparison.verdict is Verdict.FIRST


def test_what_an_incomplete_result_differs_in_is_shown_without_a_verdict_on_it(world: World) -> None:
    world.evaluated()
    _, report = world.evaluated(0, texts={"p0": None})
    found = report.comparison.differences
    assert found is not None
    assert (found.measured, found.unmeasured, report.comparison.verdict) == (
        9,
        ("p0",),
        Verdict.NOT_COMPARABLE,
    )


def test_an_incomplete_or_partial_result_is_never_a_baseline_not_even_accepted(world: World) -> None:
    first, _ = world.evaluated()
    for newer, _ in (world.evaluated(texts={"p0": None}), world.evaluated(prompt_ids=["p1", "p2"])):
        accept(world, newer)
    _, report = world.evaluated()
    assert report.comparison.baseline_id == first.id


def test_the_verdict_is_kept_as_the_one_of_record(world: World) -> None:
    result, report = world.evaluated()
    assert world.history.standings([result.id])[result.id].report == report


# Which baseline


def test_a_pinned_result_comes_before_a_newer_accepted_one(world: World) -> None:
    pinned, _ = world.evaluated()
    world.evaluated()
    pin(world, pinned)
    _, report = world.evaluated()
    assert (report.comparison.against, report.comparison.baseline_id) == ("pinned", pinned.id)


def test_after_a_pin_is_taken_off_the_newest_accepted_one_counts_again(world: World) -> None:
    pinned, _ = world.evaluated()
    newest, _ = world.evaluated()
    for action in (Action.PIN, Action.UNPIN):
        pin(world, pinned, action)
    _, report = world.evaluated()
    assert (report.comparison.against, report.comparison.baseline_id) == ("accepted", newest.id)


def test_a_pin_on_another_snapshot_does_not_come_before_an_accepted_one_of_the_same(world: World) -> None:
    other, _ = world.evaluated(served_by=NEWER)
    own, _ = world.evaluated()
    pin(world, other)
    _, report = world.evaluated()
    assert (report.comparison.against, report.comparison.baseline_id) == ("accepted", own.id)
    assert report.comparison.reason.endswith(f"; result {other.id} is pinned, but is of another snapshot")
    _, asked = world.evaluated(rules=ComparisonRules(against=Against.ACCEPTED))
    assert "is pinned" not in asked.comparison.reason


def test_a_pin_across_a_change_of_the_snapshot_is_taken_and_not_called_left_out(world: World) -> None:
    own, _ = world.evaluated()
    pin(world, own)
    _, report = world.evaluated(served_by=NEWER)
    assert (report.comparison.against, report.comparison.baseline_id) == ("pinned", own.id)
    assert "is pinned" not in report.comparison.reason


def test_against_previous_takes_the_newest_one_whatever_came_of_it(world: World) -> None:
    world.evaluated(10)
    regressed, _ = world.evaluated(8)
    _, report = world.evaluated(8, rules=ComparisonRules(against=Against.PREVIOUS))
    assert (report.comparison.against, report.comparison.baseline_id) == ("previous", regressed.id)
    assert report.comparison.verdict is Verdict.NO_REGRESSION


def test_against_accepted_passes_over_a_pin(world: World) -> None:
    pinned, _ = world.evaluated()
    newest, _ = world.evaluated()
    pin(world, pinned)
    _, report = world.evaluated(rules=ComparisonRules(against=Against.ACCEPTED))
    assert report.comparison.baseline_id == newest.id


def test_against_pinned_takes_the_pin(world: World) -> None:
    pinned, _ = world.evaluated()
    world.evaluated()
    pin(world, pinned)
    _, report = world.evaluated(rules=ComparisonRules(against=Against.PINNED))
    assert report.comparison.baseline_id == pinned.id


def test_a_certain_result_can_be_named_as_the_baseline(world: World) -> None:
    named, _ = world.evaluated(10)
    world.evaluated(9)
    _, report = world.evaluated(8, rules=ComparisonRules(result_id=named.id))
    assert (report.comparison.against, report.comparison.baseline_id) == ("result", named.id)
    assert report.comparison.verdict is Verdict.REGRESSION


def test_a_baseline_that_is_named_but_does_not_exist_is_refused(world: World) -> None:
    result = world.result()
    with pytest.raises(UsageError, match="there is no result 99 to compare with"):
        world.decided(result, rules=ComparisonRules(result_id=99))
    assert world.history.reports == {}


def test_a_baseline_that_is_named_but_of_another_set_or_model_is_refused(world: World) -> None:
    other_set = world.result(golden=set_of(id="acme.other"))
    other_model = world.result(by=model("heron"))
    result = world.result()
    for other in (other_set, other_model):
        with pytest.raises(UsageError, match=f"result {other.id} is of .*, which is no baseline of"):
            world.decided(result, rules=ComparisonRules(result_id=other.id))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"texts": {"p0": None}}, "it is incomplete: 1 of 10 prompts"),
        ({"served_by": [SERVED_BY, NEWER]}, "it has not one known generator"),
        ({"served_by": ELSEWHERE}, "us-east/tern-large → tern-4-2026 produced it, which is not eu-west"),
        ({"served_by": replace(SERVED_BY, outbound_model="tern")}, "produced it, which is not"),
        ({"served_by": APPLICATION}, "shop-bot 2.1 .declared, unverified. produced it, which is not"),
    ],
    ids=["incomplete", "mixed", "of another provider", "of another model", "of an application"],
)
def test_a_named_baseline_that_proves_nothing_is_not_comparable_and_says_why(
    world: World, changes: dict[str, Any], said: str
) -> None:
    named = world.result(**changes)
    _, report = world.evaluated(rules=ComparisonRules(result_id=named.id))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert failed_checks(report) == ["no_regression"]
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(report.comparison.reason)


def test_a_named_baseline_whose_provenance_is_damaged_is_not_comparable(world: World) -> None:
    named = world.result()
    no_evidence = GeneratorProvenance.no_evidence("the stored provenance is malformed")
    kept(world, named, summary=replace(named.summary, provenance=no_evidence))
    _, report = world.evaluated(rules=ComparisonRules(result_id=named.id))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "the stored provenance is malformed" in report.comparison.reason


def test_a_named_baseline_of_another_snapshot_is_compared_across_the_change(world: World) -> None:
    named = world.result()
    _, report = world.evaluated(rules=ComparisonRules(result_id=named.id), served_by=NEWER)
    assert report.comparison.verdict is Verdict.SNAPSHOT_CHANGED


def test_a_baseline_from_a_file_is_compared_and_named_by_what_produced_it(world: World) -> None:
    named = world.result(10)
    side = side_of(named, world.store)
    rules = ComparisonRules(file=FileBaseline("main.json", side, accepted=True))
    _, report = world.evaluated(8, rules=rules)
    assert (report.comparison.against, report.comparison.baseline_id) == ("file", None)
    assert report.comparison.baseline_generator == "eu-west/tern-large → tern-4-2026"
    assert report.comparison.verdict is Verdict.REGRESSION


def test_a_named_baseline_needs_no_source_of_verified_baselines(world: World) -> None:
    named, current = world.result(), world.result()
    rules = ComparisonRules(result_id=named.id)
    report = world.decided(current, rules=rules, source=UnverifiedResults(world.store))
    assert report.comparison.verdict is Verdict.NO_REGRESSION


def test_a_source_that_cannot_verify_what_produced_its_results_gives_no_verdict(world: World) -> None:
    world.evaluated()
    report = world.decided(world.result(), source=UnverifiedResults(world.store))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert report.comparison.reason == "unknown: the source of results cannot verify what produced them"
    assert failed_checks(report) == ["no_regression"]


def test_a_model_key_that_another_provider_serves_now_starts_anew_and_warns(world: World) -> None:
    earlier, _ = world.evaluated(10)
    _, report = world.evaluated(2, served_by=ELSEWHERE)
    assert (report.comparison.verdict, report.passed) == (Verdict.FIRST, True)
    warning = report.check(CheckName.GENERATOR_CHANGED)
    assert (warning.passed, warning.blocks) == (False, False)
    instead = "us-east/tern-large → tern-4-2026 answers instead of eu-west/tern-large → tern-4-2026"
    assert warning.reason == instead
    assert f"eval-pipeline compare {earlier.id} " in report.comparison.reason


def test_the_first_result_of_all_warns_of_nothing(world: World) -> None:
    _, report = world.evaluated()
    assert report.check(CheckName.GENERATOR_CHANGED).passed


def test_another_version_of_an_application_is_compared_and_the_change_is_named(world: World) -> None:
    first, _ = world.evaluated(served_by=APPLICATION)
    _, report = world.evaluated(8, served_by=replace(APPLICATION, declared_version="3.0"))
    found = report.comparison.differences
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.REGRESSION, first.id)
    assert found is not None
    assert found.changed_treatment == ("application_version",)


def test_applications_of_different_names_are_not_compared(world: World) -> None:
    world.evaluated(served_by=APPLICATION)
    _, report = world.evaluated(2, served_by=replace(APPLICATION, declared_name="other-bot"))
    assert report.comparison.verdict is Verdict.FIRST


def test_runs_that_overlap_are_compared_by_when_they_were_asked(world: World) -> None:
    first, second = world.run(), world.run()
    late, early = world.graded(second), world.graded(first)
    assert world.decided(early).comparison.verdict is Verdict.FIRST
    assert world.decided(late).comparison.baseline_id == early.id


def test_a_regrading_is_compared_with_what_was_asked_before_it_and_not_with_itself(world: World) -> None:
    before, _ = world.evaluated()
    run = world.run()
    world.decided(world.graded(run))
    report = world.decided(world.graded(run))
    assert report.comparison.baseline_id == before.id


def test_a_set_that_was_never_accepted_says_so_instead_of_calling_a_later_result_the_first(
    world: World,
) -> None:
    strict = set_of(gate=Gate(min_pass_rate=0.9))
    world.evaluated(8, strict)
    _, report = world.evaluated(8, strict)
    assert report.comparison.reason != "the first result of its kind"


def test_against_a_pin_that_does_not_exist_nothing_is_comparable_and_nothing_passes(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(10, rules=ComparisonRules(against=Against.PINNED))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert failed_checks(report) == ["no_regression"]


@pytest.mark.parametrize("golden", [None, "no"], ids=["same", "changed expectations"])
def test_a_baseline_of_the_same_run_is_not_comparable(world: World, golden: str | None) -> None:
    run = world.run()
    first = world.graded(run)
    now = expecting(golden) if golden else set_of()
    report = world.decided(world.graded(run, now), now, ComparisonRules(result_id=first.id))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert (
        f"result {first.id}, cannot be compared with: it grades the same answers" in report.comparison.reason
    )
    assert failed_checks(report) == ["no_regression"]


def test_a_file_of_another_database_may_have_the_number_of_the_same_run(world: World) -> None:
    result = world.result()
    baseline = FileBaseline("main.json", side_of(result, world.store), accepted=True)
    report = world.decided(result, rules=ComparisonRules(file=baseline))
    assert report.comparison.verdict is Verdict.NO_REGRESSION


# What passes, and is not accepted by it


def assert_passed_only(world: World, result: EvaluationResult, report: GateReport, because: str) -> None:
    """The result passed its checks, is not approved, and is no baseline until it is accepted by hand."""
    assert (report.passed, report.accepts, report.not_accepted_because) == (True, False, because)
    standing = world.history.standings([result.id])[result.id]
    assert not standing.approved(world.clock())
    assert standing.why_not_approved() == f"it passed its checks, but {because}"
    later = world.result(8)
    assert world.decided(later).comparison.baseline_id != result.id
    accept(world, result)
    assert world.decided(later).comparison.baseline_id == result.id


@pytest.mark.parametrize("name", ["max_pass_rate_drop", "max_mean_score_drop"])
def test_what_passes_by_a_larger_tolerance_than_its_sets_is_not_accepted(world: World, name: str) -> None:
    world.evaluated(10)
    result, report = world.evaluated(9, rules=ComparisonRules(**{name: 0.3}))
    assert_passed_only(world, result, report, f"it was compared with {name} 0.3, and its set allows 0.1")


@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.1])
def test_what_passes_by_a_tolerance_that_is_no_larger_is_accepted(world: World, tolerance: float) -> None:
    world.evaluated(10)
    rules = ComparisonRules(max_pass_rate_drop=tolerance, max_mean_score_drop=tolerance)
    _, report = world.evaluated(10, rules=rules)
    assert (report.accepts, report.not_accepted_because) == (True, None)


def test_what_passes_against_a_previous_result_that_is_not_accepted_is_not_either(world: World) -> None:
    world.evaluated(10)
    regressed, _ = world.evaluated(8)
    result, report = world.evaluated(8, rules=ComparisonRules(against=Against.PREVIOUS))
    because = f"its baseline, result {regressed.id}, is not accepted itself"
    assert_passed_only(world, result, report, because)


def test_what_passes_against_a_named_result_that_is_not_accepted_is_not_either(world: World) -> None:
    world.evaluated(10)
    named = world.result(8)
    result, report = world.evaluated(8, rules=ComparisonRules(result_id=named.id))
    assert_passed_only(world, result, report, f"its baseline, result {named.id}, is not accepted itself")


def test_what_passes_against_a_file_that_is_not_accepted_is_not_either(world: World) -> None:
    world.evaluated(10)
    baseline = FileBaseline("main.json", side_of(world.result(8), world.store), accepted=False)
    result, report = world.evaluated(8, rules=ComparisonRules(file=baseline))
    assert_passed_only(world, result, report, "its baseline, main.json, was not accepted itself")


@pytest.mark.parametrize("how", ["previous", "result", "file"])
def test_what_passes_against_an_accepted_baseline_is_accepted_however_it_was_chosen(
    world: World, how: str
) -> None:
    first, _ = world.evaluated(10)
    rules = {
        "previous": ComparisonRules(against=Against.PREVIOUS),
        "result": ComparisonRules(result_id=first.id),
        "file": ComparisonRules(file=FileBaseline("main.json", side_of(first, world.store), accepted=True)),
    }
    _, report = world.evaluated(10, rules=rules[how])
    assert (report.accepts, report.not_accepted_because) == (True, None)


def test_a_named_baseline_whose_acceptance_is_withdrawn_accepts_nothing(world: World) -> None:
    first, _ = world.evaluated(10)
    world.history.record_decision(ManualDecision(first.id, Action.WITHDRAW, "", "ada", NOON))
    _, report = world.evaluated(10, rules=ComparisonRules(result_id=first.id))
    assert (report.passed, report.accepts) == (True, False)


# Changed treatment


def test_a_changed_prompt_is_what_is_measured_and_is_named(world: World) -> None:
    world.evaluated(10)
    terse = set_of(system_prompt="Be brief.", parameters={"temperature": 0.5})
    _, report = world.evaluated(8, terse)
    found = report.comparison.differences
    assert found is not None
    assert found.changed_treatment == ("parameters.temperature", "system_prompt")
    assert report.comparison.verdict is Verdict.REGRESSION
    assert "changed: parameters.temperature, system_prompt" in report.comparison.reason


def test_a_changed_template_leaves_the_questions_the_same(world: World) -> None:
    def asked(template: str) -> GoldenPromptSet:
        prompts = (prompt(f"p{number}", prompt=None, vars={"n": str(number)}) for number in range(10))
        return golden_set(*prompts, template=template)

    world.evaluated(10, asked("Question {{n}}"))
    _, report = world.evaluated(10, asked("Please: {{n}}"))
    found = report.comparison.differences
    assert found is not None
    assert (found.shared, found.changed_treatment) == (10, ("template",))


def test_a_parameter_of_the_model_itself_is_named_too(world: World) -> None:
    world.evaluated(by=model(parameters={"temperature": 0}))
    _, report = world.evaluated(by=model(parameters={"temperature": 1}))
    assert report.comparison.differences.changed_treatment == ("parameters.temperature",)


def test_a_baseline_that_does_not_know_how_it_was_asked_is_compared_and_says_so(world: World) -> None:
    old, _ = world.evaluated()
    world.store.runs[old.run_id] = replace(world.store.runs[old.run_id], treatment=None)
    _, report = world.evaluated()
    assert report.comparison.verdict is Verdict.NO_REGRESSION
    assert report.comparison.differences.changed_treatment == ("not recorded",)


# Changed inputs


def test_a_prompt_that_asks_something_else_is_another_question_and_pairs_with_nothing(world: World) -> None:
    world.evaluated(10)
    edited = golden_set(
        *(
            prompt(f"p{number}", prompt="Another?" if number == 0 else f"Question p{number}?")
            for number in range(10)
        )
    )
    _, report = world.evaluated(10, edited, texts={"p0": "no"})
    found = report.comparison.differences
    assert found is not None
    assert (found.shared, found.edited, found.pass_rate.current) == (9, 1, 1.0)


# Changed expectations: the baseline's stored answers are graded anew


def expecting(word: str, count: int = 10, **changes: Any) -> GoldenPromptSet:
    """The set of ten prompts, expecting another word."""
    prompts = (prompt(f"p{number}", assertions=[Contains(word)]) for number in range(count))
    return golden_set(*prompts, **changes)


def test_when_expectations_changed_the_baseline_is_graded_by_those_of_today(world: World) -> None:
    first, _ = world.evaluated(10)
    _, report = world.evaluated(10, expecting("no"))
    assert (report.comparison.verdict, report.comparison.regraded) == (Verdict.NO_REGRESSION, True)
    assert report.comparison.baseline_id == first.id
    assert report.comparison.differences.pass_rate.baseline == 0.0


def test_the_verdict_follows_the_baseline_as_graded_by_the_expectations_of_today(world: World) -> None:
    world.evaluated(2)
    _, report = world.evaluated(10, expecting("no"))
    assert (report.comparison.verdict, report.comparison.differences.pass_rate.baseline) == (
        Verdict.REGRESSION,
        0.8,
    )


def test_grading_a_baseline_anew_stores_nothing_and_asks_nobody(world: World) -> None:
    world.evaluated(10)
    current = world.result(10, expecting("no"))
    passes, results, runs = dict(world.store.passes), dict(world.store.kept), dict(world.store.runs)
    world.decided(current, expecting("no"))
    assert (world.store.passes, world.store.kept, world.store.runs) == (passes, results, runs)


def test_with_unchanged_expectations_no_answer_is_graded_anew(world: World) -> None:
    class Counting(DeterministicGrader):
        graded = 0

        def grade(self, *given: Any) -> Any:
            Counting.graded += 1
            return super().grade(*given)

    world.evaluated(10)
    report = world.decided(world.result(10), grader=Counting())
    assert (report.comparison.regraded, Counting.graded) == (False, 0)


def test_a_newer_version_of_the_grader_grades_the_baseline_anew(world: World) -> None:
    class Newer(DeterministicGrader):
        version = DeterministicGrader.version + 1

    world.evaluated(10)
    current = world.graded(world.run(10), grader=Newer())
    report = world.decided(current, grader=Newer())
    assert (report.comparison.verdict, report.comparison.regraded) == (Verdict.NO_REGRESSION, True)


def test_a_baseline_whose_answers_are_gone_is_not_comparable_when_expectations_changed(world: World) -> None:
    first, _ = world.evaluated(10)
    world.store.exchanges[first.run_id].clear()
    _, report = world.evaluated(10, expecting("no"))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert report.comparison.baseline_id == first.id
    assert "its answers are no longer stored" in report.comparison.reason


def test_a_baseline_of_which_a_single_answer_is_gone_is_not_comparable_when_expectations_changed(
    world: World,
) -> None:
    first, _ = world.evaluated(10)
    del world.store.exchanges[first.run_id]["p3", 0]
    _, report = world.evaluated(10, expecting("no"))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE


def test_a_baseline_of_which_one_repeat_is_gone_is_not_comparable_when_expectations_changed(
    world: World,
) -> None:
    first, _ = world.evaluated(10, repeats=3)
    del world.store.exchanges[first.run_id]["p3", 1]
    _, report = world.evaluated(10, expecting("no"), repeats=3)
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE


def test_a_baseline_whose_answers_are_gone_is_comparable_while_expectations_are_the_same(
    world: World,
) -> None:
    first, _ = world.evaluated(10)
    world.store.exchanges[first.run_id].clear()
    _, report = world.evaluated(8)
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.REGRESSION, first.id)


def test_expectations_and_prompts_that_change_together_are_compared_over_what_is_shared(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(0, expecting("no", count=11))
    found = report.comparison.differences
    assert (report.comparison.regraded, report.comparison.verdict) == (True, Verdict.NO_REGRESSION)
    assert (found.shared, found.added, found.measured) == (10, 1, 10)


def test_a_file_has_no_answers_to_grade_anew_by_changed_expectations(world: World) -> None:
    side = side_of(world.result(10), world.store)
    rules = ComparisonRules(file=FileBaseline("main.json", side, accepted=True))
    _, report = world.evaluated(10, expecting("no"), rules)
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "the baseline, main.json, cannot be compared with" in report.comparison.reason
    assert "its answers are not stored here" in report.comparison.reason


# A baseline that is removed between read and comparison


class Removing(UnverifiedResults):
    """A history that finds a baseline which is removed before anybody can look at it."""

    def __init__(self, world: World, remove: Callable[[EvaluationResult], None]) -> None:
        super().__init__(world.store)
        self._world, self._remove = world, remove

    def baseline(self, *question: Any) -> EvaluationResult | None:
        found = self._world.history.baseline(*question)
        if found is not None:
            self._remove(found)
        return found

    def latest_before(self, *question: Any) -> EvaluationResult | None:
        return self._world.history.latest_before(*question)


@pytest.mark.parametrize("golden", [set_of(), expecting("no")], ids=["same", "changed expectations"])
def test_a_baseline_that_was_removed_meanwhile_is_not_comparable_and_no_traceback(
    world: World, golden: GoldenPromptSet
) -> None:
    world.evaluated()

    def remove(found: EvaluationResult) -> None:
        world.store.kept.pop(found.id)
        world.store.graded[found.id].clear()
        world.store.exchanges[found.run_id].clear()
        world.store.runs.pop(found.run_id)

    report = world.decided(world.result(10, golden), golden, source=Removing(world, remove))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert failed_checks(report) == ["no_regression"]


# Repeats


def test_repeats_of_a_prompt_count_as_shares_of_one_pair(world: World) -> None:
    world.evaluated(10, repeats=2)
    run = world.run(10, repeats=2)
    for number in range(4):
        bad = world.store.exchanges[run.id][f"p{number}", 1]
        reply = replace(bad.response.reply, text="no")
        world.store.exchanges[run.id][f"p{number}", 1] = replace(
            bad, response=replace(bad.response, reply=reply)
        )
    report = world.decided(world.graded(run))
    found = report.comparison.differences
    assert (found.measured, found.pass_rate.baseline, found.pass_rate.current) == (10, 1.0, 0.8)
    assert report.comparison.verdict is Verdict.REGRESSION


def test_results_with_different_numbers_of_repeats_are_compared_prompt_by_prompt(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(9, repeats=4)
    found = report.comparison.differences
    assert (report.comparison.verdict, found.measured) == (Verdict.NO_REGRESSION, 10)
    assert found.pass_rate.current == 0.9


# What a run decides about its comparison


def test_a_run_can_set_tolerances_over_those_of_the_set(world: World) -> None:
    world.evaluated(10)
    result = world.result(8)
    lenient = ComparisonRules(max_pass_rate_drop=0.2, max_mean_score_drop=0.2)
    assert world.decided(result).comparison.verdict is Verdict.REGRESSION
    assert world.decided(result, rules=lenient).comparison.verdict is Verdict.NO_REGRESSION


def test_a_tolerance_of_zero_is_a_tolerance(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(9, rules=ComparisonRules(max_pass_rate_drop=0.0))
    assert report.comparison.verdict is Verdict.REGRESSION


def test_a_run_that_sets_one_tolerance_keeps_the_sets_other_one(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(8, rules=ComparisonRules(max_pass_rate_drop=1.0))
    found = report.comparison.differences
    assert (found.pass_rate.tolerance, found.mean_score.tolerance) == (1.0, 0.1)
    assert report.comparison.verdict is Verdict.REGRESSION


def test_a_confidence_is_that_of_the_intervals(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(8, rules=ComparisonRules(confidence=0.9))
    assert report.comparison.differences.confidence == 0.9


def test_a_drop_that_chance_explains_is_no_regression_when_a_confidence_is_asked_for(world: World) -> None:
    world.evaluated(10)
    _, report = world.evaluated(8, rules=ComparisonRules(confidence=0.999))
    found = report.comparison.differences
    assert (found.pass_rate.beyond_tolerance, report.comparison.verdict) == (True, Verdict.NO_REGRESSION)
    assert report.comparison.reason == (
        "a drop beyond the tolerance does not stand up to a confidence of 0.999 (over 10 shared prompts)"
    )


@pytest.mark.parametrize("name", ["max_pass_rate_drop", "max_mean_score_drop"])
@pytest.mark.parametrize("value", [-0.001, 1.001, math.nan, math.inf, -math.inf])
def test_a_tolerance_that_is_no_share_is_refused(name: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"{name} is a share between 0 and 1"):
        ComparisonRules(**{name: value})


@pytest.mark.parametrize("value", [0.0, 1.0, -0.5, 95.0, math.nan, math.inf])
def test_a_confidence_outside_of_0_to_1_is_refused(value: float) -> None:
    with pytest.raises(UsageError, match="a confidence is between 0 and 1"):
        ComparisonRules(confidence=value)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_ends_of_the_range_are_tolerances(value: float) -> None:
    assert ComparisonRules(max_pass_rate_drop=value).over(Gate()).max_pass_rate_drop == value


@pytest.mark.parametrize(
    "two",
    [
        {"against": Against.PREVIOUS, "result_id": 1},
        {"against": Against.PREVIOUS, "file": True},
        {"result_id": 1, "file": True},
    ],
)
def test_a_result_is_compared_with_one_baseline_only(world: World, two: dict[str, Any]) -> None:
    if "file" in two:
        two = {**two, "file": FileBaseline("main.json", side_of(world.result(), world.store), accepted=True)}
    with pytest.raises(UsageError, match="name one only"):
        ComparisonRules(**two)


# Tags with tolerances of their own


def test_a_tag_with_a_tolerance_of_its_own_regresses_by_itself(world: World) -> None:
    gate = Gate.model_validate({"tags": {"safety": {"max_pass_rate_drop": 0.0}}})
    golden = golden_set(
        *(prompt(f"p{number}", tags=["safety"] if number == 9 else []) for number in range(10)), gate=gate
    )
    world.evaluated(10, golden)
    _, report = world.evaluated(9, golden)
    assert report.comparison.verdict is Verdict.REGRESSION
    assert "pass rate of tag 'safety' fell from 1 to 0" in report.comparison.reason


def test_a_tag_with_a_tolerance_of_its_own_that_was_measured_on_one_side_only_leaves_no_verdict(
    world: World,
) -> None:
    gate = Gate.model_validate({"max_error_share": 0.1, "tags": {"safety": {"max_pass_rate_drop": 0.0}}})
    golden = golden_set(
        *(prompt(f"p{number}", tags=["safety"] if number == 9 else []) for number in range(10)), gate=gate
    )
    world.evaluated(10, golden)
    _, report = world.evaluated(10, golden, texts={"p9": None})
    assert (report.comparison.verdict, failed_checks(report)) == (Verdict.NOT_COMPARABLE, ["no_regression"])
    assert "could not be compared ('safety')" in report.comparison.reason


def test_every_check_is_there_once(world: World) -> None:
    _, report = world.evaluated()
    assert [check.name for check in report.checks] == list(CheckName)
    assert all(isinstance(check, Check) for check in report.checks)


def test_a_verdict_is_reached_when_the_clock_says(world: World) -> None:
    _, report = world.evaluated()
    assert report.decided_at == world.clock() - timedelta(seconds=1)
