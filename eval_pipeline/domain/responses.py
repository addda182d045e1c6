"""What is sent to a model, what comes back, and what served it.

Field names follow OpenTelemetry's GenAI conventions where these have one. Not here: how a request
travels (adapters) and what an answer is worth (grading).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eval_pipeline.domain.canonical import content_hash
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.text import is_blank

TRUNCATED = "truncated"
"""Flag: the generation stopped at its token limit; the answer is graded as far as it goes."""
REFUSAL = "refusal"
"""Flag: the provider marked the answer as a refusal; the refusal's text is what is graded."""
REPLACED_CHARACTERS = "replaced_characters"
"""Flag: the reply held bytes or characters that no text can carry; U+FFFD stands in their place."""
UNKNOWN_FINISH_REASON = "unknown_finish_reason"
"""Flag: the reply did not say why generation stopped."""


MAX_TOKENS = 2**63 - 1
"""A count of tokens beyond this is no count."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message. `role` is `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the provider counted them; none where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ServedBy:
    """The generator of a response: what really served it, not what was configured or asked for.

    Attributes:
        provider_instance: The key of the provider instance that sent the request.
        outbound_model: The model name in the request as sent.
        reported_model: The model name in the reply. None of the three is ever guessed.
        declared_name, declared_version: What an application says that it is, in its provider's
            declaration, where it reports no model. A claim, which is no evidence of any model.
    """

    provider_instance: str | None = None
    outbound_model: str | None = None
    reported_model: str | None = None
    declared_name: str | None = None
    declared_version: str | None = None

    @property
    def complete(self) -> bool:
        """Whether all three parts are known; only then is it evidence."""
        return all((self.provider_instance, self.outbound_model, self.reported_model))

    @property
    def declared(self) -> bool:
        """Whether an application's own claim is all that is known."""
        return not self.reported_model and bool(self.provider_instance and self.declared_name)

    @property
    def identified(self) -> bool:
        """Whether responses can be told by it from those of others: it is complete, or declared."""
        return self.complete or self.declared

    @property
    def alias_only(self) -> bool:
        """Whether the reply only repeated the name sent, which does not establish fixed weights."""
        return self.complete and self.reported_model == self.outbound_model


UNKNOWN_GENERATOR = ServedBy()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One prompt as it is sent.

    Attributes:
        prompt_id: The golden prompt.
        repeat: Which asking of the same prompt this is, counted from 0.
        messages: The rendered conversation.
        parameters: Sampling and other parameters, by the provider's names.
        key: The identity of what is sent; see `request_key`.
    """

    prompt_id: str
    repeat: int
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    key: str


def request_key(
    provider_instance: str,
    outbound_model: str,
    messages: tuple[Message, ...],
    parameters: Mapping[str, Any],
    repeat: int,
) -> str:
    """The hash of all that is sent. What is expected of the answer is no part of it."""
    return content_hash(
        {
            "provider_instance": provider_instance,
            "outbound_model": outbound_model,
            "messages": [[message.role, message.content] for message in messages],
            "parameters": parameters,
            "repeat": repeat,
        }
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """What an endpoint answered, before anybody says who served it.

    Attributes:
        text: The answer; none when the reply carried none.
        reasoning: Thinking that came with the answer; kept, never graded.
        tool_calls: Calls of tools as the provider wrote them.
        finish_reason: Why generation stopped (`stop`, `length`, `content_filter`, ...); none is unknown.
        reported_model: The model name in the reply; none when missing or empty.
        usage: Token counts.
        flags: What a reader must know about this reply; see the constants of this module.
    """

    text: str | None
    reasoning: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    finish_reason: str | None = None
    reported_model: str | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """The outcome of one request: a reply, or the reason why there is none.

    Attributes:
        prompt_id, repeat, request_key: Which request this answers.
        served_by: Set by what really sent the request.
        reply: None exactly when the call failed.
        error: Why the call failed; none exactly when there is a reply.
        latency_ms: From sending to the complete reply, in milliseconds; none for a failed call.
        cost_usd: What its tokens cost when it was asked, in US dollars; none where price or tokens are unknown.
    """

    prompt_id: str
    repeat: int
    request_key: str
    served_by: ServedBy
    reply: Reply | None = None
    error: str | None = None
    latency_ms: float | None = None
    cost_usd: float | None = None

    @property
    def text(self) -> str:
        """The text of the answer, as it came.

        Raises:
            NotMeasurable: There is none.
        """
        if self.reply is None:
            raise NotMeasurable("there is no answer")
        if self.reply.text is None or (self.reply.tool_calls and is_blank(self.reply.text)):
            raise NotMeasurable("the answer has no text, only calls of tools")
        return self.reply.text

    @property
    def unusable(self) -> str | None:
        """Why there is nothing to grade, or none: a failed call, a filtered or an absent answer."""
        if self.reply is None:
            return self.error or "the call failed"
        reply = self.reply
        if reply.finish_reason == "content_filter":
            return "no answer: the provider's content filter removed it"
        if reply.finish_reason == "error":
            return "generation failed: the reply says so in its finish reason"
        if not self.answered:
            reason = reply.finish_reason or "unknown"
            thought = "only reasoning came back" if reply.reasoning else "nothing came back"
            return f"no answer: {thought} (finish reason: {reason})"
        return None

    @property
    def answered(self) -> bool:
        """Whether something came back that somebody generated: visible text or calls of tools."""
        if self.reply is None:
            return False
        has_text = self.reply.text is not None and not is_blank(self.reply.text)
        return has_text or bool(self.reply.tool_calls)
