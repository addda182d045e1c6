"""`eval-pipeline regrade`: grade stored answers anew, by what is expected now."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Annotated

import typer

from eval_pipeline.adapters.reports.result_json import ResultsWriter
from eval_pipeline.application.full_result import full_results
from eval_pipeline.cli.comparison_options import (
    AgainstOption,
    BaselineOption,
    Confidence,
    FailOnOption,
    FailOnRegression,
    MaxMeanScoreDrop,
    MaxPassRateDrop,
    comparing,
    exit_status,
    gate_asked_for,
)
from eval_pipeline.cli.output import Exit
from eval_pipeline.cli.progress import terminal_progress
from eval_pipeline.cli.run import show
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import database_url, load_catalogue, open_history, open_store


def regrade(
    result_id: Annotated[int, typer.Argument(metavar="RESULT", help="The id of a result.")],
    against: AgainstOption = None,
    baseline: BaselineOption = None,
    max_pass_rate_drop: MaxPassRateDrop = None,
    max_mean_score_drop: MaxMeanScoreDrop = None,
    confidence: Confidence = None,
    fail_on_regression: FailOnRegression = False,
    fail_on: FailOnOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Grade the stored answers of a result by what is expected now, as a new result. Asks no model."""
    settings = Settings()
    catalogue = load_catalogue(settings)
    store, history = open_store(settings, catalogue.project), open_history(settings, catalogue.project)
    result = store.result(result_id)
    if result is None:
        raise UsageError(f"there is no result {result_id} in project '{catalogue.project}'")
    catalogue.golden_prompt_set(result.set_id)
    catalogue.model(result.model_key)
    pair = (result.set_id, result.model_key, result.grader)
    config = comparing(against, baseline, max_pass_rate_drop, max_mean_score_drop, confidence, [pair], store)
    from eval_pipeline.cli.session import open_session

    now = datetime.now(UTC)
    with (
        terminal_progress() as progress,
        open_session(settings, catalogue, database_url(settings), progress) as session,
        ResultsWriter(sys.stdout, catalogue.project, now) if as_json else nullcontext() as writer,
    ):
        outcome = session.regrade(result, config)
        regraded = store.result_of_orchestration(outcome.dagster_run_id, result.grader)
        if regraded is None:
            raise UsageError(outcome.failure or f"result {result_id} could not be graded anew")
        [full] = full_results([regraded], store, history)
        show(full, store, writer, now)
        status = exit_status(full, gate_asked_for(fail_on, fail_on_regression))
    if status is not Exit.OK:
        raise typer.Exit(status)
