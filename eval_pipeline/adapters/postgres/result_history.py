"""Choosing among stored results, and where each of them stands, in PostgreSQL.

What each method promises stands in `application/ports.py`. The generator is filtered before a result is
chosen, by columns that repeat what it says; the record of every row chosen is verified besides. Not
here: runs, responses and gradings (`result_store.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, cast

from pydantic import ValidationError
from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Engine,
    Select,
    Text,
    and_,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import aliased

from eval_pipeline.adapters.postgres.result_rows import result_of
from eval_pipeline.adapters.postgres.tables import (
    EvaluationResultRow,
    ResultDecisionRow,
    ResultVerdictRow,
)
from eval_pipeline.adapters.postgres.transactions import transaction
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.gates import GateReport
from eval_pipeline.domain.quality import GeneratorScope
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.standing import Action, ManualDecision, Standing
from eval_pipeline.domain.text import storable

_LOOK_AHEAD = 8
_NEWEST_FIRST = (EvaluationResultRow.run_date.desc(), EvaluationResultRow.id.desc())


class PostgresResultHistory:
    """The results of one project, and where they stand.

    Args:
        engine: The database, whose tables are current.
        project: The project's slug.
    """

    def __init__(self, engine: Engine, project: str) -> None:
        self._engine = engine
        self._project = project

    def results(
        self,
        set_id: str | None = None,
        model_key: str | None = None,
        grader: str | None = None,
        limit: int = 50,
    ) -> list[EvaluationResult]:
        chosen = self._own()
        for column, value in (
            (EvaluationResultRow.set_id, set_id),
            (EvaluationResultRow.model_key, model_key),
            (EvaluationResultRow.grader, grader),
        ):
            if value is not None:
                chosen = chosen.where(column == value)
        with transaction(self._engine) as session:
            return [result_of(row) for row in session.scalars(chosen.order_by(*_NEWEST_FIRST).limit(limit))]

    def baseline(self, scope: BaselineScope, against: Against, now: datetime) -> EvaluationResult | None:
        if against is Against.PINNED:
            return self._first_verified(self._pinned(scope))
        chosen = self._in_scope(scope).where(_is_earlier(scope))
        if against is Against.ACCEPTED:
            chosen = chosen.where(or_(self._passed(), self._accepted_by_hand(now)))
        return self._first_verified(chosen.order_by(*_NEWEST_FIRST))

    def result_by_another_model(self, scope: BaselineScope) -> EvaluationResult | None:
        chosen = (
            self._own()
            .where(
                EvaluationResultRow.set_id == scope.set_id,
                EvaluationResultRow.model_key == scope.model_key,
                EvaluationResultRow.grader == scope.grader,
                EvaluationResultRow.eligible.is_(True),
                or_(
                    EvaluationResultRow.generator_instance != scope.generator.provider_instance,
                    EvaluationResultRow.generator_model != (scope.generator.outbound_model or ""),
                    EvaluationResultRow.generator_status
                    != ("declared" if scope.generator.declared else "one"),
                ),
                _is_earlier(scope),
            )
            .order_by(*_NEWEST_FIRST)
        )
        return self._first_verified(chosen)

    def newest_of_sets(
        self, set_ids: Sequence[str], grader: str, scope: GeneratorScope, since: datetime
    ) -> list[EvaluationResult]:
        newest = self._newest_by_generator(grader, scope, since)
        sets = (
            func.unnest(literal(list(set_ids), ARRAY(Text)))
            .table_valued("set_id", with_ordinality="place", name="wanted")
            .render_derived()
        )
        one = newest.where(EvaluationResultRow.set_id == sets.c.set_id).limit(1).lateral()
        of_set = aliased(EvaluationResultRow, one)
        with transaction(self._engine) as session:
            chosen = select(of_set).select_from(sets).join(one, true()).order_by(sets.c.place)
            found = [result_of(row) for row in session.scalars(chosen)]
        verified = (
            result
            if result.summary.provenance.generator is not None
            else self._first_verified(newest.where(EvaluationResultRow.set_id == result.set_id))
            for result in found
        )
        return [result for result in verified if result is not None]

    def _newest_by_generator(self, grader: str, scope: GeneratorScope, since: datetime) -> Select[Any]:
        """The results in `scope`, newest first."""
        chosen = self._of_model(grader, scope.outbound_model, since).where(
            EvaluationResultRow.generator_instance == scope.provider_instance
        )
        if scope.model_key is not None:
            chosen = chosen.where(EvaluationResultRow.model_key == scope.model_key)
        if scope.reported_model is not None:
            chosen = chosen.where(EvaluationResultRow.generator_snapshot == scope.reported_model)
        return chosen.order_by(*_NEWEST_FIRST)

    def provider_instances_of(
        self, set_ids: Sequence[str], grader: str, outbound_model: str, since: datetime
    ) -> frozenset[str]:
        found: set[str] = set()
        for set_id in set_ids:
            last = ""
            while True:
                # One step along the index for every provider instance, however many results it has.
                following = (
                    self._of_model(grader, outbound_model, since)
                    .where(
                        EvaluationResultRow.set_id == set_id, EvaluationResultRow.generator_instance > last
                    )
                    .order_by(EvaluationResultRow.generator_instance, *_NEWEST_FIRST)
                )
                result = self._first_verified(following)
                if result is None or result.summary.provenance.generator is None:
                    break
                last = cast("str", result.summary.provenance.generator.provider_instance)
                found.add(last)
        return frozenset(found)

    def save_report(self, result_id: int, report: GateReport) -> None:
        document = report.model_dump(mode="json")
        row = {
            "result_id": result_id,
            "decided_at": report.decided_at,
            "passed": report.passed,
            "verdict": report.comparison.verdict.value,
            "baseline_id": report.comparison.baseline_id,
            "checks": document["checks"],
            "comparison": document["comparison"],
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
        reports: dict[int, GateReport] = {}
        manual: dict[int, dict[Action, ManualDecision]] = {result_id: {} for result_id in result_ids}
        with transaction(self._engine) as session:
            verdicts = select(ResultVerdictRow).where(ResultVerdictRow.result_id.in_(result_ids))
            for row in session.scalars(verdicts):
                with suppress(ValidationError):  # a damaged verdict is none
                    reports[row.result_id] = GateReport.model_validate(
                        {"decided_at": row.decided_at, "checks": row.checks, "comparison": row.comparison}
                    )
            for decision in map(_decision_of, session.scalars(self._decisions(result_ids))):
                standing = manual[decision.result_id]
                match decision.action:
                    case Action.WITHDRAW:
                        standing.pop(Action.ACCEPT, None)
                    case Action.UNPIN:
                        standing.pop(Action.PIN, None)
                    case _:
                        standing[decision.action] = decision
        return {
            result_id: Standing(reports.get(result_id), decided.get(Action.ACCEPT), decided.get(Action.PIN))
            for result_id, decided in manual.items()
        }

    def _own(self) -> Select[Any]:
        return select(EvaluationResultRow).where(EvaluationResultRow.project == self._project)

    def _in_scope(self, scope: BaselineScope) -> Select[Any]:
        generator = scope.generator
        snapshot = generator.declared_name if generator.declared else generator.reported_model
        chosen = self._own().where(
            EvaluationResultRow.grader == scope.grader,
            EvaluationResultRow.set_id == scope.set_id,
            EvaluationResultRow.model_key == scope.model_key,
            EvaluationResultRow.run_id != scope.run_id,
            EvaluationResultRow.eligible.is_(True),
            EvaluationResultRow.generator_status == ("declared" if generator.declared else "one"),
            EvaluationResultRow.generator_instance == generator.provider_instance,
            EvaluationResultRow.generator_snapshot != snapshot
            if scope.another_snapshot
            else EvaluationResultRow.generator_snapshot == snapshot,
        )
        if generator.declared:
            return chosen
        return chosen.where(EvaluationResultRow.generator_model == generator.outbound_model)

    def _of_model(self, grader: str, outbound_model: str, since: datetime) -> Select[Any]:
        return self._own().where(
            EvaluationResultRow.grader == grader,
            EvaluationResultRow.run_date >= since,
            EvaluationResultRow.mean_score.is_not(None),
            EvaluationResultRow.eligible.is_(True),
            EvaluationResultRow.generator_status == "one",
            EvaluationResultRow.generator_model == outbound_model,
        )

    def _pinned(self, scope: BaselineScope) -> Select[Any]:
        newest = self._newest_decision(Action.PIN, Action.UNPIN)
        return (
            self._in_scope(scope)
            .join(newest, newest.c.result_id == EvaluationResultRow.id)
            .where(newest.c.action == Action.PIN.value, EvaluationResultRow.id != scope.result_id)
            .order_by(newest.c.id.desc())
        )

    @staticmethod
    def _passed() -> ColumnElement[bool]:
        return exists().where(ResultVerdictRow.result_id == EvaluationResultRow.id, ResultVerdictRow.passed)

    def _accepted_by_hand(self, now: datetime) -> ColumnElement[bool]:
        decision, later = aliased(ResultDecisionRow), aliased(ResultDecisionRow)
        of_acceptance = (Action.ACCEPT.value, Action.WITHDRAW.value)
        return exists().where(
            decision.project == self._project,
            decision.result_id == EvaluationResultRow.id,
            decision.action == Action.ACCEPT.value,
            or_(decision.until.is_(None), decision.until > now),
            ~exists().where(
                and_(
                    later.project == self._project,
                    later.result_id == EvaluationResultRow.id,
                    later.action.in_(of_acceptance),
                    later.id > decision.id,
                )
            ),
        )

    def _newest_decision(self, *actions: Action) -> Any:
        """The newest decision of these kinds on every result that has one."""
        ranked = (
            select(
                ResultDecisionRow.id,
                ResultDecisionRow.result_id,
                ResultDecisionRow.action,
                func.row_number()
                .over(partition_by=ResultDecisionRow.result_id, order_by=ResultDecisionRow.id.desc())
                .label("age"),
            )
            .where(
                ResultDecisionRow.project == self._project,
                ResultDecisionRow.action.in_([action.value for action in actions]),
            )
            .subquery()
        )
        return select(ranked).where(ranked.c.age == 1).subquery()

    def _decisions(self, result_ids: Sequence[int]) -> Select[Any]:
        return (
            select(ResultDecisionRow)
            .where(ResultDecisionRow.project == self._project, ResultDecisionRow.result_id.in_(result_ids))
            .order_by(ResultDecisionRow.id)
        )

    def _first_verified(self, ordered: Select[Any]) -> EvaluationResult | None:
        """The first result whose record holds up against its row: one that does not hides no other."""
        return next(
            (
                result
                for result in self._few_by_few(ordered)
                if result.summary.provenance.generator is not None
            ),
            None,
        )

    def _few_by_few(self, ordered: Select[Any]) -> Iterator[EvaluationResult]:
        offset, size = 0, 1
        while True:
            with transaction(self._engine) as session:
                rows = session.scalars(ordered.limit(size).offset(offset)).all()
                results = [result_of(row) for row in rows]
            yield from results
            if len(results) < size:
                return
            offset, size = offset + size, size * _LOOK_AHEAD


def _is_earlier(scope: BaselineScope) -> ColumnElement[bool]:
    return tuple_(EvaluationResultRow.run_date, EvaluationResultRow.id) < tuple_(
        literal(scope.run_date), literal(scope.result_id)
    )


def _decision_of(row: ResultDecisionRow) -> ManualDecision:
    return ManualDecision(
        row.result_id, Action(row.action), row.reason, row.decided_by, row.decided_at, row.until
    )
