"""In-memory ports. The store keeps the same contract as PostgreSQL's: see `application/test_store_contract.py`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from eval_pipeline.application.ports import Exchange, ModelClient
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.gates import GateReport
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.quality import GeneratorScope
from eval_pipeline.domain.responses import ModelRequest, ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus
from eval_pipeline.domain.set_hashes import prompt_hashes, treatment_fields
from eval_pipeline.domain.standing import Action, ManualDecision, Standing, standing_of
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

    @property
    def set_ids_for_quality(self) -> Sequence[str]:
        return list(self.sets)

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
        self.snapshots.setdefault((golden_set.id, golden_set.content_hash), golden_set)

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
            repeats=plan.repeats,
            set_hashes=plan.golden_set.hashes,
            content_hash=plan.golden_set.content_hash,
            treatment=treatment_fields(plan.golden_set, plan.parameters),
            provider_instance=plan.model.provider_key,
            outbound_model=plan.model.outbound_model,
            parameters=dict(plan.parameters),
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

    def run(self, run_id: int) -> EvaluationRun | None:
        return self.runs.get(run_id)

    def run_of_orchestration(
        self, set_id: str, model_key: str, orchestration_run_id: str
    ) -> EvaluationRun | None:
        return _newest(
            run
            for run in self._runs_of(set_id, model_key)
            if run.orchestration_run_id == orchestration_run_id
        )

    def latest_whole_run(self, set_id: str, model_key: str) -> EvaluationRun | None:
        return _newest(
            run
            for run in self._runs_of(set_id, model_key)
            if run.status is RunStatus.FINISHED and not run.partial
        )

    def _runs_of(self, set_id: str, model_key: str) -> list[EvaluationRun]:
        return [run for run in self.runs.values() if (run.set_id, run.model_key) == (set_id, model_key)]

    def prompt_inputs(self, set_id: str, content_hash: str) -> dict[str, str]:
        snapshot = self.snapshots.get((set_id, content_hash))
        if snapshot is None:
            return {}
        return {prompt.id: hashes.inputs for prompt, hashes in prompt_hashes(snapshot)}

    def row_data(self, set_id: str, content_hash: str) -> dict[str, dict[str, str]]:
        snapshot = self.snapshots.get((set_id, content_hash))
        prompts = snapshot.prompts if snapshot is not None else ()
        return {
            prompt.id: dict(prompt.evaluation.row if prompt.evaluation is not None else prompt.vars)
            for prompt in prompts
        }

    def responses(self, run_id: int, prompt_ids: Sequence[str]) -> dict[tuple[str, int], ModelResponse]:
        return {
            key: exchange.response for key, exchange in self.exchanges[run_id].items() if key[0] in prompt_ids
        }

    def begin_grading(self, grading_pass: GradingPass) -> GradingPass:
        kept = replace(grading_pass, id=len(self.passes) + 1)
        self.passes[kept.id] = kept
        self.graded[kept.id] = {}
        return kept

    def save_gradings(self, grading_id: int, gradings: Sequence[Grading]) -> None:
        for grading in gradings:
            self.graded[grading_id].setdefault((grading.prompt_id, grading.repeat), grading)

    def grading_of_orchestration(
        self, set_id: str, model_key: str, grader: str, orchestration_run_id: str
    ) -> GradingPass | None:
        return self._newest_grading(
            kept
            for kept in self._gradings_of(set_id, model_key, grader)
            if kept.orchestration_run_id == orchestration_run_id
        )

    def latest_whole_grading(self, set_id: str, model_key: str, grader: str) -> GradingPass | None:
        return self._newest_grading(
            kept
            for kept in self._gradings_of(set_id, model_key, grader)
            if not self.runs[kept.run_id].partial
        )

    def _gradings_of(self, set_id: str, model_key: str, grader: str) -> list[GradingPass]:
        runs = {run.id for run in self._runs_of(set_id, model_key)}
        return [kept for kept in self.passes.values() if kept.run_id in runs and kept.grader == grader]

    def _newest_grading(self, passes: Iterable[GradingPass]) -> GradingPass | None:
        return max(passes, key=lambda kept: (self.runs[kept.run_id].started_at, kept.id), default=None)

    def gradings(self, grading_id: int) -> Iterator[Sequence[Grading]]:
        if self.graded[grading_id]:
            yield list(self.graded[grading_id].values())

    def save_result(self, result: EvaluationResult) -> None:
        self.kept[result.id] = result

    def result(self, result_id: int) -> EvaluationResult | None:
        return self.kept.get(result_id)

    def latest_result_of_run(self, run_id: int, grader: str) -> EvaluationResult | None:
        own = [kept for kept in self.kept.values() if (kept.run_id, kept.grader) == (run_id, grader)]
        return max(own, key=lambda kept: kept.id, default=None)


class UnverifiedResults:
    """A source of results that cannot say what produced them."""

    def __init__(self, store: InMemoryResultStore) -> None:
        self._store = store

    def results(
        self,
        set_id: str | None = None,
        model_key: str | None = None,
        grader: str | None = None,
        limit: int = 50,
    ) -> list[EvaluationResult]:
        chosen = [
            result
            for result in self._store.kept.values()
            if set_id in (None, result.set_id)
            and model_key in (None, result.model_key)
            and grader in (None, result.grader)
        ]
        chosen.sort(key=lambda result: (result.run_date, result.id), reverse=True)
        return chosen[:limit]


class InMemoryResultHistory(UnverifiedResults):
    """The result history over an in-memory store."""

    def __init__(self, store: InMemoryResultStore) -> None:
        super().__init__(store)
        self.reports: dict[int, GateReport] = {}
        self.audit: list[ManualDecision] = []

    def baseline(self, scope: BaselineScope, against: Against, now: datetime) -> EvaluationResult | None:
        in_scope = [result for result in self._eligible(scope) if _same_generator(result, scope)]
        if against is Against.PINNED:
            pins = [kept for kept in self.audit if kept.action is Action.PIN]
            return next(
                (
                    result
                    for pin in reversed(pins)
                    for result in in_scope
                    if result.id == pin.result_id and self.standings([result.id])[result.id].pin is pin
                ),
                None,
            )
        earlier = [result for result in in_scope if _is_earlier(result, scope)]
        if against is Against.ACCEPTED:
            standings = self.standings([result.id for result in earlier])
            earlier = [result for result in earlier if standings[result.id].approved(now)]
        return next(iter(earlier), None)

    def latest_before(self, scope: BaselineScope) -> EvaluationResult | None:
        return next((result for result in self._eligible(scope) if _is_earlier(result, scope)), None)

    def _eligible(self, scope: BaselineScope) -> list[EvaluationResult]:
        return [
            result
            for result in self.results(scope.set_id, scope.model_key, scope.grader, limit=1_000_000)
            if result.complete
            and not result.partial
            and result.run_id != scope.run_id
            and result.summary.provenance.generator is not None
        ]

    def newest_of_sets(
        self, set_ids: Sequence[str], grader: str, scope: GeneratorScope, since: datetime
    ) -> list[EvaluationResult]:
        wanted = (scope.provider_instance, scope.outbound_model)
        newest: dict[str, EvaluationResult] = {}
        for result in self.results(None, scope.model_key, grader, limit=1_000_000):
            generator = result.summary.provenance.generator
            if (
                generator is not None
                and not generator.declared
                and result.complete
                and result.summary.total.mean_score is not None
                and (generator.provider_instance, generator.outbound_model) == wanted
                and scope.reported_model in (None, generator.reported_model)
                and result.run_date >= since
                and result.set_id in set_ids
            ):
                newest.setdefault(result.set_id, result)
        return [newest[set_id] for set_id in set_ids if set_id in newest]

    def provider_instances_of(
        self, set_ids: Sequence[str], grader: str, outbound_model: str, since: datetime
    ) -> frozenset[str]:
        return frozenset(
            generator.provider_instance
            for result in self.results(grader=grader, limit=1_000_000)
            if (generator := result.summary.provenance.generator) is not None
            and generator.provider_instance is not None
            and not generator.declared
            and generator.outbound_model == outbound_model
            and result.complete
            and result.summary.total.mean_score is not None
            and result.run_date >= since
            and result.set_id in set_ids
        )

    def save_report(self, result_id: int, report: GateReport) -> None:
        self.reports[result_id] = report

    def record_decision(self, decision: ManualDecision) -> None:
        self.audit.append(decision)

    def decisions(self, result_id: int) -> list[ManualDecision]:
        return [kept for kept in self.audit if kept.result_id == result_id]

    def standings(self, result_ids: Sequence[int]) -> dict[int, Standing]:
        return {
            result_id: standing_of(self.reports.get(result_id), self.decisions(result_id))
            for result_id in result_ids
        }


def _same_generator(result: EvaluationResult, scope: BaselineScope) -> bool:
    own, wanted = result.summary.provenance.generator, scope.generator
    if own is None or own.declared != wanted.declared:
        return False
    if own.declared:
        same_place = own.provider_instance == wanted.provider_instance
        same_name = own.declared_name == wanted.declared_name
    else:
        place = (wanted.provider_instance, wanted.outbound_model)
        same_place = (own.provider_instance, own.outbound_model) == place
        same_name = own.reported_model == wanted.reported_model
    return same_place and same_name is not scope.another_snapshot


def _is_earlier(result: EvaluationResult, scope: BaselineScope) -> bool:
    return (result.run_date, result.id) < (scope.run_date, scope.result_id)


def _newest(runs: Iterable[EvaluationRun]) -> EvaluationRun | None:
    return max(runs, key=lambda run: (run.started_at, run.id), default=None)
