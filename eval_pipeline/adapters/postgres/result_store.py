"""Runs, responses, gradings and results in PostgreSQL, as they are written and read one by one.

What each method promises stands in `application/ports.py`. Not here: choosing among results
(`result_history.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Engine,
    Select,
    Text,
    any_,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from eval_pipeline.adapters.postgres.bulk import BulkInsert
from eval_pipeline.adapters.postgres.result_rows import result_of, result_row
from eval_pipeline.adapters.postgres.rows import (
    GRADING_COLUMNS,
    RESPONSE_COLUMNS,
    grading_of,
    grading_pass_of,
    grading_row,
    response_of,
    response_row,
    run_of,
)
from eval_pipeline.adapters.postgres.tables import (
    EvaluationResultRow,
    EvaluationRunRow,
    GoldenPromptRow,
    GoldenPromptSetRow,
    GradingPassRow,
    ModelResponseRow,
    PromptGradingRow,
)
from eval_pipeline.adapters.postgres.transactions import failures_as_storage_errors, transaction
from eval_pipeline.application.ports import Exchange
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import Message, ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus
from eval_pipeline.domain.set_hashes import prompt_document, prompt_hashes, set_document, treatment_fields
from eval_pipeline.domain.text import storable, with_texts

_BATCH = 500
_MAX_ID = 2**63 - 1
# Statements on the tables themselves: what is saved by the thousand passes by the mapper.
_PROMPTS = BulkInsert(GoldenPromptRow)
_RESPONSES = BulkInsert(ModelResponseRow)
_GRADINGS = BulkInsert(PromptGradingRow)


class PostgresResultStore:
    """Keeps the results of one project.

    Args:
        engine: The database, whose tables are current.
        project: The project's slug.
    """

    def __init__(self, engine: Engine, project: str) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._project = project

    def save_snapshot(self, golden_set: GoldenPromptSet, recorded_at: datetime) -> None:
        key = {"project": self._project, "set_id": golden_set.id, "content_hash": golden_set.content_hash}
        header = {
            **key,
            "document": with_texts(set_document(golden_set), storable),
            "prompt_count": len(golden_set.prompts),
            "recorded_at": recorded_at,
        }
        with self._transaction() as session:
            saved = session.execute(
                upsert(GoldenPromptSetRow)
                .values(header)
                .on_conflict_do_nothing()
                .returning(GoldenPromptSetRow.set_id)
            ).first()
            if saved is None:
                return
            rows = (
                {
                    **key,
                    "prompt_id": prompt.id,
                    "position": position,
                    "document": with_texts(prompt_document(prompt), storable),
                    "inputs_hash": hashes.inputs,
                    "treatment_hash": hashes.treatment,
                    "expectations_hash": hashes.expectations,
                }
                for position, (prompt, hashes) in enumerate(prompt_hashes(golden_set))
            )
            while batch := list(islice(rows, _BATCH)):
                _PROMPTS.execute(session.connection(), batch)

    def begin_run(
        self, plan: AskPlan, orchestration_run_id: str | None, started_at: datetime
    ) -> EvaluationRun:
        hashes = plan.golden_set.hashes
        row = EvaluationRunRow(
            project=self._project,
            set_id=plan.golden_set.id,
            model_key=plan.model.key,
            status=RunStatus.RUNNING,
            partial=plan.partial,
            prompt_count=len(plan.requests),
            repeats=plan.repeats,
            inputs_hash=hashes.inputs,
            treatment_hash=hashes.treatment,
            expectations_hash=hashes.expectations,
            content_hash=plan.golden_set.content_hash,
            treatment=treatment_fields(plan.golden_set, plan.parameters),
            provider_instance=plan.model.provider_key,
            outbound_model=plan.model.outbound_model,
            parameters=dict(plan.parameters),
            orchestration_run_id=orchestration_run_id,
            started_at=started_at,
        )
        with self._transaction() as session:
            session.add(row)
            session.flush()
            return run_of(row)

    def save_exchanges(self, run_id: int, exchanges: Sequence[Exchange], received_at: datetime) -> None:
        if not exchanges:
            return
        rows = [{**response_row(run_id, exchange), "received_at": received_at} for exchange in exchanges]
        with self._statement() as connection:
            _RESPONSES.execute(connection, rows)

    def end_run(self, run_id: int, status: RunStatus, ended_at: datetime) -> None:
        with self._transaction() as session:
            session.execute(
                update(EvaluationRunRow)
                .where(EvaluationRunRow.id == run_id)
                .values(status=status.value, ended_at=ended_at)
            )

    def run(self, run_id: int) -> EvaluationRun | None:
        return self._run(EvaluationRunRow.id == run_id) if 0 < run_id <= _MAX_ID else None

    def run_of_orchestration(
        self, set_id: str, model_key: str, orchestration_run_id: str
    ) -> EvaluationRun | None:
        return self._run(
            EvaluationRunRow.set_id == set_id,
            EvaluationRunRow.model_key == model_key,
            EvaluationRunRow.orchestration_run_id == orchestration_run_id,
        )

    def latest_whole_run(self, set_id: str, model_key: str) -> EvaluationRun | None:
        return self._run(
            EvaluationRunRow.set_id == set_id,
            EvaluationRunRow.model_key == model_key,
            EvaluationRunRow.status == RunStatus.FINISHED.value,
            ~EvaluationRunRow.partial,
        )

    def _run(self, *conditions: ColumnElement[bool]) -> EvaluationRun | None:
        newest = (
            select(EvaluationRunRow)
            .where(EvaluationRunRow.project == self._project, *conditions)
            .order_by(EvaluationRunRow.started_at.desc(), EvaluationRunRow.id.desc())
            .limit(1)
        )
        with self._transaction() as session:
            row = session.scalar(newest)
            return run_of(row) if row is not None else None

    def prompt_inputs(self, set_id: str, content_hash: str) -> dict[str, str]:
        chosen = select(GoldenPromptRow.prompt_id, GoldenPromptRow.inputs_hash).where(
            GoldenPromptRow.project == self._project,
            GoldenPromptRow.set_id == set_id,
            GoldenPromptRow.content_hash == content_hash,
        )
        with self._transaction() as session:
            return {row.prompt_id: row.inputs_hash for row in session.execute(chosen)}

    def row_data(self, set_id: str, content_hash: str) -> dict[str, dict[str, str]]:
        document = GoldenPromptRow.document
        chosen = select(
            GoldenPromptRow.prompt_id,
            func.coalesce(document["evaluation"]["row"], document["vars"]).label("cells"),
            document["columns"].label("columns"),
        ).where(
            GoldenPromptRow.project == self._project,
            GoldenPromptRow.set_id == set_id,
            GoldenPromptRow.content_hash == content_hash,
        )
        with self._transaction() as session:
            return {
                row.prompt_id: {name: row.cells[name] for name in row.columns or row.cells or ()}
                for row in session.execute(chosen)
            }

    def responses(self, run_id: int, prompt_ids: Sequence[str]) -> dict[tuple[str, int], ModelResponse]:
        chosen = select(*RESPONSE_COLUMNS).where(
            ModelResponseRow.run_id == run_id,
            ModelResponseRow.prompt_id == any_(literal(list(prompt_ids), ARRAY(Text))),
        )
        with self._transaction() as session:
            return {(row.prompt_id, row.repeat): response_of(row) for row in session.execute(chosen)}

    def messages(self, run_id: int, prompt_id: str) -> list[Message]:
        """The conversation that was sent for a prompt."""
        with self._transaction() as session:
            row = session.get(ModelResponseRow, (run_id, prompt_id, 0))
            return [Message(**message) for message in row.messages] if row is not None else []

    def begin_grading(self, grading_pass: GradingPass) -> GradingPass:
        row = GradingPassRow(
            run_id=grading_pass.run_id,
            grader=grading_pass.grader,
            yardstick=dict(grading_pass.yardstick),
            graded_at=grading_pass.graded_at,
            orchestration_run_id=grading_pass.orchestration_run_id,
            regraded_from=grading_pass.regraded_from,
        )
        with self._transaction() as session:
            session.add(row)
            session.flush()
            return replace(grading_pass, id=row.id)

    def save_gradings(self, grading_id: int, gradings: Sequence[Grading]) -> None:
        if not gradings:
            return
        rows = [grading_row(grading_id, grading) for grading in gradings]
        with self._statement() as connection:
            _GRADINGS.execute(connection, rows)

    def grading_of_orchestration(
        self, set_id: str, model_key: str, grader: str, orchestration_run_id: str
    ) -> GradingPass | None:
        return self._grading(
            set_id, model_key, grader, GradingPassRow.orchestration_run_id == orchestration_run_id
        )

    def latest_whole_grading(self, set_id: str, model_key: str, grader: str) -> GradingPass | None:
        return self._grading(set_id, model_key, grader, ~EvaluationRunRow.partial)

    def _grading(
        self, set_id: str, model_key: str, grader: str, condition: ColumnElement[bool]
    ) -> GradingPass | None:
        newest = (
            select(GradingPassRow)
            .join(EvaluationRunRow, EvaluationRunRow.id == GradingPassRow.run_id)
            .where(
                EvaluationRunRow.project == self._project,
                EvaluationRunRow.set_id == set_id,
                EvaluationRunRow.model_key == model_key,
                GradingPassRow.grader == grader,
                condition,
            )
            .order_by(EvaluationRunRow.started_at.desc(), GradingPassRow.id.desc())
            .limit(1)
        )
        with self._transaction() as session:
            row = session.scalar(newest)
            return grading_pass_of(row) if row is not None else None

    def gradings(self, grading_id: int) -> Iterator[Sequence[Grading]]:
        last = 0
        while True:
            following = (
                select(*GRADING_COLUMNS)
                .where(PromptGradingRow.grading_id == grading_id, PromptGradingRow.id > last)
                .order_by(PromptGradingRow.id)
                .limit(_BATCH)
            )
            with self._transaction() as session:
                rows = session.execute(following).all()
                gradings = [grading_of(row) for row in rows]
                last = rows[-1].id if rows else last
            if not gradings:
                return
            yield gradings

    def save_result(self, result: EvaluationResult) -> None:
        row = result_row(self._project, result)
        with self._transaction() as session:
            session.execute(
                upsert(EvaluationResultRow).values(row).on_conflict_do_update(index_elements=["id"], set_=row)
            )

    def result(self, result_id: int) -> EvaluationResult | None:
        return self._result(EvaluationResultRow.id == result_id) if 0 < result_id <= _MAX_ID else None

    def latest_result_of_run(self, run_id: int, grader: str) -> EvaluationResult | None:
        return self._result(EvaluationResultRow.run_id == run_id, EvaluationResultRow.grader == grader)

    def result_of_orchestration(self, orchestration_run_id: str, grader: str) -> EvaluationResult | None:
        """The newest result by a grader of what a Dagster run graded."""
        graded = select(GradingPassRow.id).where(GradingPassRow.orchestration_run_id == orchestration_run_id)
        return self._result(EvaluationResultRow.id.in_(graded), EvaluationResultRow.grader == grader)

    def _result(self, *conditions: ColumnElement[bool]) -> EvaluationResult | None:
        newest = self._own_results().where(*conditions).order_by(EvaluationResultRow.id.desc()).limit(1)
        with self._transaction() as session:
            row = session.scalar(newest)
            return result_of(row) if row is not None else None

    def _own_results(self) -> Select[Any]:
        return select(EvaluationResultRow).where(EvaluationResultRow.project == self._project)

    @contextmanager
    def _transaction(self) -> Iterator[Session]:
        with transaction(self._engine) as session:
            yield session

    @contextmanager
    def _statement(self) -> Iterator[Connection]:
        """A connection for one statement, which is a transaction of its own."""
        with failures_as_storage_errors(), self._autocommit.connect() as connection:
            yield connection
