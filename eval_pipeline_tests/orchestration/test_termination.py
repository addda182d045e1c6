"""An evaluation that is stopped in the middle, in a real process against a real, slow endpoint."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from aiohttp import web

from eval_pipeline_tests.http_server import HttpServer

PROMPTS, ANSWERED, AT_ONCE = 12, 5, 4
MODELS = """
project: acme
providers:
  slow: {{kind: openai, base_url: "{url}/v1", max_concurrency: {at_once}}}
models:
  first: {{provider: slow}}
  second: {{provider: slow}}
"""


async def answer(request: web.Request) -> web.StreamResponse:
    """Answers the first prompts at once and the others not while a test lasts."""
    body = await request.json()
    number = int(body["messages"][-1]["content"].split()[-1])
    await asyncio.sleep(0 if number <= ANSWERED else 600)
    choice = {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
    return web.json_response({"model": "tern-4-2026", "choices": [choice]})


@dataclass(frozen=True)
class Stopped:
    """What a stopped evaluation leaves behind."""

    status: int
    stderr: str
    asked: list[str]
    runs: list[tuple[str, str]]
    stored: list[str]


def stopped_by(number: signal.Signals, folder: Path, url: str) -> Stopped:
    """Evaluate on two models, and send a signal while the first is waited for."""
    with HttpServer(answer) as server:
        (folder / "evals" / "prompts").mkdir(parents=True)
        models = MODELS.format(url=server.url, at_once=AT_ONCE)
        (folder / "evals" / "models.yaml").write_text(models, "utf-8")
        prompts = "".join(
            f"  - {{id: p{n}, prompt: Question {n}, assert: [{{contains: 'yes'}}]}}\n"
            for n in range(1, PROMPTS + 1)
        )
        (folder / "evals" / "prompts" / "slow.yaml").write_text(
            f"id: acme.slow\nprompts:\n{prompts}", "utf-8"
        )
        process = subprocess.Popen(
            [
                Path(sys.executable).parent / "eval-pipeline",
                *("run", "acme.slow", "--model", "first", "--model", "second"),
            ],
            cwd=folder,
            env={**os.environ, "EVAL_PIPELINE_DATABASE_URL": url, "EVAL_PIPELINE_HOME": str(folder / "home")},
            stderr=subprocess.PIPE,
            text=True,
        )
        with psycopg.connect(url, autocommit=True) as connection:
            count = "select count(*) from model_response"
            wait_until(process, lambda: len(server.received) == ANSWERED + AT_ONCE)
            wait_until(process, lambda: connection.execute(count).fetchone() == (ANSWERED,))
            process.send_signal(number)
            stderr = ended(process)
            return Stopped(
                process.returncode,
                stderr,
                [received.json["model"] for received in server.received],
                connection.execute("select model_key, status from evaluation_run order by id").fetchall(),
                [row[0] for row in connection.execute("select prompt_id from model_response order by 1")],
            )


def ended(process: subprocess.Popen[str]) -> str:
    """What a process said until it ended, by itself or, when it takes too long, by force."""
    try:
        return process.communicate(timeout=10)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[1]


def wait_until(process: subprocess.Popen[str], holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.1)
    process.kill()
    raise TimeoutError(process.communicate()[1])


@pytest.fixture(scope="module", params=[signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "a request to end"])
def stopped(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    new_dagster_url: Callable[[], str],
) -> Stopped:
    return stopped_by(request.param, tmp_path_factory.mktemp("stopped"), new_dagster_url())


def test_what_had_arrived_is_stored_and_the_run_is_recorded_as_interrupted(stopped: Stopped) -> None:
    assert stopped.stored == [f"p{n}" for n in range(1, ANSWERED + 1)]
    assert stopped.runs == [("first", "interrupted")]


def test_nothing_more_is_asked_after_a_stop_also_not_of_the_next_model(stopped: Stopped) -> None:
    assert stopped.asked == ["first"] * (ANSWERED + AT_ONCE)


def test_a_stop_is_told_to_people_without_a_traceback_and_is_no_success(stopped: Stopped) -> None:
    assert stopped.status in (3, 130)
    assert "what had arrived is stored" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert "dagster" not in stopped.stderr


def test_what_had_arrived_is_stored_also_when_the_process_is_killed(
    tmp_path: Path, new_dagster_url: Callable[[], str]
) -> None:
    killed = stopped_by(signal.SIGKILL, tmp_path, new_dagster_url())
    assert killed.stored == [f"p{n}" for n in range(1, ANSWERED + 1)]
    assert killed.runs == [("first", "running")]
