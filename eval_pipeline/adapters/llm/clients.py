"""From a configured model to a client that asks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from eval_pipeline.adapters.llm.addresses import completions_address
from eval_pipeline.adapters.llm.replay import Replay
from eval_pipeline.adapters.llm.secrets import read_secret
from eval_pipeline.adapters.llm.terminal import Terminal
from eval_pipeline.application.ports import ModelClient
from eval_pipeline.domain.model_catalogue import (
    LlamaCppProvider,
    OpenAIProvider,
    ReplayProvider,
    ResolvedModel,
)


class ProviderClients:
    """Opens a client by the kind of a model's provider. Heavy adapters are imported on first need.

    Args:
        environment: Where API keys are looked up.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def validate(self, model: ResolvedModel) -> None:
        """Refuse a model that could not be asked, without asking it.

        Raises:
            DefinitionError: Its address, key, recording or weights cannot be used.
        """
        match model.provider:
            case OpenAIProvider() as provider:
                completions_address(provider.base_url)
                read_secret(self._environment, provider.api_key_env, provider.api_key_file)
            case LlamaCppProvider() as provider:
                from eval_pipeline.adapters.llm.llama_cpp import model_file

                model_file(provider.path)
            case ReplayProvider() as provider:
                Replay(Path(provider.path))

    @asynccontextmanager
    async def open(self, model: ResolvedModel) -> AsyncIterator[ModelClient]:
        """See `ModelClients.open`."""
        match model.provider:
            case OpenAIProvider() as provider:
                from eval_pipeline.adapters.llm.openai_compatible import (
                    OpenAICompatible,
                    http_transport,
                )

                address = completions_address(provider.base_url)
                secret = read_secret(self._environment, provider.api_key_env, provider.api_key_file)
                async with http_transport(provider.max_concurrency) as transport:
                    adapter = OpenAICompatible(transport, address, secret, provider.timeout_seconds)
                    yield Terminal(adapter, model.provider_key, model.outbound_model)
            case LlamaCppProvider() as provider:
                from eval_pipeline.adapters.llm.llama_cpp import loaded_model

                async with loaded_model(provider.path) as engine:
                    yield Terminal(engine, model.provider_key, model.outbound_model)
            case ReplayProvider() as provider:
                yield Replay(Path(provider.path))
