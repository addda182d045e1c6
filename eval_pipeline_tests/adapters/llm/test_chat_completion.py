"""What a decoded reply of an endpoint is read as: an answer, no answer, or a failed call."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eval_pipeline.adapters.llm.chat_completion import read_chat_completion
from eval_pipeline.domain.errors import CallError
from eval_pipeline.domain.json_text import read_json
from eval_pipeline.domain.responses import (
    REFUSAL,
    REPLACED_CHARACTERS,
    TRUNCATED,
    UNKNOWN_FINISH_REASON,
    ModelResponse,
    Reply,
    TokenUsage,
)
from eval_pipeline_tests import builders

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda member: st.lists(member, max_size=3) | st.dictionaries(st.text(max_size=3), member, max_size=3),
    max_leaves=5,
)


def completion(message: Any = None, **changes: Any) -> dict[str, Any]:
    """A body whose one choice answers Lima, but for `message` and `changes`."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": "Lima", **(message or {})},
    }
    return {
        "id": "c1",
        "model": "tern-4-2026",
        "choices": [choice],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
        **changes,
    }


def finished(reason: Any, **message: Any) -> dict[str, Any]:
    body = completion(message)
    body["choices"][0]["finish_reason"] = reason
    return body


def response(reply: Reply) -> ModelResponse:
    """The response that carries `reply`, which says whether there is anything to grade."""
    return builders.response(reply=reply)


def test_a_plain_answer_is_read_with_all_that_came_with_it():
    assert read_chat_completion(completion()) == Reply(
        "Lima", finish_reason="stop", reported_model="tern-4-2026", usage=TokenUsage(5, 1)
    )


@pytest.mark.parametrize("text", ["0", "None", "null", "false", " Lima ", "\n", "K\x00f2", "e\u0301", "😀"])
def test_an_answer_is_kept_character_by_character(text):
    assert read_chat_completion(completion({"content": text})).text == text


@pytest.mark.parametrize("body", [None, [], "x", 5, True, [completion()]])
def test_json_that_is_no_object_is_a_failed_call(body):
    with pytest.raises(CallError, match="no chat completion"):
        read_chat_completion(body)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"message": "upstream overloaded", "code": 502}, "upstream overloaded (502)"),
        ({"message": "no credit", "type": "insufficient_quota"}, "no credit (insufficient_quota)"),
        ({"message": ""}, "message"),
        ({"detail": "odd"}, "odd"),
        ("plain words", "plain words"),
        (["a", "b"], "a"),
        (True, "true"),
    ],
)
def test_an_error_instead_of_choices_is_a_failed_call_with_its_message(error, told):
    with pytest.raises(CallError) as failed:
        read_chat_completion({"error": error})
    assert told in str(failed.value)


@pytest.mark.parametrize("nothing", [None, {}, "", []])
def test_an_error_field_that_is_empty_is_no_error(nothing):
    assert read_chat_completion(completion(error=nothing)).text == "Lima"


@pytest.mark.parametrize("choices", [None, [], {}, "x", 0, {"0": {"message": {"content": "Lima"}}}])
def test_a_reply_without_choices_is_a_failed_call(choices):
    with pytest.raises(CallError, match="no choices"):
        read_chat_completion(completion(choices=choices))


@pytest.mark.parametrize(
    "choice",
    [
        None,
        "x",
        [],
        {},
        {"message": None},
        {"message": "Lima"},
        {"text": "Lima"},
        {"delta": {"content": "Lima"}},
    ],
)
def test_a_choice_without_a_message_is_a_failed_call(choice):
    with pytest.raises(CallError, match="no message"):
        read_chat_completion(completion(choices=[choice]))


def test_an_error_on_the_choice_is_a_failed_call_although_there_is_text():
    body = completion({"content": "Once upon"})
    body["choices"][0]["error"] = {"message": "worker died", "code": 500}
    with pytest.raises(CallError, match=r"worker died \(500\)"):
        read_chat_completion(body)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_of_several_choices_the_first_by_index_is_the_answer(order):
    choices = [
        {"index": index, "finish_reason": "stop", "message": {"content": f"answer {index}"}}
        for index in order
    ]
    assert read_chat_completion(completion(choices=choices)).text == "answer 0"


@pytest.mark.parametrize(
    "content", [None, "", [], {}, 0, False, [{"type": "image"}], [None, 5], [{"text": None}]]
)
def test_a_reply_without_text_is_no_answer_and_never_a_word(content):
    reply = read_chat_completion(finished("length", content=content))
    assert reply.text is None
    assert response(reply).unusable == "no answer: nothing came back (finish reason: length)"


def test_a_message_without_content_is_no_answer():
    body = completion(choices=[{"message": {"role": "assistant"}, "finish_reason": "stop"}])
    assert read_chat_completion(body).text is None


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([{"type": "text", "text": "Li"}, {"type": "text", "text": "ma"}], "Lima"),
        ([{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "Lima"}], "Lima"),
        ([{"type": "output_text", "text": "Lima"}], "Lima"),
        ([{"text": "Lima"}], "Lima"),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Quito?"}]},
                {"type": "text", "text": "Lima"},
            ],
            "Lima",
        ),
        ([{"type": "reasoning", "text": "Quito?"}, {"type": "text", "text": "Lima"}], "Lima"),
    ],
)
def test_parts_of_text_are_joined_and_other_parts_left_out(parts, text):
    assert read_chat_completion(completion({"content": parts})).text == text


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "refusal": "I cannot help with that."},
        {"content": "", "refusal": "I cannot help with that."},
        {"content": [{"type": "refusal", "refusal": "I cannot help with that."}]},
    ],
)
def test_a_refusal_is_the_answer_and_is_flagged(message):
    reply = read_chat_completion(completion(message))
    assert (reply.text, reply.flags) == ("I cannot help with that.", (REFUSAL,))


@pytest.mark.parametrize("refusal", [None, "", []])
def test_an_empty_refusal_is_none(refusal):
    reply = read_chat_completion(completion({"refusal": refusal}))
    assert (reply.text, reply.flags) == ("Lima", ())


def test_calls_of_tools_alone_are_an_answer_without_text():
    call = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    reply = read_chat_completion(finished("tool_calls", content=None, tool_calls=[call]))
    assert (reply.text, reply.tool_calls, reply.finish_reason) == (None, (call,), "tool_calls")
    assert response(reply).unusable is None


@pytest.mark.parametrize("calls", [None, [], {}, 5, True, "look", {"id": "t1"}, [None, "look"]])
def test_what_is_no_call_of_a_tool_is_left_out(calls):
    reply = read_chat_completion(completion({"tool_calls": calls}))
    assert (reply.text, reply.tool_calls) == ("Lima", ())


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart_from_the_answer(field):
    reply = read_chat_completion(completion({field: "maybe Quito"}))
    assert (reply.text, reply.reasoning) == ("Lima", "maybe Quito")


@pytest.mark.parametrize("content", ["", None, " ", "\u200b"])
def test_reasoning_alone_is_no_answer(content):
    reply = read_chat_completion(
        completion({"content": content, "reasoning_content": "The capital is Lima."})
    )
    assert response(reply).unusable == "no answer: only reasoning came back (finish reason: stop)"


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        pytest.param("<think>maybe Quito</think>\nLima", "Lima", "maybe Quito", id="leading"),
        pytest.param("\n <think>\nmaybe\nQuito\n</think>\n\nLima\n", "Lima", "maybe\nQuito", id="over lines"),
        pytest.param("<think></think>Lima", "Lima", None, id="empty"),
        pytest.param("<think>maybe Quito", None, "maybe Quito", id="unclosed"),
        pytest.param("<think>maybe Quito</think>", None, "maybe Quito", id="nothing behind it"),
        pytest.param("<think>maybe Quito</think>\n \n", None, "maybe Quito", id="blanks behind it"),
        pytest.param("<think>a</think>b</think>c", "b</think>c", "a", id="closed twice"),
        pytest.param("<think>a</think><think>b</think>c", "<think>b</think>c", "a", id="two blocks"),
        pytest.param(
            "Write <think>this</think>", "Write <think>this</think>", None, id="literal in the middle"
        ),
        pytest.param('{"t": "<think>"}', '{"t": "<think>"}', None, id="literal in JSON"),
        pytest.param("Lima <think>", "Lima <think>", None, id="literal at the end"),
    ],
)
def test_only_a_leading_block_of_thinking_is_reasoning(content, text, reasoning):
    reply = read_chat_completion(completion({"content": content}))
    assert (reply.text, reply.reasoning or None) == (text, reasoning)


def test_reasoning_of_its_own_field_comes_before_that_of_a_block():
    message = {"content": "<think>in the text</think>Lima", "reasoning_content": "in the field"}
    reply = read_chat_completion(completion(message))
    assert (reply.text, reply.reasoning) == ("Lima", "in the field")


@pytest.mark.parametrize("model", [None, "", " ", "\t\n", 5, [], {}, True])
def test_a_model_that_is_not_named_is_unknown(model):
    assert read_chat_completion(completion(model=model)).reported_model is None


def test_a_model_that_is_missing_is_unknown():
    body = completion()
    del body["model"]
    assert read_chat_completion(body).reported_model is None


@pytest.mark.parametrize("reason", [None, "", 5, [], {}])
def test_a_reason_to_stop_that_is_not_told_is_unknown(reason):
    reply = read_chat_completion(finished(reason))
    assert (reply.finish_reason, reply.flags) == (None, (UNKNOWN_FINISH_REASON,))
    assert response(reply).unusable is None


@pytest.mark.parametrize("reason", ["eos", "STOP", "function_call", "weird"])
def test_another_reason_to_stop_is_kept_as_told(reason):
    reply = read_chat_completion(finished(reason))
    assert (reply.text, reply.finish_reason, reply.flags) == ("Lima", reason, ())


def test_an_answer_cut_at_its_token_limit_is_flagged_and_can_be_graded():
    reply = read_chat_completion(finished("length", content='{"half": '))
    assert (reply.text, reply.flags) == ('{"half": ', (TRUNCATED,))
    assert response(reply).unusable is None


@pytest.mark.parametrize("content", ["Lim", "", None])
def test_what_a_filter_removed_cannot_be_graded(content):
    reply = read_chat_completion(finished("content_filter", content=content))
    assert response(reply).unusable == "no answer: the provider's content filter removed it"


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (None, TokenUsage(None, None)),
        ([], TokenUsage(None, None)),
        ({}, TokenUsage(None, None)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, TokenUsage(0, 0)),
        ({"prompt_tokens": 5}, TokenUsage(5, None)),
        ({"prompt_tokens": None, "completion_tokens": 7}, TokenUsage(None, 7)),
        ({"prompt_tokens": -1, "completion_tokens": "7"}, TokenUsage(None, None)),
        ({"prompt_tokens": True, "completion_tokens": 7.5}, TokenUsage(None, None)),
        ({"prompt_tokens": 2**63, "completion_tokens": 10**30}, TokenUsage(None, None)),
    ],
)
def test_token_counts_that_are_not_told_are_unknown(usage, read):
    assert read_chat_completion(completion(usage=usage)).usage == read


@pytest.mark.parametrize(
    "message",
    [
        {"content": "smile \ud83d"},
        {"content": "\udc00"},
        {"reasoning_content": "\ud83d"},
        {"content": "<think>\ud83d</think>Lima"},
        {"content": None, "refusal": "\ud83d"},
        {"tool_calls": [{"function": {"name": "look", "arguments": "\ud83d"}}]},
        {"tool_calls": [{"\ud83d": 1}]},
    ],
)
def test_half_a_character_is_replaced_and_flagged(message):
    reply = read_chat_completion(completion(message))
    assert "\ufffd" in repr(reply)
    assert REPLACED_CHARACTERS in reply.flags


@pytest.mark.parametrize(
    "changes",
    [{"model": "tern\ud83d"}, {"choices": [{"finish_reason": "\ud83d", "message": {"content": "Lima"}}]}],
)
def test_half_a_character_is_replaced_in_names_too(changes):
    reply = read_chat_completion(completion(**changes))
    assert "\ufffd" in f"{reply.reported_model}{reply.finish_reason}"


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "broken \ud83d"}},
        "\ud83d",
        completion(choices=[{"error": "\ud83d", "message": {}}]),
    ],
)
def test_the_reason_of_a_failed_call_can_be_stored(body):
    with pytest.raises(CallError) as failed:
        read_chat_completion(body)
    str(failed.value).encode()


def test_a_whole_character_of_two_halves_is_left_alone():
    reply = read_chat_completion(completion(read_json('{"content": "\\ud83d\\ude00"}')))
    assert (reply.text, reply.flags) == ("😀", ())


def test_what_was_known_before_stays_flagged():
    reply = read_chat_completion(finished("length", content="\ud83d"), flags=(REPLACED_CHARACTERS,))
    assert sorted(reply.flags) == sorted((REPLACED_CHARACTERS, TRUNCATED))


@given(
    field=st.sampled_from(
        [
            "model",
            "choices",
            "usage",
            "error",
            "content",
            "refusal",
            "tool_calls",
            "reasoning",
            "finish_reason",
            "index",
            "message",
        ]
    ),
    value=JSON,
)
@example(field="tool_calls", value=True)
@settings(max_examples=400, deadline=None)
def test_any_value_anywhere_is_a_reply_or_a_failed_call(field, value):
    body = completion()
    choice = body["choices"][0]
    place = {"model": body, "choices": body, "usage": body, "error": body}.get(field)
    place = place or (choice if field in ("index", "message", "finish_reason") else choice["message"])
    place[field] = value
    with suppress(CallError):
        assert isinstance(read_chat_completion(body), Reply)


CASES = {
    "api-05-refusal.json": Reply(
        "I cannot help with that.",
        finish_reason="stop",
        reported_model="alias-large",
        usage=TokenUsage(5, 1),
        flags=(REFUSAL,),
    ),
    "api-10-missing-model.json": Reply("Lima", finish_reason="stop", usage=TokenUsage(5, 1)),
    "api-14-empty-model.json": Reply("Lima", finish_reason="stop", usage=TokenUsage(5, 1)),
    "api-23-think-in-content.json": Reply(
        "Lima",
        reasoning="maybe Quito",
        finish_reason="stop",
        reported_model="alias-large",
        usage=TokenUsage(5, 1),
    ),
    "api-25-surrogate-content.json": Reply(
        "smile \ufffd", finish_reason="stop", reported_model="alias-large", flags=(REPLACED_CHARACTERS,)
    ),
    "api-26-two-choices.json": Reply(
        "Quito", finish_reason="stop", reported_model="alias-large", usage=TokenUsage(5, 1)
    ),
    "api-28-usage-null.json": Reply("Lima", finish_reason="stop", reported_model="alias-large"),
}
UNUSABLE_CASES = {
    "api-20-content-filter.json": "no answer: the provider's content filter removed it",
    "api-22-reasoning-only.json": "no answer: only reasoning came back (finish reason: stop)",
}
FAILED_CASES = {
    "api-01-200-error.json": "the endpoint answered with an error: upstream overloaded (502)",
    "api-03-choices-null.json": "the reply has no choices",
    "api-17-rate-429.json": "the endpoint answered with an error: Rate limit reached (rate_limit_exceeded)",
    "api-27-key-in-error.json": "Incorrect API key provided",
}


@pytest.mark.parametrize("name", CASES)
def test_a_handed_reply_is_read(shared_cases, name):
    assert read_chat_completion(read_json((shared_cases / name).read_text())) == CASES[name]


@pytest.mark.parametrize("name", UNUSABLE_CASES)
def test_a_handed_reply_without_an_answer_cannot_be_graded(shared_cases, name):
    reply = read_chat_completion(read_json((shared_cases / name).read_text()))
    assert response(reply).unusable == UNUSABLE_CASES[name]


@pytest.mark.parametrize("name", FAILED_CASES)
def test_a_handed_reply_that_is_none_is_a_failed_call(shared_cases, name):
    with pytest.raises(CallError) as failed:
        read_chat_completion(read_json((shared_cases / name).read_text()))
    assert FAILED_CASES[name] in str(failed.value)


def test_the_handed_calls_of_tools_are_an_answer_without_text(shared_cases):
    reply = read_chat_completion(read_json((shared_cases / "api-06-tool-calls.json").read_text()))
    assert (reply.text, reply.finish_reason) == (None, "tool_calls")
    assert [call["function"]["name"] for call in reply.tool_calls] == ["look"]


def test_every_handed_reply_is_used(shared_cases):
    used = CASES.keys() | UNUSABLE_CASES.keys() | FAILED_CASES.keys() | {"api-06-tool-calls.json"}
    assert {case.name for case in shared_cases.glob("api-*.json")} == used


def test_reasoning_whose_opening_the_server_left_out_is_not_graded():
    message = {"role": "assistant", "content": "Monday, I think</think>no"}
    reply = read_chat_completion({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert (reply.text, reply.reasoning) == ("no", "Monday, I think")
