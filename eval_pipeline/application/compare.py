"""Two results of one set side by side, whatever models they are of. Reaches no verdict (`decide.py`)."""

from __future__ import annotations

from eval_pipeline.application.ports import ResultStore
from eval_pipeline.application.sides import NotComparable, gated_prompts, graded_anew, side_of
from eval_pipeline.domain.differences import Differences
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grader
from eval_pipeline.domain.paired_comparison import differences
from eval_pipeline.domain.pairing import Side
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.yardstick import shares_one_yardstick


def compare_results(
    baseline: EvaluationResult,
    current: EvaluationResult,
    golden_set: GoldenPromptSet | None,
    grader: Grader,
    store: ResultStore,
    confidence: float | None = None,
) -> tuple[Differences, bool]:
    """What tells `current` from `baseline`, which may be of another model.

    Where they were not graded by one yardstick, the stored answers of both are graded anew by what
    `golden_set` expects now.

    Returns:
        What tells them apart, and whether answers were graded anew.

    Raises:
        UsageError: They cannot be compared; the message says why.
    """
    if (baseline.set_id, baseline.grader) != (current.set_id, current.grader):
        raise UsageError(
            f"results {baseline.id} and {current.id} are of {baseline.set_id} by {baseline.grader} and of"
            f" {current.set_id} by {current.grader}: only results of one set by one grader can be compared"
        )
    before, after = side_of(baseline, store), side_of(current, store)
    anew = not shares_one_yardstick(baseline, current)
    if anew:
        try:
            before, after = (_anew(side, golden_set, grader, store) for side in (before, after))
        except NotComparable as reason:
            raise UsageError(f"results {baseline.id} and {current.id} cannot be compared: {reason}") from None
    tags = gated_prompts(golden_set) if golden_set is not None else {}
    gate = current.gate.model_copy(
        update={"tags": {tag: own for tag, own in current.gate.tags.items() if tag in tags}}
    )
    return differences(before, after, gate, tags, confidence), anew


def _anew(side: Side, golden_set: GoldenPromptSet | None, grader: Grader, store: ResultStore) -> Side:
    if golden_set is None:
        raise NotComparable(
            f"they were graded by different yardsticks, and set {side.result.set_id} is not declared any more"
        )
    return graded_anew(side, golden_set, grader, store)
