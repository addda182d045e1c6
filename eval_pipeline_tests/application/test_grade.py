"""Grading stored responses and concluding a result, without asking any model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.model_catalogue import Price
from eval_pipeline.domain.provenance import GeneratorStatus
from eval_pipeline.domain.responses import ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus, Selection
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, model, prompt, response
from eval_pipeline_tests.fakes import FakeClock, InMemoryResultStore
from eval_pipeline_tests.stored import NOON, finished_run, plan

OTHER = ServedBy("us-east", "tern-large", "tern-4-2026")
NO_NAME = ServedBy("eu-west", "tern-large", None)
GRADER = DeterministicGrader()


def evaluated(
    asked: GoldenPromptSet, responses: Iterable[ModelResponse], price: Price | None = None
) -> EvaluationResult:
    """The result of a finished run of a whole set with these responses."""
    store = InMemoryResultStore()
    return drawn(store, finished_run(store, responses, plan(asked)), asked, price)


def drawn(
    store: InMemoryResultStore, run: EvaluationRun, expected: GoldenPromptSet, price: Price | None = None
) -> EvaluationResult:
    """The result of grading a run by what `expected` expects."""
    graded = grade(run, expected, GRADER, store, FakeClock())
    return conclude(run, graded, expected, GRADER, model(price=price), store)


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
    graded = grade(run, asked, GRADER, store, FakeClock())
    assert [entry.prompt_id for batch in store.gradings(graded.id) for entry in batch] == ids


def test_the_result_is_stored_with_what_was_asked_and_what_graded() -> None:
    asked, store = golden_set(gate=Gate(min_pass_rate=0.5)), InMemoryResultStore()
    run = finished_run(store, [response()], plan(asked))
    result = drawn(store, run, asked)
    assert store.kept == {result.id: result}
    assert (result.run_id, result.set_hashes, result.gate) == (run.id, asked.hashes, asked.gate)
    assert result.yardstick == {
        "grader": "deterministic",
        "version": GRADER.version,
        "expectations": asked.hashes.expectations,
        "assertions": {"contains": 1},
    }


def test_a_result_is_as_old_as_its_answers_however_late_they_are_graded() -> None:
    store = InMemoryResultStore()
    run = finished_run(store, [response()])
    graded = grade(run, golden_set(), GRADER, store, FakeClock())
    assert graded.graded_at != run.started_at
    assert conclude(run, graded, golden_set(), GRADER, model(), store).run_date == run.started_at


def test_every_repeat_of_a_prompt_is_graded_by_itself() -> None:
    asked, store = golden_set(prompt("p1"), prompt("p2")), InMemoryResultStore()
    repeated = AskPlan.of(asked, model(), Selection(), repeats=3)
    answers = [
        response("no" if (prompt_id, repeat) == ("p2", 1) else "yes", prompt_id, repeat=repeat)
        for prompt_id in ("p1", "p2")
        for repeat in range(3)
    ]
    result = drawn(store, finished_run(store, answers, repeated), asked)
    total = result.summary.total
    assert (total.prompt_count, total.passed_count, result.complete) == (6, 5, True)
    graded = [entry for batch in store.gradings(result.id) for entry in batch]
    assert [(entry.prompt_id, entry.repeat) for entry in graded if entry.status is Status.FAIL] == [("p2", 1)]


# Grading anew


def test_to_grade_again_gives_a_further_result_that_names_the_one_before() -> None:
    store = InMemoryResultStore()
    run = finished_run(store, [response()])
    first, second, third = (drawn(store, run, golden_set()) for _ in range(3))
    assert (first.regraded_from, second.regraded_from, third.regraded_from) == (None, first.id, second.id)
    assert first.summary == third.summary


def test_a_first_grading_by_another_grader_is_graded_from_nothing() -> None:
    class Strict(DeterministicGrader):
        name = "strict"

    store = InMemoryResultStore()
    run = finished_run(store, [response()])
    drawn(store, run, golden_set())
    assert grade(run, golden_set(), Strict(), store, FakeClock()).regraded_from is None


def test_a_grading_pass_knows_the_dagster_run_that_made_it() -> None:
    store = InMemoryResultStore()
    graded = grade(finished_run(store, [response()]), golden_set(), GRADER, store, FakeClock(), "dagster-7")
    assert store.passes[graded.id].orchestration_run_id == "dagster-7"


def test_stored_answers_are_graded_by_what_is_expected_now() -> None:
    store = InMemoryResultStore()
    run = finished_run(store, [response("yes")])
    assert drawn(store, run, golden_set()).summary.total.passed_count == 1
    stricter = golden_set(prompt(assertions=[Contains("no")]))
    anew = drawn(store, run, stricter)
    assert (anew.summary.total.passed_count, anew.complete) == (0, True)
    assert anew.set_hashes.expectations == stricter.hashes.expectations


def test_answers_are_graded_by_a_set_whose_way_of_asking_changed_and_keep_how_they_were_asked() -> None:
    store = InMemoryResultStore()
    result = drawn(store, finished_run(store, [response()]), golden_set(system_prompt="Be brief."))
    assert (result.complete, result.set_hashes.treatment) == (True, golden_set().hashes.treatment)


def test_a_result_has_the_gate_of_the_set_as_it_is_when_graded() -> None:
    store = InMemoryResultStore()
    assert drawn(
        store, finished_run(store, [response()]), golden_set(gate=Gate(min_pass_rate=0.9))
    ).gate == Gate(min_pass_rate=0.9)


CHANGED_INPUTS = {
    "a further prompt": golden_set(prompt("p1"), prompt("p2"), prompt("p3")),
    "another question": golden_set(prompt("p1"), prompt("p2", prompt="Another question?")),
}


def asked_twice() -> tuple[InMemoryResultStore, EvaluationRun]:
    """A store, and a run of the prompts p1 and p2 in it, with the snapshot that asking keeps."""
    store, asked = InMemoryResultStore(), golden_set(prompt("p1"), prompt("p2"))
    store.save_snapshot(asked, NOON)
    return store, finished_run(store, [response(prompt_id="p1"), response(prompt_id="p2")], plan(asked))


@pytest.mark.parametrize("changed", CHANGED_INPUTS.values(), ids=CHANGED_INPUTS)
def test_answers_to_a_part_of_what_is_asked_now_make_a_partial_result(changed: GoldenPromptSet) -> None:
    store, run = asked_twice()
    result = drawn(store, run, changed)
    assert (result.partial, result.complete) == (True, False)
    assert result.incomplete_because == "only a part of the set was evaluated"


def test_a_prompt_whose_question_changed_is_not_graded_by_its_old_answer() -> None:
    store, run = asked_twice()
    result = drawn(store, run, CHANGED_INPUTS["another question"])
    assert [entry.prompt_id for batch in store.gradings(result.id) for entry in batch] == ["p1"]


def test_answers_to_a_prompt_that_is_not_asked_any_more_are_left_out() -> None:
    store, run = asked_twice()
    result = drawn(store, run, golden_set(prompt("p1")))
    assert (result.summary.total.prompt_count, result.complete) == (1, True)


# What is refused


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.INTERRUPTED])
def test_a_run_that_did_not_finish_is_not_graded(status: RunStatus) -> None:
    store = InMemoryResultStore()
    run = replace(finished_run(store, [response()]), status=status)
    with pytest.raises(UsageError, match=f"was {status}: ask the model again"):
        grade(run, golden_set(), GRADER, store, FakeClock())
    assert store.passes == {}


@pytest.mark.parametrize("changed", [golden_set(prompt("p3")), golden_set(prompt("p1", prompt="Why?"))])
def test_a_run_of_which_no_prompt_is_asked_the_same_any_more_is_not_graded(changed: GoldenPromptSet) -> None:
    store, run = asked_twice()
    with pytest.raises(UsageError, match=r"no prompt of set acme\.set is still the one that run 1 asked"):
        grade(run, changed, GRADER, store, FakeClock())
    assert store.passes == {}


def test_a_run_whose_responses_were_deleted_is_not_graded_as_if_there_were_fewer_prompts() -> None:
    asked, store = golden_set(*(prompt(f"p{n}") for n in range(10))), InMemoryResultStore()
    run = finished_run(store, [response(prompt_id=f"p{n}") for n in range(3)], plan(asked))
    with pytest.raises(UsageError, match="only 3 of the 10 responses of run 1 are still stored"):
        grade(run, asked, GRADER, store, FakeClock())
    assert store.kept == {}


CHANGED_EXPECTATIONS = {
    "another assertion": golden_set(prompt(assertions=[Contains("no")])),
    "another weight": golden_set(prompt(assertions=[Contains("yes", weight=2.0)])),
    "a further prompt": golden_set(prompt(), prompt("p2")),
    "a reference": golden_set(prompt(reference="yes, of course")),
}


@pytest.mark.parametrize("changed", CHANGED_EXPECTATIONS.values(), ids=CHANGED_EXPECTATIONS)
def test_no_result_is_drawn_when_what_is_expected_has_changed_since_it_was_graded(
    changed: GoldenPromptSet,
) -> None:
    store = InMemoryResultStore()
    run = finished_run(store, [response()])
    graded = grade(run, golden_set(), GRADER, store, FakeClock())
    with pytest.raises(UsageError, match=f"has changed since grading pass {graded.id}: grade again"):
        conclude(run, graded, changed, GRADER, model(), store)
    assert store.kept == {}


def test_no_result_is_drawn_by_another_version_of_the_grader_than_the_one_that_graded() -> None:
    class Newer(DeterministicGrader):
        version = DeterministicGrader.version + 1

    store = InMemoryResultStore()
    run = finished_run(store, [response()])
    graded = grade(run, golden_set(), GRADER, store, FakeClock())
    with pytest.raises(UsageError, match="grade again"):
        conclude(run, graded, golden_set(), Newer(), model(), store)


def test_what_is_only_for_people_may_change_between_asking_and_grading() -> None:
    store = InMemoryResultStore()
    run = finished_run(store, [response()])
    renamed = golden_set(prompt(tags=["new"]), name="Another name", owner="somebody else")
    assert drawn(store, run, renamed).summary.total.passed_count == 1


# Completeness


def test_a_result_over_a_part_of_the_set_is_partial_and_not_complete() -> None:
    asked, store = golden_set(prompt("p1"), prompt("p2")), InMemoryResultStore()
    run = finished_run(store, [response(prompt_id="p2")], plan(asked, prompt_ids=["p2"]))
    result = drawn(store, run, asked)
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


def test_a_response_that_was_deleted_since_it_was_graded_keeps_its_grading_and_names_no_generator() -> None:
    asked, store = golden_set(prompt("p1"), prompt("p2")), InMemoryResultStore()
    run = finished_run(store, [response(prompt_id="p1"), response(prompt_id="p2")], plan(asked))
    graded = grade(run, asked, GRADER, store, FakeClock())
    del store.exchanges[run.id]["p2", 0]
    result = conclude(run, graded, asked, GRADER, model(), store)
    assert result.summary.total.passed_count == 2
    assert result.summary.provenance.answered_count == 1


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
    run = finished_run(store, [response(prompt_id="p1"), response(prompt_id="p2")], plan(asked))
    graded = grade(run, asked, GRADER, store, FakeClock())
    [[first, second]] = store.gradings(graded.id)
    assert [result.status for result in first.assertions] == [Status.PASS, Status.ERROR]
    assert (first.status, second.status) == (Status.ERROR, Status.PASS)
