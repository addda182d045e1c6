"""What comparing takes of a result, read from the store; its answers graded anew where need be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from eval_pipeline.application.grade import answered_prompts, gradings_of
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grader, Grading
from eval_pipeline.domain.pairing import PromptOutcome, Side
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.yardstick import yardstick_of

_BATCH = 500


class NotComparable(Exception):
    """Two results cannot be compared; the message says why."""


def side_of(result: EvaluationResult, store: ResultStore) -> Side:
    """All that comparing `result` takes."""
    run = store.run(result.run_id)
    outcomes = _outcomes(grading for gradings in store.gradings(result.id) for grading in gradings)
    if run is None:  # removed since the result was read
        return Side(result, None, {}, outcomes)
    return Side(result, run.treatment, store.prompt_inputs(run.set_id, run.content_hash), outcomes)


def graded_anew(side: Side, golden_set: GoldenPromptSet, grader: Grader, store: ResultStore | None) -> Side:
    """A side with its stored answers graded by what is expected now.

    Args:
        side: Given back as it is where it was graded by that already.
        golden_set: The set as it is now.
        grader: Grades.
        store: Holds the answers; none where they are not at hand.

    Raises:
        NotComparable: The answers are not, or not all, at hand.
    """
    if side.result.yardstick == yardstick_of(grader, golden_set):
        return side
    run = store.run(side.result.run_id) if store is not None else None
    if store is None or run is None:
        raise NotComparable(
            "what is expected has changed since it was graded, and its answers are not stored here"
        )
    prompts = answered_prompts(run, golden_set, store)
    graded: list[Grading] = []
    for start in range(0, len(prompts), _BATCH):
        graded.extend(gradings_of(prompts[start : start + _BATCH], run, grader, store))
    outcomes = _outcomes(graded)
    counts = Counter(grading.prompt_id for grading in graded)
    if any(counts[prompt.id] < run.repeats for prompt in prompts if prompt.id in side.outcomes):
        raise NotComparable(
            "what is expected has changed since it was graded, and its answers are no longer stored"
        )
    # Prompts that are not asked any more, or are asked otherwise, pair with nothing, but are counted.
    return Side(side.result, side.treatment, side.inputs, {**side.outcomes, **outcomes})


def gated_prompts(golden_set: GoldenPromptSet) -> dict[str, list[str]]:
    """The prompt ids of every tag that the gate of a set names."""
    return {
        tag: [prompt.id for prompt in golden_set.prompts if tag in prompt.tags]
        for tag in golden_set.gate.tags
    }


def _outcomes(gradings: Iterable[Grading]) -> dict[str, PromptOutcome]:
    """The outcomes by prompt; the repeats of a prompt come one after the other."""
    by_prompt = groupby(gradings, key=lambda grading: grading.prompt_id)
    return {prompt_id: PromptOutcome.of(same) for prompt_id, same in by_prompt}
