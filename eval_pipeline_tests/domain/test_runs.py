from __future__ import annotations

from typing import Any

import pytest

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.runs import AskPlan, Selection
from eval_pipeline_tests.builders import golden_set, model, prompt

SET = golden_set(
    prompt("7", tags=["ci", "math"]), prompt("007", tags=["ci"]), prompt("b"), prompt("a", tags=["math"])
)


@pytest.mark.parametrize(
    ("selection", "ids"),
    [
        ({}, ["7", "007", "b", "a"]),
        ({"prompt_ids": ["a", "7"]}, ["7", "a"]),
        ({"prompt_ids": ["007", "007"]}, ["007"]),
        ({"tags": ["ci"]}, ["7", "007"]),
        ({"tags": ["math", "ci"]}, ["7", "007", "a"]),
        ({"limit": 2}, ["7", "007"]),
        ({"limit": 99}, ["7", "007", "b", "a"]),
        ({"tags": ["math"], "prompt_ids": ["a", "b"]}, ["a"]),
        ({"tags": ["math"], "limit": 1}, ["7"]),
    ],
)
def test_prompts_are_selected_in_the_order_of_the_set(selection: dict[str, Any], ids: list[str]) -> None:
    assert [each.id for each in Selection(**selection).of(SET)] == ids


@pytest.mark.parametrize(
    "selection",
    [
        {"prompt_ids": []},
        {"limit": 0},
        {"limit": -1},
        {"prompt_ids": ["b"], "tags": ["ci"]},
        {"prompt_ids": ["a", "nope"]},
        {"prompt_ids": ["07"]},
        {"prompt_ids": ["A"]},
        {"tags": ["ci", "nope"]},
        {"tags": ["CI"]},
    ],
)
def test_a_selection_that_does_not_fit_the_set_is_refused(selection: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"acme\.set"):
        Selection(**selection).of(SET)


def test_a_misspelt_prompt_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"'opening-hour'.*'opening-hours'"):
        Selection(prompt_ids=["opening-hour"]).of(golden_set(prompt("opening-hours")))


def test_a_plan_asks_every_prompt_once_and_is_whole() -> None:
    plan = AskPlan.of(SET, model(), Selection())
    assert [(request.prompt_id, request.repeat) for request in plan.requests] == [
        (each.id, 0) for each in SET.prompts
    ]
    assert len({request.key for request in plan.requests}) == 4
    assert not plan.partial


def test_the_repeats_of_a_prompt_are_asked_one_after_the_other_and_are_other_requests() -> None:
    plan = AskPlan.of(SET, model(), Selection(), repeats=3)
    assert [(request.prompt_id, request.repeat) for request in plan.requests] == [
        (each.id, repeat) for each in SET.prompts for repeat in range(3)
    ]
    assert len({request.key for request in plan.requests}) == 12
    assert plan.repeats == 3
    assert not plan.partial


def test_a_first_asking_is_the_same_request_however_many_follow() -> None:
    once, often = (AskPlan.of(SET, model(), Selection(), repeats=repeats) for repeats in (1, 3))
    assert once.requests == tuple(request for request in often.requests if request.repeat == 0)


def test_repeats_make_no_whole_of_a_part() -> None:
    assert AskPlan.of(SET, model(), Selection(limit=1), repeats=4).partial
    assert AskPlan.of(SET, model(), Selection(limit=3), repeats=2).partial


@pytest.mark.parametrize("repeats", [0, -1])
def test_to_ask_less_than_once_is_refused(repeats: int) -> None:
    with pytest.raises(UsageError, match=r"acme\.set"):
        AskPlan.of(SET, model(), Selection(), repeats=repeats)


def test_a_selection_of_every_prompt_is_no_part() -> None:
    assert not AskPlan.of(SET, model(), Selection(prompt_ids=["7", "007", "b", "a"])).partial


@pytest.mark.parametrize(
    "selection", [Selection(limit=3), Selection(tags=["ci"]), Selection(prompt_ids=["a"])]
)
def test_a_plan_that_leaves_prompts_out_is_partial_and_keeps_the_whole_set(
    selection: Selection,
) -> None:
    plan = AskPlan.of(SET, model(), selection)
    assert plan.partial
    assert plan.golden_set is SET


def test_the_parameters_of_a_set_go_over_those_of_the_model() -> None:
    shared = golden_set(parameters={"temperature": 0, "seed": 1})
    plan = AskPlan.of(shared, model(parameters={"temperature": 1, "max_tokens": 5}), Selection())
    assert plan.requests[0].parameters == {"temperature": 0, "seed": 1, "max_tokens": 5}
    assert plan.parameters == plan.requests[0].parameters


def test_other_expectations_ask_the_same_again() -> None:
    before = AskPlan.of(golden_set(prompt()), model(), Selection())
    after = AskPlan.of(golden_set(prompt(assertions=[], reference="no", tags=["x"])), model(), Selection())
    assert before.requests == after.requests


def test_the_same_text_under_another_id_is_the_same_request() -> None:
    plan = AskPlan.of(golden_set(prompt("a", prompt="2?"), prompt("b", prompt="2?")), model(), Selection())
    assert len({request.key for request in plan.requests}) == 1
