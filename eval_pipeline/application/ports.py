"""What the use cases need of the outside world, as small protocols named by intent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.gates import GateReport
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.quality import GeneratorScope, Quality
from eval_pipeline.domain.responses import ModelRequest, ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus
from eval_pipeline.domain.standing import ManualDecision, Standing


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it."""

    request: ModelRequest
    response: ModelResponse


class ModelClient(Protocol):
    """Asks one model."""

    async def ask(self, request: ModelRequest) -> ModelResponse:
        """The response to `request`. A failed call is a response with an error, never an exception."""


class ModelClients(Protocol):
    """Opens clients."""

    def open(self, model: ResolvedModel) -> AbstractAsyncContextManager[ModelClient]:
        """A client for `model`, which closes its connections at the end of the context.

        Raises:
            DefinitionError: The model's provider cannot be used as declared.
        """


class Declarations(Protocol):
    """The golden sets and models that are declared."""

    @property
    def project(self) -> str:
        """The project's slug."""

    @property
    def set_ids_for_quality(self) -> Sequence[str]:
        """The sets whose results say how good a model is: those declared that are no examples."""

    def golden_prompt_set(self, set_id: str) -> GoldenPromptSet:
        """The set of that identifier."""

    def model(self, key: str) -> ResolvedModel:
        """The model of that key."""


class Progress(Protocol):
    """Is told how asking goes on."""

    def started(self, what: str, total: int) -> None:
        """`total` prompts are going to be asked; `what` names the set and the model."""

    def advanced(self, count: int, errors: int) -> None:
        """`count` more prompts have a stored response, `errors` of them an error."""

    def finished(self) -> None:
        """Nothing more is asked, whether because all is done or because it was stopped."""


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """Now: aware, in UTC."""


class ResultStore(Protocol):
    """Keeps runs, responses, gradings and results of one project."""

    def save_snapshot(self, golden_set: GoldenPromptSet, recorded_at: datetime) -> None:
        """Keep a set as it is now; a set that is kept already stays as it is."""

    def begin_run(
        self, plan: AskPlan, orchestration_run_id: str | None, started_at: datetime
    ) -> EvaluationRun:
        """Record a run that is about to ask."""

    def save_exchanges(self, run_id: int, exchanges: Sequence[Exchange], received_at: datetime) -> None:
        """Commit responses. One that is stored already stays as it is."""

    def end_run(self, run_id: int, status: RunStatus, ended_at: datetime) -> None:
        """Record how a run ended."""

    def run(self, run_id: int) -> EvaluationRun | None:
        """The run of that id."""

    def run_of_orchestration(
        self, set_id: str, model_key: str, orchestration_run_id: str
    ) -> EvaluationRun | None:
        """The run of the pair that a Dagster run asked; the newest if it asked several."""

    def latest_whole_run(self, set_id: str, model_key: str) -> EvaluationRun | None:
        """The newest finished run of the pair over its whole set."""

    def prompt_inputs(self, set_id: str, content_hash: str) -> dict[str, str]:
        """The hash of each prompt's inputs in a snapshot of a set, by prompt id; empty without snapshot."""

    def row_data(self, set_id: str, content_hash: str) -> dict[str, dict[str, str]]:
        """By prompt id, the cells of the row of each prompt in a snapshot, else its variables; empty without."""

    def responses(self, run_id: int, prompt_ids: Sequence[str]) -> dict[tuple[str, int], ModelResponse]:
        """The stored responses to some prompts of a run, by prompt id and repeat."""

    def begin_grading(self, grading_pass: GradingPass) -> GradingPass:
        """Record a grading pass; the pass returned has its id."""

    def save_gradings(self, grading_id: int, gradings: Sequence[Grading]) -> None:
        """Commit gradings of a pass."""

    def grading_of_orchestration(
        self, set_id: str, model_key: str, grader: str, orchestration_run_id: str
    ) -> GradingPass | None:
        """The grading pass of the pair that a Dagster run made; the newest if it made several."""

    def latest_whole_grading(self, set_id: str, model_key: str, grader: str) -> GradingPass | None:
        """The newest grading pass of the newest run of the pair over its whole set."""

    def gradings(self, grading_id: int) -> Iterator[Sequence[Grading]]:
        """The gradings of a pass in the order in which they were saved, in batches."""

    def save_result(self, result: EvaluationResult) -> None:
        """Keep a result; one of the same id is replaced."""

    def result(self, result_id: int) -> EvaluationResult | None:
        """The result of that id."""

    def latest_result_of_run(self, run_id: int, grader: str) -> EvaluationResult | None:
        """The newest result of a run by a grader."""


class ResultSource(Protocol):
    """Where results can be read that may or may not say verifiably what produced them."""

    def results(
        self,
        set_id: str | None = None,
        model_key: str | None = None,
        grader: str | None = None,
        limit: int = 50,
    ) -> list[EvaluationResult]:
        """Results, newest first by run date and id."""


@runtime_checkable
class VerifiedBaselines(Protocol):
    """What a source of results can do beside that when it knows their generators: find baselines.

    Every result returned is complete, and its provenance was verified against its row. The generator is
    part of the question: a newer result of another generator never hides an older match.
    """

    def baseline(self, scope: BaselineScope, against: Against, now: datetime) -> EvaluationResult | None:
        """The baseline in `scope` that is chosen so; none when there is none. Acceptances count as of `now`."""

    def latest_before(self, scope: BaselineScope) -> EvaluationResult | None:
        """The newest earlier result of the same set, grader and model key, whatever generator produced it."""


@runtime_checkable
class VerifiedResults(Protocol):
    """What a source of results can do beside that when it knows their generators: say how good these are.

    Every result returned is complete and verified, as with `VerifiedBaselines`.
    """

    def newest_of_sets(
        self, set_ids: Sequence[str], grader: str, scope: GeneratorScope, since: datetime
    ) -> list[EvaluationResult]:
        """For each set the newest result in `scope` whose run date is not before `since`, where there is one."""

    def provider_instances_of(
        self, set_ids: Sequence[str], grader: str, outbound_model: str, since: datetime
    ) -> frozenset[str]:
        """The provider instances that served results of those sets under one outbound model name."""


class Verdicts(Protocol):
    """Keeps where results stand: verdicts of record, and decisions by hand."""

    def save_report(self, result_id: int, report: GateReport) -> None:
        """Keep the verdict of record on a result; one that is kept already is replaced."""

    def record_decision(self, decision: ManualDecision) -> None:
        """Add a decision to the audit."""

    def decisions(self, result_id: int) -> list[ManualDecision]:
        """All decisions about a result, oldest first."""

    def standings(self, result_ids: Sequence[int]) -> dict[int, Standing]:
        """Where results stand, by their ids; every id asked for is there."""


class ResultHistory(ResultSource, VerifiedBaselines, VerifiedResults, Verdicts, Protocol):
    """All that can be asked of the results of a project."""


class QualitySource(Protocol):
    """Tells how good a model was measured to be."""

    def quality(self, model_id: str) -> Quality | None:
        """The quality of the model of that name; none when it is unknown."""


@runtime_checkable
class ScopedQualitySource(Protocol):
    """What a source of quality can do beside that when it knows what served."""

    def scoped_quality(self, scope: GeneratorScope) -> Quality | None:
        """The quality of one generator; none when it is unknown."""
