"""What one assertion says of a response, and how it comes to be said without ever failing itself.

Not here: what the results of a prompt amount to (`grading.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from eval_pipeline.domain.assertions import Answer, Assertion, Outcome
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable, told


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
    return result_of(assertion, lambda: assertion.check(answer))


def result_of(assertion: Assertion, check: Callable[[], Outcome]) -> AssertionResult:
    """The outcome of a check by `assertion` as a result; whatever it raises is an error with its reason."""
    label, weight = assertion.kind, assertion.weight
    try:
        label = assertion.label
        outcome: object = check()
        return _result(outcome, label, weight)
    except (NotMeasurable, DefinitionError) as error:
        return AssertionResult(label, Status.ERROR, str(error), weight=weight)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an assertion may be anybody's; the others go on
        return AssertionResult(label, Status.ERROR, f"the assertion raised {told(error)}", weight=weight)


def _result(outcome: object, label: str, weight: float) -> AssertionResult:
    if not isinstance(outcome, Outcome):
        raise NotMeasurable(f"check gave {outcome!r:.80}, which is no Outcome")
    if not isinstance(outcome.passed, bool):
        raise NotMeasurable(f"'passed' of an Outcome is a truth value, found {outcome.passed!r:.80}")
    status = Status.PASS if outcome.passed else Status.FAIL
    message, expected, actual = map(str, (outcome.message, outcome.expected, outcome.actual))
    return AssertionResult(label, status, message, expected, actual, weight)
