"""What every result store promises: the in-memory one of the tests and PostgreSQL's alike."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.domain.grading import Status
from eval_pipeline.domain.responses import ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline.domain.runs import RunStatus
from eval_pipeline_tests.builders import failed, golden_set, model, prompt, response
from eval_pipeline_tests.fakes import InMemoryResultStore
from eval_pipeline_tests.stored import NOON, exchange, finished_run, grading, grading_pass, plan, result

SECOND = timedelta(seconds=1)
MANY = 1200


@pytest.fixture(params=["in memory", "PostgreSQL"])
def store(request: pytest.FixtureRequest) -> ResultStore:
    if request.param == "in memory":
        return InMemoryResultStore()
    return PostgresResultStore(request.getfixturevalue("shared_engine"), request.getfixturevalue("project"))


# Runs


def test_a_run_that_begins_is_what_its_plan_says(store: ResultStore) -> None:
    asked = plan(golden_set(prompt("p1"), prompt("p2")), model(parameters={"temperature": 0}), limit=1)
    run = store.begin_run(asked, "dagster-1", NOON)
    assert (run.set_id, run.model_key, run.status) == ("acme.set", "tern", RunStatus.RUNNING)
    assert (run.partial, run.prompt_count) == (True, 1)
    assert (run.provider_instance, run.outbound_model) == ("eu-west", "tern-large")
    assert (run.parameters, run.set_hashes) == ({"temperature": 0}, asked.golden_set.hashes)
    assert (run.orchestration_run_id, run.started_at) == ("dagster-1", NOON)
    assert store.latest_run("acme.set", "tern") == run


@pytest.mark.parametrize("status", [RunStatus.FINISHED, RunStatus.INTERRUPTED])
def test_a_run_ends_as_the_store_is_told(store: ResultStore, status: RunStatus) -> None:
    run = store.begin_run(plan(), None, NOON)
    store.end_run(run.id, status, NOON + SECOND)
    assert store.latest_run("acme.set", "tern") == replace(run, status=status)


def test_a_pair_that_was_never_asked_has_no_run(store: ResultStore) -> None:
    store.begin_run(plan(), "dagster-1", NOON)
    assert store.latest_run("acme.set", "another") is None
    assert store.latest_run("acme.another", "tern") is None
    assert store.latest_run("acme.another", "tern", "dagster-1") is None


def test_the_latest_run_is_the_one_that_started_last_whatever_was_recorded_last(store: ResultStore) -> None:
    newest = store.begin_run(plan(), None, NOON + SECOND)
    store.begin_run(plan(), None, NOON)
    assert store.latest_run("acme.set", "tern") == newest


def test_of_runs_that_started_at_the_same_time_the_latest_is_the_one_recorded_last(
    store: ResultStore,
) -> None:
    *_, last = [store.begin_run(plan(), None, NOON) for _ in range(3)]
    assert store.latest_run("acme.set", "tern") == last


def test_the_run_of_a_dagster_run_comes_before_newer_runs_of_others(store: ResultStore) -> None:
    own = store.begin_run(plan(), "dagster-1", NOON)
    newest = store.begin_run(plan(), "dagster-2", NOON + SECOND)
    assert store.latest_run("acme.set", "tern", "dagster-1") == own
    assert store.latest_run("acme.set", "tern", "dagster-3") == newest
    assert store.latest_run("acme.set", "tern") == newest


# Responses


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(response("yes"), id="an answer"),
        pytest.param(response("0", latency_ms=0.0), id="zeros, which are values"),
        pytest.param(response(""), id="an empty answer"),
        pytest.param(response("  indented\r\n\ttext \n"), id="white space"),
        pytest.param(response("naïve 👩‍👩‍👧 ŀ"), id="characters of other planes"),
        pytest.param(failed("HTTP 500 from http://127.0.0.1:9/v1"), id="a failed call"),
        pytest.param(response(reply=Reply("yes"), served_by=ServedBy()), id="an unknown generator"),
        pytest.param(
            response(reply=Reply("yes"), served_by=ServedBy("eu-west", "tern-large")),
            id="a partly unknown generator",
        ),
        pytest.param(
            response(
                reply=Reply(
                    text=None,
                    reasoning="first this",
                    tool_calls=({"id": "c1", "function": {"name": "f", "arguments": '{"a": 1.5}'}},),
                    finish_reason="tool_calls",
                    reported_model="tern-4-2026",
                    usage=TokenUsage(0, None),
                    flags=("truncated", "refusal"),
                )
            ),
            id="no text but everything else",
        ),
    ],
)
def test_a_response_comes_back_as_it_was_saved(store: ResultStore, given: ModelResponse) -> None:
    run = finished_run(store, [given])
    assert store.responses(run.id, ["p1"]) == {"p1": given}


def test_only_the_responses_asked_for_come_back_each_under_its_prompt(store: ResultStore) -> None:
    run = finished_run(store, [response(f"answer {n}", f"p{n}") for n in (3, 1, 2)])
    found = store.responses(run.id, ["p1", "p3", "p9"])
    assert {prompt_id: given.reply and given.reply.text for prompt_id, given in found.items()} == {
        "p1": "answer 1",
        "p3": "answer 3",
    }


def test_a_response_that_is_stored_stays_as_it_is_when_it_is_saved_again(store: ResultStore) -> None:
    run = finished_run(store, [response("first", "p1")])
    store.save_exchanges(run.id, [exchange(response("second", "p1")), exchange(response("new", "p2"))], NOON)
    assert store.responses(run.id, ["p1", "p2"]) == {
        "p1": response("first", "p1"),
        "p2": response("new", "p2"),
    }


def test_the_same_prompt_twice_in_one_commit_is_stored_once(store: ResultStore) -> None:
    run = store.begin_run(plan(), None, NOON)
    store.save_exchanges(run.id, [exchange(response("first")), exchange(response("second"))], NOON)
    assert store.responses(run.id, ["p1"]) == {"p1": response("first")}


def test_to_save_nothing_changes_nothing(store: ResultStore) -> None:
    run = store.begin_run(plan(), None, NOON)
    store.save_exchanges(run.id, [], NOON)
    graded = grading_pass(store, run)
    store.save_gradings(graded.id, [])
    assert store.responses(run.id, ["p1"]) == {}
    assert list(store.gradings(graded.id)) == []


def test_runs_of_the_same_pair_keep_their_responses_apart(store: ResultStore) -> None:
    first, second = (finished_run(store, [response(text)]) for text in ("first", "second"))
    assert store.responses(first.id, ["p1"]) == {"p1": response("first")}
    assert store.responses(second.id, ["p1"]) == {"p1": response("second")}


# Gradings


def test_many_gradings_come_back_once_each_in_the_order_in_which_they_were_saved(store: ResultStore) -> None:
    ids = [f"p{(7 * number) % MANY}" for number in range(MANY)]
    graded = grading_pass(store, finished_run(store))
    for start in range(0, MANY, 400):
        store.save_gradings(graded.id, [grading(prompt_id) for prompt_id in ids[start : start + 400]])
    assert [entry.prompt_id for batch in store.gradings(graded.id) for entry in batch] == ids


@pytest.mark.parametrize("status", Status)
def test_a_grading_comes_back_as_it_was_saved(store: ResultStore, status: Status) -> None:
    graded = grading_pass(store, finished_run(store))
    store.save_gradings(graded.id, [grading("p1", status, "because")])
    assert list(store.gradings(graded.id)) == [[grading("p1", status, "because")]]


def test_a_grading_that_is_stored_stays_as_it_is_when_it_is_saved_again(store: ResultStore) -> None:
    graded = grading_pass(store, finished_run(store))
    store.save_gradings(graded.id, [grading("p1", Status.FAIL)])
    store.save_gradings(graded.id, [grading("p1", Status.PASS), grading("p2")])
    assert list(store.gradings(graded.id)) == [[grading("p1", Status.FAIL), grading("p2")]]


def test_the_latest_grading_is_the_newest_pass_of_the_run_by_that_grader(store: ResultStore) -> None:
    run, other = finished_run(store), finished_run(store)
    grading_pass(store, run)
    newest = grading_pass(store, run)
    grading_pass(store, run, grader="llm_judge")
    grading_pass(store, other)
    assert store.latest_grading(run.id, "deterministic") == newest
    assert store.latest_grading(run.id, "nobody") is None


# Results


def test_a_result_comes_back_as_it_was_saved(store: ResultStore) -> None:
    saved = result(
        store,
        (grading("p1"), response("yes", "p1")),
        (grading("p2", Status.FAIL, "no"), response("no", "p2", served_by=ServedBy("eu-west", "x", "y"))),
        (grading("p3", Status.ERROR, "HTTP 500"), failed(prompt_id="p3")),
        (grading("p4", Status.SKIPPED, "nothing to do"), response(prompt_id="p4", served_by=ServedBy())),
        incomplete_because="1 of 3 prompts could not be measured",
    )
    assert store.result(saved.id) == saved
    assert store.results() == [saved]


def test_a_result_of_nothing_measured_has_no_rates_instead_of_zeros(store: ResultStore) -> None:
    saved = result(store, (grading("p1", Status.SKIPPED), failed()), cost_usd=None)
    found = store.result(saved.id)
    assert found == saved
    assert found is not None
    assert (found.summary.total.pass_rate, found.summary.total.mean_score, found.cost_usd) == (
        None,
        None,
        None,
    )


def test_a_result_saved_again_replaces_the_one_of_its_id(store: ResultStore) -> None:
    saved = result(store)
    store.save_result(replace(saved, cost_usd=9.0))
    assert store.results() == [replace(saved, cost_usd=9.0)]


def test_there_is_no_result_of_an_id_that_was_never_given(store: ResultStore) -> None:
    result(store)
    assert store.result(4711) is None


def test_results_are_newest_first_and_of_equal_dates_the_last_recorded_first(store: ResultStore) -> None:
    dates = [NOON, NOON + SECOND, NOON, NOON - SECOND, NOON + SECOND]
    first, second, third, fourth, fifth = (result(store, run_date=date).id for date in dates)
    assert [found.id for found in store.results()] == [fifth, second, third, first, fourth]
    assert [found.id for found in store.results(limit=2)] == [fifth, second]


def test_results_are_found_by_set_model_and_grader(store: ResultStore) -> None:
    by_default = result(store).id
    of_set = result(store, asked=plan(golden_set(id="acme.other"))).id
    of_model = result(store, asked=plan(asked_model=model("heron"))).id
    by_judge = result(store, grader="llm_judge").id
    assert [found.id for found in store.results(set_id="acme.other")] == [of_set]
    assert [found.id for found in store.results(model_key="heron")] == [of_model]
    assert [found.id for found in store.results(grader="llm_judge")] == [by_judge]
    assert [found.id for found in store.results("acme.set", "tern", "deterministic")] == [by_default]
    assert store.results("acme.other", "heron") == []


# Projects


def test_projects_that_share_a_database_do_not_see_one_another(shared_engine: Engine, project: str) -> None:
    ours = PostgresResultStore(shared_engine, project)
    theirs = PostgresResultStore(shared_engine, f"{project}-staging")
    run = ours.begin_run(plan(), "dagster-1", NOON + SECOND)
    saved = result(ours)
    assert theirs.latest_run(run.set_id, run.model_key, "dagster-1") is None
    assert theirs.result(saved.id) is None
    assert theirs.results() == []
    assert theirs.result_of_orchestration("dagster-1", "deterministic") is None
    own = result(theirs)
    assert [found.id for found in theirs.results()] == [own.id]
    assert [found.id for found in ours.results()] == [saved.id]
