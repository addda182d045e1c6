"""The result store in PostgreSQL. What each method promises stands in `application/ports.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import ARRAY, Connection, Engine, Select, Text, any_, literal, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.exc import SQLAlchemyError
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
from eval_pipeline.application.ports import Exchange
from eval_pipeline.domain.errors import StorageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import Message, ModelResponse
from eval_pipeline.domain.results import EvaluationResult, GradingPass
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, RunStatus
from eval_pipeline.domain.set_hashes import prompt_document, prompt_hashes, set_document
from eval_pipeline.domain.text import storable, with_texts

_BATCH = 500
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
        key = {"project": self._project, "set_id": golden_set.id, "content_hash": golden_set.hashes.content}
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
            inputs_hash=hashes.inputs,
            treatment_hash=hashes.treatment,
            expectations_hash=hashes.expectations,
            provider_instance=plan.model.provider_key,
            outbound_model=plan.model.outbound_model,
            parameters=dict(plan.requests[0].parameters),
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

    def latest_run(
        self, set_id: str, model_key: str, orchestration_run_id: str | None = None
    ) -> EvaluationRun | None:
        newest = (
            select(EvaluationRunRow)
            .where(
                EvaluationRunRow.project == self._project,
                EvaluationRunRow.set_id == set_id,
                EvaluationRunRow.model_key == model_key,
            )
            .order_by(EvaluationRunRow.started_at.desc(), EvaluationRunRow.id.desc())
            .limit(1)
        )
        with self._transaction() as session:
            row = None
            if orchestration_run_id is not None:
                row = session.scalar(
                    newest.where(EvaluationRunRow.orchestration_run_id == orchestration_run_id)
                )
            row = row or session.scalar(newest)
            return run_of(row) if row is not None else None

    def responses(self, run_id: int, prompt_ids: Sequence[str]) -> dict[str, ModelResponse]:
        chosen = select(*RESPONSE_COLUMNS).where(
            ModelResponseRow.run_id == run_id,
            ModelResponseRow.prompt_id == any_(literal(list(prompt_ids), ARRAY(Text))),
        )
        with self._transaction() as session:
            return {row.prompt_id: response_of(row) for row in session.execute(chosen)}

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

    def latest_grading(self, run_id: int, grader: str) -> GradingPass | None:
        newest = (
            select(GradingPassRow)
            .where(GradingPassRow.run_id == run_id, GradingPassRow.grader == grader)
            .order_by(GradingPassRow.id.desc())
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
        with self._transaction() as session:
            row = session.scalar(self._own_results().where(EvaluationResultRow.id == result_id))
            return result_of(row) if row is not None else None

    def result_of_orchestration(self, orchestration_run_id: str, grader: str) -> EvaluationResult | None:
        """The newest result by a grader of what a Dagster run asked."""
        chosen = (
            self._own_results()
            .join(EvaluationRunRow, EvaluationRunRow.id == EvaluationResultRow.run_id)
            .where(
                EvaluationRunRow.orchestration_run_id == orchestration_run_id,
                EvaluationResultRow.grader == grader,
            )
            .order_by(EvaluationResultRow.run_date.desc(), EvaluationResultRow.id.desc())
            .limit(1)
        )
        with self._transaction() as session:
            row = session.scalar(chosen)
            return result_of(row) if row is not None else None

    def results(
        self,
        set_id: str | None = None,
        model_key: str | None = None,
        grader: str | None = None,
        limit: int = 50,
    ) -> list[EvaluationResult]:
        chosen = self._own_results()
        for column, value in (
            (EvaluationResultRow.set_id, set_id),
            (EvaluationResultRow.model_key, model_key),
            (EvaluationResultRow.grader, grader),
        ):
            if value is not None:
                chosen = chosen.where(column == value)
        newest_first = chosen.order_by(EvaluationResultRow.run_date.desc(), EvaluationResultRow.id.desc())
        with self._transaction() as session:
            return [result_of(row) for row in session.scalars(newest_first.limit(limit))]

    def _own_results(self) -> Select[Any]:
        return select(EvaluationResultRow).where(EvaluationResultRow.project == self._project)

    @contextmanager
    def _transaction(self) -> Iterator[Session]:
        """A transaction."""
        with _failures(), Session(self._engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def _statement(self) -> Iterator[Connection]:
        """A connection for one statement, which is a transaction of its own."""
        with _failures(), self._autocommit.connect() as connection:
            yield connection


@contextmanager
def _failures() -> Iterator[None]:
    """Turns failures into `StorageError`s without the values that were being stored."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise StorageError(f"a text cannot be stored: {error.reason}") from None
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or type(error).__name__).splitlines()[0]
        raise StorageError(f"the database refused or was lost: {reason}") from None
