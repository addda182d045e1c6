"""Choosing among stored results, and where each of them stands, in PostgreSQL.

What each method promises stands in `application/ports.py`. The generator is filtered before a result is
chosen, by columns that repeat what it says; the record of every row chosen is verified besides. Not
here: runs, responses and gradings (`result_store.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Row,
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
from sqlalchemy.orm import aliased

from eval_pipeline.adapters.postgres.result_rows import result_of
from eval_pipeline.adapters.postgres.tables import (
    EvaluationResultRow,
    ResultDecisionRow,
    ResultVerdictRow,
    indexed,
)
from eval_pipeline.adapters.postgres.transactions import transaction
from eval_pipeline.adapters.postgres.verdicts import PostgresVerdicts, report_of
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.quality import GeneratorScope
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.standing import Action

_LOOK_AHEAD = 8
_NEWEST_FIRST = (EvaluationResultRow.run_date.desc(), EvaluationResultRow.id.desc())


class PostgresResultHistory(PostgresVerdicts):
    """The results of one project to choose among, and where they stand."""

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
        if against is Against.PREVIOUS:
            return self._first_verified(chosen.order_by(*_NEWEST_FIRST))
        by_hand = self._decided(Action.ACCEPT, now)
        by_checks = and_(ResultVerdictRow.accepted, ~self._decided(Action.WITHDRAW, now))
        accepted = (
            chosen.outerjoin(ResultVerdictRow, ResultVerdictRow.result_id == EvaluationResultRow.id)
            .where(or_(by_checks, by_hand))
            .add_columns(ResultVerdictRow, by_hand)
        )
        return self._first_verified(accepted.order_by(*_NEWEST_FIRST), _is_accepted)

    def latest_before(self, scope: BaselineScope) -> EvaluationResult | None:
        chosen = (
            self._own()
            .where(
                EvaluationResultRow.set_id == scope.set_id,
                EvaluationResultRow.model_key == scope.model_key,
                EvaluationResultRow.grader == scope.grader,
                EvaluationResultRow.run_id != scope.run_id,
                EvaluationResultRow.eligible.is_(True),
                _is_earlier(scope),
            )
            .order_by(*_NEWEST_FIRST)
        )
        return self._first_verified(chosen)

    def newest_of_sets(
        self, set_ids: Sequence[str], grader: str, scope: GeneratorScope, since: datetime
    ) -> list[EvaluationResult]:
        chosen = self._of_model(grader, scope.outbound_model, since).where(
            EvaluationResultRow.generator_instance == indexed(scope.provider_instance)
        )
        if scope.model_key is not None:
            chosen = chosen.where(EvaluationResultRow.model_key == scope.model_key)
        if scope.reported_model is not None:
            chosen = chosen.where(EvaluationResultRow.generator_snapshot == indexed(scope.reported_model))
        return self._first_of_each(set_ids, chosen.order_by(*_NEWEST_FIRST))

    def provider_instances_of(
        self, set_ids: Sequence[str], grader: str, outbound_model: str, since: datetime
    ) -> frozenset[str]:
        found: set[str] = set()
        last = ""
        while True:
            # One step along the index for every provider instance, however many results it has.
            following = (
                self._of_model(grader, outbound_model, since)
                .where(EvaluationResultRow.generator_instance > last)
                .order_by(EvaluationResultRow.generator_instance, *_NEWEST_FIRST)
            )
            generators = [
                result.summary.provenance.generator for result in self._first_of_each(set_ids, following)
            ]
            instances = [each.provider_instance for each in generators if each and each.provider_instance]
            if not instances:
                return frozenset(found)
            found.add(min(instances, key=indexed))
            last = indexed(min(instances, key=indexed))

    def _own(self) -> Select[Any]:
        return select(EvaluationResultRow).where(EvaluationResultRow.project == self._project)

    def _in_scope(self, scope: BaselineScope) -> Select[Any]:
        generator = scope.generator
        snapshot = indexed(generator.declared_name if generator.declared else generator.reported_model)
        chosen = self._own().where(
            EvaluationResultRow.grader == scope.grader,
            EvaluationResultRow.set_id == scope.set_id,
            EvaluationResultRow.model_key == scope.model_key,
            EvaluationResultRow.run_id != scope.run_id,
            EvaluationResultRow.eligible.is_(True),
            EvaluationResultRow.generator_status == ("declared" if generator.declared else "one"),
            EvaluationResultRow.generator_instance == indexed(generator.provider_instance),
            EvaluationResultRow.generator_snapshot != snapshot
            if scope.another_snapshot
            else EvaluationResultRow.generator_snapshot == snapshot,
        )
        if generator.declared:
            return chosen
        return chosen.where(EvaluationResultRow.generator_model == indexed(generator.outbound_model))

    def _of_model(self, grader: str, outbound_model: str, since: datetime) -> Select[Any]:
        return self._own().where(
            EvaluationResultRow.grader == grader,
            EvaluationResultRow.run_date >= since,
            EvaluationResultRow.mean_score.is_not(None),
            EvaluationResultRow.eligible.is_(True),
            EvaluationResultRow.generator_status == "one",
            EvaluationResultRow.generator_model == indexed(outbound_model),
        )

    def _pinned(self, scope: BaselineScope) -> Select[Any]:
        newest = self._newest_decision(Action.PIN, Action.UNPIN)
        return (
            self._in_scope(scope)
            .join(newest, newest.c.result_id == EvaluationResultRow.id)
            .where(newest.c.action == Action.PIN.value, EvaluationResultRow.id != scope.result_id)
            .order_by(newest.c.id.desc())
        )

    def _decided(self, action: Action, now: datetime) -> ColumnElement[bool]:
        """Whether a result was last accepted, or last withdrawn, by hand, and that is not over at `now`."""
        newest = self._newest_decision(Action.ACCEPT, Action.WITHDRAW)
        return exists().where(
            newest.c.result_id == EvaluationResultRow.id,
            newest.c.action == action.value,
            or_(newest.c.until.is_(None), newest.c.until > now),
        )

    def _newest_decision(self, *actions: Action) -> Any:
        """The newest decision of these kinds on every result that has one."""
        ranked = (
            select(
                ResultDecisionRow.id,
                ResultDecisionRow.result_id,
                ResultDecisionRow.action,
                ResultDecisionRow.until,
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

    def _first_verified(
        self, ordered: Select[Any], holds: Callable[[Row[Any]], bool] = lambda _: True
    ) -> EvaluationResult | None:
        """The first result whose records hold up: one whose do not hides no other."""
        for row in self._few_by_few(ordered):
            result = result_of(row[0])
            if result.summary.provenance.generator is not None and holds(row):
                return result
        return None

    def _first_of_each(self, set_ids: Sequence[str], ordered: Select[Any]) -> list[EvaluationResult]:
        """For each set the first result that holds up, where there is one; one statement if all first ones do."""
        sets = (
            func.unnest(literal(list(set_ids), ARRAY(Text)))
            .table_valued("set_id", with_ordinality="place", name="wanted")
            .render_derived()
        )
        first = ordered.where(EvaluationResultRow.set_id == sets.c.set_id).limit(1).lateral()
        of_set = aliased(EvaluationResultRow, first)
        with transaction(self._engine) as session:
            chosen = select(of_set).select_from(sets).join(first, true()).order_by(sets.c.place)
            found = [result_of(row) for row in session.scalars(chosen)]
        verified = (
            result
            if result.summary.provenance.generator is not None
            else self._first_verified(ordered.where(EvaluationResultRow.set_id == result.set_id))
            for result in found
        )
        return [result for result in verified if result is not None]

    def _few_by_few(self, ordered: Select[Any]) -> Iterator[Row[Any]]:
        offset, size = 0, 1
        while True:
            with transaction(self._engine) as session:
                rows = session.execute(ordered.limit(size).offset(offset)).all()
            yield from rows
            if len(rows) < size:
                return
            offset, size = offset + size, size * _LOOK_AHEAD


def _is_accepted(row: Row[Any]) -> bool:
    """Of a result, its verdict and whether it was accepted by hand: whether the verdict holds up, where it counts."""
    _, verdict, by_hand = row
    report = report_of(verdict)
    return by_hand or (report is not None and report.accepts)


def _is_earlier(scope: BaselineScope) -> ColumnElement[bool]:
    return tuple_(EvaluationResultRow.run_date, EvaluationResultRow.id) < tuple_(
        literal(scope.run_date), literal(scope.result_id)
    )
