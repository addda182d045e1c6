"""`eval-pipeline new`: working skeletons of what a project writes in Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from eval_pipeline.adapters.catalogue.assertion_kinds import name_fault
from eval_pipeline.cli.output import out
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue

app = typer.Typer(help="Working skeletons, each with a test.", no_args_is_help=True)

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@app.command("evaluation")
def new_evaluation(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as support_replies.")],
) -> None:
    """Write an evaluation class, its CSV file and a test into the project."""
    _check_name(name)
    project, declared = Settings().project, load_catalogue(Settings())
    set_id = f"{declared.project.replace('-', '_')}.{name}"
    if set_id in declared.sets:
        raise UsageError(f"the set {set_id} exists already, in {declared.sets[set_id].source}")
    written = {
        f"evaluations/{name}.py": "evaluation.py.txt",
        f"evaluations/{name}.csv": "evaluation.csv.txt",
        f"tests/test_{name}.py": "test_evaluation.py.txt",
    }
    _write(project, written, {"name": name, "id": set_id, "class": _class_name(name) + "Evaluation"})
    _say_next(project, name, f"eval-pipeline run {set_id}")


@app.command("assertion")
def new_assertion(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The kind, such as mentions_ticket.")],
) -> None:
    """Write a kind of assertion of your own and a test into the project."""
    _check_name(name)
    taken = {kind: inspect.getfile(each) for kind, each in load_catalogue(Settings()).kinds.items()}
    if (reason := name_fault(name, taken)) is not None:
        raise UsageError(reason)
    project = Settings().project
    written = {f"assertions/{name}.py": "assertion.py.txt", f"tests/test_{name}.py": "test_assertion.py.txt"}
    _write(project, written, {"name": name, "class": _class_name(name) + "Assertion"})
    _say_next(project, name, f"- {name}: 1   under 'assert' of a prompt, or check.{name}(1) in an evaluation")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"a name is lowercase letters, digits and underscores, beginning with a letter; found '{name}'"
        )


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _write(project: Path, written: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Write templates with `{{name}}` replaced; nothing at all if one of the files exists."""
    present = [name for name in written if (project / name).exists()]
    if present:
        raise UsageError(f"{project} has {', '.join(present)} already; nothing was written")
    for name, template in written.items():
        text = (files("eval_pipeline.cli") / "templates" / template).read_text("utf-8")
        for key, value in values.items():
            text = text.replace("{{" + key + "}}", value)
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        out.print(f"wrote {path}", markup=False)


def _say_next(project: Path, name: str, use: str) -> None:
    out.print(f"\nNext: edit them, then  pytest {project / 'tests' / f'test_{name}.py'}", markup=False)
    out.print(f"      and  {use}", markup=False)
