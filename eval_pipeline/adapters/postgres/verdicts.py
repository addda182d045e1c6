"""Where results stand, in PostgreSQL: verdicts of record, and the audit of what people decided.

What each method promises stands in `application/ports.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Engine, Select, select
from sqlalchemy.dialects.postgresql import insert as upsert

from eval_pipeline.adapters.postgres.tables import ResultDecisionRow, ResultVerdictRow
from eval_pipeline.adapters.postgres.transactions import transaction
from eval_pipeline.domain.gates import GateReport
from eval_pipeline.domain.standing import Action, ManualDecision, Standing, standing_of
from eval_pipeline.domain.text import storable


class PostgresVerdicts:
    """Where the results of one project stand.

    Args:
        engine: The database, whose tables are current.
        project: The project's slug.
    """

    def __init__(self, engine: Engine, project: str) -> None:
        self._engine = engine
        self._project = project

    def save_report(self, result_id: int, report: GateReport) -> None:
        document = report.model_dump(mode="json")
        row = {
            "result_id": result_id,
            "decided_at": report.decided_at,
            "accepted": report.accepts,
            "verdict": report.comparison.verdict.value,
            "baseline_id": report.comparison.baseline_id,
            "checks": document["checks"],
            "comparison": document["comparison"],
            "not_accepted_because": report.not_accepted_because,
        }
        with transaction(self._engine) as session:
            session.execute(
                upsert(ResultVerdictRow)
                .values(row)
                .on_conflict_do_update(index_elements=["result_id"], set_=row)
            )

    def record_decision(self, decision: ManualDecision) -> None:
        with transaction(self._engine) as session:
            session.add(
                ResultDecisionRow(
                    project=self._project,
                    result_id=decision.result_id,
                    action=decision.action.value,
                    reason=storable(decision.reason),
                    decided_by=storable(decision.decided_by),
                    decided_at=decision.decided_at,
                    until=decision.until,
                )
            )

    def decisions(self, result_id: int) -> list[ManualDecision]:
        with transaction(self._engine) as session:
            return [_decision_of(row) for row in session.scalars(self._decisions([result_id]))]

    def standings(self, result_ids: Sequence[int]) -> dict[int, Standing]:
        reports: dict[int, GateReport | None] = {}
        decided: dict[int, list[ManualDecision]] = {result_id: [] for result_id in result_ids}
        with transaction(self._engine) as session:
            verdicts = select(ResultVerdictRow).where(ResultVerdictRow.result_id.in_(result_ids))
            for row in session.scalars(verdicts):
                reports[row.result_id] = report_of(row)
            for decision in map(_decision_of, session.scalars(self._decisions(result_ids))):
                decided[decision.result_id].append(decision)
        return {
            result_id: standing_of(reports.get(result_id), decisions)
            for result_id, decisions in decided.items()
        }

    def _decisions(self, result_ids: Sequence[int]) -> Select[Any]:
        return (
            select(ResultDecisionRow)
            .where(ResultDecisionRow.project == self._project, ResultDecisionRow.result_id.in_(result_ids))
            .order_by(ResultDecisionRow.id)
        )


def report_of(row: Any) -> GateReport | None:
    """The verdict of record that a row holds; a damaged one is none."""
    try:
        return GateReport.model_validate(
            {
                "decided_at": row.decided_at,
                "checks": row.checks,
                "comparison": row.comparison,
                "not_accepted_because": row.not_accepted_because,
            }
        )
    except ValidationError:
        return None


def _decision_of(row: ResultDecisionRow) -> ManualDecision:
    return ManualDecision(
        row.result_id, Action(row.action), row.reason, row.decided_by, row.decided_at, row.until
    )
