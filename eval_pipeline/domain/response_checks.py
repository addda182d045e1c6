"""What an evaluation's `evaluate_row` calls: every assertion as a method, and what was recorded.

Not here: the evaluation itself (`evaluation.py`), and what the kinds of assertions mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from eval_pipeline.domain.assertion_results import AssertionResult, Status, evaluated, result_of
from eval_pipeline.domain.assertions import Answer, Assertion, AssertionKinds
from eval_pipeline.domain.assertions.base import MAX_WEIGHT
from eval_pipeline.domain.assertions.values import ValueAssertion
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.text import excerpt
from eval_pipeline.domain.validation import closest


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

    def __getattr__(self, kind: str) -> Callable[..., bool]:
        if kind.startswith("_") or kind not in self._kinds:
            raise AttributeError(f"there is no check '{kind}'; {closest(kind, self._kinds)}")
        checked = self._kinds[kind]
        if issubclass(checked, ValueAssertion):
            return lambda value, *given, **named: self._compare(checked, value, given, **named)
        return lambda *given, **named: self._check(checked, given, **named)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._kinds})

    def that(self, assertion: Assertion, *, message: str = "") -> bool:
        """Evaluate an assertion on the response, such as `GreaterThan(3, path="$.stars")`."""
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
        status = Status.PASS if passed else Status.FAIL
        if not isinstance(passed, bool):
            status, message = Status.ERROR, f"'passed' is a truth value, found {passed!r:.80}"
        elif isinstance(weight, bool) or not 0 <= weight <= MAX_WEIGHT:
            reason = f"a weight is between 0 and {MAX_WEIGHT}, found {weight!r:.80}"
            status, message, weight = Status.ERROR, reason, 1.0
        result = AssertionResult(
            name, status, message, excerpt(str(expected)), excerpt(str(actual)), float(weight)
        )
        return self._record(result, "")

    def _check(self, kind: type[Assertion], given: Sequence[Any], *, message: str = "", **named: Any) -> bool:
        try:
            assertion = kind(*given, **named)
        except (DefinitionError, TypeError) as error:
            return self._record(AssertionResult(kind.kind, Status.ERROR, str(error)), message)
        return self.that(assertion, message=message)

    def _compare(
        self, kind: type[ValueAssertion], value: Any, given: Sequence[Any], *, message: str = "", **named: Any
    ) -> bool:
        try:
            assertion = kind(*given, **named)
        except (DefinitionError, TypeError) as error:
            return self._record(AssertionResult(kind.kind, Status.ERROR, str(error)), message)
        result = result_of(lambda: assertion.compare(value), assertion.label, assertion.weight)
        return self._record(result, message)

    def _record(self, result: AssertionResult, message: str) -> bool:
        if message:
            result = replace(result, message=f"{message}: {result.message}")
        self._results.append(result)
        return result.status is Status.PASS

    def stopped(self, reason: str) -> None:
        """Record that the evaluation of the row came to no end."""
        self._results.append(AssertionResult("evaluate_row", Status.ERROR, reason))

    def results(self) -> tuple[AssertionResult, ...]:
        """What was recorded, in its order. Nothing at all, or nothing that counts, is an error, never a pass."""
        if self._results and not any(result.weight for result in self._results):
            self.stopped("the weights of all checks are 0: no score could be computed")
        elif not self._results and not self._left_to_a_judge:
            self.stopped("nothing was recorded: nothing was measured")
        return tuple(self._results)
