"""`eval-pipeline import promptfoo`: sets and models from a configuration of promptfoo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eval_pipeline.cli.output import Exit, err, out, print_json
from eval_pipeline.settings import Settings

app = typer.Typer(help="Declarations of other tools, written anew as ours.", no_args_is_help=True)


@app.callback()
def _imports() -> None:
    pass


@app.command("promptfoo")
def import_promptfoo(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The configuration: YAML or JSON.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="DIR", help="The project; EVAL_PIPELINE_PROJECT or ./evals by default."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Write the prompts, tests and models of a promptfoo configuration as golden sets.

    Lists what has no counterpart. Exit status: 0 everything was translated, 1 something was left out, 2 the file
    cannot be read, is no such configuration, or a file to be written exists.
    """
    from eval_pipeline.adapters.promptfoo.translation import translate
    from eval_pipeline.adapters.promptfoo.writing import output_of

    project = output or Settings().project
    translation = translate(file)
    imported = output_of(translation, project)
    paths = imported.write(project)
    findings = translation.findings
    if as_json:
        print_json(
            {
                "written": [str(path) for path in paths],
                "models": imported.models,
                "left_out": [finding.document for finding in findings.left_out],
                "notes": [finding.document for finding in findings.notes],
            }
        )
    else:
        for path in paths:
            out.print(f"wrote {path}", markup=False, soft_wrap=True)
        if imported.models:
            out.print("\nto be added to the models file:\n", markup=False)
            out.print(imported.models, markup=False, soft_wrap=True)
        for finding in findings.left_out:
            out.print(f"left out: {finding}", markup=False, soft_wrap=True)
        for finding in findings.notes:
            err.print(f"note: {finding}", markup=False)
    if findings.left_out:
        raise typer.Exit(Exit.GATE_FAILED)
