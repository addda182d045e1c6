"""The command `eval-pipeline`: its commands, and how errors end it."""

from __future__ import annotations

import sys
from importlib.metadata import version

import typer

from eval_pipeline.cli import (
    assertions,
    best_model,
    compare,
    database,
    decisions,
    declarations,
    dev,
    import_promptfoo,
    init,
    new,
    regrade,
    results,
    run,
    show_model,
)
from eval_pipeline.cli.output import Exit, err
from eval_pipeline.domain.errors import DefinitionError, EvalPipelineError

app = typer.Typer(
    name="eval-pipeline",
    help="Measure the quality of language models' answers against golden sets.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init.init)
app.add_typer(new.app, name="new")
app.add_typer(import_promptfoo.app, name="import")
app.command("run")(run.run)
app.command("regrade")(regrade.regrade)
app.command("compare")(compare.compare)
app.command("best-model")(best_model.best_model)
app.add_typer(declarations.sets, name="sets")
app.add_typer(declarations.models, name="models")
declarations.models.command("show")(show_model.show_model)
app.add_typer(assertions.app, name="assertions")
app.add_typer(results.app, name="results")
decisions.add_to(results.app)
app.add_typer(database.app, name="db")
app.command("dev")(dev.dev)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("eval-pipeline"))
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command line. Errors made on purpose end it with a message and no traceback."""
    try:
        app()
    except DefinitionError as error:
        for fault in error.faults:
            err.print(f"error: {fault}", markup=False)
        sys.exit(Exit.USAGE)
    except EvalPipelineError as error:
        err.print(f"error: {error}", markup=False)
        sys.exit(Exit.USAGE)
