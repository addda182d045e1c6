"""Recorded responses, given again under the identity that they were first served with.

A line of the file is a JSON object: `prompt_id`, or `prompt` (the text of the last message), says which
request it answers; `text` (or `error`) is the response; `served_by` with `provider_instance`,
`outbound_model` and `reported_model` names what served it then. A line without `served_by` stays
without: the replay never claims the response for itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eval_pipeline.adapters.catalogue.documents import read_json_lines
from eval_pipeline.adapters.llm.chat_completion import split_reasoning
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.responses import (
    MAX_TOKENS,
    REPLACED_CHARACTERS,
    TRUNCATED,
    ModelRequest,
    ModelResponse,
    Reply,
    ServedBy,
    TokenUsage,
)
from eval_pipeline.domain.text import with_texts, without_surrogates
from eval_pipeline.domain.validation import reasons


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RecordedIdentity(_Declared):
    """What served a recorded response; anything left out is unknown."""

    model_config = ConfigDict(extra="forbid", strict=True, str_strip_whitespace=True)

    provider_instance: str | None = Field(default=None, min_length=1)
    outbound_model: str | None = Field(default=None, min_length=1)
    reported_model: str | None = Field(default=None, min_length=1)
    declared_name: str | None = Field(default=None, min_length=1)
    declared_version: str | None = Field(default=None, min_length=1)


class RecordedResponse(_Declared):
    """One line of a replay file."""

    prompt_id: str | None = None
    prompt: str | None = None
    text: str | None = None
    error: str | None = None
    reasoning: str | None = None
    tool_calls: list[dict[str, Any]] = Field(default_factory=list)
    finish_reason: str | None = None
    input_tokens: int | None = Field(default=None, ge=0, le=MAX_TOKENS)
    output_tokens: int | None = Field(default=None, ge=0, le=MAX_TOKENS)
    latency_ms: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    served_by: RecordedIdentity = Field(default_factory=RecordedIdentity)

    @model_validator(mode="after")
    def _is_addressed(self) -> RecordedResponse:
        if (self.prompt_id is None) == (self.prompt is None):
            raise ValueError("a recorded response has either prompt_id or prompt")
        return self


class Replay:
    """A model client over a file of recorded responses.

    Raises:
        DefinitionError: A line is faulty, or two lines answer the same prompt.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recorded: dict[tuple[str, str], RecordedResponse] = {}
        self._replaced: set[tuple[str, str]] = set()
        for document in read_json_lines(path, any_text=True):
            data = with_texts(document.data, without_surrogates)
            try:
                recorded = RecordedResponse.model_validate(data)
            except ValidationError as error:
                raise DefinitionError(
                    Fault(reason, str(path), document.line())
                    for _, reason in reasons(error, RecordedResponse)
                ) from None
            address = (
                ("id", recorded.prompt_id)
                if recorded.prompt_id is not None
                else ("text", recorded.prompt or "")
            )
            if address in self._recorded:
                raise DefinitionError(
                    [Fault(f"a second response to {address[1]!r:.80}", str(path), document.line())]
                )
            self._recorded[address] = recorded
            if data != document.data:
                self._replaced.add(address)

    async def ask(self, request: ModelRequest) -> ModelResponse:
        """See `ModelClient.ask`."""
        addresses = (("id", request.prompt_id), ("text", request.messages[-1].content))
        address = next((each for each in addresses if each in self._recorded), None)
        if address is None:
            return ModelResponse(
                request.prompt_id,
                request.repeat,
                request.key,
                ServedBy(),
                error=f"no response to this prompt is recorded in {self._path.name}",
            )
        recorded = self._recorded[address]
        served_by = ServedBy(**recorded.served_by.model_dump())
        return ModelResponse(
            request.prompt_id,
            request.repeat,
            request.key,
            served_by,
            reply=_reply(recorded, replaced=address in self._replaced) if recorded.error is None else None,
            error=recorded.error,
            latency_ms=recorded.latency_ms,
            cost_usd=recorded.cost_usd,
        )


def _reply(recorded: RecordedResponse, *, replaced: bool) -> Reply:
    flags = [TRUNCATED] if recorded.finish_reason == "length" else []
    if replaced:
        flags.append(REPLACED_CHARACTERS)
    text, thought = split_reasoning(recorded.text)
    return Reply(
        text=text,
        reasoning=recorded.reasoning or thought,
        tool_calls=tuple(recorded.tool_calls),
        finish_reason=recorded.finish_reason,
        reported_model=recorded.served_by.reported_model,
        usage=TokenUsage(recorded.input_tokens, recorded.output_tokens),
        flags=tuple(flags),
    )
