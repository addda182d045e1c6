"""`eval-pipeline import promptfoo`: what it writes, what it says, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from eval_pipeline.adapters.catalogue.prompt_set_files import read_prompt_set
from eval_pipeline.cli.import_promptfoo import app
from eval_pipeline.domain.errors import DefinitionError, UsageError

COMPLETE = """
prompts: ["Say: {{question}}"]
providers: [openai:gpt-4o]
tests:
  - {description: Why, vars: {question: Why?}, assert: [{type: contains, value: because}]}
"""
PARTIAL = COMPLETE + "  - {vars: {question: How?}, assert: [{type: llm-rubric, value: is polite}]}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVAL_PIPELINE_PROJECT", str(tmp_path / "evals"))
    return tmp_path / "evals"


def run(folder: Path, config: str, *options: str) -> Result:
    path = folder / "support.yaml"
    path.write_text(config, "utf-8")
    return CliRunner().invoke(app, ["promptfoo", str(path), *options])


def test_a_configuration_that_is_translated_whole_ends_well(tmp_path: Path, project: Path) -> None:
    ended = run(tmp_path, COMPLETE)
    assert ended.exit_code == 0
    written = project / "prompts" / "support.say_question.yaml"
    assert ended.stdout == f"wrote {written}\nwrote {project / 'models.yaml'}\n"
    assert read_prompt_set(written).golden_set.prompts[0].id == "why"


def test_what_was_left_out_is_listed_and_decides_the_exit_status(tmp_path: Path, project: Path) -> None:
    ended = run(tmp_path, PARTIAL)
    assert ended.exit_code == 1
    assert f"left out: {tmp_path / 'support.yaml'}:6: assertion llm-rubric: " in ended.stdout
    assert (project / "prompts" / "support.say_question.yaml").exists()


def test_models_are_shown_where_the_project_has_a_models_file(tmp_path: Path) -> None:
    output = tmp_path / "other"
    output.mkdir()
    (output / "models.yaml").write_text("project: mine\n", "utf-8")
    ended = run(tmp_path, COMPLETE, "--output", str(output))
    assert ended.exit_code == 0
    assert "base_url: https://api.openai.com/v1" in ended.stdout
    assert (output / "models.yaml").read_text("utf-8") == "project: mine\n"


@pytest.mark.usefixtures("project")
def test_machines_get_everything_as_json(tmp_path: Path) -> None:
    ended = run(tmp_path, PARTIAL, "--json")
    assert ended.exit_code == 1
    said = json.loads(ended.stdout)
    assert [Path(name).name for name in said["written"]] == ["support.say_question.yaml", "models.yaml"]
    assert [(one["line"], one["what"]) for one in said["left_out"]] == [
        (6, "assertion llm-rubric"),
        (6, "test 'test 2'"),
    ]


@pytest.mark.usefixtures("project")
def test_a_second_import_overwrites_nothing(tmp_path: Path) -> None:
    run(tmp_path, COMPLETE)
    ended = run(tmp_path, COMPLETE)
    assert isinstance(ended.exception, UsageError)
    assert "nothing was written, for there is already" in str(ended.exception)


def test_a_file_of_something_else_is_refused(tmp_path: Path, project: Path) -> None:
    ended = run(tmp_path, "openapi: 3.1.0\n")
    assert isinstance(ended.exception, DefinitionError)
    assert "no configuration of promptfoo" in str(ended.exception)
    assert not project.exists()
