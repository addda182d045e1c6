"""Assertions on how the answer came about: calls of tools, time, cost, tokens.

None of them needs the answer to have text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Negated, Outcome, Sample
from eval_pipeline.domain.assertions.json_schema import SchemaFault, schema_validator, violations
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.responses import Reply, TokenUsage
from eval_pipeline.domain.text import excerpt, is_blank

MAX_ARGUMENTS = 1_000_000
"""The longest arguments, in characters over all calls of the tool, that are examined."""
_NAMES_SHOWN = 10
_FINITE_ABOVE_0: dict[str, Any] = {"gt": 0, "allow_inf_nan": False}


def _not_blank(name: str) -> str:
    if is_blank(name):
        raise ValueError("value is empty; write the name of a tool")
    return name


def _called(name: str, arguments: str) -> Sample:
    return Sample(tool_calls=({"type": "function", "function": {"name": name, "arguments": arguments}},))


class ToolCalled(Assertion):
    """The response calls the tool `value`, with arguments that are valid under the schema `arguments`.

    Names are compared exactly. Of several calls of the tool, one with valid arguments is enough. Without a
    schema any arguments will do; with one, arguments that are not JSON are not valid, and a call without
    arguments has the arguments `{}`.
    """

    kind: ClassVar[str] = "tool_called"
    example: ClassVar[Example | None] = Example(
        {"type": "tool_called", "value": "get_weather", "arguments": {"required": ["city"]}},
        passes=_called("get_weather", '{"city": "Oslo"}'),
        fails=_called("get_weather", "{}"),
    )
    value: Annotated[str, AfterValidator(_not_blank)] = Field(description="The name of the tool.")
    arguments: dict[str, Any] | None = Field(
        default=None, description="A JSON Schema, as for json_schema, that the call's arguments satisfy."
    )

    @model_validator(mode="after")
    def _is_schema(self) -> ToolCalled:
        if self.arguments is not None:
            try:
                schema_validator(self._schema_text)
            except (ValueError, TypeError, RecursionError) as fault:
                raise ValueError(f"arguments: the schema is faulty: {fault}") from None
        return self

    def check(self, answer: Answer) -> Outcome:
        calls = [
            call["function"]
            for call in _reply(answer).tool_calls
            if isinstance(call.get("function"), Mapping) and isinstance(call["function"].get("name"), str)
        ]
        names = [excerpt(call["name"]) for call in calls[:_NAMES_SHOWN]]
        names += [f"and {len(calls) - _NAMES_SHOWN} more"] if len(calls) > _NAMES_SHOWN else []
        shown = ", ".join(names) or "no calls of tools"
        of_tool = [call for call in calls if call["name"] == self.value]
        if not of_tool:
            return Outcome(False, f"{self.value!r} was not called; called: {shown}", self._expected, shown)
        violation = self._violation(of_tool)
        return Outcome(violation is None, violation or f"{self.value!r} was called", self._expected, shown)

    def _violation(self, calls: list[Mapping[str, Any]]) -> str | None:
        """Why no call has valid arguments: what is wrong with the first; none when one has."""
        if self.arguments is None:
            return None
        if (
            sum(len(call["arguments"]) for call in calls if isinstance(call.get("arguments"), str))
            > MAX_ARGUMENTS
        ):
            raise NotMeasurable(f"the arguments are too long: {MAX_ARGUMENTS} characters are examined")
        reasons: list[str] = []
        unmeasured: SchemaFault | None = None
        for call in calls:
            try:
                reason = self._reason_against(call.get("arguments"))
            except SchemaFault as fault:
                unmeasured = fault
                continue
            if reason is None:
                return None
            reasons.append(reason)
        if unmeasured is not None:
            raise NotMeasurable(str(unmeasured))
        return f"the arguments of {self.value!r} are not valid: {reasons[0]}"

    def _reason_against(self, arguments: object) -> str | None:
        if isinstance(arguments, str) and not is_blank(arguments):
            try:
                arguments = read_json(arguments)
            except JsonFault as fault:
                return f"they are not JSON: {fault}"
        elif arguments is None or isinstance(arguments, str):
            arguments = {}
        found = islice(violations(schema_validator(self._schema_text), arguments), 1)
        return next(found, None)

    @property
    def _schema_text(self) -> str:
        return json.dumps(self.arguments, sort_keys=True, allow_nan=False)

    @property
    def _expected(self) -> str:
        return f"a call of {self.value}" + (" with valid arguments" if self.arguments is not None else "")

    @property
    def subject(self) -> str:
        return excerpt(self.value, 40)


class NotToolCalled(Negated, ToolCalled):
    """The response does not call the tool `value`, or never with arguments valid under `arguments`."""

    kind: ClassVar[str] = "not_tool_called"
    example: ClassVar[Example | None] = Example(
        {"not_tool_called": "delete_account"},
        passes="Your account is kept.",
        fails=_called("delete_account", "{}"),
    )


class ResponseTimeBelow(Assertion):
    """The complete reply came in less than `value` milliseconds after sending the request."""

    kind: ClassVar[str] = "response_time_below"
    example: ClassVar[Example | None] = Example(
        {"response_time_below": 2000},
        passes=Sample("Yes.", latency_ms=350),
        fails=Sample("Yes.", latency_ms=2000),
    )
    value: float = Field(**_FINITE_ABOVE_0, description="Milliseconds, above 0.")

    def check(self, answer: Answer) -> Outcome:
        latency = answer.response.latency_ms
        if latency is None:
            raise NotMeasurable("the response time is unknown")
        took = f"{latency:g} ms"
        return Outcome(latency < self.value, f"took {took}", f"below {self.value:g} ms", took)

    @property
    def subject(self) -> str:
        return f"{self.value:g} ms"


class CostBelow(Assertion):
    """The tokens of request and answer cost less than `value` US dollars.

    By the price in the models file at the time of asking; a cost that is not known is an error.
    """

    kind: ClassVar[str] = "cost_below"
    example: ClassVar[Example | None] = Example(
        {"cost_below": 0.01},
        passes=Sample("Yes.", cost_usd=0.002),
        fails=Sample("Yes.", cost_usd=0.01),
    )
    value: float = Field(**_FINITE_ABOVE_0, description="US dollars, above 0.")

    def check(self, answer: Answer) -> Outcome:
        cost = answer.response.cost_usd
        if cost is None:
            raise NotMeasurable("the cost is unknown: declare a price in the models file")
        found = f"{cost:.6g} US dollars"
        return Outcome(cost < self.value, f"cost {found}", f"below {self.value:.6g} US dollars", found)

    @property
    def subject(self) -> str:
        return f"{self.value:.6g} USD"


class TokensBelow(Assertion):
    """The answer has fewer than `value` tokens, by the provider's count; an unknown count is an error."""

    kind: ClassVar[str] = "tokens_below"
    example: ClassVar[Example | None] = Example(
        {"tokens_below": 100},
        passes=Sample("Yes.", usage=TokenUsage(10, 2)),
        fails=Sample("Yes.", usage=TokenUsage(10, 100)),
    )
    value: int = Field(gt=0, description="Tokens, above 0.")
    count: Literal["output", "input", "total"] = Field(
        default="output",
        description="What is counted: the tokens of the answer (output), of the request (input), or both (total).",
    )

    def check(self, answer: Answer) -> Outcome:
        usage = _reply(answer).usage
        counted = {
            "output": [usage.output_tokens],
            "input": [usage.input_tokens],
            "total": [usage.input_tokens, usage.output_tokens],
        }[self.count]
        known = [tokens for tokens in counted if tokens is not None]
        if len(known) < len(counted):
            raise NotMeasurable(f"the provider did not report the {self.count} tokens")
        found = f"{sum(known)} {self.count} tokens"
        return Outcome(sum(known) < self.value, found, f"below {self.value} {self.count} tokens", found)

    @property
    def subject(self) -> str:
        return f"{self.value} {self.count}"


KINDS: tuple[type[Assertion], ...] = (
    ToolCalled,
    NotToolCalled,
    ResponseTimeBelow,
    CostBelow,
    TokensBelow,
)


def _reply(answer: Answer) -> Reply:
    if answer.response.reply is None:
        raise NotMeasurable("there is no answer")
    return answer.response.reply
