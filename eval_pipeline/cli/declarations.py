"""`eval-pipeline sets` and `eval-pipeline models`: what is declared."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer
from rich.table import Table

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.cli.output import Exit, err, out, print_json
from eval_pipeline.domain.errors import DefinitionError, EvalPipelineError, Fault
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue, model_clients

Json = Annotated[bool, typer.Option("--json", help="For machines.")]

sets = typer.Typer(help="Golden prompt sets.", no_args_is_help=True)
models = typer.Typer(help="Configured models.", no_args_is_help=True)


def catalogue() -> Catalogue:
    """What is declared, with a warning for every fault that does not stand in the way."""
    return load_catalogue(Settings())


def warn_of_faults(declared: Catalogue) -> None:
    """Show the faults of sets that were not asked for."""
    for fault in declared.faults:
        err.print(f"warning: {fault}", markup=False)


@sets.command("list")
def list_sets(as_json: Json = False) -> None:
    """All golden prompt sets that are declared."""
    declared = catalogue()
    warn_of_faults(declared)
    rows = [
        {
            "set": set_id,
            "name": entry.golden_set.name,
            "prompts": len(entry.golden_set.prompts),
            "models": declared.models_for(entry.golden_set),
            "owner": entry.golden_set.owner,
            "example": entry.example,
            "source": entry.source,
        }
        for set_id, entry in declared.sets.items()
    ]
    if as_json:
        print_json({"sets": rows})
        return
    _print_table(rows)


@sets.command("show")
def show_set(set_id: Annotated[str, typer.Argument(metavar="SET")], as_json: Json = False) -> None:
    """One set: its prompts as they will be asked, and what is expected."""
    from eval_pipeline.domain.rendering import render
    from eval_pipeline.domain.set_hashes import prompt_document, set_document

    golden_set = catalogue().golden_prompt_set(set_id)
    if as_json:
        prompts = [prompt_document(prompt) for prompt in golden_set.prompts]
        print_json({**set_document(golden_set), "content_hash": golden_set.content_hash, "prompts": prompts})
        return
    out.print(
        f"[bold]{golden_set.id}[/bold]  {len(golden_set.prompts)} prompts, {golden_set.content_hash[:12]}"
    )
    for prompt in golden_set.prompts:
        out.print(f"\n[bold]{prompt.id}[/bold]")
        for message in render(golden_set, prompt):
            out.print(f"  {message.role}: {message.content}", markup=False)
        for assertion in prompt.assertions:
            out.print(f"  expects {assertion.label}", markup=False)
        if prompt.evaluation is not None:
            out.print(f"  expects what {prompt.evaluation.evaluation.__name__} checks", markup=False)
        if prompt.reference is not None:
            out.print(f"  reference: {prompt.reference}", markup=False)


@sets.command("validate")
def validate_sets() -> None:
    """Check every declaration; list all faults."""
    declared = catalogue()
    faults = list(declared.faults)
    for key in declared.model_keys:
        try:
            declared.model(key)
        except DefinitionError as error:
            faults += error.faults
    for set_id, entry in declared.sets.items():
        unknown = set(declared.models_for(entry.golden_set)) - set(declared.model_keys)
        faults += [
            Fault(f"there is no model '{key}'", entry.source, set_id=set_id) for key in sorted(unknown)
        ]
    if faults:
        raise DefinitionError(faults)
    out.print(
        f"{len(declared.sets)} sets and {len(declared.model_keys)} models are well-formed", markup=False
    )


@sets.command("schema")
def set_schema() -> None:
    """The JSON Schema of a set file, for editors."""
    from eval_pipeline.adapters.catalogue.prompt_set_schema import set_file_schema

    print_json(set_file_schema(catalogue().kinds))


@models.command("list")
def list_models(as_json: Json = False) -> None:
    """All models that are configured."""
    declared = catalogue()
    rows: list[dict[str, Any]] = []
    for key in declared.model_keys:
        row: dict[str, Any] = {"model": key, "default": key == declared.default_model}
        try:
            resolved = declared.model(key)
            row |= {
                "provider": resolved.provider_key,
                "kind": resolved.provider.kind,
                "sent_as": resolved.outbound_model,
            }
        except DefinitionError as error:
            row |= {"provider": str(error), "kind": None, "sent_as": None}
        rows.append({**row, "source": declared.model_source(key)})
    if as_json:
        print_json({"models": rows})
        return
    _print_table(rows)


@models.command("check")
def check_models(keys: Annotated[list[str] | None, typer.Argument(metavar="[MODEL]...")] = None) -> None:
    """Ask models one short question and show what served it. Without names: all of them."""
    from eval_pipeline.application.check_model import check_model
    from eval_pipeline.domain.provenance import generator_name

    declared, clients = catalogue(), model_clients(Settings())
    failed = False
    for key in keys or declared.model_keys:
        try:
            response = asyncio.run(check_model(declared.model(key), clients))
        except EvalPipelineError as error:
            out.print(f"{key}: {error}", markup=False)
            failed = True
            continue
        if (reason := response.unusable) is not None:
            out.print(f"{key}: {reason}", markup=False)
            failed = True
        else:
            took = f" in {response.latency_ms:.0f} ms" if response.latency_ms is not None else ""
            out.print(f"{key}: answered by {generator_name(response.served_by)}{took}", markup=False)
    if failed:
        raise typer.Exit(Exit.USAGE)


def _print_table(rows: list[dict[str, Any]]) -> None:
    """A table of rows; where each is declared stands in the JSON only, for want of width."""
    shown = [{key: value for key, value in row.items() if key != "source"} for row in rows]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in shown[0] if shown else ():
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in shown:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)


def _cell(value: Any) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    return ", ".join(value) if isinstance(value, list) else str(value)
