"""`eval-pipeline new`: skeletons that work as they are written, and nothing that is overwritten."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.cli.new import new_assertion, new_evaluation
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.testing import Project
from eval_pipeline_tests.cli.conftest import CommandLine, Ran

MODELS = "project: acme\n"
OWN = """\
from eval_pipeline.domain.assertions import Assertion, Outcome
class Mine(Assertion):
    kind = "mine"
    def check(self, answer):
        return Outcome(True, "", "", "")
"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command with an empty project, which is that of this process too; no database is needed."""
    monkeypatch.chdir(tmp_path)
    command = CommandLine(tmp_path, None)
    command.write({"models.yaml": MODELS})
    return command


def files(command: CommandLine) -> dict[str, str]:
    """The project's files, but for what Python compiles."""
    folder = command.folder / "evals"
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def outcome(command: CommandLine, name: str) -> Ran:
    """How the test of a skeleton ends under pytest, with warnings as errors."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-W",
            "error",
            "-p",
            "no:cacheprovider",
            f"evals/tests/test_{name}.py",
        ],
        cwd=command.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ran(ended.returncode, ended.stdout, ended.stderr)


def test_a_new_evaluation_is_a_set_and_its_test_passes(command: CommandLine) -> None:
    ran = command("new", "evaluation", "support_replies")
    assert ran.status == 0, ran.said
    assert files(command).keys() == {
        "models.yaml",
        "evaluations/support_replies.py",
        "evaluations/support_replies.csv",
        "tests/test_support_replies.py",
    }
    assert "eval-pipeline run acme.support_replies" in ran.said
    passed = outcome(command, "support_replies")
    assert (passed.status, "2 passed" in passed.stdout) == (0, True), passed.said
    listed = command("sets", "list")
    assert (listed.status, "acme.support_replies" in listed.stdout) == (0, True), listed.said


def test_a_new_assertion_is_a_kind_and_its_test_passes(command: CommandLine) -> None:
    ran = command("new", "assertion", "mentions_ticket")
    assert ran.status == 0, ran.said
    assert files(command).keys() == {
        "models.yaml",
        "assertions/mentions_ticket.py",
        "tests/test_mentions_ticket.py",
    }
    passed = outcome(command, "mentions_ticket")
    assert (passed.status, "2 passed" in passed.stdout) == (0, True), passed.said
    listed = command("assertions", "list")
    assert (listed.status, "mentions_ticket" in listed.stdout) == (0, True), listed.said


def test_a_refusal_is_told_in_words_and_by_the_exit_status(command: CommandLine) -> None:
    ran = command("new", "assertion", "Calm")
    assert (ran.status, "a name is lowercase letters" in ran.said) == (2, True), ran.said


def test_skeletons_have_no_placeholder_left(command: CommandLine) -> None:
    new_evaluation("one")
    new_assertion("two")
    assert len(files(command)) == 6
    assert [name for name, content in files(command).items() if "{{" in content] == []


@pytest.mark.parametrize("name", ["x", "a1_b2", "a__b", "row", "gate"])
def test_an_evaluation_of_any_good_name_grades(command: CommandLine, name: str) -> None:
    new_evaluation(name)
    project = Project(command.folder / "evals")
    assert project.grade(f"acme.{name}", "france", "It is Paris.").status == "pass"
    assert project.grade(f"acme.{name}", "france", "It is Lyon.").status == "fail"


@pytest.mark.parametrize(
    "name", ["x", "a1_b2", "outcome", "answer", "assertion", "field", "class_var", "none", "true"]
)
def test_an_assertion_of_any_good_name_grades(command: CommandLine, name: str) -> None:
    new_assertion(name)
    project = Project(command.folder / "evals")
    assert [project.check({name: 1}, text).status for text in ("Hi!", "Hi!!!")] == ["pass", "fail"]


def test_a_project_whose_name_has_hyphens_gets_an_identifier_that_can_be_used(command: CommandLine) -> None:
    command.write({"models.yaml": "project: my-shop\n"})
    new_evaluation("replies")
    declared = Catalogue.load(command.folder / "evals", {})
    assert declared.faults == ()
    assert len(declared.set_ids_for_quality) == 1


@pytest.mark.parametrize("existing", ["evaluations/one.py", "evaluations/one.csv", "tests/test_one.py"])
def test_nothing_is_written_where_a_file_of_an_evaluation_exists(command: CommandLine, existing: str) -> None:
    command.write({existing: "mine"})
    before = files(command)
    with pytest.raises(UsageError, match=f"has {existing} already; nothing was written"):
        new_evaluation("one")
    assert files(command) == before


@pytest.mark.parametrize("existing", ["assertions/one.py", "tests/test_one.py"])
def test_nothing_is_written_where_a_file_of_an_assertion_exists(command: CommandLine, existing: str) -> None:
    command.write({existing: "mine"})
    before = files(command)
    with pytest.raises(UsageError, match="nothing was written"):
        new_assertion("one")
    assert files(command) == before


@pytest.mark.parametrize("new", [new_evaluation, new_assertion])
@pytest.mark.parametrize("name", ["Calm", "my-kind", "1st", "_x", "a b", "a.b", "../x", "é", "", "a\n"])
def test_what_is_no_name_is_refused(command: CommandLine, new: Callable[[str], None], name: str) -> None:
    with pytest.raises(UsageError, match="a name is lowercase letters, digits and underscores"):
        new(name)
    assert files(command).keys() == {"models.yaml"}


@pytest.mark.parametrize("name", ["contains", "mine", "record", "that", "results", "response", "class", "is"])
def test_a_name_that_could_not_be_used_as_a_kind_is_refused(command: CommandLine, name: str) -> None:
    command.write({"assertions/other.py": OWN})
    with pytest.raises(UsageError):
        new_assertion(name)
    assert files(command).keys() == {"models.yaml", "assertions/other.py"}


def test_an_identifier_that_exists_is_refused(command: CommandLine) -> None:
    command.write({"prompts/a.yaml": "id: acme.one\nprompts: [{id: p, prompt: Hi, reference: x}]\n"})
    before = files(command)
    with pytest.raises(UsageError, match=r"acme\.one"):
        new_evaluation("one")
    assert files(command) == before


def test_without_a_project_an_evaluation_is_written_into_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    new_evaluation("one")
    assert Project(tmp_path / "evals").grade("default.one", "france", "Paris").status == "pass"
