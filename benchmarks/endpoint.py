"""An OpenAI-compatible endpoint that answers after a fixed time, as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import time

from aiohttp import web

_ANSWER = {
    "id": "chatcmpl-benchmark",
    "object": "chat.completion",
    "model": "benchmark-1",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "The answer is yes."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
}


def build(latency_seconds: float) -> web.Application:
    """The endpoint; `GET /first` gives the time of the first request since the last look, and forgets it."""
    seen: list[float] = []

    async def complete(request: web.Request) -> web.Response:
        if not seen:
            seen.append(time.time())
        await request.read()
        await asyncio.sleep(latency_seconds)
        return web.json_response(_ANSWER)

    async def first(_: web.Request) -> web.Response:
        moment = seen[0] if seen else None
        seen.clear()
        return web.json_response({"first": moment})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/first", first)
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency", type=float, required=True, help="seconds")
    arguments = parser.parse_args()
    web.run_app(build(arguments.latency), host="127.0.0.1", port=arguments.port, print=None)
