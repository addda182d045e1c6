"""What one assertion says of a response, and how it comes to be said without ever failing itself.

Not here: what the results of a prompt amount to (`grading.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from eval_pipeline.domain.assertions import Answer, Assertion, Outcome
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
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


def evaluated(assertion: Assertion, answer: Answer) -> AssertionResult:
    """What `assertion` says of an answer. Never raises."""
    return result_of(lambda: assertion.check(answer), assertion.label, assertion.weight)


def result_of(check: Callable[[], Outcome], label: str, weight: float) -> AssertionResult:
    """The outcome of `check` as a result; whatever it raises is an error with its reason."""
    try:
        outcome = check()
    except (NotMeasurable, DefinitionError) as error:
        return AssertionResult(label, Status.ERROR, str(error), weight=weight)
    except Exception as error:  # noqa: BLE001 - an assertion may be anybody's; the other prompts go on
        reason = f"the assertion raised {type(error).__name__}: {excerpt(str(error))}"
        return AssertionResult(label, Status.ERROR, reason, weight=weight)
    status = Status.PASS if outcome.passed else Status.FAIL
    return AssertionResult(label, status, outcome.message, outcome.expected, outcome.actual, weight)
