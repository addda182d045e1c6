"""What tests put into a result store: valid by default, by way of the store's own methods."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg

from eval_pipeline.application.ports import Exchange, ResultStore
from eval_pipeline.domain.aggregates import Summarizer
from eval_pipeline.domain.assertion_results import AssertionResult, Status
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus, Selection
from eval_pipeline_tests.builders import golden_set, model, request, response

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def plan(
    asked: GoldenPromptSet | None = None, asked_model: ResolvedModel | None = None, **selection: Any
) -> AskPlan:
    """A plan to ask a whole set, or what `selection` leaves of it."""
    return AskPlan.of(asked or golden_set(), asked_model or model(), Selection(**selection))


def exchange(given: ModelResponse, **sent: Any) -> Exchange:
    """A response together with the request that it answers."""
    return Exchange(request(given.prompt_id, **{"repeat": given.repeat, **sent}), given)


def grading(
    prompt_id: str = "p1",
    status: Status = Status.PASS,
    reason: str = "all assertions hold",
    repeat: int = 0,
) -> Grading:
    """A grading with one assertion."""
    score = {Status.PASS: 1.0, Status.FAIL: 0.0}.get(status)
    assertion = AssertionResult("contains 'yes'", status, reason, "yes", "yes indeed", 0.5)
    return Grading(prompt_id, repeat, status, score, reason, (assertion,))


def finished_run(
    store: ResultStore,
    responses: Iterable[ModelResponse] = (),
    asked: AskPlan | None = None,
    *,
    started_at: datetime = NOON,
    orchestration_run_id: str | None = None,
) -> EvaluationRun:
    """A finished run with these responses."""
    run = store.begin_run(asked or plan(), orchestration_run_id, started_at)
    exchanges = [exchange(given) for given in responses]
    if exchanges:
        store.save_exchanges(run.id, exchanges, started_at)
    store.end_run(run.id, RunStatus.FINISHED, started_at)
    return replace(run, status=RunStatus.FINISHED)


def grading_pass(store: ResultStore, run: EvaluationRun, **changes: Any) -> GradingPass:
    """A grading pass of a run."""
    defaults = {"id": 0, "run_id": run.id, "grader": "deterministic", "yardstick": {"version": 1}}
    return store.begin_grading(GradingPass(**{**defaults, "graded_at": NOON, **changes}))


def result(
    store: ResultStore,
    *graded: tuple[Grading, ModelResponse],
    asked: AskPlan | None = None,
    grader: str = "deterministic",
    run: EvaluationRun | None = None,
    **changes: Any,
) -> EvaluationResult:
    """A saved result of these gradings and their responses, or of one pass; of a run of its own unless given."""
    pairs = graded or ((grading(), response()),)
    asked = asked or plan()
    if run is None:
        started_at = changes.get("run_date", NOON)
        run = finished_run(store, [given for _, given in pairs], asked, started_at=started_at)
    graded_pass = grading_pass(store, run, grader=grader)
    store.save_gradings(graded_pass.id, [entry for entry, _ in pairs])
    summarizer = Summarizer()
    for entry, given in pairs:
        summarizer.add(entry, given, ["a tag"])
    defaults: dict[str, Any] = {
        "id": graded_pass.id,
        "run_id": run.id,
        "set_id": run.set_id,
        "model_key": run.model_key,
        "grader": grader,
        "run_date": run.started_at,
        "partial": run.partial,
        "incomplete_because": None,
        "summary": summarizer.summary(),
        "yardstick": graded_pass.yardstick,
        "gate": asked.golden_set.gate,
        "set_hashes": run.set_hashes,
        "cost_usd": 0.25,
    }
    saved = EvaluationResult(**{**defaults, **changes})
    store.save_result(saved)
    return saved


def everything_in(url: str) -> str:
    """Every row of every table of a database as text, compressed columns unpacked."""
    return "\n".join(_rows(url))


def _rows(url: str) -> Iterator[str]:
    with psycopg.connect(url) as connection:
        tables = "select table_name from information_schema.tables where table_schema = 'public'"
        for (table,) in connection.execute(tables).fetchall():
            for row in connection.execute(f'select * from "{table}"'):
                yield f"{table}: " + " | ".join(map(_shown, row))


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        with suppress(zlib.error):
            value = zlib.decompress(value)
        return value.decode(errors="replace")
    return str(value)
