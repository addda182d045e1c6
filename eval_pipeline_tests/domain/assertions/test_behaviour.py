from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertions.base import Answer, Outcome
from eval_pipeline.domain.assertions.behaviour import (
    MAX_ARGUMENTS,
    CostBelow,
    NotToolCalled,
    ResponseTimeBelow,
    TokensBelow,
    ToolCalled,
)
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.responses import Reply, TokenUsage
from eval_pipeline_tests.builders import answered, failed
from eval_pipeline_tests.domain.strategies import any_text, json_values

CITY = {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}


def call(name: Any = "get_weather", arguments: Any = '{"city": "Oslo"}') -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def checked(assertion: Any, *calls: Any, text: str | None = None) -> Outcome:
    reply = Reply(text, tool_calls=calls, finish_reason="tool_calls")
    outcome: Outcome = assertion.check(answered(reply=reply))
    return outcome


def test_a_call_of_the_tool_passes_without_any_text() -> None:
    assert checked(ToolCalled("get_weather"), call()).passed
    assert not checked(NotToolCalled("get_weather"), call()).passed


@pytest.mark.parametrize("name", ["Get_weather", "get_weather ", "weather", "get_weather2"])
def test_names_are_compared_exactly(name: str) -> None:
    outcome = checked(ToolCalled("get_weather"), call(name))
    assert not outcome.passed
    assert name in outcome.message


def test_a_text_without_calls_is_no_call() -> None:
    outcome = checked(ToolCalled("get_weather"), text="It is sunny. get_weather")
    assert not outcome.passed
    assert "no calls of tools" in outcome.message
    assert checked(NotToolCalled("get_weather"), text="It is sunny.").passed


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ('{"city": "Oslo"}', None),
        ({"city": "Oslo"}, None),
        ('{"city": 7}', "$.city"),
        ("{}", "city"),
        ("", "city"),
        (None, "city"),
        ("[]", "object"),
        ("Oslo", "not JSON"),
        ('{"city": "Os', "not JSON"),
        ('{"city": NaN}', "not JSON"),
        (7, "object"),
        ("[" * 5000, "not JSON"),
        ("1" * 5000, "not JSON"),
    ],
)
def test_arguments_satisfy_the_schema_or_the_reason_says_why_not(arguments: Any, reason: str | None) -> None:
    outcome = checked(ToolCalled("get_weather", arguments=CITY), call(arguments=arguments))
    assert outcome.passed is (reason is None)
    if reason is not None:
        assert reason in outcome.message


def test_one_of_several_calls_is_enough() -> None:
    calls = (call("other"), call(arguments="{}"), call(arguments="nonsense"), call())
    assert checked(ToolCalled("get_weather", arguments=CITY), *calls).passed
    assert not checked(ToolCalled("get_weather", arguments=CITY), *calls[:3]).passed


def test_without_a_schema_any_arguments_will_do() -> None:
    assert checked(ToolCalled("get_weather"), call(arguments="nonsense")).passed


@pytest.mark.parametrize(
    "malformed",
    [
        {},
        {"function": None},
        {"function": []},
        {"function": {}},
        {"function": {"name": None}},
        {"function": {"name": 7}},
        {"name": "get_weather"},
    ],
)
def test_a_malformed_call_is_no_call(malformed: dict[str, Any]) -> None:
    assert not checked(ToolCalled("get_weather"), malformed).passed
    assert checked(ToolCalled("get_weather"), malformed, call()).passed


@given(
    st.lists(st.dictionaries(st.sampled_from(["function", "id"]), json_values(texts=any_text)), max_size=3)
)
def test_whatever_a_provider_sends_gets_a_verdict(calls: list[dict[str, Any]]) -> None:
    assert checked(ToolCalled("get_weather", arguments=CITY), *calls).passed is False


@given(any_text)
def test_any_arguments_get_a_verdict_or_are_not_measurable(arguments: str) -> None:
    with contextlib.suppress(NotMeasurable):
        checked(ToolCalled("get_weather", arguments=CITY), call(arguments=arguments))


@pytest.mark.parametrize("value", ["", "  ", 7, None, ["get_weather"]])
def test_a_tool_has_a_name(value: object) -> None:
    with pytest.raises(DefinitionError, match="value"):
        ToolCalled(value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"type": "strnig"},
        {"requried": ["a"]},
        {"$ref": "https://schemas.example.invalid/a"},
        {"const": float("nan")},
        [],
        "x",
        True,
    ],
)
def test_a_faulty_schema_is_refused(arguments: object) -> None:
    with pytest.raises(DefinitionError, match="arguments"):
        ToolCalled("get_weather", arguments=arguments)


def test_arguments_beyond_the_limit_are_not_measurable() -> None:
    long = json.dumps({"city": "x" * MAX_ARGUMENTS})
    with pytest.raises(NotMeasurable, match="too long"):
        checked(ToolCalled("get_weather", arguments=CITY), call(arguments=long))
    assert checked(ToolCalled("get_weather"), call(arguments=long)).passed


@pytest.mark.parametrize("arguments", ['{"a":' * 200_000, '[{"city":1},' * 80_000, '"' + "\\u0000" * 160_000])
def test_hostile_arguments_end_in_time(arguments: str) -> None:
    started = time.perf_counter()
    checked(ToolCalled("get_weather", arguments=CITY), call(arguments=arguments[:MAX_ARGUMENTS]))
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    ("assertion", "changes", "passed"),
    [
        (ResponseTimeBelow(100), {"latency_ms": 99.9}, True),
        (ResponseTimeBelow(100), {"latency_ms": 100.0}, False),
        (ResponseTimeBelow(0.5), {"latency_ms": 0.4}, True),
        (CostBelow(0.01), {"cost_usd": 0.0}, True),
        (CostBelow(0.01), {"cost_usd": 0.0099}, True),
        (CostBelow(0.01), {"cost_usd": 0.01}, False),
    ],
)
def test_a_measure_must_be_strictly_below(assertion: Any, changes: dict[str, Any], passed: bool) -> None:
    outcome = assertion.check(answered(None, **changes))
    assert outcome.passed is passed
    assert assertion.label in (
        "response_time_below 100 ms",
        "response_time_below 0.5 ms",
        "cost_below 0.01 USD",
    )


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [
        (TokensBelow(6), True),
        (TokensBelow(5), False),
        (TokensBelow(11, count="input"), True),
        (TokensBelow(10, count="input"), False),
        (TokensBelow(16, count="total"), True),
        (TokensBelow(15, count="total"), False),
    ],
)
def test_tokens_of_output_input_or_both_are_counted(assertion: Any, passed: bool) -> None:
    reply = Reply("yes", usage=TokenUsage(10, 5))
    assert assertion.check(answered(reply=reply)).passed is passed


@pytest.mark.parametrize(
    ("assertion", "reason"),
    [
        (ResponseTimeBelow(1), "response time is unknown"),
        (CostBelow(1), "declare a price in the models file"),
        (TokensBelow(1), "did not report the output tokens"),
        (TokensBelow(1, count="total"), "did not report the total tokens"),
    ],
)
def test_what_is_unknown_is_not_measurable(assertion: Any, reason: str) -> None:
    unknown = answered(reply=Reply("yes", usage=TokenUsage(10, None)), latency_ms=None, cost_usd=None)
    with pytest.raises(NotMeasurable, match=reason):
        assertion.check(unknown)


@pytest.mark.parametrize("assertion", [ToolCalled("a"), NotToolCalled("a"), TokensBelow(1)])
def test_a_call_that_failed_is_not_measurable(assertion: Any) -> None:
    with pytest.raises(NotMeasurable, match="no answer"):
        assertion.check(Answer(failed()))


@pytest.mark.parametrize("kind", [ResponseTimeBelow, CostBelow, TokensBelow])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "5", None, True])
def test_a_limit_that_nothing_or_everything_meets_is_refused(kind: Any, value: object) -> None:
    with pytest.raises(DefinitionError, match="value"):
        kind(value)


@pytest.mark.parametrize("count", ["words", "", None, ["output"]])
def test_only_known_counts_are_taken(count: object) -> None:
    with pytest.raises(DefinitionError, match="count"):
        TokensBelow(5, count=count)
