"""Asking a model one short question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from eval_pipeline.application.check_model import check_model
from eval_pipeline.application.ports import ModelClient
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.responses import ModelRequest, ModelResponse, request_key
from eval_pipeline_tests.builders import failed, model, response
from eval_pipeline_tests.fakes import OneClient, ScriptedClient


@dataclass
class WatchedClients:
    """Notes what is asked, and whether the client was closed after it."""

    answer: ModelResponse
    requests: list[ModelRequest] = field(default_factory=list)
    is_closed: bool = False

    @asynccontextmanager
    async def open(self, resolved: ResolvedModel) -> AsyncIterator[ModelClient]:
        yield ScriptedClient(self._answer)
        self.is_closed = True

    def _answer(self, request: ModelRequest) -> ModelResponse:
        self.requests.append(request)
        return self.answer


class FaultyClients:
    """Clients of a provider that cannot be used."""

    @asynccontextmanager
    async def open(self, resolved: ResolvedModel) -> AsyncIterator[ModelClient]:
        raise DefinitionError("the environment variable KEY is not set")
        yield ScriptedClient(lambda request: response())


@pytest.mark.parametrize("given", [response("ready"), failed("HTTP 401")], ids=["an answer", "a failed call"])
def test_a_check_gives_the_models_response_whatever_it_is(given: ModelResponse) -> None:
    assert asyncio.run(check_model(model(), OneClient(ScriptedClient(lambda request: given)))) is given


def test_a_check_asks_once_with_the_models_own_parameters_and_closes_its_connections() -> None:
    clients = WatchedClients(response("ready"))
    asyncio.run(check_model(model(parameters={"max_tokens": 5}), clients))
    [asked] = clients.requests
    assert (asked.parameters, [message.role for message in asked.messages]) == ({"max_tokens": 5}, ["user"])
    assert asked.key == request_key("eu-west", "tern-large", asked.messages, {"max_tokens": 5}, repeat=0)
    assert clients.is_closed


def test_a_model_that_cannot_be_used_as_declared_is_refused_by_the_declarations_fault() -> None:
    with pytest.raises(DefinitionError, match="KEY is not set"):
        asyncio.run(check_model(model(), FaultyClients()))
