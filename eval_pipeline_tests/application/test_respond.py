"""Asking a model: bounded, durable, and undisturbed by single failures."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

import pytest

from eval_pipeline.application.ports import Exchange, ModelClient
from eval_pipeline.application.respond import respond
from eval_pipeline.domain.errors import DefinitionError, StorageError
from eval_pipeline.domain.model_catalogue import OpenAIProvider, ResolvedModel
from eval_pipeline.domain.responses import ModelRequest, ModelResponse
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus, Selection
from eval_pipeline_tests.builders import failed, golden_set, model, prompt, response
from eval_pipeline_tests.fakes import (
    FakeClock,
    InMemoryResultStore,
    OneClient,
    RecordedProgress,
    ScriptedClient,
)
from eval_pipeline_tests.stored import plan

COMMIT_SECONDS = 0.03


class Interruption(BaseException):
    """What Dagster raises in the middle of a step that is being stopped: no Exception, no KeyboardInterrupt."""


class SlowStore(InMemoryResultStore):
    """A store whose commits take a while; looks at what is in flight and not yet stored as they end."""

    def __init__(self, client: ScriptedClient) -> None:
        super().__init__()
        self.commits: list[int] = []
        self.most_not_stored = 0
        self._client = client

    def save_exchanges(self, run_id: int, exchanges: Sequence[Exchange], received_at: datetime) -> None:
        time.sleep(COMMIT_SECONDS)
        self.most_not_stored = max(self.most_not_stored, len(self._client.asked) - sum(self.commits))
        super().save_exchanges(run_id, exchanges, received_at)
        self.commits.append(len(exchanges))


@dataclass
class FailingStore(InMemoryResultStore):
    """A store that fails a number of commits, after one that succeeds."""

    fault: BaseException
    times: int
    seen: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def save_exchanges(self, run_id: int, exchanges: Sequence[Exchange], received_at: datetime) -> None:
        self.seen += 1
        if 1 < self.seen <= 1 + self.times:
            raise self.fault
        super().save_exchanges(run_id, exchanges, received_at)


@dataclass
class NoClients:
    """A model that cannot be used as it is declared."""

    opened: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def open(self, resolved: ResolvedModel) -> AsyncIterator[ModelClient]:
        self.opened.append(resolved.key)
        raise DefinitionError("the environment variable KEY is not set")
        yield ScriptedClient(answer)


def asking(count: int, max_concurrency: int = 16) -> AskPlan:
    """A plan of so many prompts."""
    provider = OpenAIProvider(
        kind="openai", base_url="http://127.0.0.1:9/v1", max_concurrency=max_concurrency
    )
    return plan(
        golden_set(*(prompt(f"p{number}") for number in range(1, count + 1))), model(provider=provider)
    )


def answer(request: ModelRequest) -> ModelResponse:
    return response(f"answer to {request.prompt_id}", request.prompt_id, request_key=request.key)


def asked(
    asked_plan: AskPlan,
    client: ScriptedClient,
    store: InMemoryResultStore | None = None,
    progress: RecordedProgress | None = None,
) -> EvaluationRun:
    store = store if store is not None else InMemoryResultStore()
    return respond(asked_plan, OneClient(client), store, progress or RecordedProgress(), FakeClock())


def stored_ids(store: InMemoryResultStore) -> set[str]:
    return {prompt_id for prompt_id, _ in store.exchanges[1]}


def raising_at(prompt_id: str, fault: BaseException) -> Callable[[ModelRequest], ModelResponse]:
    """Answers every prompt but one."""

    def answered(request: ModelRequest) -> ModelResponse:
        if request.prompt_id == prompt_id:
            raise fault
        return answer(request)

    return answered


def test_every_prompt_has_its_own_answer_whatever_order_the_replies_arrive_in() -> None:
    seconds = {"p1": 0.06, "p2": 0.02, "p3": 0.04}
    store = InMemoryResultStore()
    asked(asking(3), ScriptedClient(answer, lambda request: seconds[request.prompt_id]), store)
    assert [prompt_id for prompt_id, _ in store.exchanges[1]] == ["p2", "p3", "p1"]
    for (prompt_id, _), given in store.responses(1, ["p1", "p2", "p3"]).items():
        assert given.prompt_id == prompt_id
        assert given.reply is not None
        assert given.reply.text == f"answer to {prompt_id}"


def test_every_repeat_of_a_prompt_is_asked_and_stored_beside_the_others() -> None:
    store, counted = InMemoryResultStore(), iter(range(6))
    client = ScriptedClient(
        lambda request: replace(answer(request), repeat=request.repeat, latency_ms=float(next(counted)))
    )
    repeated = AskPlan.of(golden_set(prompt("p1"), prompt("p2")), model(), Selection(), repeats=3)
    run = asked(repeated, client, store)
    found = store.responses(run.id, ["p1", "p2"])
    assert found.keys() == {(prompt_id, repeat) for prompt_id in ("p1", "p2") for repeat in range(3)}
    assert {given.latency_ms for given in found.values()} == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}


def test_a_finished_run_has_a_response_to_every_prompt_and_a_snapshot_of_the_set() -> None:
    store, progress, asked_plan = InMemoryResultStore(), RecordedProgress(), asking(5)
    run = asked(asked_plan, ScriptedClient(answer), store, progress)
    assert store.runs[run.id].status is RunStatus.FINISHED
    assert stored_ids(store) == {"p1", "p2", "p3", "p4", "p5"}
    assert store.snapshots == {("acme.set", asked_plan.golden_set.content_hash): asked_plan.golden_set}
    assert (progress.total, progress.done, progress.errors, progress.is_finished) == (5, 5, 0, True)


def test_the_run_that_is_returned_is_finished_as_the_store_has_it() -> None:
    store = InMemoryResultStore()
    run = asked(asking(1), ScriptedClient(answer), store)
    assert run == store.runs[run.id]


@pytest.mark.parametrize(("max_concurrency", "most"), [(1, 1), (3, 3), (64, 12)])
def test_as_many_requests_are_in_flight_as_the_provider_allows_and_never_more(
    max_concurrency: int, most: int
) -> None:
    client = ScriptedClient(answer, lambda _: 0.01)
    asked(asking(12, max_concurrency), client)
    assert client.most_in_flight == most
    assert sorted(client.asked) == sorted(f"p{number}" for number in range(1, 13))


def test_a_place_among_those_in_flight_is_free_again_only_when_its_response_is_committed() -> None:
    client = ScriptedClient(answer)
    store = SlowStore(client)
    asked(asking(20, max_concurrency=4), client, store)
    assert store.most_not_stored == 4


def test_responses_that_arrive_during_a_commit_share_the_next_one() -> None:
    client = ScriptedClient(answer)
    store = SlowStore(client)
    asked(asking(120, max_concurrency=60), client, store)
    assert sum(store.commits) == 120
    assert len(store.commits) <= 8


def test_a_failed_call_is_a_stored_response_and_the_other_prompts_go_on() -> None:
    store, progress = InMemoryResultStore(), RecordedProgress()
    client = ScriptedClient(
        lambda request: (failed if request.prompt_id == "p2" else response)(prompt_id=request.prompt_id)
    )
    asked(asking(4, max_concurrency=1), client, store, progress)
    found = store.responses(1, ["p1", "p2", "p3", "p4"])
    assert {prompt_id: given.error for (prompt_id, _), given in found.items()} == {
        "p1": None,
        "p2": "HTTP 500",
        "p3": None,
        "p4": None,
    }
    assert (progress.done, progress.errors) == (4, 1)
    assert store.runs[1].status is RunStatus.FINISHED


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), SystemExit(1), Interruption()])
def test_an_interruption_while_asking_leaves_what_had_arrived_stored_and_is_handed_on(
    fault: BaseException,
) -> None:
    store, progress = InMemoryResultStore(), RecordedProgress()
    with pytest.raises(type(fault)):
        asked(asking(9, max_concurrency=1), ScriptedClient(raising_at("p5", fault)), store, progress)
    assert stored_ids(store) == {"p1", "p2", "p3", "p4"}
    assert store.runs[1].status is RunStatus.INTERRUPTED
    assert progress.is_finished


def test_a_client_that_raises_in_spite_of_its_contract_leaves_the_run_interrupted() -> None:
    store = InMemoryResultStore()
    with pytest.raises(ValueError, match="bug"):
        asked(asking(9, max_concurrency=1), ScriptedClient(raising_at("p5", ValueError("bug"))), store)
    assert stored_ids(store) == {"p1", "p2", "p3", "p4"}
    assert store.runs[1].status is RunStatus.INTERRUPTED


def test_an_interruption_within_a_commit_loses_nothing_that_had_arrived() -> None:
    store = FailingStore(KeyboardInterrupt(), times=1)
    client = ScriptedClient(answer)
    with pytest.raises(KeyboardInterrupt):
        asked(asking(9, max_concurrency=2), client, store)
    assert stored_ids(store) == set(client.asked)
    assert store.runs[1].status is RunStatus.INTERRUPTED


def test_an_interruption_stores_what_arrives_while_another_commit_is_being_written() -> None:
    client = ScriptedClient(raising_at("p8", KeyboardInterrupt()))
    store = SlowStore(client)
    with pytest.raises(KeyboardInterrupt):
        asked(asking(9, max_concurrency=9), client, store)
    assert stored_ids(store) >= {"p1", "p2", "p3", "p4", "p5", "p6", "p7"}


@pytest.mark.parametrize("times", [1, 1000])
def test_a_store_that_fails_surfaces_as_a_storage_error_instead_of_a_run_without_responses(
    times: int,
) -> None:
    store = FailingStore(StorageError("the database refused or was lost"), times)
    with pytest.raises(StorageError, match="was lost"):
        asked(asking(9, max_concurrency=2), ScriptedClient(answer), store)
    assert store.runs[1].status is RunStatus.INTERRUPTED


def test_no_further_prompt_is_asked_once_a_response_cannot_be_stored() -> None:
    client = ScriptedClient(answer)
    with pytest.raises((StorageError, ExceptionGroup)):
        asked(asking(50, max_concurrency=1), client, FailingStore(StorageError("disk full"), times=1000))
    assert client.asked == ["p1", "p2"]


def test_progress_counts_every_response_once_also_when_a_stop_hits_a_commit() -> None:
    progress, client = RecordedProgress(), ScriptedClient(raising_at("p8", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        asked(asking(9, max_concurrency=9), client, SlowStore(client), progress)
    assert progress.done <= progress.total


def test_a_model_that_cannot_be_used_as_declared_is_refused_by_the_declarations_fault() -> None:
    store, clients = InMemoryResultStore(), NoClients()
    with pytest.raises(DefinitionError, match="KEY is not set"):
        respond(asking(3), clients, store, RecordedProgress(), FakeClock())
    assert clients.opened == ["tern"]
    assert store.runs == {}
