"""A model behind a real HTTP endpoint that answers every set as a test wants it to, and the sets to ask it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from eval_pipeline_tests.http_server import HttpServer

SNAPSHOT, NEXT_SNAPSHOT = "tern-4-2026", "tern-5-2027"
MODELS = """
project: acme
default_model: tern
providers:
  live: {kind: openai, base_url: "${LIVE_URL}"}
models:
  tern: {provider: live, model: tern-large}
  heron: {provider: live, model: heron-small}
"""


@dataclass(frozen=True)
class Answers:
    """How a set is answered.

    Attributes:
        wrong: So many of its prompts, the first ones, are answered wrongly.
        reported: The name of the model in the replies; none leaves it out.
        stray: The name of the model in the reply to the last prompt instead.
        refused: So many of its prompts, the last ones, end with an error.
        status: Of these errors.
    """

    wrong: int = 0
    reported: str | None = SNAPSHOT
    stray: str | None = None
    refused: int = 0
    status: int = 500


@dataclass
class Endpoint:
    """Answers whatever is asked of it by what is set for the set at the moment.

    Attributes:
        url: Where it listens.
        answers: By set, or by set and the name of the model that is asked.
        asked: How often each prompt was asked, by set and prompt.
    """

    url: str = ""
    answers: dict[str | tuple[str, str], Answers] = field(default_factory=dict)
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)

    def count(self, set_id: str) -> int:
        """How many requests a set has cost so far."""
        return sum(times for (asked, _), times in self.asked.items() if asked == set_id)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        set_id, prompt_id, number, count = body["messages"][-1]["content"].split()
        self.asked[set_id, prompt_id] += 1
        how = self.answers.get((set_id, body["model"])) or self.answers.get(set_id) or Answers()
        if int(number) >= int(count) - how.refused:
            return web.json_response({"error": {"message": "no such key"}}, status=how.status)
        last = int(number) == int(count) - 1
        reported = how.stray if last and how.stray is not None else how.reported
        message = {"role": "assistant", "content": "no" if int(number) < how.wrong else "yes"}
        reply = {"choices": [{"message": message, "finish_reason": "stop"}]}
        return web.json_response(reply if reported is None else {**reply, "model": reported})


@contextmanager
def serving() -> Iterator[Endpoint]:
    """An endpoint that listens."""
    endpoint = Endpoint()
    with HttpServer(endpoint.answer) as server:
        endpoint.url = server.url
        yield endpoint


def set_file(
    set_id: str,
    count: int = 20,
    *,
    prefix: str = "p",
    word: str = "yes",
    must_pass: Mapping[str, bool] | None = None,
    **members: Any,
) -> dict[str, str]:
    """The file of a set of so many prompts, by its name below the project; JSON is YAML."""
    prompts = [
        {
            "id": f"{prefix}{number:02}",
            "prompt": f"{set_id} {prefix}{number:02} {number} {count}",
            "assert": [{"contains": word}],
            "must_pass": (must_pass or {}).get(f"{prefix}{number:02}", False),
            "tags": ["first"] if number == 0 else [],
        }
        for number in range(count)
    ]
    return {f"prompts/{set_id}.yaml": json.dumps({"id": set_id, **members, "prompts": prompts})}
