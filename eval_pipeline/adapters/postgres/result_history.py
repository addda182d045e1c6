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
    case,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
)

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
# Plain rows: the mapper would take longer than the database.
_RESULT_COLUMNS = tuple(EvaluationResultRow.__table__.columns)
_VERDICT_COLUMNS = (
    ResultVerdictRow.decided_at,
    ResultVerdictRow.checks,
    ResultVerdictRow.comparison,
    ResultVerdictRow.not_accepted_because,
)
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
            return [result_of(row) for row in session.execute(chosen.order_by(*_NEWEST_FIRST).limit(limit))]

    def baseline(self, scope: BaselineScope, against: Against, now: datetime) -> EvaluationResult | None:
        if against is Against.PINNED:
            return self._first_verified(self._pinned(scope))
        chosen = self._in_scope(scope).where(_is_earlier(scope))
        if against is Against.PREVIOUS:
            return self._first_verified(chosen.order_by(*_NEWEST_FIRST))
        by_hand = self._decided_by_hand(now)
        accepted = (
            chosen.outerjoin(ResultVerdictRow, ResultVerdictRow.result_id == EvaluationResultRow.id)
            .where(
                or_(
                    by_hand == Action.ACCEPT.value,
                    and_(ResultVerdictRow.accepted, by_hand.is_distinct_from(Action.WITHDRAW.value)),
                )
            )
            .add_columns(*_VERDICT_COLUMNS, by_hand.label("by_hand"))
        )
        return self._first_verified(accepted.order_by(*_NEWEST_FIRST), _is_accepted)

    def latest_before(self, scope: BaselineScope) -> EvaluationResult | None:
        earlier = self._of_pair(scope).where(_is_earlier(scope))
        return self._first_verified(earlier.order_by(*_NEWEST_FIRST))

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
            first = min(instances, key=indexed)
            found.add(first)
            last = indexed(first)

    def _own(self) -> Select[Any]:
        return select(*_RESULT_COLUMNS).where(EvaluationResultRow.project == self._project)

    def _of_pair(self, scope: BaselineScope) -> Select[Any]:
        """What could be a baseline, were it not for the generator."""
        return self._own().where(
            EvaluationResultRow.grader == scope.grader,
            EvaluationResultRow.set_id == scope.set_id,
            EvaluationResultRow.model_key == scope.model_key,
            EvaluationResultRow.run_id != scope.run_id,
            EvaluationResultRow.eligible.is_(True),
        )

    def _in_scope(self, scope: BaselineScope) -> Select[Any]:
        generator = scope.generator
        snapshot = indexed(generator.declared_name if generator.declared else generator.reported_model)
        chosen = self._of_pair(scope).where(
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
        newest = (
            select(ResultDecisionRow.id, ResultDecisionRow.result_id, ResultDecisionRow.action)
            .distinct(ResultDecisionRow.result_id)
            .where(
                ResultDecisionRow.project == self._project,
                ResultDecisionRow.action.in_([Action.PIN.value, Action.UNPIN.value]),
            )
            .order_by(ResultDecisionRow.result_id, ResultDecisionRow.id.desc())
            .subquery()
        )
        return (
            self._in_scope(scope)
            .join(newest, newest.c.result_id == EvaluationResultRow.id)
            .where(newest.c.action == Action.PIN.value, EvaluationResultRow.id != scope.result_id)
            .order_by(newest.c.id.desc())
        )

    def _decided_by_hand(self, now: datetime) -> ColumnElement[str]:
        """What was decided last about the acceptance of a result, unless it is over at `now`."""
        holds = or_(ResultDecisionRow.until.is_(None), ResultDecisionRow.until > now)
        return (
            select(case((holds, ResultDecisionRow.action)))
            .where(
                ResultDecisionRow.project == self._project,
                ResultDecisionRow.result_id == EvaluationResultRow.id,
                ResultDecisionRow.action.in_([Action.ACCEPT.value, Action.WITHDRAW.value]),
            )
            .order_by(ResultDecisionRow.id.desc())
            .limit(1)
            .correlate(EvaluationResultRow)
            .scalar_subquery()
        )

    def _first_verified(
        self, ordered: Select[Any], holds: Callable[[Row[Any]], bool] = lambda _: True
    ) -> EvaluationResult | None:
        """The first result whose records hold up: one whose do not hides no other."""
        for row in self._few_by_few(ordered):
            result = result_of(row)
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
        first = (
            ordered.where(EvaluationResultRow.set_id == sets.c.set_id)
            .with_only_columns(EvaluationResultRow.id)
            .limit(1)
            .correlate(sets)
            .lateral()
        )
        chosen = (
            select(*_RESULT_COLUMNS)
            .select_from(sets)
            .join(first, true())
            .join(EvaluationResultRow, EvaluationResultRow.id == first.c.id)
            .order_by(sets.c.place)
        )
        with transaction(self._engine) as session:
            found = [result_of(row) for row in session.execute(chosen)]
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
    report = report_of(row)
    return row.by_hand == Action.ACCEPT.value or (report is not None and report.accepts)


def _is_earlier(scope: BaselineScope) -> ColumnElement[bool]:
    return tuple_(EvaluationResultRow.run_date, EvaluationResultRow.id) < tuple_(
        literal(scope.run_date), literal(scope.result_id)
    )
