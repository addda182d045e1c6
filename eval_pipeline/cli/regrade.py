"""`eval-pipeline regrade`: grade stored answers anew, by what is expected now."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.reports.result_json import ResultsWriter
from eval_pipeline.application.baseline import ComparisonRules
from eval_pipeline.application.decide import decide
from eval_pipeline.application.full_result import full_results
from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.application.ports import ResultHistory, ResultStore
from eval_pipeline.cli.comparison_options import (
    AgainstOption,
    BaselineOption,
    ComparisonOptions,
    Confidence,
    FailOnOption,
    FailOnRegression,
    MaxMeanScoreDrop,
    MaxPassRateDrop,
    comparing,
    exit_status,
    gate_asked_for,
    rules_of,
)
from eval_pipeline.cli.output import Exit
from eval_pipeline.cli.progress import terminal_progress
from eval_pipeline.cli.run import show
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import GRADERS, database_url, load_catalogue, open_history, open_store


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
    options = ComparisonOptions(against, baseline, max_pass_rate_drop, max_mean_score_drop, confidence)
    config = comparing(options, [pair], store)
    newest = store.latest_whole_run(result.set_id, result.model_key)
    if newest is not None and newest.id == result.run_id:
        regraded = _materialised(settings, catalogue, result, config)
    else:
        # Dagster shows what is newest of a pair. An older result that is graded anew is kept, and moves
        # neither its checks nor what was approved.
        regraded = _graded(catalogue, result, rules_of(config, pair), store, history)
    now = datetime.now(UTC)
    [full] = full_results([regraded], store, history)
    with ResultsWriter(sys.stdout, catalogue.project, now) if as_json else nullcontext() as writer:
        show(full, store, writer, now)
    status = exit_status(full, gate_asked_for(fail_on, fail_on_regression))
    if status is not Exit.OK:
        raise typer.Exit(status)


def _materialised(
    settings: Settings, catalogue: Catalogue, result: EvaluationResult, config: Mapping[str, Any]
) -> EvaluationResult:
    from eval_pipeline.cli.session import open_session

    with (
        terminal_progress() as progress,
        open_session(settings, catalogue, database_url(settings), progress) as session,
    ):
        outcome = session.regrade(result, config)
    store = open_store(settings, catalogue.project)
    regraded = store.result_of_orchestration(outcome.dagster_run_id, result.grader)
    if regraded is None:
        raise UsageError(outcome.failure or f"result {result.id} could not be graded anew")
    return regraded


def _graded(
    catalogue: Catalogue,
    result: EvaluationResult,
    rules: ComparisonRules,
    store: ResultStore,
    history: ResultHistory,
) -> EvaluationResult:
    run = store.run(result.run_id)
    grader = next((known for known in GRADERS if known.name == result.grader), None)
    if run is None or grader is None:
        raise UsageError(f"result {result.id} cannot be graded anew: its run or its grader is gone")

    def clock() -> datetime:
        return datetime.now(UTC)

    golden_set, model = catalogue.golden_prompt_set(result.set_id), catalogue.model(result.model_key)
    grading_pass = grade(run, golden_set, grader, store, clock)
    regraded = conclude(run, grading_pass, golden_set, grader, model, store)
    decide(regraded, golden_set, grader, store, history, history, rules, clock)
    return regraded
