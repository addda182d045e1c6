"""Recorded responses come back under the identity that they were first served with."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from eval_pipeline.adapters.llm.replay import Replay
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.responses import (
    REPLACED_CHARACTERS,
    TRUNCATED,
    Message,
    ModelResponse,
    Reply,
    ServedBy,
    TokenUsage,
)
from eval_pipeline_tests import builders

IDENTITY = {"provider_instance": "eu-west", "outbound_model": "tern-large", "reported_model": "tern-4-2026"}


def recording(folder: Path, *lines: object) -> Replay:
    """A replay of these lines: texts as they are, anything else as JSON."""
    path = folder / "answers.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return Replay(path)


def replayed(folder: Path, **recorded: object) -> ModelResponse:
    """What is replayed to the prompt p1, for which this is recorded."""
    return asyncio.run(recording(folder, {"prompt_id": "p1", **recorded}).ask(builders.request("p1")))


def test_a_response_keeps_all_that_was_recorded(tmp_path):
    call = {"id": "t1", "function": {"name": "look"}}
    response = replayed(
        tmp_path,
        text="Lima",
        reasoning="maybe Quito",
        tool_calls=[call],
        finish_reason="stop",
        input_tokens=5,
        output_tokens=0,
        latency_ms=12.5,
        served_by=IDENTITY,
    )
    assert response.reply == Reply("Lima", "maybe Quito", (call,), "stop", "tern-4-2026", TokenUsage(5, 0))
    assert (response.served_by, response.latency_ms, response.error) == (ServedBy(**IDENTITY), 12.5, None)


@pytest.mark.parametrize(
    "missing", [["provider_instance"], ["outbound_model"], ["reported_model"], list(IDENTITY)]
)
def test_what_was_not_recorded_of_the_identity_stays_unknown(tmp_path, missing):
    known = {name: value for name, value in IDENTITY.items() if name not in missing}
    response = replayed(tmp_path, text="Lima", served_by=known)
    assert response.served_by == ServedBy(**known)
    assert not response.served_by.complete


def test_a_response_without_an_identity_is_claimed_by_nobody(tmp_path):
    assert replayed(tmp_path, text="Lima").served_by == ServedBy()


def test_a_response_belongs_to_the_request_that_it_is_replayed_to(tmp_path):
    replay = recording(tmp_path, {"prompt_id": "p1", "text": "Lima"})
    response = asyncio.run(replay.ask(builders.request("p1", repeat=2, key="abc")))
    assert (response.prompt_id, response.repeat, response.request_key) == ("p1", 2, "abc")


def test_a_response_may_be_recorded_for_the_text_of_the_last_message(tmp_path):
    replay = recording(tmp_path, {"prompt": "Who?", "text": "Ada"}, {"prompt": "Be brief.", "text": "wrong"})
    messages = (Message("system", "Be brief."), Message("user", "Who?"))
    assert asyncio.run(replay.ask(builders.request("p1", messages=messages))).reply.text == "Ada"


def test_a_response_to_an_id_comes_before_one_to_a_text(tmp_path):
    replay = recording(tmp_path, {"prompt": "Who?", "text": "by text"}, {"prompt_id": "p1", "text": "by id"})
    assert asyncio.run(replay.ask(builders.request("p1", "Who?"))).reply.text == "by id"
    assert asyncio.run(replay.ask(builders.request("p2", "Who?"))).reply.text == "by text"


def test_an_id_is_no_text(tmp_path):
    replay = recording(tmp_path, {"prompt_id": "Who?", "text": "by id"})
    assert asyncio.run(replay.ask(builders.request("p1", "Who?"))).reply is None


@pytest.mark.parametrize(
    ("prompt_id", "text"), [("p2", "Question?"), ("P1", "who?"), ("p1 ", "Who? "), ("caf\u00e9", "x")]
)
def test_a_prompt_without_a_recording_is_an_error_of_that_prompt(tmp_path, prompt_id, text):
    replay = recording(
        tmp_path,
        {"prompt_id": "p1", "text": "x"},
        {"prompt": "Who?", "text": "x"},
        {"prompt_id": "cafe\u0301", "text": "x"},
    )
    response = asyncio.run(replay.ask(builders.request(prompt_id, text)))
    assert response.error == "no response to this prompt is recorded in answers.jsonl"
    assert response.served_by == ServedBy()


@pytest.mark.parametrize("error", ["HTTP 500", ""])
def test_a_failed_call_is_replayed_as_one(tmp_path, error):
    response = replayed(tmp_path, error=error, served_by=IDENTITY)
    assert response.reply is None
    assert response.unusable
    assert response.served_by == ServedBy(**IDENTITY)


@pytest.mark.parametrize(
    "recorded", [{}, {"text": None}, {"text": ""}, {"text": " \u200b"}, {"reasoning": "hm"}]
)
def test_a_recording_without_text_is_no_answer(tmp_path, recorded):
    assert replayed(tmp_path, **recorded).unusable.startswith("no answer")


@pytest.mark.parametrize(
    ("recorded", "flags"),
    [
        ({"text": "Li", "finish_reason": "length"}, (TRUNCATED,)),
        ({"text": "Li\ud83d"}, (REPLACED_CHARACTERS,)),
        ({"text": "Lima", "reasoning": "\ud83d"}, (REPLACED_CHARACTERS,)),
        ({"text": "Lima", "tool_calls": [{"arguments": "\ud83d"}]}, (REPLACED_CHARACTERS,)),
        ({"text": "Lima", "served_by": {"reported_model": "\ud83d"}}, (REPLACED_CHARACTERS,)),
        ({"text": "Lima", "finish_reason": "stop"}, ()),
    ],
)
def test_a_recorded_reply_is_flagged_like_a_live_one(tmp_path, recorded, flags):
    reply = replayed(tmp_path, **recorded).reply
    assert reply.flags == flags
    assert "\\ud83d" not in repr(reply)


def test_what_a_filter_removed_stays_removed(tmp_path):
    assert "content filter" in replayed(tmp_path, text="Li", finish_reason="content_filter").unusable


@pytest.mark.parametrize("text", ["0", "None", "K\x00f2", "e\u0301", "\u2028"])
def test_a_recorded_text_is_kept_character_by_character(tmp_path, text):
    assert replayed(tmp_path, text=text).reply.text == text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "x"}', "either prompt_id or prompt"),
        ('{"prompt_id": "p", "prompt": "q", "text": "x"}', "either prompt_id or prompt"),
        ('{"prompt_id": 7, "text": "x"}', "a text is expected"),
        ('{"prompt_id": "p", "text": 7}', "a text is expected"),
        ('{"prompt_id": "p", "txt": "x"}', "unknown key 'txt'"),
        ('{"prompt_id": "p", "served_by": {"model": "x"}}', "unknown key 'model'"),
        ('{"prompt_id": "p", "served_by": {"reported_model": ""}}', "reported_model"),
        ('{"prompt_id": "p", "served_by": null}', "served_by"),
        ('{"prompt_id": "p", "input_tokens": -1}', "input_tokens"),
        ('{"prompt_id": "p", "input_tokens": 1.5}', "input_tokens"),
        ('{"prompt_id": "p", "input_tokens": 9223372036854775808}', "input_tokens"),
        ('{"prompt_id": "p", "latency_ms": -0.5}', "latency_ms"),
        ('{"prompt_id": "p", "latency_ms": NaN}', "not JSON"),
        ('{"prompt_id": "p", "latency_ms": 1e999}', "not JSON"),
        ('{"prompt_id": "p", "latency_ms": 1' + "0" * 400 + "}", "latency_ms"),
        ('{"prompt_id": "p", "prompt_id": "q"}', "given twice"),
        ('{"prompt_id": "p", "tool_calls": ["x"]}', "tool_calls"),
        ("5", "mapping"),
        ("[]", "mapping"),
        ("{", "not JSON"),
    ],
)
def test_a_faulty_line_is_refused_with_its_number(tmp_path, line, reason):
    with pytest.raises(DefinitionError) as refused:
        recording(tmp_path, {"prompt_id": "good"}, line)
    (found,) = refused.value.faults
    assert reason in found.reason
    assert (found.source, found.line) == (str(tmp_path / "answers.jsonl"), 2)


@pytest.mark.parametrize("address", [{"prompt_id": "p1"}, {"prompt": "Who?"}])
def test_two_responses_to_one_prompt_are_refused(tmp_path, address):
    with pytest.raises(DefinitionError, match=r"answers\.jsonl:3: a second response"):
        recording(tmp_path, {**address, "text": "x"}, {"prompt_id": "p2"}, {**address, "text": "y"})


def test_a_file_that_is_missing_is_refused(tmp_path):
    with pytest.raises(DefinitionError, match="cannot be read"):
        Replay(tmp_path / "missing.jsonl")
