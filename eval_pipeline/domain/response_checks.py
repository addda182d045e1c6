"""What an evaluation's `evaluate_row` calls: every assertion as a method, and what was recorded.

Not here: the evaluation itself (`evaluation.py`), and what the kinds of assertions mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from eval_pipeline.domain.assertion_results import AssertionResult, Status, evaluated, result_of
from eval_pipeline.domain.assertions import Answer, Assertion, AssertionKinds
from eval_pipeline.domain.assertions.base import MAX_WEIGHT
from eval_pipeline.domain.assertions.values import ValueAssertion
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.text import excerpt
from eval_pipeline.domain.validation import closest

Kind = TypeVar("Kind", bound=Assertion)


class ResponseChecks:
    """The checks of one response. Every kind of assertion is a method: `check.contains("sorry")`.

    The methods take the parameters of their kinds. Those about a value take it first:
    `check.greater_than(len(check.response.text), 20)`. With `message=`, what is meant precedes what was found.
    Each records its result and returns whether it holds; what could not be evaluated does not. Kinds that only
    a judge can decide are left to its grader.
    """

    def __init__(self, answer: Answer, kinds: AssertionKinds) -> None:
        self._answer = answer
        self._kinds = kinds
        self._results: list[AssertionResult] = []
        self._left_to_a_judge = False

    @property
    def response(self) -> ModelResponse:
        """The response: `text`, `latency_ms`, `cost_usd`, `reply` with usage and calls of tools."""
        return self._answer.response

    def __getattr__(self, kind: str, /) -> Callable[..., bool]:
        if kind.startswith("_") or kind not in self._kinds:
            raise AttributeError(f"there is no check '{kind}'; {closest(kind, self._kinds)}")
        checked = self._kinds[kind]
        if issubclass(checked, ValueAssertion):
            return lambda found, /, *given, **named: self._compare(checked, found, given, **named)
        return lambda *given, **named: self._check(checked, given, **named)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._kinds})

    def that(self, assertion: object, *, message: str = "") -> bool:
        """Evaluate an assertion on the response, such as `GreaterThan(3, path="$.stars")`."""
        if not isinstance(assertion, Assertion):  # the caller is anybody's code
            reason = f"an assertion such as Contains('sorry') is expected, found {assertion!r:.80}"
            return self._record(AssertionResult("that", Status.ERROR, reason), message)
        if assertion.judged:
            self._left_to_a_judge = True
            return False
        return self._record(evaluated(assertion, self._answer), message)

    def record(
        self,
        name: str,
        *,
        passed: object,
        message: str = "",
        expected: object = "",
        actual: object = "",
        weight: float = 1.0,
    ) -> bool:
        """Record a check of your own.

        Args:
            name: What was checked.
            passed: Whether it holds; anything but a truth value makes it an error.
            message: What was found.
            expected: What was wanted.
            actual: What was there.
            weight: Its share in the score, 0 or more.
        """
        status, fault = (Status.PASS if passed is True else Status.FAIL), None
        if not isinstance(passed, bool):
            fault = f"'passed' is a truth value, found {passed!r:.80}"
        elif isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= MAX_WEIGHT:
            fault, weight = f"a weight is between 0 and {MAX_WEIGHT}, found {weight!r:.80}", 1.0
        if fault is not None:
            status, message = Status.ERROR, fault
        sides = (excerpt(str(expected)), excerpt(str(actual)))
        return self._record(AssertionResult(str(name), status, str(message), *sides, float(weight)), "")

    def _check(
        self, kind: type[Assertion], given: Sequence[Any], /, *, message: str = "", **named: Any
    ) -> bool:
        try:
            assertion = _made(kind, given, named)
        except DefinitionError as error:
            return self._record(AssertionResult(kind.kind, Status.ERROR, str(error)), message)
        return self.that(assertion, message=message)

    def _compare(
        self,
        kind: type[ValueAssertion],
        found: Any,
        given: Sequence[Any],
        /,
        *,
        message: str = "",
        **named: Any,
    ) -> bool:
        try:
            assertion = _made(kind, given, named)
        except DefinitionError as error:
            return self._record(AssertionResult(kind.kind, Status.ERROR, str(error)), message)
        return self._record(result_of(assertion, lambda: assertion.compare(found)), message)

    def _record(self, result: AssertionResult, message: str) -> bool:
        if message:
            result = replace(result, message=f"{message!s}: {result.message}")
        self._results.append(result)
        return result.status is Status.PASS

    def stopped(self, reason: str) -> None:
        """Record that the evaluation of the row came to no end."""
        self._results.append(_stopped(reason))

    def results(self) -> tuple[AssertionResult, ...]:
        """What was recorded, in its order. Nothing at all, or nothing that counts, is an error, never a pass."""
        if self._results and not any(result.weight for result in self._results):
            return (*self._results, _stopped("the weights of all checks are 0: no score could be computed"))
        if not self._results and not self._left_to_a_judge:
            return (_stopped("nothing was recorded: call the methods of check, such as check.is_true(...)"),)
        return tuple(self._results)


def _made(kind: type[Kind], given: Sequence[Any], named: Mapping[str, Any]) -> Kind:
    """The assertion of a kind with the parameters that its method was given.

    Raises:
        DefinitionError: They are faulty.
    """
    if len(given) > 1:
        raise DefinitionError(
            f"check.{kind.kind} takes one value without a name, found {len(given)}; write message=... and other"
            " parameters by name"
        )
    return kind(*given, **named)


def _stopped(reason: str) -> AssertionResult:
    return AssertionResult("evaluate_row", Status.ERROR, reason)
