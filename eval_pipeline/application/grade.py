"""Grading stored responses, and drawing the result from the gradings. No model is asked.

Grading anew is the same as grading: today's expectations meet the answers that are stored.
"""

from __future__ import annotations

from collections.abc import Iterator

from eval_pipeline.application.ports import Clock, ResultStore
from eval_pipeline.domain.aggregates import Summarizer
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.grading import Grader, Grading
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.responses import UNKNOWN_GENERATOR, ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass, cost_usd
from eval_pipeline.domain.runs import EvaluationRun, RunStatus
from eval_pipeline.domain.set_hashes import Hashes, prompt_hashes
from eval_pipeline.domain.yardstick import yardstick_of

_BATCH = 500


def grade(
    run: EvaluationRun,
    golden_set: GoldenPromptSet,
    grader: Grader,
    store: ResultStore,
    clock: Clock,
    orchestration_run_id: str | None = None,
) -> GradingPass:
    """Grade the responses of `run` by what is expected now, and store the gradings.

    Prompts whose inputs have changed since they were asked, and prompts that were added, have no response
    and are left out; the result is then one over a part of the set.

    Raises:
        UsageError: The run was interrupted, its responses are not all stored any more, or no prompt of it is
            still asked the same.
    """
    if run.status is not RunStatus.FINISHED:
        raise UsageError(
            f"run {run.id} of set {run.set_id} was {run.status}: ask the model again, then grade"
        )
    prompts = answered_prompts(run, golden_set, store)
    if not prompts:
        raise UsageError(
            f"no prompt of set {run.set_id} is still the one that run {run.id} asked: ask the model again"
        )
    store.save_snapshot(golden_set, clock())
    earlier = store.latest_result_of_run(run.id, grader.name)
    grading_pass = store.begin_grading(
        GradingPass(
            id=0,
            run_id=run.id,
            grader=grader.name,
            yardstick=yardstick_of(grader, golden_set),
            graded_at=clock(),
            orchestration_run_id=orchestration_run_id,
            regraded_from=None if earlier is None else earlier.id,
        )
    )
    graded = 0
    for start in range(0, len(prompts), _BATCH):
        gradings = list(gradings_of(prompts[start : start + _BATCH], run, grader, store))
        store.save_gradings(grading_pass.id, gradings)
        graded += len(gradings)
    unchanged = run.set_hashes.inputs == golden_set.hashes.inputs
    if graded < (run.prompt_count if unchanged else 1):
        raise UsageError(
            f"only {graded} of the {run.prompt_count} responses of run {run.id} are still stored: ask the model again"
        )
    return grading_pass


def answered_prompts(
    run: EvaluationRun, golden_set: GoldenPromptSet, store: ResultStore
) -> list[GoldenPrompt]:
    """The prompts of the set as it is now that `run` may have asked: those whose inputs are unchanged."""
    if run.set_hashes.inputs == golden_set.hashes.inputs:
        return list(golden_set.prompts)
    asked = store.prompt_inputs(run.set_id, run.content_hash)
    return [prompt for prompt, hashes in prompt_hashes(golden_set) if asked.get(prompt.id) == hashes.inputs]


def gradings_of(
    prompts: list[GoldenPrompt], run: EvaluationRun, grader: Grader, store: ResultStore
) -> Iterator[Grading]:
    """The gradings of what is stored of a run's responses to `prompts`, in their order."""
    responses = store.responses(run.id, [prompt.id for prompt in prompts])
    for prompt in prompts:
        for repeat in range(run.repeats):
            if (response := responses.get((prompt.id, repeat))) is not None:
                yield grader.grade(prompt, response)


def conclude(
    run: EvaluationRun,
    grading_pass: GradingPass,
    golden_set: GoldenPromptSet,
    grader: Grader,
    model: ResolvedModel,
    store: ResultStore,
) -> EvaluationResult:
    """The result of a grading pass, stored.

    Raises:
        UsageError: What is expected has changed since it was graded.
    """
    if grading_pass.yardstick != yardstick_of(grader, golden_set):
        raise UsageError(
            f"what set {run.set_id} expects has changed since grading pass {grading_pass.id}: grade again"
        )
    tags = {prompt.id: prompt.tags for prompt in golden_set.prompts}
    summarizer = Summarizer()
    for grading, response in graded_responses(store, run.id, grading_pass.id):
        summarizer.add(grading, response, tags.get(grading.prompt_id, ()))
    summary = summarizer.summary()
    partial = run.partial or summary.total.prompt_count < len(golden_set.prompts) * run.repeats
    result = EvaluationResult(
        id=grading_pass.id,
        run_id=run.id,
        set_id=run.set_id,
        model_key=run.model_key,
        grader=grading_pass.grader,
        run_date=run.started_at,
        partial=partial,
        incomplete_because=summary.incomplete_because(golden_set.gate, partial=partial),
        summary=summary,
        yardstick=grading_pass.yardstick,
        gate=golden_set.gate,
        set_hashes=Hashes(run.set_hashes.inputs, run.set_hashes.treatment, golden_set.hashes.expectations),
        cost_usd=cost_usd(summary.usage, model.price),
        regraded_from=grading_pass.regraded_from,
    )
    store.save_result(result)
    return result


def graded_responses(
    store: ResultStore, run_id: int, grading_id: int
) -> Iterator[tuple[Grading, ModelResponse]]:
    """The gradings of a pass, each with the response that it is of, in the order of the set."""
    for gradings in store.gradings(grading_id):
        responses = store.responses(run_id, list({grading.prompt_id for grading in gradings}))
        for grading in gradings:
            response = responses.get((grading.prompt_id, grading.repeat))
            yield grading, response or _no_longer_stored(grading)


def _no_longer_stored(grading: Grading) -> ModelResponse:
    """Stands for a response that was deleted, so that it is an error instead of missing."""
    return ModelResponse(
        grading.prompt_id,
        grading.repeat,
        "",
        UNKNOWN_GENERATOR,
        error="the response is no longer stored",
    )
