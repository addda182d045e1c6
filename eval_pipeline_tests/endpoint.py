"""Models that answer as a test wants them to, behind a real HTTP endpoint or recorded, and sets to ask them."""

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
    set_id: str,
    numbers: Iterable[int] = range(20),
    *,
    must_pass: Collection[int] = (),
    word: str = "yes",
    **members: Any,
) -> dict[str, str]:
    """The file of a set with a prompt for each number, by its name below the project; JSON is YAML."""
    prompts = [
        {
            "id": f"p{number:02}",
            "prompt": f"{set_id} number {number}",
            "assert": [{"contains": word}],
            "must_pass": number in must_pass,
        }
        for number in numbers
    ]
    return {f"prompts/{set_id}.yaml": json.dumps({"id": set_id, **members, "prompts": prompts})}


def recorded_models(keys: Iterable[str], **members: Any) -> str:
    """The models file of models whose answers are recorded: see `recording`; `members` are those of models."""
    names = list(keys)
    document = {
        "project": "acme",
        "default_model": names[0],
        "providers": {f"{key}-site": {"kind": "replay", "path": f"{key}.jsonl"} for key in names},
        "models": {
            key: {"provider": f"{key}-site", "model": f"{key}-large", **members.get(key, {})} for key in names
        },
    }
    return json.dumps(document)


def recording(key: str, how: Answers | None = None, numbers: Iterable[int] = range(20)) -> dict[str, str]:
    """The recorded answers of a model, as its provider would serve them now, by the name of their file."""
    answers, lines = how or Answers(), []
    for number in numbers:
        line: dict[str, Any] = {"prompt_id": f"p{number:02}", "finish_reason": "stop"}
        if number in answers.refused:
            line["error"] = f"HTTP {answers.status}"
        else:
            line["text"] = f"no, says {key}" if number in answers.wrong else f"yes, says {key}"
        served_by = {"provider_instance": f"{key}-site", "outbound_model": f"{key}-large"}
        reported = answers.stray if number == 0 and answers.stray is not None else answers.reported
        line["served_by"] = served_by if reported is None else {**served_by, "reported_model": reported}
        lines.append(json.dumps(line))
    return {f"{key}.jsonl": "\n".join(lines) + "\n"}
