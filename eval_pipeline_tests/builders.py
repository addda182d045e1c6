"""Objects that are valid by default: a test names only what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_pipeline.domain.assertions import Answer, Contains
from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.model_catalogue import OpenAIProvider, Price, ProviderInstance, ResolvedModel
from eval_pipeline.domain.responses import Message, ModelRequest, ModelResponse, Reply, ServedBy, TokenUsage

# Key, provider, outbound name and reported name differ, so that a mix-up of two shows.
SERVED_BY = ServedBy("eu-west", "tern-large", "tern-4-2026")
PROVIDER = OpenAIProvider(kind="openai", base_url="http://127.0.0.1:9/v1")


def prompt(prompt_id: str = "p1", **changes: Any) -> GoldenPrompt:
    """A prompt that asks something and expects the word yes."""
    if not {"prompt", "messages"} & changes.keys():
        changes["prompt"] = f"Question {prompt_id}?"
    return GoldenPrompt(**{"id": prompt_id, "assertions": [Contains("yes")], **changes})


def golden_set(*prompts: GoldenPrompt, **changes: Any) -> GoldenPromptSet:
    """A set of the given prompts, or of one."""
    return GoldenPromptSet(**{"id": "acme.set", "prompts": prompts or (prompt(),), **changes})


def model(
    key: str = "tern",
    provider: ProviderInstance = PROVIDER,
    parameters: Mapping[str, Any] | None = None,
    price: Price | None = None,
) -> ResolvedModel:
    """A model whose key, provider instance and outbound name all differ."""
    return ResolvedModel(key, "eu-west", provider, "tern-large", parameters or {}, price)


def request(prompt_id: str = "p1", text: str = "Question?", **changes: Any) -> ModelRequest:
    """A request of one user message."""
    defaults = {
        "prompt_id": prompt_id,
        "repeat": 0,
        "messages": (Message("user", text),),
        "parameters": {},
        "key": f"key-{prompt_id}",
    }
    return ModelRequest(**{**defaults, **changes})


def response(text: str | None = "yes", prompt_id: str = "p1", **changes: Any) -> ModelResponse:
    """A response with an answer."""
    reply = Reply(
        text, finish_reason="stop", reported_model=SERVED_BY.reported_model, usage=TokenUsage(10, 5)
    )
    defaults = {
        "prompt_id": prompt_id,
        "repeat": 0,
        "request_key": f"key-{prompt_id}",
        "served_by": SERVED_BY,
        "reply": reply,
        "latency_ms": 12.0,
    }
    return ModelResponse(**{**defaults, **changes})


def answered(text: str | None = "yes", **changes: Any) -> Answer:
    """A response as assertions see it, without detectors."""
    return Answer(response(text, **changes))


def failed(error: str = "HTTP 500", prompt_id: str = "p1") -> ModelResponse:
    """A call that failed."""
    served_by = ServedBy(SERVED_BY.provider_instance, SERVED_BY.outbound_model, None)
    return response(None, prompt_id, reply=None, error=error, latency_ms=None, served_by=served_by)


def replies(*texts: str) -> Sequence[Reply]:
    """Replies with these texts."""
    return [Reply(text, finish_reason="stop", reported_model=SERVED_BY.reported_model) for text in texts]
