"""The place where a request really leaves, and where a response is told who served it.

An adapter says what came back. That it came from this provider instance, under this outbound model, is
known here and written here, over anything else: no adapter can claim to be another.
"""

from __future__ import annotations

import time
from typing import Protocol

from eval_pipeline.domain.errors import CallError
from eval_pipeline.domain.responses import ModelRequest, ModelResponse, Reply, ServedBy
from eval_pipeline.domain.text import excerpt


class ChatAdapter(Protocol):
    """Speaks to one kind of provider."""

    async def complete(self, outbound_model: str, request: ModelRequest) -> Reply:
        """The reply to `request`, sent under the name `outbound_model`.

        Raises:
            CallError: There is no reply; the message is the prompt's reason.
        """


class Terminal:
    """A model client that sends through an adapter and names what served.

    Args:
        adapter: Sends the requests.
        provider_instance: The key of the provider instance that the adapter stands for.
        outbound_model: The name that is sent.
    """

    def __init__(self, adapter: ChatAdapter, provider_instance: str, outbound_model: str) -> None:
        self._adapter = adapter
        self._provider_instance = provider_instance
        self._outbound_model = outbound_model

    async def ask(self, request: ModelRequest) -> ModelResponse:
        """See `ModelClient.ask`."""
        reply, error, latency_ms = None, None, None
        started = time.perf_counter()
        try:
            reply = await self._adapter.complete(self._outbound_model, request)
            latency_ms = (time.perf_counter() - started) * 1000
        except CallError as fault:
            error = str(fault)
        except Exception as fault:  # noqa: BLE001 - an adapter may be anybody's; the other prompts go on
            error = f"the adapter raised {type(fault).__name__}: {excerpt(str(fault))}"
        return ModelResponse(
            prompt_id=request.prompt_id,
            repeat=request.repeat,
            request_key=request.key,
            served_by=ServedBy(
                self._provider_instance, self._outbound_model, reply.reported_model if reply else None
            ),
            reply=reply,
            error=error,
            latency_ms=latency_ms,
        )
