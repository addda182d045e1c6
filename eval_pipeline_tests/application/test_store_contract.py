"""What every result store promises: the in-memory one of the tests and PostgreSQL's alike."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.responses import ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline.domain.runs import AskPlan, RunStatus, Selection
from eval_pipeline.domain.set_hashes import prompt_hashes, treatment_fields
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
    assert (run.partial, run.prompt_count, run.repeats) == (True, 1, 1)
    assert (run.provider_instance, run.outbound_model) == ("eu-west", "tern-large")
    assert (run.parameters, run.set_hashes) == ({"temperature": 0}, asked.golden_set.hashes)
    assert (run.orchestration_run_id, run.started_at) == ("dagster-1", NOON)
    assert store.run(run.id) == run


def test_a_run_counts_every_repeat_of_a_prompt(store: ResultStore) -> None:
    asked = AskPlan.of(golden_set(prompt("p1"), prompt("p2")), model(), Selection(), repeats=3)
    run = store.run(store.begin_run(asked, None, NOON).id)
    assert run is not None
    assert (run.repeats, run.prompt_count, run.partial) == (3, 6, False)


def test_a_run_names_the_snapshot_of_its_set_and_how_it_was_asked_by_field(store: ResultStore) -> None:
    asked = plan(golden_set(system_prompt="Be brief."), model(parameters={"temperature": 0.5}))
    run = store.run(store.begin_run(asked, None, NOON).id)
    assert run is not None
    assert run.content_hash == asked.golden_set.content_hash
    assert run.treatment == treatment_fields(asked.golden_set, asked.parameters)
    assert run.treatment.keys() == {"parameters.temperature", "system_prompt"}


@pytest.mark.parametrize("status", [RunStatus.FINISHED, RunStatus.INTERRUPTED])
def test_a_run_ends_as_the_store_is_told(store: ResultStore, status: RunStatus) -> None:
    run = store.begin_run(plan(), None, NOON)
    store.end_run(run.id, status, NOON + SECOND)
    assert store.run(run.id) == replace(run, status=status)


def test_there_is_no_run_of_an_id_that_was_never_given(store: ResultStore) -> None:
    store.begin_run(plan(), None, NOON)
    assert store.run(999_999_999) is None


def test_a_pair_that_was_never_asked_has_no_run(store: ResultStore) -> None:
    finished_run(store, orchestration_run_id="dagster-1")
    for set_id, model_key in (("acme.set", "another"), ("acme.another", "tern")):
        assert store.latest_whole_run(set_id, model_key) is None
        assert store.run_of_orchestration(set_id, model_key, "dagster-1") is None


def test_the_latest_whole_run_is_the_one_that_started_last_whatever_was_recorded_last(
    store: ResultStore,
) -> None:
    newest = finished_run(store, started_at=NOON + SECOND)
    finished_run(store)
    assert store.latest_whole_run("acme.set", "tern") == newest


def test_of_whole_runs_that_started_at_the_same_time_the_latest_is_the_one_recorded_last(
    store: ResultStore,
) -> None:
    *_, last = [finished_run(store) for _ in range(3)]
    assert store.latest_whole_run("acme.set", "tern") == last


def test_the_latest_whole_run_is_hidden_neither_by_a_part_nor_by_one_that_did_not_finish(
    store: ResultStore,
) -> None:
    whole = finished_run(store)
    part = plan(golden_set(prompt("p1"), prompt("p2")), limit=1)
    finished_run(store, asked=part, started_at=NOON + SECOND)
    stopped = store.begin_run(plan(), None, NOON + SECOND)
    store.end_run(stopped.id, RunStatus.INTERRUPTED, NOON + SECOND)
    store.begin_run(plan(), None, NOON + 2 * SECOND)
    assert store.latest_whole_run("acme.set", "tern") == whole


def test_the_run_of_a_dagster_run_is_the_one_it_asked_whatever_is_newer(store: ResultStore) -> None:
    own = store.begin_run(plan(), "dagster-1", NOON)
    store.begin_run(plan(), "dagster-2", NOON + SECOND)
    assert store.run_of_orchestration("acme.set", "tern", "dagster-1") == own
    assert store.run_of_orchestration("acme.set", "tern", "dagster-3") is None


def test_the_run_of_a_dagster_run_that_asked_again_is_the_newest(store: ResultStore) -> None:
    store.begin_run(plan(), "dagster-1", NOON)
    again = store.begin_run(plan(), "dagster-1", NOON + SECOND)
    assert store.run_of_orchestration("acme.set", "tern", "dagster-1") == again


def test_the_run_of_a_dagster_run_is_found_even_when_it_is_a_part_or_was_stopped(store: ResultStore) -> None:
    part = store.begin_run(plan(golden_set(prompt("p1"), prompt("p2")), limit=1), "dagster-1", NOON)
    store.end_run(part.id, RunStatus.INTERRUPTED, NOON)
    found = store.run_of_orchestration("acme.set", "tern", "dagster-1")
    assert found == replace(part, status=RunStatus.INTERRUPTED)


# Snapshots


def test_a_snapshot_tells_the_hash_of_each_prompts_inputs(store: ResultStore) -> None:
    asked = golden_set(prompt("p1"), prompt("p2"))
    store.save_snapshot(asked, NOON)
    expected = {entry.id: hashes.inputs for entry, hashes in prompt_hashes(asked)}
    assert store.prompt_inputs(asked.id, asked.content_hash) == expected
    assert len(set(expected.values())) == 2


def test_each_state_of_a_set_has_the_inputs_that_it_had(store: ResultStore) -> None:
    before, after = golden_set(prompt("p1")), golden_set(prompt("p1", prompt="Otherwise?"), prompt("p2"))
    for state in (before, after, before):
        store.save_snapshot(state, NOON)
    assert store.prompt_inputs(before.id, before.content_hash).keys() == {"p1"}
    assert store.prompt_inputs(after.id, after.content_hash).keys() == {"p1", "p2"}
    changed = {store.prompt_inputs(state.id, state.content_hash)["p1"] for state in (before, after)}
    assert len(changed) == 2


def test_without_a_snapshot_there_are_no_inputs(store: ResultStore) -> None:
    asked = golden_set()
    store.save_snapshot(asked, NOON)
    assert store.prompt_inputs(asked.id, "another") == {}
    assert store.prompt_inputs("acme.another", asked.content_hash) == {}


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
    assert store.responses(run.id, ["p1"]) == {("p1", 0): given}


def test_only_the_responses_asked_for_come_back_each_under_its_prompt(store: ResultStore) -> None:
    run = finished_run(store, [response(f"answer {n}", f"p{n}") for n in (3, 1, 2)])
    found = store.responses(run.id, ["p1", "p3", "p9"])
    assert {prompt_id: given.reply and given.reply.text for (prompt_id, _), given in found.items()} == {
        "p1": "answer 1",
        "p3": "answer 3",
    }


def test_a_response_that_is_stored_stays_as_it_is_when_it_is_saved_again(store: ResultStore) -> None:
    run = finished_run(store, [response("first", "p1")])
    store.save_exchanges(run.id, [exchange(response("second", "p1")), exchange(response("new", "p2"))], NOON)
    assert store.responses(run.id, ["p1", "p2"]) == {
        ("p1", 0): response("first", "p1"),
        ("p2", 0): response("new", "p2"),
    }


def test_the_same_prompt_twice_in_one_commit_is_stored_once(store: ResultStore) -> None:
    run = store.begin_run(plan(), None, NOON)
    store.save_exchanges(run.id, [exchange(response("first")), exchange(response("second"))], NOON)
    assert store.responses(run.id, ["p1"]) == {("p1", 0): response("first")}


def test_the_repeats_of_a_prompt_are_kept_apart(store: ResultStore) -> None:
    given = [response(f"answer {repeat}", repeat=repeat) for repeat in range(3)]
    run = finished_run(store, given)
    assert store.responses(run.id, ["p1"]) == {("p1", entry.repeat): entry for entry in given}


def test_an_application_that_declares_itself_comes_back_as_it_said(store: ResultStore) -> None:
    given = response(served_by=ServedBy("shop", "bot", None, "shop-bot", "2.1"))
    run = finished_run(store, [replace(given, reply=replace(given.reply, reported_model=None))])
    assert store.responses(run.id, ["p1"])["p1", 0].served_by == given.served_by


def test_to_save_nothing_changes_nothing(store: ResultStore) -> None:
    run = store.begin_run(plan(), None, NOON)
    store.save_exchanges(run.id, [], NOON)
    graded = grading_pass(store, run)
    store.save_gradings(graded.id, [])
    assert store.responses(run.id, ["p1"]) == {}
    assert list(store.gradings(graded.id)) == []


def test_runs_of_the_same_pair_keep_their_responses_apart(store: ResultStore) -> None:
    first, second = (finished_run(store, [response(text)]) for text in ("first", "second"))
    assert store.responses(first.id, ["p1"]) == {("p1", 0): response("first")}
    assert store.responses(second.id, ["p1"]) == {("p1", 0): response("second")}


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


def test_the_gradings_of_repeats_are_kept_apart(store: ResultStore) -> None:
    graded = grading_pass(store, finished_run(store))
    given = [grading("p1", status, repeat=repeat) for repeat, status in enumerate((Status.PASS, Status.FAIL))]
    store.save_gradings(graded.id, given)
    assert list(store.gradings(graded.id)) == [given]


def test_a_grading_pass_comes_back_with_what_it_graded_anew_and_who_did(store: ResultStore) -> None:
    run = finished_run(store)
    first = grading_pass(store, run)
    second = grading_pass(store, run, regraded_from=first.id, orchestration_run_id="dagster-1")
    assert store.grading_of_orchestration("acme.set", "tern", "deterministic", "dagster-1") == second
    assert (second.regraded_from, second.orchestration_run_id) == (first.id, "dagster-1")


def test_the_latest_whole_grading_is_the_newest_pass_of_the_newest_run(store: ResultStore) -> None:
    newest = finished_run(store, started_at=NOON + SECOND)
    older = finished_run(store)
    grading_pass(store, newest)
    again = grading_pass(store, newest)
    grading_pass(store, older)
    assert store.latest_whole_grading("acme.set", "tern", "deterministic") == again


def test_the_latest_whole_grading_is_not_hidden_by_that_of_a_part(store: ResultStore) -> None:
    whole = grading_pass(store, finished_run(store))
    part = plan(golden_set(prompt("p1"), prompt("p2")), limit=1)
    grading_pass(store, finished_run(store, asked=part, started_at=NOON + SECOND))
    assert store.latest_whole_grading("acme.set", "tern", "deterministic") == whole


def test_the_latest_whole_grading_is_that_of_its_set_model_and_grader(store: ResultStore) -> None:
    grading_pass(store, finished_run(store))
    for wanted in (
        ("acme.another", "tern", "deterministic"),
        ("acme.set", "heron", "deterministic"),
        ("acme.set", "tern", "llm_judge"),
    ):
        assert store.latest_whole_grading(*wanted) is None


def test_the_grading_of_a_dagster_run_is_the_newest_that_it_made(store: ResultStore) -> None:
    run = finished_run(store)
    grading_pass(store, run, orchestration_run_id="dagster-1")
    own = grading_pass(store, run, orchestration_run_id="dagster-1")
    grading_pass(store, run, orchestration_run_id="dagster-2")
    assert store.grading_of_orchestration("acme.set", "tern", "deterministic", "dagster-1") == own


def test_the_grading_of_a_dagster_run_is_found_even_when_it_is_of_a_part(store: ResultStore) -> None:
    part = plan(golden_set(prompt("p1"), prompt("p2")), limit=1)
    own = grading_pass(store, finished_run(store, asked=part), orchestration_run_id="dagster-1")
    assert store.grading_of_orchestration("acme.set", "tern", "deterministic", "dagster-1") == own


def test_a_dagster_run_that_asked_but_did_not_grade_has_no_grading(store: ResultStore) -> None:
    grading_pass(store, finished_run(store, orchestration_run_id="dagster-1"))
    for wanted in (
        ("acme.set", "tern", "deterministic", "dagster-1"),
        ("acme.another", "tern", "deterministic", "dagster-1"),
    ):
        assert store.grading_of_orchestration(*wanted) is None


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
    assert store.result(saved.id) == replace(saved, cost_usd=9.0)


def test_there_is_no_result_of_an_id_that_was_never_given(store: ResultStore) -> None:
    result(store)
    assert store.result(999_999_999) is None


def test_a_result_remembers_the_one_that_its_answers_had_before(store: ResultStore) -> None:
    first = result(store)
    run = store.run(first.run_id)
    assert run is not None
    again = result(store, run=run, regraded_from=first.id)
    assert store.result(again.id) == again
    assert again.regraded_from == first.id


def test_the_latest_result_of_a_run_is_the_newest_by_that_grader(store: ResultStore) -> None:
    first = result(store)
    run = store.run(first.run_id)
    assert run is not None
    newest = result(store, run=run)
    result(store, run=run, grader="llm_judge")
    result(store)
    assert store.latest_result_of_run(run.id, "deterministic") == newest
    assert store.latest_result_of_run(run.id, "nobody") is None


def test_a_run_that_was_graded_but_not_concluded_has_no_result(store: ResultStore) -> None:
    run = finished_run(store)
    grading_pass(store, run)
    assert store.latest_result_of_run(run.id, "deterministic") is None


# Projects


def test_projects_that_share_a_database_do_not_see_one_another(shared_engine: Engine, project: str) -> None:
    ours = PostgresResultStore(shared_engine, project)
    theirs = PostgresResultStore(shared_engine, f"{project}-staging")
    run = finished_run(ours, orchestration_run_id="dagster-1")
    saved = result(ours, run=run)
    grading_pass(ours, run, orchestration_run_id="dagster-1")
    ours.save_snapshot(golden_set(), NOON)
    assert theirs.run(run.id) is None
    assert theirs.run_of_orchestration(run.set_id, run.model_key, "dagster-1") is None
    assert theirs.latest_whole_run(run.set_id, run.model_key) is None
    assert theirs.prompt_inputs(run.set_id, golden_set().content_hash) == {}
    assert theirs.latest_whole_grading(run.set_id, run.model_key, "deterministic") is None
    of_run = theirs.grading_of_orchestration(run.set_id, run.model_key, "deterministic", "dagster-1")
    assert of_run is None
    assert theirs.result(saved.id) is None
    assert theirs.latest_result_of_run(run.id, "deterministic") is None
    assert theirs.result_of_orchestration("dagster-1", "deterministic") is None
