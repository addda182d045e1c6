"""A result together with everything that is known about it, for those who show or export it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eval_pipeline.application.grade import graded_responses
from eval_pipeline.application.ports import ResultStore, Verdicts
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.runs import EvaluationRun
from eval_pipeline.domain.standing import Standing


@dataclass(frozen=True, slots=True)
class FullResult:
    """A result, the run that it grades, and where it stands.

    Attributes:
        result: The result.
        run: None where it was removed since the result was read.
        standing: Its verdict of record, acceptance and pin.
    """

    result: EvaluationResult
    run: EvaluationRun | None
    standing: Standing


def full_results(results: list[EvaluationResult], store: ResultStore, verdicts: Verdicts) -> list[FullResult]:
    """Results with all that is known about them, in the same order."""
    standings = verdicts.standings([result.id for result in results])
    return [FullResult(result, store.run(result.run_id), standings[result.id]) for result in results]


def gradings_of_result(
    result: EvaluationResult, store: ResultStore
) -> Iterator[tuple[Grading, ModelResponse]]:
    """Every grading of a result with the response that it is of, in the order of the set."""
    return graded_responses(store, result.run_id, result.id)
