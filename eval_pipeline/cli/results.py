"""`eval-pipeline results`: what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.table import Table

from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.cli.output import out, print_json, rate, score
from eval_pipeline.cli.result_json import result_document
from eval_pipeline.cli.result_view import print_exchange, print_summary
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.results import EvaluationResult
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
        print_json({"results": [result_document(project, result) for result in found]})
        return
    if not found:
        out.print("no results yet", markup=False)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in (
        "result",
        "date",
        "set",
        "model",
        "grader",
        "pass rate",
        "mean score",
        "errors",
        "generator",
    ):
        table.add_column(column, overflow="fold")
    for result in found:
        total = result.summary.total
        table.add_row(
            str(result.id),
            f"{result.run_date:%Y-%m-%d %H:%M}Z",
            result.set_id,
            result.model_key,
            result.grader,
            f"{rate(total.pass_rate)} ({total.passed_count}/{total.graded_count})",
            score(total.mean_score),
            str(total.error_count) + ("" if result.complete else " (incomplete)"),
            result.summary.provenance.summary(),
        )
    out.print(table)


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
    graded = [
        pair for pair in graded_responses(store, result) if prompt is None or pair[0].prompt_id == prompt
    ]
    if prompt is not None and not graded:
        raise UsageError(f"result {result_id} has no prompt '{prompt}'")
    if as_json:
        print_json({"results": [result_document(project, result, graded)]})
        return
    for grading, response in graded:
        print_exchange(grading, response, store.messages(result.run_id, grading.prompt_id))
    print_summary(result)


def graded_responses(
    store: PostgresResultStore, result: EvaluationResult
) -> Iterator[tuple[Grading, ModelResponse]]:
    """The gradings of a result, each with the response that it is of, in the order of the set."""
    for gradings in store.gradings(result.id):
        responses = store.responses(result.run_id, [grading.prompt_id for grading in gradings])
        for grading in gradings:
            yield grading, responses[grading.prompt_id]
