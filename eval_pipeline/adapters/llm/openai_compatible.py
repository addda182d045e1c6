"""Any endpoint that speaks OpenAI's chat completions over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from eval_pipeline.adapters.llm.addresses import Address
from eval_pipeline.adapters.llm.chat_completion import error_message, read_chat_completion
from eval_pipeline.adapters.llm.secrets import Secret
from eval_pipeline.domain.errors import CallError
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.responses import REPLACED_CHARACTERS, ModelRequest, Reply
from eval_pipeline.domain.text import excerpt

_AGENT = f"eval-pipeline/{version('eval-pipeline')}"
MAX_BODY = 20_000_000
"""The longest reply, in bytes, that is read."""


class OpenAICompatible:
    """A chat adapter over one of httpx's transports.

    Not over a client: redirects must not be followed with the key, and what else a client adds to a
    request costs as much as sending it.

    Args:
        transport: Sends requests; tests may pass one of their own.
        address: Where chat completions are, with the credentials that the address itself carries.
        secret: The API key.
        timeout_seconds: The total time of one call, from connecting to the last byte.
    """

    def __init__(
        self, transport: httpx.AsyncBaseTransport, address: Address, secret: Secret, timeout_seconds: float
    ) -> None:
        self._transport = transport
        self._url = httpx.URL(address.url)
        self._shown = address.shown
        self._secret = secret if secret.value else Secret(address.password)
        self._timeout_seconds = timeout_seconds
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": _AGENT,
        }
        authorization = f"Bearer {secret.value}" if secret.value else address.basic_authorization
        if authorization:
            self._headers["Authorization"] = authorization

    async def complete(self, outbound_model: str, request: ModelRequest) -> Reply:
        """See `ChatAdapter.complete`."""
        body = {
            **request.parameters,
            "model": outbound_model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "stream": False,
        }
        content = json.dumps(body, ensure_ascii=False, allow_nan=False)
        sent = httpx.Request("POST", self._url, content=content, headers=self._headers)
        try:
            async with asyncio.timeout(self._timeout_seconds):
                response = await self._transport.handle_async_request(sent)
                try:
                    received = await self._received(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise CallError(
                f"no complete answer within {self._timeout_seconds:g} s from {self._shown}"
            ) from None
        except (httpx.HTTPError, aiohttp.ClientError, ValueError) as error:
            raise CallError(f"{self._shown} cannot be reached: {self._cause(error)}") from None
        return self._read(response, received)

    async def _received(self, response: httpx.Response) -> bytes:
        received = bytearray()
        async for chunk in response.aiter_bytes():
            received += chunk
            if len(received) > MAX_BODY:
                raise CallError(f"the reply of {self._shown} is larger than {MAX_BODY} bytes")
        return bytes(received)

    def _read(self, response: httpx.Response, received: bytes) -> Reply:
        text = received.decode("utf-8", errors="replace")
        flags = (REPLACED_CHARACTERS,) if "\ufffd" in text and text.encode() != received else ()
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.is_success and (kind == "text/event-stream" or _holds_events(text)):
            raise CallError(f"{self._shown} sent an event stream although none was asked for")
        try:
            body = read_json(text)
        except JsonFault:
            shown = excerpt(self._secret.masked(text))
            raise CallError(
                f"HTTP {response.status_code} from {self._shown} is not JSON ({kind or 'no content type'}): {shown}"
            ) from None
        if not response.is_success:
            error = body.get("error") if isinstance(body, dict) else None
            reason = error_message(error or body, self._secret.masked)
            hint = "; check the base_url" if response.status_code == httpx.codes.NOT_FOUND else ""
            raise CallError(f"HTTP {response.status_code} from {self._shown}: {reason}{hint}")
        return read_chat_completion(body, flags=flags, mask=self._secret.masked)

    def _cause(self, error: Exception) -> str:
        """A fault in words: its class, since its text may be empty, and the text without the address."""
        text = self._secret.masked(str(error).replace(str(self._url), self._shown))
        return f"{type(error).__name__}{f', {excerpt(text)}' if text else ''}"


def _holds_events(text: str) -> bool:
    return any(line.startswith("data:") for line in text.split("\n"))


@asynccontextmanager
async def http_transport(max_concurrency: int) -> AsyncIterator[httpx.AsyncBaseTransport]:
    """A transport over aiohttp's connections, whose pool stays cheap at hundreds in flight."""
    limits = httpx.Limits(max_connections=max_concurrency, max_keepalive_connections=max_concurrency)
    transport = AiohttpTransport(limits=limits)
    try:
        yield transport
    finally:
        await transport.aclose()
