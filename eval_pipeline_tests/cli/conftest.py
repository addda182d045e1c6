"""The real command, in a process and with an evaluation project of its own, on a database of the fixtures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Settings of ours must not reach the command, and without bytecode every start would compile anew.
_NOT_INHERITED = ("EVAL_PIPELINE_", "DAGSTER_", "PYTHONDONTWRITEBYTECODE")


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it said."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """All of stdout as one JSON text."""
        return json.loads(self.stdout)

    @property
    def said(self) -> str:
        """Both streams, with line breaks as blanks."""
        return " ".join(f"{self.stdout} {self.stderr}".split())


@dataclass(frozen=True)
class CommandLine:
    """Runs `eval-pipeline` in a folder.

    Attributes:
        folder: The working folder; the project is `evals` in it.
        database_url: None leaves the choice to the command: the embedded database.
    """

    folder: Path
    database_url: str | None

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def command(self, *arguments: str) -> list[str]:
        return [str(Path(sys.executable).parent / "eval-pipeline"), *arguments]

    def environment(self, **variables: str) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_INHERITED)}
        own = {"EVAL_PIPELINE_HOME": str(self.home), "COLUMNS": "200"}
        if self.database_url is not None:
            own["EVAL_PIPELINE_DATABASE_URL"] = self.database_url
        return {**inherited, **own, **variables}

    def __call__(self, *arguments: str, **variables: str) -> Ran:
        ended = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Ran(ended.returncode, ended.stdout, ended.stderr)

    def all_of(self, commands: Mapping[str, Sequence[str]], **variables: str) -> dict[str, Ran]:
        """Run independent commands, a few at a time, and give their outcomes by the same names."""
        with ThreadPoolExecutor(max_workers=3) as pool:
            outcomes = pool.map(lambda words: self(*words, **variables), commands.values())
            return dict(zip(commands, outcomes, strict=True))

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the project, by their names below it."""
        for name, text in files.items():
            path = self.folder / "evals" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


MODELS = """
project: acme
default_model: recorded
providers:
  old: {kind: replay, path: recorded.jsonl}
  live: {kind: openai, base_url: "${LIVE_URL}", api_key_env: LIVE_KEY}
models:
  recorded: {provider: old, price: {input: 1, output: 2}, parameters: {max_tokens: 100}}
  also-recorded: {provider: old}
  live: {provider: live, model: tern-large}
"""
FAQ = """
id: acme.faq
name: Frequent questions
owner: team-support
template: "Answer in one line: {{question}}"
prompts:
  - {id: greeting, vars: {question: "Hello?"}, assert: [{contains: Hello}], tags: [ci]}
  - {id: hours, vars: {question: "When are you open?"}, assert: [{contains: Monday}], tags: [ci, facts]}
  - {id: pets, vars: {question: "May I bring a dog?"}, assert: [{contains: "No"}], tags: [facts]}
"""
GAPS = """
id: acme.gaps
prompts:
  - {id: greeting, prompt: Hello?, assert: [{contains: Hello}]}
  - {id: never-recorded, prompt: Who?, assert: [{contains: Nobody}]}
"""
RECORDED = "".join(
    json.dumps(
        {
            "prompt_id": prompt_id,
            "text": answer,
            "finish_reason": "stop",
            "input_tokens": 1000,
            "output_tokens": 500,
            "latency_ms": 20,
            "served_by": {
                "provider_instance": "eu-west",
                "outbound_model": "tern-large",
                "reported_model": "tern-4-2026",
            },
        }
    )
    + "\n"
    for prompt_id, answer in {
        "greeting": "Hello, [bold]friend[/bold]!",
        "hours": "On Tuesdays, naïvely.",
        "pets": "No.",
    }.items()
)
PROJECT = {
    "models.yaml": MODELS,
    "prompts/faq.yaml": FAQ,
    "prompts/gaps.yaml": GAPS,
    "recorded.jsonl": RECORDED,
}


@pytest.fixture(scope="module")
def empty_cli(tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]) -> CommandLine:
    """The command without a project, shared by the tests of a module."""
    return CommandLine(tmp_path_factory.mktemp("cli"), new_dagster_url())


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]) -> CommandLine:
    """The command with a project of recorded responses, shared by the tests of a module."""
    command = CommandLine(tmp_path_factory.mktemp("cli"), new_dagster_url())
    command.write(PROJECT)
    return command


@pytest.fixture
def first_user() -> Iterator[CommandLine]:
    """The command in an empty folder that is short enough for sockets, without any settings."""
    folder = Path(tempfile.mkdtemp(prefix="evp-"))
    folder.chmod(0o755)
    yield CommandLine(folder, None)
    shutil.rmtree(folder, ignore_errors=True)
