"""Asking a model one short question, to see whether it can be asked at all and what serves it."""

from __future__ import annotations

from eval_pipeline.application.ports import ModelClients
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.responses import Message, ModelRequest, ModelResponse, request_key

_QUESTION = (Message("user", "Answer with the word ready."),)


async def check_model(model: ResolvedModel, clients: ModelClients) -> ModelResponse:
    """The response to one short question; nothing is stored.

    Raises:
        DefinitionError: The model cannot be used as declared.
    """
    key = request_key(model.provider_key, model.outbound_model, _QUESTION, model.parameters, repeat=0)
    async with clients.open(model) as client:
        return await client.ask(ModelRequest("check", 0, _QUESTION, model.parameters, key))
