"""`eval-pipeline assertions`: the kinds of assertions there are, and what they mean."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from eval_pipeline.adapters.reports.assertion_reference import assertion_reference, kind_reference
from eval_pipeline.cli.output import err, out, print_json
from eval_pipeline.domain.assertions import Assertion, AssertionKinds
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.validation import closest
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue

app = typer.Typer(help="Kinds of assertions.", no_args_is_help=True)


@app.command("list")
def list_kinds(as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False) -> None:
    """All kinds of assertions, the project's own among them."""
    kinds = _kinds()
    if as_json:
        print_json(
            {
                "assertions": [
                    {
                        "kind": name,
                        "rule": inspect.cleandoc(kind.__doc__ or ""),
                        "own": kind.source is not None,
                    }
                    for name, kind in kinds.items()
                ]
            }
        )
        return
    width = max(map(len, kinds))
    for name, kind in kinds.items():
        out.print(f"{name:{width}}  {_first_sentence(kind)}", markup=False)


@app.command("show")
def show_kind(kind: Annotated[str, typer.Argument(metavar="KIND")]) -> None:
    """One kind: its rule, its parameters, and examples."""
    kinds = _kinds()
    name = kind.replace("-", "_")
    if name not in kinds:
        raise UsageError(f"there is no assertion kind '{kind}'; {closest(name, kinds)}")
    out.print(kind_reference(kinds[name]), markup=False)


@app.command("reference")
def print_reference() -> None:
    """The reference of all kinds, as Markdown."""
    typer.echo(assertion_reference(_kinds()), nl=False)


def _kinds() -> AssertionKinds:
    declared = load_catalogue(Settings())
    for fault in declared.faults:
        if fault.set_id is None:
            err.print(f"warning: {fault}", markup=False)
    return declared.kinds


def _first_sentence(kind: type[Assertion]) -> str:
    paragraph = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).partition(". ")[0].removesuffix(".")
