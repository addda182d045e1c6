from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.pairing import Pairing, PromptOutcome, Side, changed_treatment
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.set_hashes import treatment_fields
from eval_pipeline_tests.builders import SERVED_BY, golden_set
from eval_pipeline_tests.domain.compared import (
    APPLICATION,
    ERROR,
    FAILED,
    PASSED,
    PROMPT_IDS,
    SKIPPED,
    grading,
    outcomes,
    result,
    side,
    sides_of_prompts,
)

PASS, FAIL = Status.PASS, Status.FAIL


def asked(*prompt_ids: str, **inputs: str) -> Side:
    """A side of passed prompts, some of them with inputs of their own."""
    same = side(dict.fromkeys(prompt_ids, PASSED))
    return replace(same, inputs={**same.inputs, **inputs})


def of_treatment(treatment: dict[str, Any] | None, served_by: ServedBy = SERVED_BY) -> Side:
    return side({}, treatment=treatment, result=result(served_by=[served_by]))


@st.composite
def any_sides(draw: st.DrawFn) -> Side:
    drawn = side(draw(sides_of_prompts()))
    edits = draw(st.dictionaries(st.sampled_from(PROMPT_IDS), st.just("other inputs"), max_size=4))
    return replace(drawn, inputs={key: edits.get(key, value) for key, value in drawn.inputs.items()})


@given(any_sides(), any_sides())
def test_every_prompt_is_counted_exactly_once(baseline: Side, current: Side) -> None:
    pairing = Pairing.of(baseline, current)
    before, after = (
        {key for key, outcome in each.outcomes.items() if outcome.status is not Status.SKIPPED}
        for each in (baseline, current)
    )
    shared = {*pairing.pairs, *pairing.unmeasured}
    assert not set(pairing.pairs) & set(pairing.unmeasured)
    assert pairing.shared_count == len(shared)
    assert after == shared | set(pairing.edited) | set(pairing.added)
    assert before == shared | set(pairing.edited) | set(pairing.removed)


@given(any_sides(), any_sides())
def test_the_sides_exchanged_exchange_added_and_removed_and_nothing_else(one: Side, other: Side) -> None:
    there, back = Pairing.of(one, other), Pairing.of(other, one)
    assert there.pairs == {prompt_id: (before, after) for prompt_id, (after, before) in back.pairs.items()}
    assert (set(there.added), set(there.removed)) == (set(back.removed), set(back.added))
    assert set(there.edited) == set(back.edited)
    assert set(there.unmeasured) == set(back.unmeasured)
    assert (there.shared_count, there.enough) == (back.shared_count, back.enough)


@given(any_sides(), st.data())
def test_prompts_pair_by_id_in_whatever_order_they_come(baseline: Side, data: st.DataObject) -> None:
    current = data.draw(any_sides())
    order = data.draw(st.permutations(list(current.outcomes.items())))
    there, shuffled = (
        Pairing.of(baseline, current),
        Pairing.of(baseline, replace(current, outcomes=dict(order))),
    )
    assert there.pairs == shuffled.pairs
    assert sorted(there.unmeasured) == sorted(shuffled.unmeasured)
    assert there.enough == shuffled.enough


@pytest.mark.parametrize(("one", "other"), [("7", "007"), ("a", "A"), ("caf\u00e9", "cafe\u0301")])
def test_ids_are_compared_exactly(one: str, other: str) -> None:
    pairing = Pairing.of(asked(one), asked(other))
    assert (pairing.pairs, pairing.added, pairing.removed) == ({}, (other,), (one,))


def test_a_prompt_whose_inputs_were_edited_is_another_question() -> None:
    pairing = Pairing.of(asked("a", "b"), asked("a", "b", b="another text"))
    assert list(pairing.pairs) == ["a"]
    assert pairing.edited == ("b",)
    assert (pairing.added, pairing.removed, pairing.shared_count) == ((), (), 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {}), ({"a": "same"}, {}), ({}, {"a": "same"})],
    ids=["of neither", "of the baseline only", "of the current one only"],
)
def test_inputs_that_are_not_known_are_not_known_to_be_unchanged(
    before: dict[str, str], after: dict[str, str]
) -> None:
    pairing = Pairing.of(side({"a": PASSED}, inputs=before), side({"a": FAILED}, inputs=after))
    assert pairing.pairs == {}


@pytest.mark.parametrize(("before", "after"), [(PASSED, ERROR), (ERROR, PASSED), (ERROR, ERROR)])
def test_a_shared_prompt_that_one_side_could_not_measure_is_named_and_no_pair(
    before: PromptOutcome, after: PromptOutcome
) -> None:
    pairing = Pairing.of(side({"a": before, "b": PASSED}), side({"a": after, "b": PASSED}))
    assert list(pairing.pairs) == ["b"]
    assert pairing.unmeasured == ("a",)
    assert pairing.shared_count == 2


@pytest.mark.parametrize(("before", "after"), [(PASSED, SKIPPED), (SKIPPED, FAILED), (ERROR, SKIPPED)])
def test_a_prompt_that_one_side_skipped_is_in_the_other_only(
    before: PromptOutcome, after: PromptOutcome
) -> None:
    pairing = Pairing.of(side({"a": before}), side({"a": after}))
    assert (pairing.added, pairing.removed) == ((("a",), ()) if before is SKIPPED else ((), ("a",)))


def test_prompts_that_were_skipped_do_not_make_results_comparable() -> None:
    skipped = {f"s{number}": SKIPPED for number in range(90)}
    few = {f"p{number}": PASSED for number in range(10)}
    edited = {f"p{number}": "another text" for number in range(9)}
    inputs = {prompt_id: f"inputs of {prompt_id}" for prompt_id in few | skipped} | edited
    pairing = Pairing.of(side(few | skipped), side(few | skipped, inputs=inputs))
    assert (pairing.shared_count, pairing.enough) == (1, False)


@pytest.mark.parametrize("prompts", [5, 10, 15, 100, 1000])
@pytest.mark.parametrize("grown", [True, False], ids=["added", "removed"])
def test_80_percent_shared_is_enough_and_one_prompt_less_is_not(prompts: int, grown: bool) -> None:
    ids = [str(number) for number in range(prompts)]
    for missing, enough in ((prompts // 5, True), (prompts // 5 + 1, False)):
        sides = [asked(*ids[missing:]), asked(*ids)]
        assert Pairing.of(*(sides if grown else sides[::-1])).enough is enough


def test_edited_prompts_are_not_shared_ones() -> None:
    ids = [str(number) for number in range(10)]
    edited = dict.fromkeys(ids, "another text")
    for count, enough in ((2, True), (3, False)):
        current = asked(*ids, **dict(list(edited.items())[:count]))
        assert Pairing.of(asked(*ids), current).enough is enough


@given(any_sides(), any_sides())
def test_the_larger_result_shares_at_least_80_percent_or_it_is_not_enough(one: Side, other: Side) -> None:
    pairing = Pairing.of(one, other)
    larger = max(
        sum(outcome.status is not Status.SKIPPED for outcome in each.outcomes.values())
        for each in (one, other)
    )
    assert pairing.enough == (larger > 0 and 5 * pairing.shared_count >= 4 * larger)


def test_repeats_of_a_prompt_are_one_pair() -> None:
    before = PromptOutcome.of(grading(status, repeat=repeat) for repeat, status in enumerate([PASS] * 3))
    after = PromptOutcome.of(grading(status, repeat=repeat) for repeat, status in enumerate([PASS, FAIL]))
    pairing = Pairing.of(side({"a": before}), side({"a": after}))
    assert pairing.pairs == {"a": (before, after)}
    assert after.pass_share - before.pass_share == Fraction(-1, 2)


@given(st.lists(st.sampled_from(Status), max_size=8), st.data())
def test_an_outcome_counts_every_repeat_by_what_was_said_of_it(
    statuses: list[Status], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(statuses))
    outcome = PromptOutcome.of(map(grading, statuses))
    assert outcome == PromptOutcome.of(map(grading, order))
    assert (outcome.passed, outcome.errors) == (statuses.count(PASS), statuses.count(Status.ERROR))
    assert outcome.graded == statuses.count(PASS) + statuses.count(FAIL)
    if outcome.graded:
        assert outcome.pass_share == Fraction(outcome.passed, outcome.graded)
        assert outcome.mean_score == pytest.approx(outcome.passed / outcome.graded)


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ([PASS], PASS),
        ([PASS, PASS], PASS),
        ([PASS, FAIL], FAIL),
        ([FAIL, FAIL], FAIL),
        ([PASS, Status.ERROR], Status.ERROR),
        ([FAIL, Status.ERROR], Status.ERROR),
        ([Status.SKIPPED], Status.SKIPPED),
        ([], Status.SKIPPED),
    ],
)
def test_a_prompt_passes_only_when_every_repeat_of_it_does(statuses: list[Status], status: Status) -> None:
    assert PromptOutcome.of(map(grading, statuses)).status is status


def test_a_score_of_0_is_a_score() -> None:
    outcome = PromptOutcome.of([grading(FAIL, 0.0), grading(FAIL, 0.5)])
    assert (outcome.graded, outcome.mean_score) == (2, 0.25)


@given(outcomes())
def test_shares_and_mean_scores_lie_between_0_and_1(outcome: PromptOutcome) -> None:
    if outcome.graded:
        assert 0 <= outcome.pass_share <= 1
        assert 0 <= outcome.mean_score <= 1


def test_everything_that_differs_in_the_asking_is_named() -> None:
    before = treatment_fields(golden_set(system_prompt="Be kind."), {"temperature": 0, "seed": 1, "top_p": 1})
    after = treatment_fields(
        golden_set(system_prompt="Be brief.", template="{{x}}?"),
        {"temperature": 1, "stop": ["."], "top_p": 1.0},
    )
    changed = ("parameters.seed", "parameters.stop", "parameters.temperature", "system_prompt", "template")
    assert changed_treatment(of_treatment(before), of_treatment(after)) == changed
    assert changed_treatment(of_treatment(after), of_treatment(before)) == changed


def test_the_same_asking_names_nothing() -> None:
    fields = treatment_fields(golden_set(template="{{x}}?"), {"temperature": 0, "stop": ["."]})
    assert changed_treatment(of_treatment(fields), of_treatment(dict(fields))) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [({"temperature": 0}, {}), ({"logprobs": True}, {"logprobs": 1}), ({"echo": 0}, {"echo": False})],
)
def test_parameters_that_are_sent_otherwise_are_named(before: dict[str, Any], after: dict[str, Any]) -> None:
    sides = [of_treatment(treatment_fields(golden_set(), parameters)) for parameters in (before, after)]
    assert changed_treatment(*sides) == (f"parameters.{next(iter(before))}",)


def test_another_version_of_the_application_is_named() -> None:
    sides = [
        of_treatment({"template": "a"}, replace(APPLICATION, declared_version=version))
        for version in ("2.1", "2.2", None)
    ]
    assert changed_treatment(sides[0], sides[0]) == ()
    assert changed_treatment(sides[0], sides[1]) == ("application_version",)
    assert changed_treatment(sides[1], sides[2]) == ("application_version",)


@pytest.mark.parametrize(("before", "after"), [(None, {}), ({}, None), (None, None)])
def test_a_treatment_that_was_not_recorded_is_not_taken_for_the_same(
    before: dict[str, Any] | None, after: dict[str, Any] | None
) -> None:
    assert "not recorded" in changed_treatment(of_treatment(before), of_treatment(after))


def test_another_version_of_the_application_is_named_whatever_else_was_not_recorded() -> None:
    before, after = (of_treatment(None, replace(APPLICATION, declared_version=each)) for each in ("1", "2"))
    assert "application_version" in changed_treatment(before, after)
