"""A real HTTP server on the loopback interface, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from multidict import CIMultiDictProxy

from eval_pipeline.domain.json_text import read_json

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived. `path` includes the query; header names are matched in any case."""

    method: str
    path: str
    headers: CIMultiDictProxy[str]
    body: bytes

    @property
    def json(self) -> Any:
        """The decoded body."""
        return read_json(self.body.decode())


class HttpServer:
    """Answers every request through `handler` and keeps what arrived, while its context lasts.

    A handler whose client has gone, or that still runs at the end of the context, is cancelled.
    """

    def __init__(self, handler: Handler) -> None:
        self.received: list[Received] = []
        self.url = ""
        self._handler = handler
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(timeout=10):
            raise RuntimeError("the server did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(client_max_size=2**27)
        application.router.add_route("*", "/{anything:.*}", self._answer)
        runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        self._ready.set()
        await self._stop.wait()
        await site.stop()
        while any("_accept" in str(task.get_coro()) for task in asyncio.all_tasks()):  # noqa: ASYNC110
            await asyncio.sleep(0)  # what is just being accepted would otherwise be left open
        await asyncio.sleep(0.02)
        await runner.cleanup()
        await asyncio.sleep(0.02)  # connections are closed by callbacks of the loop

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.received.append(Received(request.method, request.raw_path, request.headers, body))
        return await self._handler(request)
