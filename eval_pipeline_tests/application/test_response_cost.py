"""What every single response cost: priced when it arrives, kept with it, and told with it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

from eval_pipeline.adapters.llm.replay import Replay
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.application.respond import respond
from eval_pipeline.domain.assertions import read_assertion
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.model_catalogue import Price
from eval_pipeline.domain.responses import ModelResponse, TokenUsage
from eval_pipeline.domain.runs import AskPlan, Selection
from eval_pipeline_tests.builders import failed, golden_set, model, prompt, request, response
from eval_pipeline_tests.fakes import (
    FakeClock,
    InMemoryResultStore,
    OneClient,
    RecordedProgress,
    ScriptedClient,
)
from eval_pipeline_tests.stored import finished_run

PRICE = Price(input=1.0, output=2.0)


@pytest.fixture(params=["memory", "postgres"])
def store(request: pytest.FixtureRequest, project: str) -> ResultStore:
    if request.param == "memory":
        return InMemoryResultStore()
    return PostgresResultStore(request.getfixturevalue("shared_engine"), project)


def used(input_tokens: int | None, output_tokens: int | None, **changes: object) -> ModelResponse:
    """A response that took so many tokens."""
    given = response(**changes)
    return replace(given, reply=replace(given.reply, usage=TokenUsage(input_tokens, output_tokens)))


def kept(given: ModelResponse, price: Price | None, store: ResultStore) -> ModelResponse:
    """What is stored of a response after asking for it."""
    plan = AskPlan.of(golden_set(), model(price=price), Selection())
    client = OneClient(ScriptedClient(lambda request: replace(given, request_key=request.key)))
    run = respond(plan, client, store, RecordedProgress(), FakeClock())
    return store.responses(run.id, ["p1"])["p1", 0]


@pytest.mark.parametrize(
    ("tokens", "price", "cost"),
    [
        ((1000, 500), PRICE, 0.002),
        ((10, 5), Price(input=0.0, output=0.0), 0.0),
        ((0, 0), PRICE, 0.0),
        ((0, 500), Price(input=5.0, output=2.0), 0.001),
        ((1000, 500), None, None),
        ((None, 500), PRICE, None),
        ((1000, None), PRICE, None),
        ((None, None), Price(input=0.0, output=0.0), None),
    ],
)
def test_a_reply_is_priced_by_its_tokens_and_unknown_ones_have_no_price(store, tokens, price, cost):
    assert kept(used(*tokens), price, store).cost_usd == cost


@pytest.mark.parametrize("cost", [0.0, 0.25])
@pytest.mark.parametrize("price", [PRICE, None])
def test_a_cost_that_a_response_brings_along_is_kept(store, cost, price):
    assert kept(used(1000, 500, cost_usd=cost), price, store).cost_usd == cost


def test_a_call_that_failed_has_no_cost(store):
    assert kept(failed(), PRICE, store).cost_usd is None


def test_a_cost_is_stored_exactly(store: ResultStore) -> None:
    given = [response("yes", f"p{n}", cost_usd=cost) for n, cost in enumerate([0.1 + 0.2, 1e-12, 0.0, None])]
    run = finished_run(store, given)
    found = store.responses(run.id, [each.prompt_id for each in given])
    assert [found[each.prompt_id, 0].cost_usd for each in given] == [0.1 + 0.2, 1e-12, 0.0, None]


@pytest.mark.parametrize("cost", ["-0.01", "'infinity'", "'nan'"])
def test_the_database_refuses_what_is_no_cost(shared_engine: Engine, project: str, cost: str) -> None:
    run = finished_run(PostgresResultStore(shared_engine, project), [response()])
    with shared_engine.begin() as connection, pytest.raises(IntegrityError, match="cost_usd"):
        connection.execute(
            text(f"update model_response set cost_usd = {cost} where run_id = :run"), {"run": run.id}
        )


def replayed(folder: Path, **recorded: object) -> ModelResponse:
    path = folder / "answers.jsonl"
    path.write_text(json.dumps({"prompt_id": "p1", "text": "yes", **recorded}))
    return asyncio.run(Replay(path).ask(request()))


@pytest.mark.parametrize("cost", [0, 0.25, None])
def test_a_recorded_cost_is_replayed(tmp_path, cost):
    assert replayed(tmp_path, **({} if cost is None else {"cost_usd": cost})).cost_usd == cost


@pytest.mark.parametrize("cost", [-0.01, "0.25", True, float("inf"), float("nan")])
def test_what_is_no_cost_is_refused_in_a_recording(tmp_path, cost):
    with pytest.raises(DefinitionError):
        replayed(tmp_path, cost_usd=cost)


def test_a_replayed_cost_comes_before_the_price_of_today(tmp_path, store):
    given = replayed(tmp_path, cost_usd=0.25, input_tokens=1000, output_tokens=500)
    assert kept(given, PRICE, store).cost_usd == 0.25


@pytest.mark.parametrize(
    ("cost", "status"), [(0.009, "pass"), (0.0, "pass"), (0.011, "fail"), (None, "error")]
)
def test_an_assertion_on_the_cost_sees_it(cost, status):
    expected = prompt("p1", assertions=[read_assertion({"cost_below": 0.01})])
    assert DeterministicGrader().grade(expected, response(cost_usd=cost)).status == status
