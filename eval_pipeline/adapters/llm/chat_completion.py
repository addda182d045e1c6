"""Reading a chat completion: the JSON with which OpenAI-compatible endpoints answer.

Whatever such endpoints really send is read into a `Reply` or refused with a cause: error bodies under
status 200, no choices, `null` content, lists of parts, refusals, reasoning, unknown reasons to stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_pipeline.domain.errors import CallError
from eval_pipeline.domain.responses import (
    REFUSAL,
    REPLACED_CHARACTERS,
    TRUNCATED,
    UNKNOWN_FINISH_REASON,
    Reply,
    TokenUsage,
)
from eval_pipeline.domain.text import excerpt, without_surrogates

_OPENING, _CLOSING = "<think>", "</think>"


def read_chat_completion(body: Any, *, flags: tuple[str, ...] = ()) -> Reply:
    """The reply that a decoded body holds.

    Args:
        body: The decoded JSON.
        flags: What is known of the reply before it is read.

    Raises:
        CallError: It holds none; the message says what it holds instead.
    """
    if not isinstance(body, Mapping):
        raise CallError(f"the reply is JSON, but no chat completion: {excerpt(str(body))}")
    if body.get("error"):
        raise CallError(f"the endpoint answered with an error: {error_message(body['error'])}")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise CallError("the reply has no choices")
    choice = min(choices, key=_index) if all(isinstance(entry, Mapping) for entry in choices) else None
    message = choice.get("message") if choice is not None else None
    if choice is None or not isinstance(message, Mapping):
        raise CallError("the reply's choice has no message")
    if choice.get("error"):
        raise CallError(f"generation failed: {error_message(choice['error'])}")
    return _reply(body, choice, message, flags)


def error_message(error: Any) -> str:
    """The message of an error object, or what there is instead of one."""
    if isinstance(error, Mapping):
        code = error.get("code") or error.get("type")
        message = str(error.get("message") or error)
        return excerpt(f"{message} ({code})" if code else message)
    return excerpt(str(error))


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
    text = _text(message.get("content"))
    if text is None and (refusal := _text(message.get("refusal"))) is not None:
        text = refusal
        found.append(REFUSAL)
    text, thought = _split_reasoning(text)
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning")) or thought
    tool_calls = message.get("tool_calls") or ()
    clean = _clean(text), _clean(reasoning)
    if clean != (text, reasoning):
        found.append(REPLACED_CHARACTERS)
    reported = body.get("model")
    return Reply(
        text=clean[0],
        reasoning=clean[1],
        tool_calls=tuple(call for call in tool_calls if isinstance(call, Mapping)),
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
        parts = [
            part["text"]
            for part in content
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        ]
        return "".join(parts) or None
    return None


def _split_reasoning(text: str | None) -> tuple[str | None, str | None]:
    """The answer and the reasoning of a text that opens with a thinking block.

    A block that is never closed is all reasoning. The words `<think>` anywhere else are text.
    """
    if text is None or not text.lstrip().startswith(_OPENING):
        return text, None
    thought, closing, answer = text.lstrip().removeprefix(_OPENING).partition(_CLOSING)
    return (answer.strip() or None if closing else None), thought.strip()


def _usage(usage: Any) -> TokenUsage:
    if not isinstance(usage, Mapping):
        return TokenUsage()
    return TokenUsage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _clean(text: str | None) -> str | None:
    return None if text is None else without_surrogates(text)
