"""Any endpoint that speaks OpenAI's chat completions over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import httpx
from httpx_aiohttp import AiohttpTransport

from eval_pipeline.adapters.llm.chat_completion import error_message, read_chat_completion
from eval_pipeline.adapters.llm.secrets import Secret
from eval_pipeline.domain.errors import CallError, DefinitionError
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.responses import REPLACED_CHARACTERS, ModelRequest, Reply
from eval_pipeline.domain.text import excerpt

_MAX_BODY = 20_000_000


class OpenAICompatible:
    """A chat adapter over an HTTP client.

    Args:
        http: The client; tests pass one with a transport of their own.
        url: The address of chat completions.
        secret: The API key.
        timeout_seconds: The total time of one call, from connecting to the last byte.
    """

    def __init__(self, http: httpx.AsyncClient, url: str, secret: Secret, timeout_seconds: float) -> None:
        self._http = http
        self._url = httpx.URL(url)
        self._shown = without_credentials(url)
        self._secret = secret
        self._timeout_seconds = timeout_seconds
        self._headers = {"Content-Type": "application/json"}
        if secret.value:
            self._headers["Authorization"] = f"Bearer {secret.value}"

    async def complete(self, outbound_model: str, request: ModelRequest) -> Reply:
        """See `ChatAdapter.complete`."""
        body = {
            **request.parameters,
            "model": outbound_model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "stream": False,
        }
        try:
            async with asyncio.timeout(self._timeout_seconds):
                response = await self._http.post(
                    self._url, content=json.dumps(body, ensure_ascii=False), headers=self._headers
                )
        except TimeoutError:
            raise CallError(
                f"no complete answer within {self._timeout_seconds:g} s from {self._shown}"
            ) from None
        except httpx.HTTPError as error:
            raise CallError(
                self._secret.masked(f"{self._shown} cannot be reached: {_cause(error)}")
            ) from None
        try:
            return self._read(response)
        except CallError as error:
            raise CallError(self._secret.masked(str(error))) from None

    def _read(self, response: httpx.Response) -> Reply:
        if len(response.content) > _MAX_BODY:
            raise CallError(f"the reply is larger than {_MAX_BODY} bytes")
        text = response.content.decode("utf-8", errors="replace")
        flags = (REPLACED_CHARACTERS,) if "\ufffd" in text and text.encode() != response.content else ()
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if response.is_success and kind == "text/event-stream":
            raise CallError("the endpoint sent an event stream although none was asked for")
        try:
            body = read_json(text)
        except JsonFault:
            raise CallError(
                f"HTTP {response.status_code} from {self._shown} is not JSON"
                f" ({kind or 'no content type'}): {excerpt(text)}"
            ) from None
        if not response.is_success:
            error = body.get("error") if isinstance(body, dict) else None
            hint = "; check the base_url" if response.status_code == 404 else ""
            raise CallError(
                f"HTTP {response.status_code} from {self._shown}: {error_message(error or body)}{hint}"
            )
        return read_chat_completion(body, flags=flags)


@asynccontextmanager
async def http_client(max_concurrency: int, timeout_seconds: float) -> AsyncIterator[httpx.AsyncClient]:
    """A client over aiohttp's connections, whose pool stays cheap at hundreds in flight."""
    limits = httpx.Limits(max_connections=max_concurrency, max_keepalive_connections=max_concurrency)
    timeout = httpx.Timeout(timeout_seconds)
    async with httpx.AsyncClient(transport=AiohttpTransport(limits=limits), timeout=timeout) as http:
        yield http


def completions_url(base_url: str) -> str:
    """The address of chat completions under a base URL.

    The base URL goes up to and including the version (`https://host/v1`); a bare host gets `/v1`; an
    address that already ends in `/chat/completions` is taken as it is. A query is kept.

    Raises:
        DefinitionError: It is no HTTP address.
    """
    parts = urlsplit(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise DefinitionError(
            f"base_url '{without_credentials(base_url)}' is no address such as https://host/v1"
        )
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def without_credentials(url: str) -> str:
    """`url` without the user and password that it may carry, and without its query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _cause(error: Exception) -> str:
    """A connection fault in words: its class, since its text may be empty."""
    return f"{type(error).__name__}{f', {excerpt(str(error))}' if str(error) else ''}"
