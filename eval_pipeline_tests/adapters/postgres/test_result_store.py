"""What PostgreSQL adds to the contract of a store: what it cannot hold, and what it refuses to hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, null, select, text, update
from sqlalchemy.exc import IntegrityError

from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.adapters.postgres.tables import EvaluationResultRow
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import Answer, Contains
from eval_pipeline.domain.errors import DefinitionError, StorageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.provenance import GeneratorStatus
from eval_pipeline.domain.responses import Message, ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, prompt, response
from eval_pipeline_tests.stored import NOON, exchange, finished_run, grading, grading_pass, plan, result

HOSTILE = {"U+0000": ("\x00", "\u2400"), "a lone surrogate": ("\ud83d", "\ufffd")}
hostile = pytest.mark.parametrize(("char", "shown"), HOSTILE.values(), ids=HOSTILE)


@pytest.fixture
def store(shared_engine: Engine, project: str) -> PostgresResultStore:
    return PostgresResultStore(shared_engine, project)


@pytest.fixture
def one_result(store: PostgresResultStore) -> EvaluationResult:
    """A result of one passed and one failed prompt."""
    return result(
        store,
        (grading("p1"), response("yes, Monday", "p1")),
        (grading("p2", Status.FAIL, "'yes' not found"), response("no, Tuesday", "p2")),
    )


def rows(engine: Engine, statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(statement), values)]


# Characters that PostgreSQL cannot hold


@hostile
def test_an_answer_is_stored_visibly_and_read_back_as_the_model_said_it(
    store: PostgresResultStore, shared_engine: Engine, char: str, shown: str
) -> None:
    given = response(f"caf{char}é")
    run = finished_run(store, [given])
    of_run = "select text from model_response where run_id = :run"
    assert rows(shared_engine, of_run, run=run.id) == [(f"caf{shown}é",)]
    assert store.responses(run.id, ["p1"])["p1", 0].reply.text == given.reply.text


@hostile
def test_a_grader_sees_the_original_of_an_answer_that_was_stored_with_a_replacement(
    store: PostgresResultStore, char: str, shown: str
) -> None:
    run = finished_run(store, [response(f"caf{char}é")])
    [stored] = store.responses(run.id, ["p1"]).values()
    assert Contains(f"f{char}é").check(Answer(stored)).passed
    assert not Contains(shown).check(Answer(stored)).passed


@hostile
def test_an_answer_that_was_stored_with_a_replacement_is_flagged(
    store: PostgresResultStore, shared_engine: Engine, char: str, shown: str
) -> None:
    run = finished_run(store, [response(f"caf{char}é")])
    of_run = "select flags from model_response where run_id = :run"
    assert rows(shared_engine, of_run, run=run.id) == [(["replaced_characters"],)]


def in_reply(**parts: Any) -> ModelResponse:
    return response(reply=Reply(**{"text": "yes", "reported_model": SERVED_BY.reported_model, **parts}))


HOSTILE_RESPONSES: dict[str, Callable[[str], ModelResponse]] = {
    "the answer": lambda bad: in_reply(text=bad),
    "the reasoning": lambda bad: in_reply(reasoning=bad),
    "the finish reason": lambda bad: in_reply(finish_reason=bad),
    "a call of a tool": lambda bad: in_reply(tool_calls=({"name": bad, bad: [1.5, None, {"deep": bad}]},)),
    "the reported model": lambda bad: replace(
        in_reply(reported_model=bad), served_by=ServedBy("eu-west", "tern-large", bad)
    ),
    "the outbound model": lambda bad: response(served_by=ServedBy("eu-west", bad, "tern-4-2026")),
    "the error": failed,
}


@hostile
@pytest.mark.parametrize("hostile_response", HOSTILE_RESPONSES.values(), ids=HOSTILE_RESPONSES)
def test_no_text_of_a_response_can_cost_the_responses_that_are_committed_with_it(
    store: PostgresResultStore,
    hostile_response: Callable[[str], ModelResponse],
    char: str,
    shown: str,
) -> None:
    run = store.begin_run(plan(), None, NOON)
    given = [response(prompt_id="p0"), hostile_response(f"a{char}b"), response(prompt_id="p2")]
    store.save_exchanges(run.id, [exchange(entry) for entry in given], NOON)
    assert store.responses(run.id, ["p0", "p1", "p2"]).keys() == {("p0", 0), ("p1", 0), ("p2", 0)}


@pytest.mark.parametrize("usage", [TokenUsage(2**63, 5), TokenUsage(5, 10**30)])
def test_a_count_of_tokens_that_no_column_holds_does_not_cost_the_responses_committed_with_it(
    store: PostgresResultStore, usage: TokenUsage
) -> None:
    run = store.begin_run(plan(), None, NOON)
    given = [response(prompt_id="p0"), in_reply(usage=usage)]
    store.save_exchanges(run.id, [exchange(entry) for entry in given], NOON)
    assert store.responses(run.id, ["p0", "p1"]).keys() == {("p0", 0), ("p1", 0)}


HOSTILE_SETS: dict[str, Callable[[str], GoldenPromptSet]] = {
    "a prompt's text": lambda bad: golden_set(prompt(prompt=bad)),
    "a conversation": lambda bad: golden_set(prompt(messages=[Message("user", bad)])),
    "a variable": lambda bad: golden_set(prompt(prompt="{{v}}", vars={"v": bad})),
    "an expectation": lambda bad: golden_set(prompt(assertions=[Contains(bad)])),
    "a reference": lambda bad: golden_set(prompt(reference=bad)),
    "a tag": lambda bad: golden_set(prompt(tags=[bad])),
    "the system prompt": lambda bad: golden_set(system_prompt=bad),
    "the description": lambda bad: golden_set(description=bad),
    "a parameter": lambda bad: golden_set(parameters={"stop": bad}),
}


@pytest.mark.parametrize("char", ["\x00", "\ud83d"], ids=HOSTILE)
@pytest.mark.parametrize("hostile_set", HOSTILE_SETS.values(), ids=HOSTILE_SETS)
def test_a_set_that_cannot_be_stored_is_refused_as_a_definition_and_never_by_the_database(
    store: PostgresResultStore, hostile_set: Callable[[str], GoldenPromptSet], char: str
) -> None:
    with suppress(DefinitionError):
        asked = plan(hostile_set(f"a{char}b"))
        store.save_snapshot(asked.golden_set, NOON)
        run = store.begin_run(asked, None, NOON)
        sent = asked.requests[0]
        store.save_exchanges(run.id, [exchange(response(), messages=sent.messages)], NOON)
        assert len(store.messages(run.id, "p1")) == len(sent.messages)


@hostile
def test_a_grading_shows_a_replacement_in_its_reason_and_in_its_assertions(
    store: PostgresResultStore, char: str, shown: str
) -> None:
    graded = grading_pass(store, finished_run(store))
    store.save_gradings(graded.id, [grading(reason=f"found {char}")])
    assert list(store.gradings(graded.id)) == [[grading(reason=f"found {shown}")]]


# What the tables refuse, whoever writes


REFUSED = {
    "evaluation_result": [
        *(
            f"{share} = {value}"
            for share in ("pass_rate", "pass_rate_low", "pass_rate_high", "mean_score")
            for value in ("'NaN'", "'Infinity'", "-0.001", "1.001")
        ),
        *(
            f"{measure} = {value}"
            for measure in ("standard_error", "cost_usd", "latency_p50_ms", "latency_p95_ms")
            for value in ("'NaN'", "'Infinity'", "-0.001")
        ),
        "pass_rate = null",
        "mean_score = null",
        "graded_count = 0, error_count = 2",
        "prompt_count = 3",
        "error_count = 1",
        "skipped_count = 1",
        "graded_count = 3, error_count = -1",
        "passed_count = 3",
        "passed_count = -1",
        "pass_rate_low = 0.9, pass_rate_high = 0.1",
        "pass_rate_low = null",
        "run_id = 4711",
    ],
    "prompt_grading": [
        "score = 'NaN'",
        "score = 'Infinity'",
        "score = 1.001",
        "score = -0.001",
        "score = null",
        "status = 'error'",
        "status = 'skipped'",
        "status = 'passed'",
        "prompt_id = 'p1'",
    ],
    "model_response": [
        "latency_ms = 'NaN'",
        "latency_ms = 'Infinity'",
        "latency_ms = -1",
        "input_tokens = -1",
        "output_tokens = -1",
        "prompt_id = 'p1'",
    ],
    "evaluation_run": ["status = 'done'", "prompt_count = -1", "repeats = 0"],
}


@pytest.mark.parametrize(
    ("table", "change"), [(table, change) for table, changes in REFUSED.items() for change in changes]
)
def test_the_database_itself_refuses_numbers_that_are_not_finite_or_do_not_fit_together(
    shared_engine: Engine, one_result: EvaluationResult, table: str, change: str
) -> None:
    column = {"evaluation_run": "id", "prompt_grading": "grading_id"}.get(table, "run_id")
    owner = one_result.id if column == "grading_id" else one_result.run_id
    with shared_engine.connect() as connection, pytest.raises(IntegrityError):
        connection.execute(text(f"update {table} set {change} where {column} = {owner}"))


def test_the_database_takes_a_result_without_anything_measured(
    shared_engine: Engine, one_result: EvaluationResult
) -> None:
    nothing = "pass_rate = null, mean_score = null, standard_error = null, graded_count = 0, passed_count = 0"
    bounds = "pass_rate_low = null, pass_rate_high = null, skipped_count = 2"
    with shared_engine.connect() as connection:
        changed = connection.execute(
            text(f"update evaluation_result set {nothing}, {bounds} where id = {one_result.id}")
        )
    assert changed.rowcount == 1


# JSON


def test_json_that_is_none_is_null_to_sql_and_never_the_json_text_null(
    shared_engine: Engine, one_result: EvaluationResult
) -> None:
    of_result = EvaluationResultRow.id == one_result.id
    with shared_engine.begin() as connection:
        connection.execute(update(EvaluationResultRow).where(of_result).values(provenance=None))
        assert connection.scalar(select(EvaluationResultRow.provenance.is_(null())).where(of_result)) is True


# Provenance


def damages() -> Iterator[Any]:
    """Records of provenance, each wrong in one way; the right one is of two answers by one generator."""

    def damaged(**changes: Any) -> Any:
        generator = {
            "provider_instance": "eu-west",
            "outbound_model": "tern-large",
            "reported_model": "tern-4-2026",
            "alias_only": False,
            "responses": 2,
        }
        record = {"version": 1, "status": "one", "generators": [generator], "unknown": 0, "answered": 2}
        of_generator = {name: changes.pop(name) for name in [*changes] if name in generator}
        return {**record, "generators": [{**generator, **of_generator}], **changes}

    yield pytest.param(None, id="absent")
    yield pytest.param([], id="a list")
    yield pytest.param("one", id="a text")
    yield pytest.param({}, id="empty")
    yield pytest.param(damaged(version=2), id="of a newer version")
    yield pytest.param(damaged(version="1"), id="of a version that is a text")
    yield pytest.param(damaged(generators=[]), id="without generators")
    yield pytest.param(damaged(generators={}), id="generators that are no list")
    yield pytest.param(damaged(status="mixed"), id="a status at odds with its generators")
    yield pytest.param(damaged(answered=3), id="a total at odds with its counts")
    yield pytest.param(damaged(unknown=-1), id="a negative count")
    yield pytest.param(damaged(reported_model=""), id="an empty name")
    yield pytest.param(damaged(reported_model=None), id="a missing name")
    yield pytest.param(damaged(alias_only=True), id="an alias that is none")
    yield pytest.param(damaged(responses=True, answered=1), id="a truth value for a count")
    yield pytest.param(damaged(text="yes"), id="an unknown key")
    yield pytest.param(damaged(outbound_model="heron"), id="at odds with the model of its row")
    yield pytest.param(damaged(responses=200, answered=200), id="of more answers than its row has prompts")


@pytest.mark.parametrize("record", list(damages()))
def test_damaged_provenance_is_no_evidence_and_costs_no_grade(
    store: PostgresResultStore, shared_engine: Engine, one_result: EvaluationResult, record: Any
) -> None:
    with shared_engine.begin() as connection:
        connection.execute(
            text("update evaluation_result set provenance = cast(:record as jsonb) where id = :id"),
            {"record": None if record is None else json.dumps(record), "id": one_result.id},
        )
    found = store.result(one_result.id)
    assert found is not None
    assert (found.summary.provenance.status, found.model_id) == (GeneratorStatus.UNVERIFIED, None)
    assert found.summary.total == one_result.summary.total


def test_a_row_whose_model_is_not_that_of_its_provenance_is_no_evidence(
    store: PostgresResultStore, shared_engine: Engine, one_result: EvaluationResult
) -> None:
    with shared_engine.begin() as connection:
        connection.execute(
            text(f"update evaluation_result set model_id = 'heron' where id = {one_result.id}")
        )
    found = store.result(one_result.id)
    assert found is not None
    assert found.model_id is None


def test_provenance_holds_nothing_of_a_prompt_or_an_answer(
    shared_engine: Engine, one_result: EvaluationResult
) -> None:
    of_result = "select provenance from evaluation_result where id = :id"
    [(record,)] = rows(shared_engine, of_result, id=one_result.id)
    assert record == {
        "version": 1,
        "status": "one",
        "generators": [
            {
                "provider_instance": "eu-west",
                "outbound_model": "tern-large",
                "reported_model": "tern-4-2026",
                "alias_only": False,
                "responses": 2,
            }
        ],
        "unknown": 0,
        "answered": 2,
    }


# Snapshots


def test_every_state_of_a_set_is_kept_once_with_its_prompts_in_order(
    store: PostgresResultStore, shared_engine: Engine, project: str
) -> None:
    first = golden_set(*(prompt(f"p{(7 * n) % 600}") for n in range(600)))
    second = replace(first, system_prompt="Be brief.")
    for state in (first, second, first, first):
        store.save_snapshot(state, NOON)
    kept = "select content_hash, prompt_count from golden_prompt_set where project = :project"
    assert sorted(rows(shared_engine, kept, project=project)) == sorted(
        [(first.content_hash, 600), (second.content_hash, 600)]
    )
    prompts = "select prompt_id from golden_prompt where project = :project and content_hash = :hash"
    in_order = rows(shared_engine, f"{prompts} order by position", project=project, hash=first.content_hash)
    assert [prompt_id for (prompt_id,) in in_order] == [entry.id for entry in first.prompts]


# Trouble with the database


def test_what_the_database_refuses_is_named_without_the_texts_that_were_to_be_stored(
    store: PostgresResultStore,
) -> None:
    with pytest.raises(StorageError) as refused:
        store.save_exchanges(4711, [exchange(response("a private answer"), text="a private question")], NOON)
    assert "the database refused or was lost" in str(refused.value)
    assert "foreign key" in str(refused.value)
    assert "private" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_connections_that_the_server_closed_are_opened_anew(
    store: PostgresResultStore, shared_engine: Engine
) -> None:
    run = finished_run(store, [response()])
    url = shared_engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(url) as another:
        another.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
    assert store.responses(run.id, ["p1"]) == {("p1", 0): response()}
