"""Grading stored responses and concluding a result, without asking any model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader, Status
from eval_pipeline.domain.model_catalogue import Price
from eval_pipeline.domain.provenance import GeneratorStatus
from eval_pipeline.domain.responses import ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.runs import RunStatus
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, model, prompt, response
from eval_pipeline_tests.fakes import FakeClock, InMemoryResultStore
from eval_pipeline_tests.stored import finished_run, plan

OTHER = ServedBy("us-east", "tern-large", "tern-4-2026")
NO_NAME = ServedBy("eu-west", "tern-large", None)


def evaluated(
    asked: GoldenPromptSet, responses: Iterable[ModelResponse], price: Price | None = None
) -> EvaluationResult:
    """The result of a finished run of a whole set with these responses."""
    store = InMemoryResultStore()
    run = replace(finished_run(store, responses, plan(asked)), status=RunStatus.FINISHED)
    graded = grade(run, asked, DeterministicGrader(), store, FakeClock())
    return conclude(run, graded, asked, model(price=price), store)


def skipped_prompt(prompt_id: str):
    """A prompt that only a judge could grade."""
    return prompt(prompt_id, assertions=[], reference="a right answer")


def test_each_prompt_is_graded_by_its_own_response() -> None:
    asked = golden_set(*(prompt(f"p{n}", assertions=[Contains(f"answer {n}")]) for n in range(5)))
    result = evaluated(asked, [response(f"answer {n}", f"p{n}") for n in (4, 0, 2, 1, 3)])
    assert result.summary.total.passed_count == 5


def test_a_result_counts_every_prompt_by_what_became_of_it() -> None:
    asked = golden_set(prompt("pass"), prompt("fail"), prompt("error"), skipped_prompt("skipped"))
    answers = [response("no", "fail"), response("yes", "pass"), response("yes", "skipped")]
    result = evaluated(asked, [*answers, failed("HTTP 500", "error")])
    total = result.summary.total
    assert (total.prompt_count, total.graded_count, total.passed_count) == (4, 2, 1)
    assert (total.error_count, total.skipped_count) == (1, 1)
    assert (total.pass_rate, total.pass_rate_bounds) == (0.5, (1 / 3, 2 / 3))
    assert result.summary.not_passed == ("fail", "error")


def test_gradings_are_stored_once_each_in_the_order_of_the_set_however_large_it_is() -> None:
    ids = [f"p{(7 * n) % 1200}" for n in range(1200)]
    asked, store = golden_set(*map(prompt, ids)), InMemoryResultStore()
    run = finished_run(store, [response("yes", prompt_id) for prompt_id in sorted(ids)], plan(asked))
    graded = grade(replace(run, status=RunStatus.FINISHED), asked, DeterministicGrader(), store, FakeClock())
    assert [entry.prompt_id for batch in store.gradings(graded.id) for entry in batch] == ids


def test_the_result_is_stored_with_what_was_asked_what_graded_and_when() -> None:
    asked, store, clock = golden_set(gate=Gate(min_pass_rate=0.5)), InMemoryResultStore(), FakeClock()
    run = replace(finished_run(store, [response()], plan(asked)), status=RunStatus.FINISHED)
    graded = grade(run, asked, DeterministicGrader(), store, clock)
    result = conclude(run, graded, asked, model(), store)
    assert store.results() == [result]
    assert (result.id, result.run_id, result.run_date) == (graded.id, run.id, graded.graded_at)
    assert (result.set_hashes, result.gate) == (asked.hashes, asked.gate)
    assert result.yardstick == {
        "grader": "deterministic",
        "version": DeterministicGrader.version,
        "expectations": asked.hashes.expectations,
    }


def test_to_grade_again_gives_a_further_result_of_the_same_responses() -> None:
    asked, store, clock = golden_set(), InMemoryResultStore(), FakeClock()
    run = replace(finished_run(store, [response()], plan(asked)), status=RunStatus.FINISHED)
    first, second = (
        conclude(run, grade(run, asked, DeterministicGrader(), store, clock), asked, model(), store)
        for _ in range(2)
    )
    assert [found.id for found in store.results()] == [second.id, first.id]
    assert first.summary == second.summary


# What is refused


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.INTERRUPTED])
def test_a_run_that_did_not_finish_is_not_graded(status: RunStatus) -> None:
    store = InMemoryResultStore()
    run = replace(finished_run(store, [response()]), status=status)
    with pytest.raises(UsageError, match=f"was {status}: ask the model again"):
        grade(run, golden_set(), DeterministicGrader(), store, FakeClock())
    assert store.latest_grading(run.id, "deterministic") is None


CHANGED_SETS = {
    "another assertion": golden_set(prompt(assertions=[Contains("no")])),
    "another weight": golden_set(prompt(assertions=[Contains("yes", weight=2.0)])),
    "another question": golden_set(prompt(prompt="Another question?")),
    "a further prompt": golden_set(prompt(), prompt("p2")),
    "a prompt less": golden_set(prompt("p2")),
    "another system prompt": golden_set(system_prompt="Be brief."),
    "other parameters": golden_set(parameters={"temperature": 1}),
    "another gate": golden_set(gate=Gate(max_error_share=0.5)),
}


@pytest.mark.parametrize("changed", CHANGED_SETS.values(), ids=CHANGED_SETS)
def test_responses_are_not_graded_by_a_set_that_has_changed_since(changed: GoldenPromptSet) -> None:
    store = InMemoryResultStore()
    run = replace(finished_run(store, [response()]), status=RunStatus.FINISHED)
    with pytest.raises(UsageError, match="has changed since run"):
        grade(run, changed, DeterministicGrader(), store, FakeClock())


@pytest.mark.parametrize("changed", CHANGED_SETS.values(), ids=CHANGED_SETS)
def test_no_result_is_drawn_by_a_set_that_has_changed_since_it_was_graded(changed: GoldenPromptSet) -> None:
    store = InMemoryResultStore()
    run = replace(finished_run(store, [response()]), status=RunStatus.FINISHED)
    graded = grade(run, golden_set(), DeterministicGrader(), store, FakeClock())
    with pytest.raises(UsageError, match="has changed since run"):
        conclude(run, graded, changed, model(), store)
    assert store.results() == []


def test_what_is_only_for_people_may_change_between_asking_and_grading() -> None:
    store = InMemoryResultStore()
    run = replace(finished_run(store, [response()]), status=RunStatus.FINISHED)
    renamed = golden_set(prompt(tags=["new"]), name="Another name", owner="somebody else")
    graded = grade(run, renamed, DeterministicGrader(), store, FakeClock())
    assert conclude(run, graded, renamed, model(), store).summary.total.passed_count == 1


# Completeness


def test_a_result_over_a_part_of_the_set_is_partial_and_not_complete() -> None:
    asked, store = golden_set(prompt("p1"), prompt("p2")), InMemoryResultStore()
    run = finished_run(store, [response(prompt_id="p2")], plan(asked, prompt_ids=["p2"]))
    run = replace(run, status=RunStatus.FINISHED)
    graded = grade(run, asked, DeterministicGrader(), store, FakeClock())
    result = conclude(run, graded, asked, model(), store)
    assert (result.partial, result.complete) == (True, False)
    assert result.summary.total.prompt_count == 1
    assert result.incomplete_because == "only a part of the set was evaluated"


@pytest.mark.parametrize(
    ("share", "errors", "measured", "complete"),
    [
        (0.01, 0, 1, True),
        (0.01, 1, 99, False),
        (0.01, 1, 100, True),
        (0.01, 2, 199, False),
        (0.07, 7, 100, True),
        (0.07, 8, 100, False),
        (0.1, 1, 10, True),
        (0.1, 2, 19, False),
        (0.3, 3, 10, True),
        (0.0, 1, 100, False),
        (1.0, 4, 4, True),
    ],
)
def test_a_result_is_complete_up_to_exactly_the_share_of_errors_that_the_set_allows(
    share: float, errors: int, measured: int, complete: bool
) -> None:
    ids = [f"p{n}" for n in range(measured)]
    asked = golden_set(
        *map(prompt, ids),
        *(skipped_prompt(f"skipped {n}") for n in range(5)),
        gate=Gate(max_error_share=share),
    )
    answers = [failed(prompt_id=prompt_id) for prompt_id in ids[:errors]]
    answers += [response(prompt_id=prompt_id) for prompt_id in ids[errors:]]
    answers += [response(prompt_id=f"skipped {n}") for n in range(5)]
    assert evaluated(asked, answers).complete is complete


def test_a_result_in_which_nothing_could_be_graded_is_not_complete() -> None:
    asked = golden_set(skipped_prompt("p1"), gate=Gate(max_error_share=1.0))
    result = evaluated(asked, [response()])
    assert not result.complete
    assert result.summary.total.pass_rate is None


def test_prompts_whose_responses_are_no_longer_stored_do_not_silently_leave_the_result() -> None:
    asked = golden_set(*(prompt(f"p{n}") for n in range(10)))
    result = evaluated(asked, [response(prompt_id=f"p{n}") for n in range(3)])
    assert not result.complete
    assert result.summary.total.prompt_count == 10


# The generator


@pytest.mark.parametrize(
    ("served_by", "status", "model_id"),
    [
        pytest.param([SERVED_BY, SERVED_BY], GeneratorStatus.ONE, "tern-large", id="one"),
        pytest.param([SERVED_BY, OTHER], GeneratorStatus.MIXED, None, id="mixed"),
        pytest.param([SERVED_BY, NO_NAME], GeneratorStatus.PARTLY_UNKNOWN, None, id="partly unknown"),
        pytest.param([NO_NAME, NO_NAME], GeneratorStatus.UNKNOWN, None, id="unknown"),
    ],
)
def test_a_result_has_a_model_only_when_one_known_generator_served_every_answer(
    served_by: list[ServedBy], status: GeneratorStatus, model_id: str | None
) -> None:
    asked = golden_set(prompt("p0"), prompt("p1"))
    result = evaluated(
        asked, [response(prompt_id=f"p{n}", served_by=given) for n, given in enumerate(served_by)]
    )
    assert (result.summary.provenance.status, result.model_id) == (status, model_id)
    assert result.summary.total.passed_count == 2


def test_failed_calls_say_nothing_about_the_generator() -> None:
    asked = golden_set(prompt("p1"), prompt("p2"))
    answered = evaluated(asked, [response(prompt_id="p1"), failed(prompt_id="p2")])
    assert answered.model_id == "tern-large"
    unanswered = evaluated(asked, [failed(prompt_id="p1"), failed(prompt_id="p2")])
    assert (unanswered.summary.provenance.status, unanswered.model_id) == (GeneratorStatus.EMPTY, None)


# Costs


PRICE = Price(input=1.25, output=10.0)


def counted(usage: TokenUsage) -> ModelResponse:
    return response(reply=Reply("yes", reported_model="tern-4-2026", usage=usage))


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (TokenUsage(2_000_000, 100_000), PRICE, 3.5),
        (TokenUsage(0, 0), PRICE, 0.0),
        (TokenUsage(1000, 1000), Price(input=0.0, output=0.0), 0.0),
        (TokenUsage(1000, 1000), None, None),
        (TokenUsage(1000, None), PRICE, None),
        (TokenUsage(None, None), PRICE, None),
    ],
)
def test_costs_follow_from_tokens_and_price_and_are_unknown_where_either_is(
    usage: TokenUsage, price: Price | None, cost: float | None
) -> None:
    assert evaluated(golden_set(), [counted(usage)], price).cost_usd == cost


def test_an_assertion_that_cannot_be_evaluated_is_an_error_of_its_prompt_alone() -> None:
    class Broken(Contains):
        def check(self, response: ModelResponse):
            raise ZeroDivisionError

    asked = golden_set(
        prompt("p1", assertions=[Contains("yes"), Broken("x")]), prompt("p2"), gate=Gate(max_error_share=0.5)
    )
    store = InMemoryResultStore()
    run = replace(
        finished_run(store, [response(prompt_id="p1"), response(prompt_id="p2")], plan(asked)),
        status=RunStatus.FINISHED,
    )
    graded = grade(run, asked, DeterministicGrader(), store, FakeClock())
    [[first, second]] = store.gradings(graded.id)
    assert [result.status for result in first.assertions] == [Status.PASS, Status.ERROR]
    assert (first.status, second.status) == (Status.ERROR, Status.PASS)
