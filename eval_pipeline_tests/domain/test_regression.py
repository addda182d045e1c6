from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from eval_pipeline.domain.differences import Differences
from eval_pipeline.domain.golden_sets import Gate, TagGate
from eval_pipeline.domain.paired_comparison import differences
from eval_pipeline.domain.paired_statistics import MIN_PAIRS, exact_mcnemar
from eval_pipeline.domain.pairing import PromptOutcome
from eval_pipeline.domain.regression import Comparison, Verdict, verdict_on
from eval_pipeline_tests.domain.compared import (
    BY_WORD,
    ERROR,
    FAILED,
    NOON,
    PASSED,
    PROMPT_IDS,
    as_stored,
    compared,
    in_order,
    numbers_in,
    passing,
    scoring,
    side,
    sides_of_prompts,
)

tolerances = st.integers(0, 10_000).map(lambda digits: digits / 10_000)
any_gate = st.builds(
    Gate,
    max_pass_rate_drop=tolerances,
    max_mean_score_drop=tolerances,
    tags=st.dictionaries(
        st.sampled_from(["ci", "safety"]),
        st.builds(
            TagGate, max_pass_rate_drop=st.none() | tolerances, max_mean_score_drop=st.none() | tolerances
        ),
    ),
)
TAGS = {"ci": PROMPT_IDS[:5], "safety": PROMPT_IDS[3:12]}
confidences = st.none() | st.sampled_from([0.5, 0.8, 0.95, 0.99])


def exactly(share: float) -> Fraction:
    """The decimal that `share` was written as."""
    return Fraction(str(share))


def lost(count: int, of: int, confidence: float | None = None, **gate: Any) -> Differences:
    """Everything passed before, and so many prompts do not now."""
    return compared(passing(of, of), passing(of - count, of), Gate(**gate), confidence=confidence)


# The boundary


@given(st.integers(1, 60), st.data(), tolerances)
@example(10, None, 0.1)
def test_a_drop_of_the_pass_rate_is_beyond_the_tolerance_exactly_when_it_is_larger(
    prompts: int, data: st.DataObject | None, tolerance: float
) -> None:
    before, after = (data.draw(st.integers(0, prompts)) for _ in range(2)) if data else (8, 7)
    found = compared(passing(before, prompts), passing(after, prompts), Gate(max_pass_rate_drop=tolerance))
    assert found.pass_rate.beyond_tolerance == (Fraction(before - after, prompts) > exactly(tolerance))
    assert found.pass_rate.regressed == found.pass_rate.beyond_tolerance


@given(st.integers(1, 200), st.data())
def test_a_drop_of_exactly_the_tolerance_is_none_and_one_prompt_more_is_one(
    dropped: int, data: st.DataObject
) -> None:
    prompts = data.draw(st.sampled_from([each for each in (10, 16, 20, 50, 125, 200, 250) if each > dropped]))
    tolerance = dropped / prompts  # each denominator divides 10 000: the tolerance is a short decimal
    before = data.draw(st.integers(dropped, prompts))
    assume(before > dropped)
    gate = Gate(max_pass_rate_drop=tolerance)
    assert not compared(
        passing(before, prompts), passing(before - dropped, prompts), gate
    ).pass_rate.regressed
    assert compared(
        passing(before, prompts), passing(before - dropped - 1, prompts), gate
    ).pass_rate.regressed


@given(st.lists(st.tuples(*[st.integers(1, 7)] * 2, *[st.integers(0, 7)] * 2), min_size=1), tolerances)
def test_repeats_are_shares_and_the_arithmetic_is_as_exact(
    prompts: list[tuple[int, int, int, int]], tolerance: float
) -> None:
    before, after = (
        [(min(prompt[side + 2], prompt[side]), prompt[side]) for prompt in prompts] for side in (0, 1)
    )
    sides = [
        in_order(*(PromptOutcome(graded, passed, 0, float(passed)) for passed, graded in each))
        for each in (before, after)
    ]
    drop = sum(Fraction(*one) - Fraction(*other) for one, other in zip(before, after, strict=True))
    found = compared(*sides, Gate(max_pass_rate_drop=tolerance))
    assert found.pass_rate.beyond_tolerance == (drop / len(prompts) > exactly(tolerance))
    assert found.pass_rate.delta == float(-drop / len(prompts))


@given(
    st.integers(1, 5_000),
    st.lists(st.tuples(st.sampled_from([3, 7, 9, 10, 11]), st.integers(0, 11)), min_size=1, max_size=40),
)
@example(1_000, [(10, 1)] * 3)
def test_mean_scores_that_drop_by_exactly_the_tolerance_are_none_whatever_fractions_they_are_made_of(
    digits: int, parts: list[tuple[int, int]]
) -> None:
    tolerance = Fraction(digits, 10_000)
    befores, afters = [], []
    for denominator, part in parts:
        # One prompt drops by less than the tolerance and its twin by as much more.
        less = min(Fraction(part, denominator), tolerance)
        for drop in (tolerance - less, tolerance + less):
            befores.append(drop + (1 - drop) * Fraction(part % denominator, denominator))
            afters.append(befores[-1] - drop)
    sides = [scoring(*map(float, each)) for each in (befores, afters)]
    at = compared(*sides, Gate(max_mean_score_drop=digits / 10_000)).mean_score
    under = compared(*sides, Gate(max_mean_score_drop=(digits - 1) / 10_000)).mean_score
    assert (at.beyond_tolerance, at.regressed) == (False, False)
    assert (under.beyond_tolerance, under.regressed) == (True, True)


@pytest.mark.parametrize(("before", "after"), [(0.8, 0.7), (0.9, 0.8), (0.3, 0.2), (1.0, 0.9), (0.1, 0.0)])
def test_every_drop_of_a_tenth_is_within_a_tolerance_of_a_tenth(before: float, after: float) -> None:
    assert not compared(scoring(*[before] * 12), scoring(*[after] * 12)).mean_score.regressed


def test_nothing_is_rounded_away_before_it_is_compared() -> None:
    gate = Gate(max_mean_score_drop=0.02)
    assert compared(scoring(0.5), scoring(0.5 - 0.02004), gate).mean_score.regressed


def test_a_tolerance_of_0_is_a_tolerance() -> None:
    assert not lost(0, 20, max_pass_rate_drop=0, max_mean_score_drop=0).regressions()
    assert len(lost(1, 20, max_pass_rate_drop=0, max_mean_score_drop=0).regressions()) == 2


@pytest.mark.parametrize("name", ["gate-01-exact-tolerance", "gate-02-just-above"])
def test_handed_pass_rates_are_judged_exactly(shared_cases: Path, name: str) -> None:
    case = json.loads((shared_cases / f"{name}.json").read_text("utf-8"))
    counts = [exactly(case[side]["pass_rate"]) * 10_000 for side in ("previous", "current")]
    assert all(count.denominator == 1 for count in counts)
    found = compared(
        *(passing(int(count), 10_000) for count in counts), Gate(max_pass_rate_drop=case["max_drop"])
    )
    assert found.pass_rate.regressed == (name == "gate-02-just-above")


def test_a_handed_result_that_lost_its_failing_prompt_did_not_improve(shared_cases: Path) -> None:
    case = json.loads((shared_cases / "gate-05-missing-case.json").read_text("utf-8"))
    before, after = (
        {prompt_id: BY_WORD[word] for prompt_id, word in case[side].items()}
        for side in ("previous", "current")
    )
    found = compared(before, after)
    assert (found.shared, found.measured, found.added, found.removed) == (1, 1, 0, 1)
    assert (found.pass_rate.baseline, found.pass_rate.current, found.pass_rate.delta) == (1.0, 1.0, 0.0)
    verdict, reason = verdict_on(found, snapshot_changed=False)
    assert verdict is Verdict.NOT_COMPARABLE
    assert "1 removed" in reason


# What is compared


def test_rates_are_over_the_prompts_that_both_sides_measured() -> None:
    before = {**passing(8, 10), "x": FAILED, "y": ERROR, "z": PASSED}
    after = {**passing(8, 10), "x": ERROR, "y": PASSED, "z": FAILED}
    found = compared(before, after)
    assert (found.shared, found.measured) == (13, 11)
    assert found.unmeasured == ("x", "y")
    assert found.pass_rate.baseline == pytest.approx(9 / 11)
    assert found.pass_rate.current == pytest.approx(8 / 11)


def test_an_answer_of_another_prompt_changes_nothing_whatever_the_order() -> None:
    before, after = passing(15, 30), passing(12, 30)
    assert compared(before, dict(reversed(after.items()))).pass_rate == compared(before, after).pass_rate


@given(sides_of_prompts(), sides_of_prompts(), any_gate)
def test_every_prompt_is_counted(
    before: dict[str, PromptOutcome], after: dict[str, PromptOutcome], gate: Gate
) -> None:
    found = compared(before, after, gate, TAGS)
    earlier, later = (
        [each for each in outcomes.values() if each.status != "skipped"] for outcomes in (before, after)
    )
    assert found.shared + found.added + found.edited == len(later)
    assert found.shared + found.removed + found.edited == len(earlier)
    assert found.measured + len(found.unmeasured) == found.shared
    assert [len(found.added_ids), len(found.removed_ids)] == [found.added, found.removed]
    assert (found.pass_rate is None) == (found.mean_score is None) == (found.measured == 0)


@given(sides_of_prompts())
def test_a_result_does_not_differ_from_itself(outcomes: dict[str, PromptOutcome]) -> None:
    found = compared(outcomes, outcomes, Gate(max_pass_rate_drop=0, max_mean_score_drop=0))
    assert found.regressions() == []
    assert (found.flipped_count, found.added, found.removed, found.edited) == (0, 0, 0, 0)
    for change in (found.pass_rate, found.mean_score):
        assert change is None or (change.delta, change.p_value or 1.0) == (0.0, 1.0)


@given(sides_of_prompts(), sides_of_prompts())
def test_the_sides_exchanged_turn_every_change_round(
    before: dict[str, PromptOutcome], after: dict[str, PromptOutcome]
) -> None:
    there, back = compared(before, after), compared(after, before)
    for one, other in ((there.pass_rate, back.pass_rate), (there.mean_score, back.mean_score)):
        if one is not None:
            assert (one.baseline, one.current, one.delta) == pytest.approx(
                (other.current, other.baseline, -other.delta)
            )
            assert one.p_value == pytest.approx(other.p_value)
            assert one.standard_error == pytest.approx(other.standard_error)


@given(sides_of_prompts(), sides_of_prompts())
def test_a_change_is_the_difference_of_its_two_sides(
    before: dict[str, PromptOutcome], after: dict[str, PromptOutcome]
) -> None:
    found = compared(before, after)
    for change in filter(None, (found.pass_rate, found.mean_score)):
        assert 0 <= change.baseline <= 1
        assert 0 <= change.current <= 1
        assert change.delta == pytest.approx(change.current - change.baseline, abs=1e-12)
        assert change.interval is None or change.interval[0] <= change.delta <= change.interval[1]


def test_an_interval_that_nobody_asked_for_is_at_95_percent() -> None:
    usual, asked, sure = (lost(5, 20, confidence) for confidence in (None, 0.95, 0.99))
    assert usual.confidence == 0.95
    assert usual.pass_rate.interval == asked.pass_rate.interval
    assert sure.confidence == 0.99
    assert sure.pass_rate.interval[0] < asked.pass_rate.interval[0]


def test_passes_are_tested_exactly_and_scores_by_their_means() -> None:
    found = lost(6, 20)
    assert (found.pass_rate.test, found.pass_rate.p_value) == ("exact McNemar", exact_mcnemar(6, 0))
    assert found.mean_score.test == "paired t"
    assert found.mean_score.p_value != found.pass_rate.p_value


def test_losses_and_gains_are_told_apart_by_prompt() -> None:
    before = in_order(*[PASSED] * 12, *[FAILED] * 8)
    after = in_order(*[FAILED] * 5, *[PASSED] * 7, *[PASSED] * 2, *[FAILED] * 6)
    found = compared(before, after)
    assert found.pass_rate.p_value == exact_mcnemar(5, 2)
    assert found.flipped_count == 7


def test_repeats_are_tested_by_their_shares_and_not_as_if_they_were_prompts() -> None:
    twice = PromptOutcome(2, 1, 0, 1.0)
    found = compared(in_order(*[PASSED] * 12), in_order(*[twice] * 6, *[PASSED] * 6))
    assert found.pass_rate.test == "paired t"
    assert found.pass_rate.delta == -0.25
    assert found.measured == 12


# Confidence


def test_with_a_confidence_asked_for_a_drop_within_the_noise_is_no_regression() -> None:
    assert lost(3, 20).pass_rate.regressed
    found = lost(3, 20, 0.95)
    assert found.pass_rate.interval[1] > 0
    assert (found.pass_rate.beyond_tolerance, found.pass_rate.regressed) == (True, False)
    assert found.regressions() == []


def test_with_a_confidence_asked_for_a_drop_beyond_the_noise_is_one() -> None:
    found = lost(8, 20, 0.95)
    assert found.pass_rate.interval[1] < 0
    assert found.pass_rate.regressed


def test_a_certain_drop_within_the_tolerance_is_no_regression() -> None:
    found = lost(30, 1000, 0.95)
    assert found.pass_rate.interval[1] < 0
    assert not found.pass_rate.regressed


@given(sides_of_prompts(), sides_of_prompts(), tolerances, st.sampled_from([0.5, 0.8, 0.95]))
def test_a_regression_is_beyond_the_tolerance_and_stands_up_to_the_confidence(
    before: dict[str, PromptOutcome], after: dict[str, PromptOutcome], tolerance: float, confidence: float
) -> None:
    found = compared(
        before,
        after,
        Gate(max_pass_rate_drop=tolerance, max_mean_score_drop=tolerance),
        confidence=confidence,
    )
    for change in filter(None, (found.pass_rate, found.mean_score)):
        certain = change.interval is None or change.interval[1] < 0
        assert change.regressed == (change.beyond_tolerance and certain)


@pytest.mark.parametrize("confidence", [None, 0.95])
def test_with_too_few_pairs_the_tolerance_decides_and_the_advice_says_so(confidence: float | None) -> None:
    found = lost(2, MIN_PAIRS - 1, confidence)
    assert found.pass_rate.regressed
    assert (found.pass_rate.interval, found.pass_rate.p_value, found.pass_rate.test) == (None, None, None)
    assert f"too few pairs ({MIN_PAIRS - 1})" in found.advice[0]
    assert any("tolerance alone decides" in advice for advice in found.advice) == (confidence is not None)


def test_from_enough_pairs_on_there_is_an_interval_and_no_such_advice() -> None:
    found = lost(2, MIN_PAIRS)
    assert found.pass_rate.interval is not None
    assert not any("too few" in advice for advice in found.advice)


def test_a_tolerance_below_the_noise_is_advised_against_with_the_smallest_drop_that_shows() -> None:
    found = lost(3, 20, max_mean_score_drop=1)
    assert found.pass_rate.detectable_drop > 0.1
    (advice,) = found.advice
    assert "pass rate" in advice
    assert f"{found.pass_rate.detectable_drop:.3f}" in advice
    assert "20 prompts" in advice
    assert "0.1" in advice


def test_a_tolerance_above_the_noise_needs_no_advice() -> None:
    assert lost(3, 1000).advice == ()


# Tags


def tag_changes(gate: Gate, tags: Mapping[str, list[str]], confidence: float | None = None) -> Differences:
    """Of twenty prompts, of which the first three do not pass any more."""
    after = {**passing(20, 20), "p0": FAILED, "p1": FAILED, "p2": FAILED}
    return compared(passing(20, 20), after, gate, tags, confidence)


def test_a_tag_with_a_tolerance_of_its_own_is_compared_over_its_own_prompts() -> None:
    gate = Gate(
        max_pass_rate_drop=0.2,
        max_mean_score_drop=0.2,
        tags={"safety": TagGate(max_pass_rate_drop=0), "ci": TagGate(max_mean_score_drop=0.5)},
    )
    found = tag_changes(gate, {"safety": ["p2", "p3", "p4", "p5"], "ci": ["p2", "p3"]})
    safety, ci = found.tags["safety"], found.tags["ci"]
    assert (safety.shared, safety.pass_rate.delta, safety.pass_rate.tolerance) == (4, -0.25, 0.0)
    assert safety.pass_rate.regressed
    assert (ci.shared, ci.mean_score.delta, ci.mean_score.tolerance) == (2, -0.5, 0.5)
    assert not ci.mean_score.regressed
    sentences = found.regressions()
    assert any("pass rate of tag 'safety' fell from 1 to 0.75" in each for each in sentences)
    assert not any("'ci'" in each and "mean score" in each for each in sentences)


def test_the_measure_without_a_tolerance_of_the_tag_keeps_that_of_the_set() -> None:
    gate = Gate(max_mean_score_drop=0.3, tags={"safety": TagGate(max_pass_rate_drop=0)})
    found = tag_changes(gate, {"safety": ["p2", "p3", "p4", "p5"]})
    assert found.tags["safety"].mean_score.tolerance == 0.3
    assert not found.tags["safety"].mean_score.regressed


def test_a_tag_without_a_tolerance_of_its_own_is_not_compared_by_itself() -> None:
    gate = Gate(tags={"safety": TagGate(min_pass_rate=0.5)})
    assert tag_changes(gate, {"safety": ["p0", "p1"]}).tags == {}


def test_a_regression_of_a_tag_is_one_of_the_whole_result() -> None:
    gate = Gate(max_pass_rate_drop=1, max_mean_score_drop=1, tags={"safety": TagGate(max_pass_rate_drop=0)})
    found = tag_changes(gate, {"safety": ["p0"]})
    verdict, reason = verdict_on(found, snapshot_changed=False)
    assert verdict is Verdict.REGRESSION
    assert "tag 'safety'" in reason


def test_a_confidence_asked_for_holds_for_tags_as_well() -> None:
    gate = Gate(
        max_pass_rate_drop=1,
        max_mean_score_drop=1,
        tags={"all": TagGate(max_pass_rate_drop=0.1), "few": TagGate(max_pass_rate_drop=0.1)},
    )
    tags = {"all": list(passing(20, 20)), "few": ["p0", "p5"]}
    assert tag_changes(gate, tags).tags["all"].pass_rate.regressed
    asked = tag_changes(gate, tags, 0.95)
    assert not asked.tags["all"].pass_rate.regressed
    assert asked.tags["few"].pass_rate.regressed  # two pairs have no interval: the tolerance decides


@pytest.mark.parametrize("snapshot_changed", [False, True])
def test_a_tag_that_could_not_be_compared_leaves_no_verdict(snapshot_changed: bool) -> None:
    gate = Gate(tags={"safety": TagGate(max_pass_rate_drop=0)})
    before = {**passing(20, 20), "s1": PASSED, "s2": PASSED}
    after = {**passing(20, 20), "s3": FAILED, "s4": FAILED}
    found = compared(before, after, gate, {"safety": ["s3", "s4"]})
    assert (found.uncompared_tags, "safety" in found.tags, found.enough_shared) == (("safety",), False, True)
    verdict, reason = verdict_on(found, snapshot_changed=snapshot_changed)
    assert verdict is Verdict.NOT_COMPARABLE
    assert "tags with tolerances of their own could not be compared ('safety')" in reason


def test_a_tag_of_which_no_prompt_was_measured_on_both_sides_leaves_no_verdict() -> None:
    gate = Gate(tags={"safety": TagGate(max_mean_score_drop=0)})
    found = compared(passing(20, 20), {**passing(20, 20), "p0": ERROR}, gate, {"safety": ["p0"]})
    assert found.uncompared_tags == ("safety",)
    assert verdict_on(found, snapshot_changed=False)[0] is Verdict.NOT_COMPARABLE


def test_a_tag_of_which_one_prompt_was_measured_on_both_sides_is_compared() -> None:
    gate = Gate(tags={"safety": TagGate(max_mean_score_drop=0)})
    found = compared(passing(20, 20), {**passing(20, 20), "p0": ERROR}, gate, {"safety": ["p0", "p1"]})
    assert (found.uncompared_tags, found.tags["safety"].shared) == ((), 1)
    assert verdict_on(found, snapshot_changed=False)[0] is Verdict.NO_REGRESSION


def test_a_tag_with_a_floor_alone_need_not_be_compared() -> None:
    gate = Gate(tags={"safety": TagGate(min_pass_rate=0.5)})
    assert compared(passing(20, 20), passing(20, 20), gate, {"safety": ["gone"]}).uncompared_tags == ()


# Flips


def test_flips_are_listed_with_both_sides_the_worse_ones_first() -> None:
    before = in_order(FAILED, PASSED, PASSED, FAILED, PASSED, PASSED)
    worse = PromptOutcome(1, 0, 0, 0.25)
    after = in_order(PASSED, worse, PASSED, PASSED, FAILED, PASSED)
    found = compared(before, after)
    assert [flip.prompt_id for flip in found.flipped] == ["p1", "p4", "p0", "p3"]
    assert [flip.worse for flip in found.flipped] == [True, True, False, False]
    first = found.flipped[0]
    assert (first.before, first.after, first.score_before, first.score_after) == ("pass", "fail", 1.0, 0.25)


def test_all_flips_are_counted_and_of_very_many_the_worse_ones_are_kept() -> None:
    prompts = 1500
    before = in_order(*[FAILED] * (prompts - 600), *[PASSED] * 600)
    after = in_order(*[PASSED] * (prompts - 600), *[FAILED] * 600)
    found = compared(before, after)
    assert found.flipped_count == prompts
    assert len(found.flipped) == 1000
    assert sum(flip.worse for flip in found.flipped) == 600


def test_a_prompt_that_fails_in_some_repeats_now_has_flipped() -> None:
    wavering = PromptOutcome(3, 2, 0, 2.0)
    (flip,) = compared({"a": PASSED}, {"a": wavering}).flipped
    assert (flip.before, flip.after, flip.worse) == ("pass", "fail", True)
    assert compared({"a": FAILED}, {"a": wavering}).flipped == ()


def test_a_repeat_that_was_not_measured_now_is_a_flip_to_error() -> None:
    (flip,) = compared({"a": PASSED}, {"a": PromptOutcome(1, 1, 1, 1.0)}).flipped
    assert (flip.before, flip.after, flip.worse) == ("pass", "error", True)


# Verdicts


def changed_asking(found: Differences) -> Differences:
    return found.model_copy(update={"changed_treatment": ("parameters.temperature", "system_prompt")})


def test_no_drop_beyond_the_tolerance_is_no_regression() -> None:
    assert verdict_on(lost(2, 20), snapshot_changed=False) == (
        Verdict.NO_REGRESSION,
        "no rate fell beyond its tolerance (over 20 shared prompts)",
    )


@pytest.mark.parametrize(
    ("snapshot_changed", "verdict"), [(False, Verdict.NO_REGRESSION), (True, Verdict.SNAPSHOT_CHANGED)]
)
def test_a_drop_that_does_not_stand_up_to_the_confidence_is_said_so(
    snapshot_changed: bool, verdict: Verdict
) -> None:
    found, reason = verdict_on(lost(3, 20, 0.95), snapshot_changed=snapshot_changed)
    assert found is verdict
    noise = "a drop beyond the tolerance does not stand up to a confidence of 0.95 (over 20 shared prompts)"
    assert reason.endswith(noise)


def test_a_drop_of_a_tag_alone_that_does_not_stand_up_to_the_confidence_is_said_so() -> None:
    gate = Gate(max_pass_rate_drop=1, max_mean_score_drop=1, tags={"all": TagGate(max_pass_rate_drop=0.1)})
    found = tag_changes(gate, {"all": list(passing(20, 20))}, 0.95)
    assert "does not stand up to a confidence of 0.95" in verdict_on(found, snapshot_changed=False)[1]


def test_a_drop_within_the_tolerance_is_not_called_noise_when_a_confidence_is_asked_for() -> None:
    _, reason = verdict_on(lost(1, 20, 0.95), snapshot_changed=False)
    assert reason == "no rate fell beyond its tolerance (over 20 shared prompts)"


def test_an_improvement_is_no_regression() -> None:
    found = compared(passing(2, 20), passing(20, 20))
    assert verdict_on(found, snapshot_changed=False)[0] is Verdict.NO_REGRESSION


def test_a_regression_names_the_measures_the_tolerances_and_the_count() -> None:
    verdict, reason = verdict_on(lost(5, 20), snapshot_changed=False)
    assert verdict is Verdict.REGRESSION
    assert "pass rate fell from 1 to 0.75, by more than 0.1" in reason
    assert "mean score fell from 1 to 0.75, by more than 0.1" in reason
    assert "over 20 shared prompts" in reason


@pytest.mark.parametrize(
    ("dropped", "snapshot_changed", "verdict"),
    [
        (0, False, Verdict.NO_REGRESSION),
        (5, False, Verdict.REGRESSION),
        (0, True, Verdict.SNAPSHOT_CHANGED),
        (5, True, Verdict.HELD_BACK),
    ],
)
def test_a_changed_asking_is_compared_and_named_whatever_the_verdict(
    dropped: int, snapshot_changed: bool, verdict: Verdict
) -> None:
    found = lost(dropped, 20)
    assert "changed:" not in verdict_on(found, snapshot_changed=snapshot_changed)[1]
    reached, reason = verdict_on(changed_asking(found), snapshot_changed=snapshot_changed)
    assert reached is verdict
    assert "changed: parameters.temperature, system_prompt" in reason


def test_another_snapshot_within_the_tolerance_is_told_and_no_regression() -> None:
    verdict, reason = verdict_on(lost(2, 20), snapshot_changed=True)
    assert verdict is Verdict.SNAPSHOT_CHANGED
    assert "another snapshot" in reason
    assert "over 20 shared prompts" in reason


def test_another_snapshot_beyond_the_tolerance_is_held_back_and_not_called_a_regression() -> None:
    verdict, reason = verdict_on(lost(3, 20), snapshot_changed=True)
    assert verdict is Verdict.HELD_BACK
    assert "another snapshot" in reason
    assert "pass rate fell from 1 to 0.85" in reason
    assert "held back until it is accepted" in reason
    assert "regress" not in reason


@pytest.mark.parametrize("snapshot_changed", [True, False])
def test_with_too_few_shared_prompts_nothing_is_comparable_however_they_differ(
    snapshot_changed: bool,
) -> None:
    before = {**passing(7, 7), "x": PASSED, "y": PASSED, "z": PASSED}
    after = {**passing(0, 7), "n1": PASSED, "z": PASSED}
    edited = replace(side(after), inputs={**side(after).inputs, "z": "another text"})
    found = differences(side(before), edited, Gate(), {}, None)
    verdict, reason = verdict_on(found, snapshot_changed=snapshot_changed)
    assert verdict is Verdict.NOT_COMPARABLE
    assert "only 7 prompts are shared (1 added, 2 removed, 1 edited)" in reason
    assert "80%" in reason


def test_a_comparison_that_is_not_possible_still_says_that_the_snapshot_changed() -> None:
    found = compared(passing(5, 5), passing(5, 10))
    verdict, reason = verdict_on(found, snapshot_changed=True)
    assert verdict is Verdict.NOT_COMPARABLE
    assert "another snapshot" in reason


def test_80_percent_shared_prompts_are_enough_for_a_verdict() -> None:
    assert verdict_on(compared(passing(8, 8), passing(8, 10)), snapshot_changed=False)[0] is (
        Verdict.NO_REGRESSION
    )
    assert verdict_on(compared(passing(79, 79), passing(79, 99)), snapshot_changed=False)[0] is (
        Verdict.NOT_COMPARABLE
    )


def test_where_nothing_was_measured_on_both_sides_a_drop_of_0_is_not_made_up() -> None:
    found = compared(passing(8, 10), in_order(*[ERROR] * 10))
    assert (found.pass_rate, found.mean_score) == (None, None)
    assert len(found.unmeasured) == 10
    verdict, reason = verdict_on(found, snapshot_changed=False)
    assert verdict is Verdict.NOT_COMPARABLE
    assert "none of the 10 shared prompts was measured on both sides" in reason


def test_two_results_without_prompts_are_not_comparable() -> None:
    assert verdict_on(compared({}, {}), snapshot_changed=False)[0] is Verdict.NOT_COMPARABLE


@given(sides_of_prompts(), sides_of_prompts(), any_gate, confidences, st.booleans())
def test_a_verdict_follows_from_what_is_shared_what_regressed_and_the_snapshot(
    before: dict[str, PromptOutcome],
    after: dict[str, PromptOutcome],
    gate: Gate,
    confidence: float | None,
    snapshot_changed: bool,
) -> None:
    found = compared(before, after, gate, TAGS, confidence)
    changes = [found.pass_rate, found.mean_score]
    changes += [change for tag in found.tags.values() for change in (tag.pass_rate, tag.mean_score)]
    regressed = sum(change is not None and change.regressed for change in changes)
    assert len(found.regressions()) == regressed
    expected = {
        (False, False): Verdict.NO_REGRESSION,
        (True, False): Verdict.REGRESSION,
        (False, True): Verdict.SNAPSHOT_CHANGED,
        (True, True): Verdict.HELD_BACK,
    }[regressed > 0, snapshot_changed]
    verdict, reason = verdict_on(found, snapshot_changed=snapshot_changed)
    comparable = found.enough_shared and not found.uncompared_tags
    assert verdict is (expected if comparable else Verdict.NOT_COMPARABLE)
    assert reason


# The record


@given(sides_of_prompts(), sides_of_prompts(), any_gate, confidences)
def test_a_comparison_comes_back_from_the_database_as_it_went_in(
    before: dict[str, PromptOutcome],
    after: dict[str, PromptOutcome],
    gate: Gate,
    confidence: float | None,
) -> None:
    found = compared(before, after, gate, TAGS, confidence)
    verdict, reason = verdict_on(found, snapshot_changed=False)
    comparison = Comparison(
        verdict=verdict,
        reason=reason,
        against="accepted",
        baseline_id=5,
        baseline_date=NOON,
        baseline_generator="eu-west/tern-large → tern-4-2026",
        differences=found,
    )
    stored = as_stored(comparison)
    assert Comparison.model_validate(stored) == comparison
    assert all(math.isfinite(number) for number in numbers_in(stored))


def test_a_comparison_without_a_baseline_comes_back_as_well() -> None:
    first = Comparison(verdict=Verdict.FIRST, reason="the first result of its kind", generator_changed="us")
    assert Comparison.model_validate(as_stored(first)) == first


def test_a_record_with_a_key_that_this_code_does_not_know_is_refused() -> None:
    first = Comparison(verdict=Verdict.FIRST, reason="the first result of its kind")
    with pytest.raises(ValidationError):
        Comparison.model_validate({**as_stored(first), "score": 1})
