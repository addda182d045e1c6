"""`eval-pipeline results`: what is stored."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from eval_pipeline.application.grade import graded_responses
from eval_pipeline.cli.output import out
from eval_pipeline.cli.result_json import ResultsWriter
from eval_pipeline.cli.result_view import print_exchange, print_line, print_summary
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue, open_store

app = typer.Typer(help="Stored results.", no_args_is_help=True)


@app.command("list")
def list_results(
    set_id: Annotated[str | None, typer.Option("--set", help="Only of this set.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only of this model.")] = None,
    grader: Annotated[str | None, typer.Option("--grader", help="Only by this grader.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """The newest results."""
    project = load_catalogue(Settings()).project
    found = open_store(Settings(), project).results(set_id, model, grader, limit)
    if as_json:
        with ResultsWriter(sys.stdout, project) as writer:
            for result in found:
                writer.write(result)
        return
    if not found:
        out.print("no results yet", markup=False)
        return
    for result in found:
        print_line(result)


@app.command("show")
def show_result(
    result_id: Annotated[int, typer.Argument(metavar="RESULT")],
    prompt: Annotated[str | None, typer.Option("--prompt", help="Only this prompt.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """One result: every prompt with its answer, its assertions and what served it."""
    project = load_catalogue(Settings()).project
    store = open_store(Settings(), project)
    result = store.result(result_id)
    if result is None:
        raise UsageError(
            f"there is no result {result_id} in project '{project}'; see eval-pipeline results list"
        )
    graded = graded_responses(store, result.run_id, result.id)
    if prompt is not None:
        graded = iter([_only(prompt, graded, result_id)])
    if as_json:
        with ResultsWriter(sys.stdout, project) as writer:
            writer.write(result, graded)
        return
    for grading, response in graded:
        print_exchange(grading, response, store.messages(result.run_id, grading.prompt_id))
    print_summary(result)


def _only(
    prompt_id: str, graded: Iterator[tuple[Grading, ModelResponse]], result_id: int
) -> tuple[Grading, ModelResponse]:
    for pair in graded:
        if pair[0].prompt_id == prompt_id:
            return pair
    raise UsageError(f"result {result_id} has no prompt '{prompt_id}'")
