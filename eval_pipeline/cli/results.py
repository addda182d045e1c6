"""`eval-pipeline results`: what is stored."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TextIO

import typer

from eval_pipeline.adapters.reports.result_csv import write_csv
from eval_pipeline.adapters.reports.result_json import ResultsWriter
from eval_pipeline.application.full_result import FullResult, full_results, gradings_of_result
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.cli.output import out
from eval_pipeline.cli.result_view import (
    print_exchange,
    print_full,
    print_line,
    print_lineage,
)
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue, open_history, open_store

app = typer.Typer(help="Stored results, and what people decide about them.", no_args_is_help=True)

ResultId = Annotated[int, typer.Argument(metavar="RESULT", help="The id of a result.")]
Json = Annotated[bool, typer.Option("--json", help="For machines.")]


@app.command("list")
def list_results(
    set_id: Annotated[str | None, typer.Option("--set", help="Only of this set.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only of this model.")] = None,
    grader: Annotated[str | None, typer.Option("--grader", help="Only by this grader.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: Json = False,
) -> None:
    """The newest results."""
    project, now = _project(), datetime.now(UTC)
    found = open_history(Settings(), project).results(set_id, model, grader, limit)
    shown = full_results(found, open_store(Settings(), project), open_history(Settings(), project))
    if as_json:
        _write(project, shown, now)
        return
    if not shown:
        out.print("no results yet", markup=False)
    for full in shown:
        print_line(full, now)


@app.command("show")
def show_result(
    result_id: ResultId,
    prompt: Annotated[str | None, typer.Option("--prompt", help="Only this prompt.")] = None,
    as_json: Json = False,
) -> None:
    """One result: every prompt with its answer, its assertions and what served it, and where it stands."""
    project, now = _project(), datetime.now(UTC)
    store = open_store(Settings(), project)
    full = _full(project, result_id)
    graded = gradings_of_result(full.result, store)
    if prompt is not None:
        graded = _only(prompt, graded, result_id)
    if as_json:
        with ResultsWriter(sys.stdout, project, now) as writer:
            writer.write(full, graded)
        return
    for grading, response in graded:
        print_exchange(grading, response, store.messages(full.result.run_id, grading.prompt_id))
    print_full(full, now)
    print_lineage(full)


@app.command("history")
def history(
    set_id: Annotated[str, typer.Argument(metavar="SET", help="The identifier of a golden prompt set.")],
    model: Annotated[str | None, typer.Option("--model", help="Only of this model.")] = None,
    grader: Annotated[str, typer.Option("--grader", help="Only by this grader.")] = "deterministic",
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the newest.")] = 30,
    as_json: Json = False,
) -> None:
    """The results of a set over time, the newest last, each with its change against its baseline."""
    project, now = _project(), datetime.now(UTC)
    found = open_history(Settings(), project).results(set_id, model, grader, limit)[::-1]
    shown = full_results(found, open_store(Settings(), project), open_history(Settings(), project))
    if as_json:
        _write(project, shown, now)
        return
    if not shown:
        out.print(f"set {set_id} has no results by '{grader}' yet", markup=False)
        return
    for full in shown:
        print_line(full, now)


@app.command("export")
def export(
    result_ids: Annotated[list[int], typer.Argument(metavar="RESULT...", help="The ids of results.")],
    output: Annotated[
        Path | None, typer.Option("--output", help="A file that does not exist yet; stdout otherwise.")
    ] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="One result for a spreadsheet: rows, answers and assertions.")
    ] = False,
) -> None:
    """Results as JSON with everything that a baseline needs: see --baseline of run. Or one as CSV."""
    project, now = _project(), datetime.now(UTC)
    if as_csv and len(result_ids) > 1:
        raise UsageError("one result at a time is exported as CSV")
    store = open_store(Settings(), project)
    shown = [_full(project, result_id) for result_id in result_ids]
    with _opened(output, for_spreadsheet=as_csv) as stream:
        if as_csv:
            _export_csv(stream, shown[0], store)
            return
        with ResultsWriter(stream, project, now) as writer:
            for full in shown:
                run = full.run
                inputs = store.prompt_inputs(run.set_id, run.content_hash) if run is not None else {}
                writer.write(full, gradings_of_result(full.result, store), inputs)


@contextmanager
def _opened(output: Path | None, *, for_spreadsheet: bool) -> Iterator[TextIO]:
    """The stream of a new file, or standard output."""
    if output is None:
        yield sys.stdout
        return
    try:
        # Spreadsheets take UTF-8 without a byte order mark for something else.
        stream = output.open("x", encoding="utf-8-sig" if for_spreadsheet else "utf-8", newline="")
    except FileExistsError:
        raise UsageError(f"{output} exists: nothing was written") from None
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}") from None
    with stream:
        yield stream


def _export_csv(stream: TextIO, full: FullResult, store: ResultStore) -> None:
    run = full.run
    row_data = store.row_data(run.set_id, run.content_hash) if run is not None else {}
    write_csv(stream, full, gradings_of_result(full.result, store), row_data)


def _project() -> str:
    return load_catalogue(Settings()).project


def stored_result(project: str, result_id: int) -> EvaluationResult:
    """The result of that id.

    Raises:
        UsageError: There is none in the project.
    """
    result = open_store(Settings(), project).result(result_id)
    if result is None:
        raise UsageError(
            f"there is no result {result_id} in project '{project}'; see eval-pipeline results list"
        )
    return result


def _full(project: str, result_id: int) -> FullResult:
    result = stored_result(project, result_id)
    store, history = open_store(Settings(), project), open_history(Settings(), project)
    return full_results([result], store, history)[0]


def _write(project: str, shown: list[FullResult], now: datetime) -> None:
    with ResultsWriter(sys.stdout, project, now) as writer:
        for full in shown:
            writer.write(full)


def _only(
    prompt_id: str, graded: Iterator[tuple[Grading, ModelResponse]], result_id: int
) -> Iterator[tuple[Grading, ModelResponse]]:
    found = [pair for pair in graded if pair[0].prompt_id == prompt_id]
    if not found:
        raise UsageError(f"result {result_id} has no prompt '{prompt_id}'")
    return iter(found)
