"""Asking a model every prompt of a plan: bounded, durable, and undisturbed by single failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from eval_pipeline.application.ports import (
    Clock,
    Exchange,
    ModelClient,
    ModelClients,
    Progress,
    ResultStore,
)
from eval_pipeline.domain.model_catalogue import Price
from eval_pipeline.domain.responses import ModelRequest, ModelResponse
from eval_pipeline.domain.results import cost_usd
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus

_Arrived = tuple[Exchange, "asyncio.Future[None]"]
_MOST_WRITERS = 4


def respond(
    plan: AskPlan,
    clients: ModelClients,
    store: ResultStore,
    progress: Progress,
    clock: Clock,
    orchestration_run_id: str | None = None,
) -> EvaluationRun:
    """Ask every request of `plan` and store every response as it arrives.

    Whatever stops it, what has arrived by then is stored and the run is recorded as interrupted.

    Returns:
        The run, finished.

    Raises:
        DefinitionError: The model cannot be used as declared; no run is recorded.
    """
    store.save_snapshot(plan.golden_set, clock())
    try:
        return asyncio.run(_respond(plan, clients, store, progress, clock, orchestration_run_id))
    except BaseExceptionGroup as group:
        raise _first(group) from None


async def _respond(
    plan: AskPlan,
    clients: ModelClients,
    store: ResultStore,
    progress: Progress,
    clock: Clock,
    orchestration_run_id: str | None,
) -> EvaluationRun:
    async with clients.open(plan.model) as client:
        run = store.begin_run(plan, orchestration_run_id, clock())
        progress.started(f"{plan.golden_set.id} · {plan.model.key}", len(plan.requests))

        def commit(exchanges: Sequence[Exchange]) -> None:
            store.save_exchanges(run.id, exchanges, clock())
            failed = sum(exchange.response.error is not None for exchange in exchanges)
            progress.advanced(len(exchanges), failed)

        status = RunStatus.INTERRUPTED
        try:
            await _ask_all(plan, client, commit)
            status = RunStatus.FINISHED
        finally:
            progress.finished()
            store.end_run(run.id, status, clock())
        return replace(run, status=status)


async def _ask_all(plan: AskPlan, client: ModelClient, commit: Callable[[Sequence[Exchange]], None]) -> None:
    pending = iter(plan.requests)
    price = plan.model.price
    places = min(plan.model.provider.max_concurrency, len(plan.requests))
    commits = _GroupCommit(commit)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(places):
                group.create_task(_ask_some(pending, client, price, commits))
    finally:
        commits.write_what_is_left()


async def _ask_some(
    pending: Iterator[ModelRequest], client: ModelClient, price: Price | None, commits: _GroupCommit
) -> None:
    """One place among the requests in flight; it is free again only when the response is committed."""
    for request in pending:
        response = await client.ask(request)
        await commits.committed(Exchange(request, _priced(response, price)))


def _priced(response: ModelResponse, price: Price | None) -> ModelResponse:
    """The response with its cost by the declared price, where it does not bring its own."""
    if response.reply is None or response.cost_usd is not None:
        return response
    return replace(response, cost_usd=cost_usd(response.reply.usage, price))


class _GroupCommit:
    """Commits in threads, a few transactions at a time; what arrives meanwhile shares the next one.

    One transaction at a time would make responses wait for one another, and then arrive in waves.
    """

    def __init__(self, commit: Callable[[Sequence[Exchange]], None]) -> None:
        self._commit = commit
        self._arrived: list[_Arrived] = []
        self._being_written: list[list[_Arrived]] = []
        self._writers: set[asyncio.Task[None]] = set()

    async def committed(self, exchange: Exchange) -> None:
        """Returns when `exchange` is durable."""
        done = asyncio.get_running_loop().create_future()
        self._arrived.append((exchange, done))
        if len(self._writers) < _MOST_WRITERS:
            writer = asyncio.create_task(self._write())
            self._writers.add(writer)
            writer.add_done_callback(self._writers.discard)
        await done

    async def _write(self) -> None:
        while self._arrived:
            batch, self._arrived = self._arrived, []
            self._being_written.append(batch)
            try:
                await asyncio.to_thread(self._commit, [exchange for exchange, _ in batch])
            except BaseException as error:  # noqa: BLE001 - handed on to everybody who waits
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                return
            for _, done in batch:
                if not done.done():
                    done.set_result(None)
            self._being_written.remove(batch)

    def write_what_is_left(self) -> None:
        """After a stop: store what arrived. What a cancelled write stored already is not stored twice."""
        left = [exchange for batch in (*self._being_written, self._arrived) for exchange, _ in batch]
        if left:
            self._commit(left)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first exception in a group: when one place fails, all others are stopped for it."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
