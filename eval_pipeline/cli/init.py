"""`eval-pipeline init`: the files of a new evaluation project."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from eval_pipeline.cli.output import out
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.settings import Settings

_TEMPLATES = {"models.yaml": "models.yaml", "prompts/example.yaml": "example.yaml"}


def init(
    folder: Annotated[
        Path | None, typer.Argument(help="The folder; EVAL_PIPELINE_PROJECT or ./evals by default.")
    ] = None,
) -> None:
    """Write a new evaluation project with a model and a golden set to start from."""
    project = folder or Settings().project
    present = [name for name in _TEMPLATES if (project / name).exists()]
    if present:
        raise UsageError(f"{project} is a project already: it has {', '.join(present)}; nothing was written")
    for name, template in _TEMPLATES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((files("eval_pipeline.cli") / "templates" / template).read_text("utf-8"), "utf-8")
        out.print(f"wrote {path}", markup=False)
    out.print(
        "\nNext: edit both, then  eval-pipeline sets validate  and  eval-pipeline run example.capitals",
        markup=False,
    )
