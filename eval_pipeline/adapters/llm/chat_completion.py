"""Reading a chat completion: the JSON with which OpenAI-compatible endpoints answer.

Whatever such endpoints really send is read into a `Reply` or refused with a cause: error bodies under
status 200, no choices, `null` content, lists of parts, refusals, reasoning, unknown reasons to stop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from eval_pipeline.domain.errors import CallError
from eval_pipeline.domain.responses import (
    MAX_TOKENS,
    REFUSAL,
    REPLACED_CHARACTERS,
    TRUNCATED,
    UNKNOWN_FINISH_REASON,
    Reply,
    TokenUsage,
)
from eval_pipeline.domain.text import excerpt, with_texts, without_keys, without_surrogates

_TEXT_PARTS = ("text", "output_text", None)
_OPENING, _CLOSING = "<think>", "</think>"


def read_chat_completion(
    body: Any, *, flags: tuple[str, ...] = (), mask: Callable[[str], str] = without_keys
) -> Reply:
    """The reply that a decoded body holds.

    Args:
        body: The decoded JSON.
        flags: What is known of the reply before it is read.
        mask: Takes secrets out of the texts of errors.

    Raises:
        CallError: It holds none; the message says what it holds instead.
    """
    received, body = body, with_texts(body, without_surrogates)
    if body != received:
        flags = (*flags, REPLACED_CHARACTERS)
    if not isinstance(body, Mapping):
        raise CallError(f"the reply is JSON, but no chat completion: {error_message(body, mask)}")
    if body.get("error"):
        raise CallError(f"the endpoint answered with an error: {error_message(body['error'], mask)}")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise CallError("the reply has no choices")
    choice = min(choices, key=_index) if all(isinstance(entry, Mapping) for entry in choices) else None
    message = choice.get("message") if choice is not None else None
    if choice is None or not isinstance(message, Mapping):
        raise CallError("the reply's choice has no message")
    if choice.get("error"):
        raise CallError(f"generation failed: {error_message(choice['error'], mask)}")
    return _reply(body, choice, message, flags)


def error_message(error: Any, mask: Callable[[str], str] = without_keys) -> str:
    """The message of an error object, or what there is instead of one, without secrets and shortened."""
    message = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    if isinstance(error, Mapping) and isinstance(error.get("message"), str) and error["message"]:
        code = error.get("code") or error.get("type")
        message = f"{error['message']} ({code})" if code else error["message"]
    return excerpt(without_surrogates(mask(message)))


def _reply(
    body: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any], flags: tuple[str, ...]
) -> Reply:
    found = list(flags)
    finish_reason = choice.get("finish_reason")
    if not isinstance(finish_reason, str) or not finish_reason:
        finish_reason = None
        found.append(UNKNOWN_FINISH_REASON)
    if finish_reason == "length":
        found.append(TRUNCATED)
    content = message.get("content")
    text = _text(content)
    if text is None and (refusal := _text(message.get("refusal")) or _refusal_part(content)) is not None:
        text = refusal
        found.append(REFUSAL)
    text, thought = split_reasoning(text)
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning")) or thought
    tool_calls = message.get("tool_calls")
    reported = body.get("model")
    return Reply(
        text=text,
        reasoning=reasoning,
        tool_calls=_mappings(tool_calls),
        finish_reason=finish_reason,
        reported_model=reported.strip() if isinstance(reported, str) and reported.strip() else None,
        usage=_usage(body.get("usage")),
        flags=tuple(dict.fromkeys(found)),
    )


def _index(choice: Mapping[str, Any]) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def _text(content: Any) -> str | None:
    """The text of a content field: a text, or the text parts of a list; never the word None."""
    if isinstance(content, str):
        return content or None
    if isinstance(content, list):
        parts = [part for part in _mappings(content) if part.get("type") in _TEXT_PARTS]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str)) or None
    return None


def _refusal_part(content: Any) -> str | None:
    parts = [part.get("refusal") for part in _mappings(content)]
    return next((part for part in parts if isinstance(part, str) and part), None)


def _mappings(entries: Any) -> tuple[Mapping[str, Any], ...]:
    return (
        tuple(entry for entry in entries if isinstance(entry, Mapping)) if isinstance(entries, list) else ()
    )


def split_reasoning(text: str | None) -> tuple[str | None, str | None]:
    """The answer and the reasoning of a text that opens with a thinking block.

    A block that is never closed is all reasoning. Some models' templates open the block themselves, so
    that only its end arrives. The words `<think>` anywhere else are text.
    """
    if text is not None and _OPENING not in text and _CLOSING in text:
        text = _OPENING + text
    if text is None or not text.lstrip().startswith(_OPENING):
        return text, None
    thought, closing, answer = text.lstrip().removeprefix(_OPENING).partition(_CLOSING)
    return (answer.strip() or None if closing else None), thought.strip()


def _usage(usage: Any) -> TokenUsage:
    if not isinstance(usage, Mapping):
        return TokenUsage()
    return TokenUsage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS
    return value if is_count else None
