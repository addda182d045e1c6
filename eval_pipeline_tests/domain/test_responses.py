from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from eval_pipeline.domain.responses import Message, Reply, ServedBy, request_key
from eval_pipeline_tests.builders import failed, response

SENT: dict[str, Any] = {
    "provider_instance": "eu",
    "outbound_model": "m",
    "messages": (Message("user", "Hei"),),
    "parameters": {"temperature": 0, "stop": ["."]},
    "repeat": 0,
}
CALL = {"function": {"name": "lookup"}}


@pytest.mark.parametrize("text", ["0", "None", "null", "false", "...", "I cannot help with that."])
def test_any_visible_text_is_an_answer(text: str) -> None:
    assert response(text).answered
    assert response(text).unusable is None


@pytest.mark.parametrize("text", [None, "", " \n", "\u00a0\u200b"])
@pytest.mark.parametrize("finish_reason", ["stop", "length", "tool_calls", None])
def test_a_reply_that_shows_nothing_is_no_answer_and_keeps_its_finish_reason(
    text: str | None, finish_reason: str | None
) -> None:
    empty = response(reply=Reply(text, finish_reason=finish_reason))
    assert not empty.answered
    assert "no answer" in empty.unusable
    assert (finish_reason or "unknown") in empty.unusable


def test_reasoning_is_no_answer() -> None:
    assert "only reasoning" in response(reply=Reply(None, reasoning="Hm.", finish_reason="length")).unusable


@pytest.mark.parametrize("text", [None, ""])
def test_calls_of_tools_are_an_answer(text: str | None) -> None:
    called = response(reply=Reply(text, tool_calls=(CALL,)))
    assert called.answered
    assert called.unusable is None


@pytest.mark.parametrize("text", [None, "", "Once upon"])
def test_what_a_content_filter_left_is_not_graded(text: str | None) -> None:
    assert "content filter" in response(reply=Reply(text, finish_reason="content_filter")).unusable


@pytest.mark.parametrize("finish_reason", ["length", None, "something_new"])
def test_a_cut_or_unexplained_answer_is_graded_as_far_as_it_goes(finish_reason: str | None) -> None:
    assert response(reply=Reply("Once upon", finish_reason=finish_reason)).unusable is None


def test_a_failed_call_gives_its_cause() -> None:
    assert failed("HTTP 503 from eu").unusable == "HTTP 503 from eu"
    assert not failed().answered


@pytest.mark.parametrize("known", list(product([None, "", "name"], repeat=3)))
def test_a_generator_is_complete_only_when_all_three_names_are_known(known: tuple[str | None, ...]) -> None:
    assert ServedBy(*known).complete == all(known)


@pytest.mark.parametrize("known", list(product([None, "", "name"], repeat=5)))
def test_an_application_is_declared_by_instance_and_name_where_it_reports_no_model(
    known: tuple[str | None, ...],
) -> None:
    instance, _, reported, name, _ = known
    served_by = ServedBy(*known)
    assert served_by.declared == bool(instance and name and not reported)
    assert served_by.identified == (served_by.complete or served_by.declared)
    assert not (served_by.complete and served_by.declared)
    assert not (served_by.declared and served_by.alias_only)


def test_a_reply_that_only_repeats_the_name_sent_is_evidence_of_an_alias() -> None:
    assert ServedBy("eu", "fast", "fast").alias_only
    assert not ServedBy("eu", "fast", "tern-4").alias_only
    assert not ServedBy(None, "fast", "fast").alias_only


@pytest.mark.parametrize(
    "other",
    [
        {"provider_instance": "us"},
        {"outbound_model": "m2"},
        {"messages": (Message("user", "Hei "),)},
        {"messages": (Message("system", "Hei"),)},
        {"messages": (Message("user", "Hei"), Message("user", "Hei"))},
        {"parameters": {"temperature": 1, "stop": ["."]}},
        {"parameters": {"temperature": "0", "stop": ["."]}},
        {"parameters": {"stop": ["."]}},
        {"repeat": 1},
    ],
)
def test_anything_else_that_is_sent_is_another_request(other: dict[str, Any]) -> None:
    assert request_key(**SENT | other) != request_key(**SENT)


@pytest.mark.parametrize(
    "same",
    [
        {"stop": ["."], "temperature": 0},
        {"temperature": 0.0, "stop": ["."]},
        {"temperature": 0, "stop": (".",)},
    ],
)
def test_the_same_parameters_written_otherwise_are_the_same_request(same: dict[str, Any]) -> None:
    assert request_key(**SENT | {"parameters": same}) == request_key(**SENT)


def test_names_that_swap_places_are_another_request() -> None:
    swapped = SENT | {"provider_instance": "m", "outbound_model": "eu"}
    assert request_key(**swapped) != request_key(**SENT)


def test_responses_are_compared_by_what_they_hold() -> None:
    assert response("yes") == response("yes")
    assert replace(response("yes"), repeat=1) != response("yes")
