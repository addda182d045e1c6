"""Turning a response into a grading: the types, and the grader that spends nothing.

Failure is data: whatever could not be measured has status `error` and a reason, never a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Protocol

from eval_pipeline.domain.assertion_results import AssertionResult, Status, evaluated
from eval_pipeline.domain.assertions import Answer
from eval_pipeline.domain.detectors import Detectors, NoDetectors
from eval_pipeline.domain.golden_sets import GoldenPrompt
from eval_pipeline.domain.responses import ModelResponse


@dataclass(frozen=True, slots=True)
class Grading:
    """What a grader says of one response.

    Attributes:
        prompt_id, repeat: Which response.
        status: `pass` only when every assertion holds.
        score: Between 0 and 1; none exactly when the status is `error` or `skipped`.
        reason: One line: why it is not a pass, or what held.
        assertions: The results one by one, in the order of the set.
    """

    prompt_id: str
    repeat: int
    status: Status
    score: float | None
    reason: str
    assertions: tuple[AssertionResult, ...] = ()


class Grader(Protocol):
    """Turns responses into gradings."""

    @property
    def name(self) -> str:
        """The name in commands, tables and asset keys."""

    @property
    def version(self) -> int:
        """Grows whenever the same response could be graded differently than before."""

    @property
    def detectors(self) -> Detectors:
        """What finds sentiment, personal data and the like for its assertions."""

    def grade(self, prompt: GoldenPrompt, response: ModelResponse) -> Grading:
        """The grading of `response` to `prompt`. Never raises for what a response holds."""


class DeterministicGrader:
    """Grades by the assertions that need no judge; spends nothing.

    The score is the weighted fraction of assertions satisfied; a prompt passes only when all are. An
    assertion that could not be evaluated makes the prompt an error, whatever the others say.
    """

    name = "deterministic"
    version = 1

    def __init__(self, detectors: Detectors | None = None) -> None:
        self.detectors = detectors or NoDetectors()

    def grade(self, prompt: GoldenPrompt, response: ModelResponse) -> Grading:
        """See `Grader.grade`."""
        assertions = [assertion for assertion in prompt.assertions if not assertion.judged]
        if not assertions and prompt.evaluation is None:
            return self._grading(response, Status.SKIPPED, None, "the prompt has no deterministic assertion")
        if (reason := response.unusable) is not None:
            return self._grading(response, Status.ERROR, None, reason)
        answer = Answer(response, self.detectors)
        results = tuple(evaluated(assertion, answer) for assertion in assertions)
        if prompt.evaluation is not None:
            results += prompt.evaluation.results(answer)
        if not results:
            return self._grading(response, Status.SKIPPED, None, "only a judge can decide what is expected")
        unmeasured = [result for result in results if result.status is Status.ERROR]
        if unmeasured:
            return self._grading(response, Status.ERROR, None, _joined(unmeasured), results)
        failed = [result for result in results if result.status is Status.FAIL]
        if failed:
            return self._grading(response, Status.FAIL, _score(results), _joined(failed), results)
        return self._grading(response, Status.PASS, _score(results), "all assertions hold", results)

    @staticmethod
    def _grading(
        response: ModelResponse,
        status: Status,
        score: float | None,
        reason: str,
        results: tuple[AssertionResult, ...] = (),
    ) -> Grading:
        return Grading(response.prompt_id, response.repeat, status, score, reason, results)


def _score(results: Sequence[AssertionResult]) -> float:
    """The weighted fraction satisfied. Weights that are all 0 never get here."""
    satisfied = fsum(result.weight for result in results if result.status is Status.PASS)
    return satisfied / fsum(result.weight for result in results)


def _joined(results: Sequence[AssertionResult]) -> str:
    return "; ".join(f"{result.assertion}: {result.message}" for result in results)
