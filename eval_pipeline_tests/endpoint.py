"""A model behind a real HTTP endpoint that answers as a test wants it to, and the sets to ask it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from eval_pipeline_tests.http_server import HttpServer

SNAPSHOT, NEXT_SNAPSHOT = "tern-4-2026", "tern-5-2027"


@dataclass(frozen=True)
class Answers:
    """How a model answers the prompts of any set, which are counted from 0.

    Attributes:
        wrong: These are answered wrongly.
        reported: The name of the model in the replies; none leaves it out.
        stray: The name in the reply to the first prompt instead.
        refused: These end with an error.
        status: Of these errors.
    """

    wrong: Collection[int] = ()
    reported: str | None = SNAPSHOT
    stray: str | None = None
    refused: Collection[int] = ()
    status: int = 500


@dataclass
class Endpoint:
    """Answers by what is set at the moment.

    Attributes:
        url: Where it listens.
        answers: By the name of the model that is asked; all right where there is none.
        asked: How often each prompt was asked, by set and number.
    """

    url: str = ""
    answers: dict[str, Answers] = field(default_factory=dict)
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        set_id, number = body["messages"][-1]["content"].split(" number ")
        how, position = self.answers.get(body["model"], Answers()), int(number)
        self.asked[set_id, position] += 1
        if position in how.refused:
            return web.json_response({"error": {"message": "out of order"}}, status=how.status)
        reported = how.stray if position == 0 and how.stray is not None else how.reported
        message = {"role": "assistant", "content": "no, never" if position in how.wrong else "yes, always"}
        reply = {"choices": [{"message": message, "finish_reason": "stop"}]}
        return web.json_response(reply if reported is None else {**reply, "model": reported})


@contextmanager
def serving() -> Iterator[Endpoint]:
    """An endpoint that listens."""
    endpoint = Endpoint()
    with HttpServer(endpoint.answer) as server:
        endpoint.url = server.url
        yield endpoint


def models_file(keys: Iterable[str], project: str = "acme") -> str:
    """The models file of models that the endpoint at LIVE_URL serves, each under its own key."""
    models = {key: {"provider": "live"} for key in keys}
    live = {"kind": "openai", "base_url": "${LIVE_URL}"}
    document = {
        "project": project,
        "default_model": next(iter(models)),
        "providers": {"live": live},
        "models": models,
    }
    return json.dumps(document)


def set_file(
    set_id: str, numbers: Iterable[int] = range(20), *, must_pass: Collection[int] = (), **members: Any
) -> dict[str, str]:
    """The file of a set with a prompt for each number, by its name below the project; JSON is YAML."""
    prompts = [
        {
            "id": f"p{number:02}",
            "prompt": f"{set_id} number {number}",
            "assert": [{"contains": "yes"}],
            "must_pass": number in must_pass,
        }
        for number in numbers
    ]
    return {f"prompts/{set_id}.yaml": json.dumps({"id": set_id, **members, "prompts": prompts})}
