"""Grading stored responses, and drawing the result from the gradings. No model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eval_pipeline.application.ports import Clock, ResultStore
from eval_pipeline.domain.aggregates import Summarizer
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grader, Grading
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.responses import UNKNOWN_GENERATOR, ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass, cost_usd
from eval_pipeline.domain.runs import EvaluationRun, RunStatus

_BATCH = 500


def grade(
    run: EvaluationRun, golden_set: GoldenPromptSet, grader: Grader, store: ResultStore, clock: Clock
) -> GradingPass:
    """Grade every response of `run` and store the gradings.

    Raises:
        UsageError: The run was interrupted, or the set has changed since it was asked.
    """
    if run.status is not RunStatus.FINISHED:
        raise UsageError(
            f"run {run.id} of set {run.set_id} was {run.status}: ask the model again, then grade"
        )
    _require_unchanged(run, golden_set)
    grading_pass = store.begin_grading(GradingPass(0, run.id, grader.name, _yardstick(grader, run), clock()))
    graded = 0
    for start in range(0, len(golden_set.prompts), _BATCH):
        prompts = golden_set.prompts[start : start + _BATCH]
        responses = store.responses(run.id, [prompt.id for prompt in prompts])
        gradings = [
            grader.grade(prompt, responses.get(prompt.id) or _no_longer_stored(prompt.id))
            for prompt in prompts
            if prompt.id in responses or not run.partial
        ]
        store.save_gradings(grading_pass.id, gradings)
        graded += len(gradings)
    if graded < run.prompt_count:
        raise UsageError(
            f"only {graded} of the {run.prompt_count} responses of run {run.id} are still stored: ask the model again"
        )
    return grading_pass


def conclude(
    run: EvaluationRun,
    grading_pass: GradingPass,
    golden_set: GoldenPromptSet,
    model: ResolvedModel,
    store: ResultStore,
) -> EvaluationResult:
    """The result of a grading pass, stored.

    Raises:
        UsageError: The set has changed since it was asked and graded.
    """
    _require_unchanged(run, golden_set)
    tags = {prompt.id: prompt.tags for prompt in golden_set.prompts}
    summarizer = Summarizer()
    for grading, response in graded_responses(store, run.id, grading_pass.id):
        summarizer.add(grading, response, tags.get(grading.prompt_id, ()))
    summary = summarizer.summary()
    result = EvaluationResult(
        id=grading_pass.id,
        run_id=run.id,
        set_id=run.set_id,
        model_key=run.model_key,
        grader=grading_pass.grader,
        run_date=grading_pass.graded_at,
        partial=run.partial,
        incomplete_because=summary.incomplete_because(golden_set.gate, partial=run.partial),
        summary=summary,
        yardstick=grading_pass.yardstick,
        gate=golden_set.gate,
        set_hashes=run.set_hashes,
        cost_usd=cost_usd(summary.usage, model.price),
    )
    store.save_result(result)
    return result


def graded_responses(
    store: ResultStore, run_id: int, grading_id: int
) -> Iterator[tuple[Grading, ModelResponse]]:
    """The gradings of a pass, each with the response that it is of, in the order of the set."""
    for gradings in store.gradings(grading_id):
        responses = store.responses(run_id, [grading.prompt_id for grading in gradings])
        for grading in gradings:
            yield grading, responses.get(grading.prompt_id) or _no_longer_stored(grading.prompt_id)


def _no_longer_stored(prompt_id: str) -> ModelResponse:
    """Stands for a response that was deleted, so that its prompt is an error instead of missing."""
    return ModelResponse(prompt_id, 0, "", UNKNOWN_GENERATOR, error="the response is no longer stored")


def _require_unchanged(run: EvaluationRun, golden_set: GoldenPromptSet) -> None:
    if golden_set.hashes != run.set_hashes:
        raise UsageError(
            f"set {run.set_id} has changed since run {run.id} asked it: ask the model again, then grade"
        )


def _yardstick(grader: Grader, run: EvaluationRun) -> Mapping[str, Any]:
    """What grades, down to the definitions: two results by unequal yardsticks are not comparable."""
    return {"grader": grader.name, "version": grader.version, "expectations": run.set_hashes.expectations}
