"""Which client is opened for which kind of provider."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from aiohttp import web

from eval_pipeline.adapters.llm.clients import ProviderClients
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.model_catalogue import (
    LlamaCppProvider,
    OpenAIProvider,
    ReplayProvider,
    ResolvedModel,
)
from eval_pipeline.domain.responses import ModelResponse, ServedBy
from eval_pipeline_tests import builders
from eval_pipeline_tests.http_server import HttpServer


def ask(model: ResolvedModel, environment: Mapping[str, str] | None = None) -> ModelResponse:
    """The response to one request through a client that is opened for it."""

    async def opened() -> ModelResponse:
        async with ProviderClients(environment or {}).open(model) as client:
            return await client.ask(builders.request())

    return asyncio.run(opened())


async def saying_yes(request: web.Request) -> web.Response:
    return web.json_response(
        {"model": "tern-4-2026", "choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}
    )


def test_an_endpoint_is_asked_over_http_with_the_key_from_the_environment():
    with HttpServer(saying_yes) as server:
        provider = OpenAIProvider(kind="openai", base_url=server.url, api_key_env="GATEWAY_KEY")
        response = ask(builders.model(provider=provider), {"GATEWAY_KEY": "plain-key"})
    assert response.reply.text == "yes"
    assert response.served_by == builders.SERVED_BY
    assert [one.headers["Authorization"] for one in server.received] == ["Bearer plain-key"]
    assert [one.json["model"] for one in server.received] == ["tern-large"]


def test_an_endpoint_is_asked_with_the_key_from_a_file(tmp_path):
    (tmp_path / "key").write_text("plain-key\n")
    with HttpServer(saying_yes) as server:
        provider = OpenAIProvider(kind="openai", base_url=server.url, api_key_file=str(tmp_path / "key"))
        ask(builders.model(provider=provider))
    assert [one.headers["Authorization"] for one in server.received] == ["Bearer plain-key"]


def test_an_endpoint_is_given_up_at_the_limit_of_its_provider():
    async def never(request: web.Request) -> web.Response:
        await asyncio.sleep(3600)
        return web.Response()

    with HttpServer(never) as server:
        provider = OpenAIProvider(kind="openai", base_url=server.url, timeout_seconds=0.2)
        assert "within 0.2 s" in ask(builders.model(provider=provider)).error


@pytest.mark.parametrize(
    "provider",
    [
        OpenAIProvider(kind="openai", base_url="host.example/v1"),
        OpenAIProvider(kind="openai", base_url="http://host/v1", api_key_env="GATEWAY_KEY"),
        OpenAIProvider(kind="openai", base_url="http://host/v1", api_key_file="/nowhere/key"),
        OpenAIProvider(
            kind="openai", base_url="http://host/v1", api_key_env="GATEWAY_KEY", api_key_file="/nowhere/key"
        ),
        ReplayProvider(kind="replay", path="/nowhere/answers.jsonl"),
        LlamaCppProvider(kind="llama_cpp", path="/nowhere/weights.gguf"),
    ],
)
def test_a_provider_that_cannot_be_used_as_declared_is_refused_before_anything_is_asked(provider):
    with pytest.raises(DefinitionError):
        ask(builders.model(provider=provider))


def test_a_recording_is_replayed_under_its_own_identity(tmp_path):
    (tmp_path / "answers.jsonl").write_text(
        '{"prompt_id": "p1", "text": "yes", "served_by": {"provider_instance": "us-east"}}'
    )
    provider = ReplayProvider(kind="replay", path=str(tmp_path / "answers.jsonl"))
    response = ask(builders.model(provider=provider))
    assert response.reply.text == "yes"
    assert response.served_by == ServedBy("us-east", None, None)


@pytest.mark.parametrize("end", [ValueError("stopped"), KeyboardInterrupt()])
def test_connections_are_closed_whatever_ends_the_context(end):
    async def stopped(server: HttpServer) -> None:
        provider = OpenAIProvider(kind="openai", base_url=server.url)
        async with ProviderClients({}).open(builders.model(provider=provider)) as client:
            await client.ask(builders.request())
            raise end

    with HttpServer(saying_yes) as server, pytest.raises(type(end)):
        asyncio.run(stopped(server))
