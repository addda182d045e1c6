"""In-memory ports. The store keeps the same contract as PostgreSQL's: see `application/test_store_contract.py`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from eval_pipeline.application.ports import Exchange, ModelClient
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.responses import ModelRequest, ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus
from eval_pipeline_tests import builders


class FakeClock:
    """Starts at one moment and is a second later at every look."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


@dataclass
class RecordedProgress:
    """Progress that can be looked at."""

    total: int = 0
    done: int = 0
    errors: int = 0
    is_finished: bool = False

    def started(self, what: str, total: int) -> None:
        self.total = total

    def advanced(self, count: int, errors: int) -> None:
        self.done += count
        self.errors += errors

    def finished(self) -> None:
        self.is_finished = True


@dataclass
class ScriptedClient:
    """Answers by a function of the request; counts what is in flight."""

    answer: Callable[[ModelRequest], ModelResponse]
    delay: Callable[[ModelRequest], float] = lambda request: 0.0
    asked: list[str] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0

    async def ask(self, request: ModelRequest) -> ModelResponse:
        self.asked.append(request.prompt_id)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(self.delay(request))
        self.in_flight -= 1
        return self.answer(request)


@dataclass
class OneClient:
    """Opens the same client for every model."""

    client: ModelClient

    @asynccontextmanager
    async def open(self, model: ResolvedModel) -> AsyncIterator[ModelClient]:
        yield self.client


def answering(text: str = "yes") -> OneClient:
    """Clients that always answer the same."""
    return OneClient(
        ScriptedClient(lambda request: builders.response(text, request.prompt_id, request_key=request.key))
    )


@dataclass
class FakeDeclarations:
    """Declarations that are simply given."""

    sets: Mapping[str, GoldenPromptSet]
    models: Mapping[str, ResolvedModel]
    project: str = "acme"

    def golden_prompt_set(self, set_id: str) -> GoldenPromptSet:
        if set_id not in self.sets:
            raise UsageError(f"there is no golden prompt set '{set_id}'")
        return self.sets[set_id]

    def model(self, key: str) -> ResolvedModel:
        return self.models[key]


class InMemoryResultStore:
    """The result store as dictionaries."""

    def __init__(self) -> None:
        self.snapshots: dict[tuple[str, str], GoldenPromptSet] = {}
        self.runs: dict[int, EvaluationRun] = {}
        self.exchanges: dict[int, dict[tuple[str, int], Exchange]] = {}
        self.passes: dict[int, GradingPass] = {}
        self.graded: dict[int, dict[tuple[str, int], Grading]] = {}
        self.kept: dict[int, EvaluationResult] = {}

    def save_snapshot(self, golden_set: GoldenPromptSet, recorded_at: datetime) -> None:
        self.snapshots.setdefault((golden_set.id, golden_set.hashes.content), golden_set)

    def begin_run(
        self, plan: AskPlan, orchestration_run_id: str | None, started_at: datetime
    ) -> EvaluationRun:
        run = EvaluationRun(
            id=len(self.runs) + 1,
            set_id=plan.golden_set.id,
            model_key=plan.model.key,
            status=RunStatus.RUNNING,
            partial=plan.partial,
            prompt_count=len(plan.requests),
            set_hashes=plan.golden_set.hashes,
            provider_instance=plan.model.provider_key,
            outbound_model=plan.model.outbound_model,
            parameters=dict(plan.requests[0].parameters),
            orchestration_run_id=orchestration_run_id,
            started_at=started_at,
        )
        self.runs[run.id] = run
        self.exchanges[run.id] = {}
        return run

    def save_exchanges(self, run_id: int, exchanges: Sequence[Exchange], received_at: datetime) -> None:
        for exchange in exchanges:
            key = (exchange.response.prompt_id, exchange.response.repeat)
            self.exchanges[run_id].setdefault(key, exchange)

    def end_run(self, run_id: int, status: RunStatus, ended_at: datetime) -> None:
        self.runs[run_id] = replace(self.runs[run_id], status=status)

    def latest_run(
        self, set_id: str, model_key: str, orchestration_run_id: str | None = None
    ) -> EvaluationRun | None:
        of_pair = [run for run in self.runs.values() if (run.set_id, run.model_key) == (set_id, model_key)]
        of_pair.sort(key=lambda run: (run.started_at, run.id), reverse=True)
        own = [
            run
            for run in of_pair
            if orchestration_run_id and run.orchestration_run_id == orchestration_run_id
        ]
        return next(iter(own + of_pair), None)

    def responses(self, run_id: int, prompt_ids: Sequence[str]) -> dict[str, ModelResponse]:
        return {
            prompt_id: exchange.response
            for (prompt_id, _), exchange in self.exchanges[run_id].items()
            if prompt_id in prompt_ids
        }

    def begin_grading(self, grading_pass: GradingPass) -> GradingPass:
        kept = replace(grading_pass, id=len(self.passes) + 1)
        self.passes[kept.id] = kept
        self.graded[kept.id] = {}
        return kept

    def save_gradings(self, grading_id: int, gradings: Sequence[Grading]) -> None:
        for grading in gradings:
            self.graded[grading_id].setdefault((grading.prompt_id, grading.repeat), grading)

    def latest_grading(self, run_id: int, grader: str) -> GradingPass | None:
        own = [kept for kept in self.passes.values() if (kept.run_id, kept.grader) == (run_id, grader)]
        return max(own, key=lambda kept: kept.id, default=None)

    def gradings(self, grading_id: int) -> Iterator[Sequence[Grading]]:
        if self.graded[grading_id]:
            yield list(self.graded[grading_id].values())

    def save_result(self, result: EvaluationResult) -> None:
        self.kept[result.id] = result

    def result(self, result_id: int) -> EvaluationResult | None:
        return self.kept.get(result_id)

    def results(
        self,
        set_id: str | None = None,
        model_key: str | None = None,
        grader: str | None = None,
        limit: int = 50,
    ) -> list[EvaluationResult]:
        chosen = [
            result
            for result in self.kept.values()
            if set_id in (None, result.set_id)
            and model_key in (None, result.model_key)
            and grader in (None, result.grader)
        ]
        chosen.sort(key=lambda result: (result.run_date, result.id), reverse=True)
        return chosen[:limit]
