"""Turning a response into a grading: the types, and the grader that spends nothing.

Failure is data: whatever could not be measured has status `error` and a reason, never a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Protocol

from eval_pipeline.domain.assertions import Answer, Assertion
from eval_pipeline.domain.detectors import Detectors, NoDetectors
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.golden_sets import GoldenPrompt
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.text import excerpt


class Status(StrEnum):
    """The outcome of a prompt or of one assertion."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    ERROR = "error"
    """It could not be measured."""
    SKIPPED = "skipped"
    """There was nothing for this grader."""


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """What one assertion said of a response.

    Attributes:
        assertion: The assertion's label.
        status: `pass`, `fail` or `error`.
        message: What was found, so that a person can act on it.
        expected, actual: The two sides, shortened; empty when the assertion could not be evaluated.
        weight: Its share in the score.
    """

    assertion: str
    status: Status
    message: str
    expected: str = ""
    actual: str = ""
    weight: float = 1.0


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
        if not assertions:
            return self._grading(response, Status.SKIPPED, None, "the prompt has no deterministic assertion")
        if (reason := response.unusable) is not None:
            return self._grading(response, Status.ERROR, None, reason)
        answer = Answer(response, self.detectors)
        results = tuple(_evaluated(assertion, answer) for assertion in assertions)
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


def _evaluated(assertion: Assertion, answer: Answer) -> AssertionResult:
    try:
        outcome = assertion.check(answer)
        status = Status.PASS if outcome.passed else Status.FAIL
        return AssertionResult(
            assertion.label, status, outcome.message, outcome.expected, outcome.actual, assertion.weight
        )
    except NotMeasurable as error:
        return AssertionResult(assertion.label, Status.ERROR, str(error), weight=assertion.weight)
    except Exception as error:  # noqa: BLE001 - an assertion may be anybody's; the other prompts go on
        reason = f"the assertion raised {type(error).__name__}: {excerpt(str(error))}"
        return AssertionResult(assertion.label, Status.ERROR, reason, weight=assertion.weight)


def _score(results: Sequence[AssertionResult]) -> float:
    """The weighted fraction satisfied. A set refuses prompts whose weights are all 0."""
    satisfied = fsum(result.weight for result in results if result.status is Status.PASS)
    return satisfied / fsum(result.weight for result in results)


def _joined(results: Sequence[AssertionResult]) -> str:
    return "; ".join(f"{result.assertion}: {result.message}" for result in results)
