"""What every result history promises: the in-memory one of the tests and PostgreSQL's alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text

from eval_pipeline.adapters.postgres.result_history import PostgresResultHistory
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.application.ports import ResultHistory, ResultStore
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.gates import gate_report
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.quality import GeneratorScope
from eval_pipeline.domain.regression import Comparison, Verdict
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.standing import Action, ManualDecision, Standing
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, model, response
from eval_pipeline_tests.fakes import InMemoryResultHistory, InMemoryResultStore
from eval_pipeline_tests.stored import NOON, grading, plan, result

HOUR = timedelta(hours=1)
LATER = NOON + 1000 * HOUR
SNAPSHOT = replace(SERVED_BY, reported_model="tern-5-2026")
APPLICATION = ServedBy("shop", None, None, "shop-bot", "2.1")
ACCEPTED, PREVIOUS, PINNED = Against.ACCEPTED, Against.PREVIOUS, Against.PINNED
MORE_THAN_ANY_LOOK_AHEAD = 80


@dataclass
class World:
    """A store with its history, and what tests do with them. Results are an hour apart, oldest first."""

    store: ResultStore
    history: ResultHistory
    damage: Callable[[EvaluationResult, Any], None]
    misname: Callable[[EvaluationResult], None]
    recorded: int = 0

    def result(self, served_by: ServedBy = SERVED_BY, **changes: Any) -> EvaluationResult:
        """A further result, of one prompt that passes."""
        self.recorded += 1
        defaults = {"run_date": NOON + self.recorded * HOUR}
        return result(self.store, (grading(), response(served_by=served_by)), **{**defaults, **changes})

    def passed(self, served_by: ServedBy = SERVED_BY, **changes: Any) -> EvaluationResult:
        """A further result that passed its checks."""
        return self.judged(self.result(served_by, **changes), Verdict.FIRST)

    def judged(
        self, kept: EvaluationResult, verdict: Verdict, not_accepted_because: str | None = None
    ) -> EvaluationResult:
        """The result, with this verdict of record on it."""
        comparison = Comparison(verdict=verdict, reason="because")
        report = gate_report(kept, comparison, (), kept.run_date, not_accepted_because)
        self.history.save_report(kept.id, report)
        return kept

    def again(self, kept: EvaluationResult, **changes: Any) -> EvaluationResult:
        """A further result of the same run."""
        return result(self.store, run=self.store.run(kept.run_id), **changes)

    def decide(
        self, kept: EvaluationResult, action: Action, until: datetime | None = None, reason: str = "known"
    ) -> ManualDecision:
        decision = ManualDecision(kept.id, action, reason, "ada", NOON, until)
        self.history.record_decision(decision)
        return decision

    def baseline(
        self,
        of: EvaluationResult,
        against: Against = ACCEPTED,
        now: datetime = LATER,
        *,
        another_snapshot: bool = False,
    ) -> int | None:
        """The id of the baseline of a result."""
        found = self.history.baseline(scope_of(of, another_snapshot=another_snapshot), against, now)
        return None if found is None else found.id

    def latest_before(self, of: EvaluationResult) -> int | None:
        found = self.history.latest_before(scope_of(of))
        return None if found is None else found.id

    def newest(
        self, set_ids: Sequence[str] = ("acme.set",), since: datetime = NOON, **scope: Any
    ) -> list[int]:
        """The ids of the newest results that say how good a generator is."""
        of = GeneratorScope(**{"provider_instance": "eu-west", "outbound_model": "tern-large", **scope})
        return [found.id for found in self.history.newest_of_sets(set_ids, "deterministic", of, since)]

    def instances(
        self, set_ids: Sequence[str] = ("acme.set",), grader: str = "deterministic", since: datetime = NOON
    ) -> frozenset[str]:
        return self.history.provider_instances_of(set_ids, grader, "tern-large", since)


def scope_of(of: EvaluationResult, **changes: Any) -> BaselineScope:
    generator = of.summary.provenance.generator
    assert generator is not None
    return BaselineScope.of(of, generator, **changes)


def in_memory() -> World:
    store = InMemoryResultStore()

    def damage(kept: EvaluationResult, record: Any) -> None:
        read = GeneratorProvenance.decoded(record).verified_against(
            prompt_count=1, graded_count=1, model_id=kept.model_id
        )
        store.kept[kept.id] = replace(kept, summary=replace(kept.summary, provenance=read))

    return World(store, InMemoryResultHistory(store), damage, lambda kept: damage(kept, None))


def in_postgres(engine: Engine, project: str) -> World:
    def execute(statement: str, **values: Any) -> None:
        with engine.begin() as connection:
            assert connection.execute(text(statement), values).rowcount == 1

    def damage(kept: EvaluationResult, record: Any) -> None:
        execute(
            "update evaluation_result set provenance = cast(:record as jsonb) where id = :id",
            record=None if record is None else json.dumps(record),
            id=kept.id,
        )

    def misname(kept: EvaluationResult) -> None:
        execute("update evaluation_result set model_id = 'heron' where id = :id", id=kept.id)

    store = PostgresResultStore(engine, project)
    return World(store, PostgresResultHistory(engine, project), damage, misname)


@pytest.fixture(params=["in memory", "PostgreSQL"])
def world(request: pytest.FixtureRequest) -> World:
    if request.param == "in memory":
        return in_memory()
    return in_postgres(request.getfixturevalue("shared_engine"), request.getfixturevalue("project"))


# Listing


def test_results_are_newest_first_and_of_equal_dates_the_last_recorded_first(world: World) -> None:
    dates = [NOON, NOON + HOUR, NOON, NOON - HOUR, NOON + HOUR]
    first, second, third, fourth, fifth = (world.result(run_date=date).id for date in dates)
    assert [found.id for found in world.history.results()] == [fifth, second, third, first, fourth]
    assert [found.id for found in world.history.results(limit=2)] == [fifth, second]


def test_results_are_found_by_set_model_and_grader(world: World) -> None:
    by_default = world.result().id
    of_set = world.result(asked=plan(golden_set(id="acme.other"))).id
    of_model = world.result(asked=plan(asked_model=model("heron"))).id
    by_judge = world.result(grader="llm_judge").id
    results = world.history.results
    assert [found.id for found in results(set_id="acme.other")] == [of_set]
    assert [found.id for found in results(model_key="heron")] == [of_model]
    assert [found.id for found in results(grader="llm_judge")] == [by_judge]
    assert [found.id for found in results("acme.set", "tern", "deterministic")] == [by_default]
    assert results("acme.other", "heron") == []


def test_a_listed_result_is_as_it_was_saved(world: World) -> None:
    saved = world.result()
    assert world.history.results() == [saved]


# How a baseline is chosen


def test_the_first_result_of_its_kind_has_no_baseline(world: World) -> None:
    current = world.passed()
    assert [world.baseline(current, against) for against in Against] == [None, None, None]


def test_the_accepted_baseline_is_the_newest_earlier_one_that_passed(world: World) -> None:
    world.passed()
    newest = world.passed()
    assert world.baseline(world.result()) == newest.id


def test_the_accepted_baseline_is_not_hidden_by_a_newer_one_that_failed_its_checks(world: World) -> None:
    accepted = world.passed()
    world.judged(world.result(), Verdict.REGRESSION)
    assert world.baseline(world.result()) == accepted.id


def test_a_result_without_verdict_is_no_accepted_baseline(world: World) -> None:
    world.result()
    assert world.baseline(world.result()) is None


def test_a_result_whose_verdict_was_reached_anew_counts_by_the_new_one(world: World) -> None:
    earlier = world.judged(world.passed(), Verdict.REGRESSION)
    current = world.result()
    assert world.baseline(current) is None
    world.judged(earlier, Verdict.NO_REGRESSION)
    assert world.baseline(current) == earlier.id


def test_the_previous_one_is_the_newest_earlier_one_whatever_came_of_it(world: World) -> None:
    world.passed()
    regressed = world.judged(world.result(), Verdict.REGRESSION)
    assert world.baseline(world.result(), PREVIOUS) == regressed.id


def test_a_result_that_was_asked_later_is_no_baseline(world: World) -> None:
    current = world.result()
    world.passed()
    assert (world.baseline(current), world.baseline(current, PREVIOUS)) == (None, None)


def test_of_results_asked_at_the_same_time_the_one_recorded_last_is_the_newest(world: World) -> None:
    _, second, current, later = (world.passed(run_date=NOON) for _ in range(4))
    assert (world.baseline(current), world.baseline(later)) == (second.id, current.id)


def test_of_runs_that_overlap_the_one_that_was_asked_first_is_the_baseline_whatever_ended_first(
    world: World,
) -> None:
    started_second = world.passed(run_date=NOON + 2 * HOUR)
    started_first = world.passed(run_date=NOON + HOUR)
    assert world.baseline(started_second) == started_first.id
    assert world.baseline(started_first) is None


def test_the_other_results_of_the_same_run_are_no_baseline(world: World) -> None:
    first = world.passed()
    world.decide(first, Action.PIN)
    again = world.again(first)
    assert [world.baseline(again, against) for against in Against] == [None, None, None]


def test_answers_that_were_graded_again_are_as_old_as_they_were(world: World) -> None:
    old, newer = world.passed(), world.passed()
    world.judged(world.again(old), Verdict.NO_REGRESSION)
    assert world.baseline(world.result()) == newer.id


def test_of_the_results_of_an_earlier_run_the_one_graded_last_is_the_baseline(world: World) -> None:
    first = world.passed()
    again = world.judged(world.again(first), Verdict.NO_REGRESSION)
    assert world.baseline(world.result()) == again.id


# The scope of a baseline

OTHERS: dict[str, Callable[[World], EvaluationResult]] = {
    "another set": lambda world: world.passed(asked=plan(golden_set(id="acme.other"))),
    "another grader": lambda world: world.passed(grader="llm_judge"),
    "another model key": lambda world: world.passed(asked=plan(asked_model=model("heron"))),
    "another provider instance": lambda world: world.passed(replace(SERVED_BY, provider_instance="us")),
    "another outbound model": lambda world: world.passed(replace(SERVED_BY, outbound_model="tern-small")),
    "another reported model": lambda world: world.passed(SNAPSHOT),
    "an application's claim": lambda world: world.passed(
        replace(SERVED_BY, reported_model=None, declared_name=SERVED_BY.reported_model)
    ),
}
outside = pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)


@outside
@pytest.mark.parametrize("against", Against)
def test_a_result_of_another_kind_is_no_baseline(
    world: World, other: Callable[[World], EvaluationResult], against: Against
) -> None:
    world.decide(other(world), Action.PIN)
    assert world.baseline(world.result(), against) is None


@outside
@pytest.mark.parametrize("against", Against)
def test_a_newer_result_of_another_kind_never_hides_an_older_match(
    world: World, other: Callable[[World], EvaluationResult], against: Against
) -> None:
    match = world.passed()
    world.decide(match, Action.PIN)
    world.decide(other(world), Action.PIN)
    assert world.baseline(world.result(), against) == match.id


def test_many_newer_results_of_another_snapshot_never_hide_an_older_match(world: World) -> None:
    match = world.passed()
    for _ in range(MORE_THAN_ANY_LOOK_AHEAD):
        world.passed(SNAPSHOT)
    assert world.baseline(world.result()) == match.id


def test_across_a_change_of_the_snapshot_the_baseline_is_of_any_other_one(world: World) -> None:
    world.passed(replace(SERVED_BY, reported_model="tern-3-2025"))
    before = world.passed()
    world.passed(SNAPSHOT)
    current = world.result(SNAPSHOT)
    assert world.baseline(current, another_snapshot=True) == before.id


@pytest.mark.parametrize("other", [each for name, each in OTHERS.items() if "reported" not in name])
def test_across_a_change_of_the_snapshot_nothing_else_may_differ(
    world: World, other: Callable[[World], EvaluationResult]
) -> None:
    world.decide(other(world), Action.PIN)
    current = world.result(SNAPSHOT)
    assert [world.baseline(current, against, another_snapshot=True) for against in Against] == [None] * 3


def test_an_application_is_compared_with_itself_by_the_name_it_declares_whatever_the_version(
    world: World,
) -> None:
    earlier = world.passed(APPLICATION)
    current = world.result(replace(APPLICATION, declared_version="3.0"))
    assert world.baseline(current) == earlier.id


@pytest.mark.parametrize(
    "other",
    [
        replace(APPLICATION, declared_name="other-bot"),
        replace(APPLICATION, provider_instance="other-shop"),
        replace(APPLICATION, outbound_model="tern-large", reported_model="shop-bot"),
    ],
    ids=["another name", "another place", "a verified model of that name"],
)
def test_an_application_is_not_compared_with_another(world: World, other: ServedBy) -> None:
    world.passed(other)
    assert world.baseline(world.result(APPLICATION)) is None


# What can be no baseline, and hides none


def incomplete(world: World) -> EvaluationResult:
    return world.passed(incomplete_because="2 of 3 prompts could not be measured")


def partial(world: World) -> EvaluationResult:
    return world.passed(partial=True, incomplete_because="only a part of the set was evaluated")


def mixed(world: World) -> EvaluationResult:
    both = [(grading("p1"), response()), (grading("p2"), response(prompt_id="p2", served_by=SNAPSHOT))]
    world.recorded += 1
    return world.judged(
        result(world.store, *both, run_date=NOON + world.recorded * HOUR), Verdict.NO_REGRESSION
    )


def partly_unknown(world: World) -> EvaluationResult:
    nameless = replace(SERVED_BY, reported_model=None)
    both = [(grading("p1"), response()), (grading("p2"), response(prompt_id="p2", served_by=nameless))]
    world.recorded += 1
    return world.judged(
        result(world.store, *both, run_date=NOON + world.recorded * HOUR), Verdict.NO_REGRESSION
    )


def generator_record(**changes: Any) -> dict[str, Any]:
    """The record of one answer by the usual generator, changed."""
    generator = {
        "provider_instance": "eu-west",
        "outbound_model": "tern-large",
        "reported_model": "tern-4-2026",
        "alias_only": False,
        "responses": 1,
    }
    record = {"version": 1, "status": "one", "generators": [generator], "unknown": 0, "answered": 1}
    of_generator = {name: changes.pop(name) for name in [*changes] if name in generator}
    return {**record, "generators": [{**generator, **of_generator}], **changes}


DAMAGES = {
    "absent": None,
    "a list": [],
    "without a version": {"status": "one"},
    "version 2": generator_record(version=2),
    "a status at odds with itself": generator_record(unknown=1, answered=2),
    "a total at odds with its counts": generator_record(answered=2),
    "more answers than prompts": generator_record(responses=9, answered=9),
    "fewer answers than gradings": generator_record(generators=[], status="empty", answered=0),
    "an unknown key": generator_record(text="yes"),
}


def damaged(world: World, record: Any) -> EvaluationResult:
    kept = world.passed()
    world.damage(kept, record)
    return kept


def misnamed(world: World) -> EvaluationResult:
    kept = world.passed()
    world.misname(kept)
    return kept


UNFIT: dict[str, Callable[[World], EvaluationResult]] = {
    "incomplete": incomplete,
    "partial": partial,
    "by two generators": mixed,
    "by a partly unknown generator": partly_unknown,
    "whose model is not that of its record": misnamed,
    **{
        f"whose record is damaged: {name}": lambda world, record=record: damaged(world, record)
        for name, record in DAMAGES.items()
    },
}
unfit_result = pytest.mark.parametrize("unfit", UNFIT.values(), ids=UNFIT)


def test_the_record_that_the_damaged_ones_are_made_from_is_a_good_one(world: World) -> None:
    kept = damaged(world, generator_record())
    assert world.baseline(world.result(), PREVIOUS) == kept.id


@unfit_result
@pytest.mark.parametrize("against", Against)
def test_a_result_that_is_no_evidence_is_no_baseline_even_when_pinned_and_accepted(
    world: World, unfit: Callable[[World], EvaluationResult], against: Against
) -> None:
    kept = unfit(world)
    world.decide(kept, Action.ACCEPT)
    world.decide(kept, Action.PIN)
    assert world.baseline(world.result(), against) is None


@unfit_result
@pytest.mark.parametrize("against", Against)
def test_a_newer_result_that_is_no_evidence_never_hides_an_older_match(
    world: World, unfit: Callable[[World], EvaluationResult], against: Against
) -> None:
    match = world.passed()
    world.decide(match, Action.PIN)
    world.decide(unfit(world), Action.PIN)
    assert world.baseline(world.result(), against) == match.id


@pytest.mark.parametrize("against", Against)
def test_however_many_newer_results_are_damaged_they_never_hide_an_older_match(
    world: World, against: Against
) -> None:
    match = world.passed()
    world.decide(match, Action.PIN)
    for _ in range(MORE_THAN_ANY_LOOK_AHEAD):
        world.decide(damaged(world, DAMAGES["version 2"]), Action.PIN)
    assert world.baseline(world.result(), against) == match.id


# Acceptance by hand


def rejected(world: World) -> EvaluationResult:
    """A result that failed its checks."""
    return world.judged(world.result(), Verdict.REGRESSION)


def test_a_result_that_failed_is_a_baseline_once_it_is_accepted(world: World) -> None:
    kept = rejected(world)
    world.decide(kept, Action.ACCEPT)
    assert world.baseline(world.result()) == kept.id


def test_an_acceptance_counts_until_it_ends_and_not_at_that_moment(world: World) -> None:
    kept = rejected(world)
    world.decide(kept, Action.ACCEPT, until=LATER)
    current = world.result()
    assert world.baseline(current, now=LATER - timedelta(microseconds=1)) == kept.id
    assert world.baseline(current, now=LATER) is None


def test_an_acceptance_that_was_withdrawn_does_not_count(world: World) -> None:
    kept = rejected(world)
    world.decide(kept, Action.ACCEPT)
    world.decide(kept, Action.WITHDRAW)
    assert world.baseline(world.result()) is None


def test_what_its_checks_accepted_and_was_withdrawn_is_no_baseline_until_it_is_accepted_again(
    world: World,
) -> None:
    older, kept = world.passed(), world.passed()
    current = world.result()
    assert world.baseline(current) == kept.id
    world.decide(kept, Action.WITHDRAW)
    assert (world.baseline(current), world.baseline(current, PREVIOUS)) == (older.id, kept.id)
    assert not world.history.standings([kept.id])[kept.id].approved(LATER)
    world.judged(kept, Verdict.NO_REGRESSION)
    assert world.baseline(current) == older.id
    world.decide(kept, Action.ACCEPT)
    assert world.baseline(current) == kept.id


def test_after_a_withdrawal_an_acceptance_that_ends_leaves_what_the_checks_say(world: World) -> None:
    kept = world.passed()
    world.decide(kept, Action.WITHDRAW)
    world.decide(kept, Action.ACCEPT, until=LATER)
    current = world.result()
    for now in (LATER - timedelta(microseconds=1), LATER):
        approved = world.history.standings([kept.id])[kept.id].approved(now)
        assert (world.baseline(current, now=now) == kept.id) is approved


def test_what_passed_its_checks_without_being_accepted_by_them_is_no_baseline(world: World) -> None:
    older = world.passed()
    loose = world.judged(world.result(), Verdict.NO_REGRESSION, "it was compared loosely")
    current = world.result()
    assert (world.baseline(current), world.baseline(current, PREVIOUS)) == (older.id, loose.id)
    world.decide(loose, Action.ACCEPT)
    assert world.baseline(current) == loose.id
    world.decide(loose, Action.WITHDRAW)
    world.judged(loose, Verdict.NO_REGRESSION)
    assert world.baseline(current) == older.id


def test_a_result_can_be_accepted_again_after_it_was_withdrawn(world: World) -> None:
    kept = rejected(world)
    for action in (Action.ACCEPT, Action.WITHDRAW, Action.ACCEPT):
        world.decide(kept, action)
    assert world.baseline(world.result()) == kept.id


def test_the_newest_acceptance_counts_whatever_the_one_before_said(world: World) -> None:
    kept = rejected(world)
    world.decide(kept, Action.ACCEPT)
    world.decide(kept, Action.ACCEPT, until=NOON)
    assert world.baseline(world.result()) is None


def test_a_decision_about_one_result_changes_nothing_for_another(world: World) -> None:
    older, newer = rejected(world), rejected(world)
    for kept in (older, newer):
        world.decide(kept, Action.ACCEPT)
    current = world.result()
    assert (world.baseline(newer), world.baseline(current)) == (older.id, newer.id)
    world.decide(newer, Action.WITHDRAW)
    assert world.baseline(current) == older.id


def test_a_pin_neither_accepts_a_result_nor_withdraws_its_acceptance(world: World) -> None:
    pinned, accepted = rejected(world), rejected(world)
    world.decide(accepted, Action.ACCEPT)
    for action in (Action.PIN, Action.UNPIN):
        world.decide(accepted, action)
    assert world.baseline(world.result()) == accepted.id
    world.decide(pinned, Action.PIN)
    assert world.history.standings([pinned.id])[pinned.id].acceptance is None


def test_a_result_that_passed_stays_a_baseline_when_an_acceptance_of_it_has_ended(world: World) -> None:
    kept = world.passed()
    world.decide(kept, Action.ACCEPT, until=NOON)
    assert world.baseline(world.result()) == kept.id


# Pins


def test_a_pinned_result_is_the_baseline_whatever_its_age_and_verdict(world: World) -> None:
    kept = rejected(world)
    world.passed()
    world.decide(kept, Action.PIN)
    assert world.baseline(world.result(), PINNED) == kept.id


def test_the_newest_pin_wins_whatever_is_the_newest_result(world: World) -> None:
    older, newer = world.passed(), world.passed()
    world.decide(newer, Action.PIN)
    world.decide(older, Action.PIN)
    assert world.baseline(world.result(), PINNED) == older.id


def test_where_the_newest_pin_was_taken_off_the_one_before_counts_again(world: World) -> None:
    older, newer = world.passed(), world.passed()
    world.decide(older, Action.PIN)
    world.decide(newer, Action.PIN)
    world.decide(newer, Action.UNPIN)
    current = world.result()
    assert world.baseline(current, PINNED) == older.id
    world.decide(older, Action.UNPIN)
    assert world.baseline(current, PINNED) is None


def test_a_result_pinned_again_is_the_newest_pin(world: World) -> None:
    first, second = world.passed(), world.passed()
    for kept, action in (
        (first, Action.PIN),
        (first, Action.UNPIN),
        (second, Action.PIN),
        (first, Action.PIN),
    ):
        world.decide(kept, action)
    assert world.baseline(world.result(), PINNED) == first.id


def test_a_pinned_result_is_not_its_own_baseline(world: World) -> None:
    current = world.passed()
    world.decide(current, Action.PIN)
    assert world.baseline(current, PINNED) is None


def test_a_result_pinned_later_is_the_baseline_of_an_older_one_that_is_graded_again(world: World) -> None:
    old, pinned = world.passed(), world.passed()
    world.decide(pinned, Action.PIN)
    assert world.baseline(world.again(old), PINNED) == pinned.id


# The latest before, whatever produced it


@outside
def test_the_latest_before_is_the_newest_earlier_one_of_its_key_whatever_produced_it(
    world: World, other: Callable[[World], EvaluationResult]
) -> None:
    own = world.result()
    kept = other(world)
    kind = (own.set_id, own.model_key, own.grader)
    same_kind = (kept.set_id, kept.model_key, kept.grader) == kind
    assert world.latest_before(world.result()) == (kept.id if same_kind else own.id)


def test_the_latest_before_may_have_failed_its_checks_or_been_withdrawn(world: World) -> None:
    failed_its_checks = rejected(world)
    withdrawn = world.passed()
    world.decide(withdrawn, Action.WITHDRAW)
    assert world.latest_before(withdrawn) == failed_its_checks.id
    assert world.latest_before(world.result()) == withdrawn.id


def test_nothing_is_the_latest_before_the_first(world: World) -> None:
    first = world.passed()
    world.passed()
    assert world.latest_before(first) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"asked": plan(golden_set(id="acme.other"))},
        {"grader": "llm_judge"},
        {"asked": plan(asked_model=model("heron"))},
        {"run_date": LATER},
        {"incomplete_because": "errors"},
    ],
    ids=["another set", "another grader", "another model key", "a later one", "an incomplete one"],
)
def test_a_result_of_another_kind_is_not_the_latest_before(world: World, changes: dict[str, Any]) -> None:
    world.result(**changes)
    assert world.latest_before(world.result()) is None


def test_the_other_results_of_the_same_run_are_not_the_latest_before(world: World) -> None:
    before = world.result()
    first = world.result()
    assert world.latest_before(world.again(first)) == before.id


@unfit_result
def test_a_result_that_is_no_evidence_is_not_the_latest_before_and_hides_none(
    world: World, unfit: Callable[[World], EvaluationResult]
) -> None:
    own = world.result(SNAPSHOT)
    unfit(world)
    assert world.latest_before(world.result()) == own.id


def test_however_many_are_damaged_they_never_hide_the_latest_before(world: World) -> None:
    newest = world.result(replace(SERVED_BY, provider_instance="us"))
    for _ in range(MORE_THAN_ANY_LOOK_AHEAD):
        damaged(world, DAMAGES["version 2"])
    assert world.latest_before(world.result()) == newest.id


# Quality


def test_of_every_set_the_newest_result_of_a_generator_says_how_good_it_is(world: World) -> None:
    other = plan(golden_set(id="acme.other"))
    world.result(asked=other)
    of_other = world.result(asked=other)
    world.result()
    of_set = world.judged(world.result(), Verdict.REGRESSION)
    assert world.newest(["acme.set", "acme.none", "acme.other"]) == [of_set.id, of_other.id]


QUALITY_OTHERS = {
    name: each for name, each in OTHERS.items() if name not in ("another model key", "another reported model")
}


@pytest.mark.parametrize("other", QUALITY_OTHERS.values(), ids=QUALITY_OTHERS)
def test_a_newer_result_outside_a_scope_never_hides_the_quality_in_it(
    world: World, other: Callable[[World], EvaluationResult]
) -> None:
    own = world.result()
    other(world)
    assert world.newest() == [own.id]


def test_quality_is_of_all_model_keys_and_snapshots_unless_one_is_named(world: World) -> None:
    old = world.result()
    newest = world.result(SNAPSHOT, asked=plan(asked_model=model("heron")))
    assert world.newest() == [newest.id]
    assert world.newest(model_key="tern") == [old.id]
    assert world.newest(reported_model=SERVED_BY.reported_model) == [old.id]
    assert world.newest(reported_model="tern-9") == []


def test_a_result_counts_for_quality_from_the_moment_on_that_is_asked_for(world: World) -> None:
    kept = world.result()
    assert world.newest(since=kept.run_date) == [kept.id]
    assert world.newest(since=kept.run_date + timedelta(microseconds=1)) == []


@unfit_result
def test_a_newer_result_that_is_no_evidence_never_hides_a_quality(
    world: World, unfit: Callable[[World], EvaluationResult]
) -> None:
    own = world.result()
    unfit(world)
    assert (world.newest(), world.instances()) == ([own.id], {"eu-west"})


@unfit_result
def test_a_result_that_is_no_evidence_says_nothing_of_quality(
    world: World, unfit: Callable[[World], EvaluationResult]
) -> None:
    unfit(world)
    assert (world.newest(), world.instances()) == ([], frozenset())


def test_however_many_newer_results_are_damaged_they_never_hide_a_quality(world: World) -> None:
    own = world.result()
    for _ in range(MORE_THAN_ANY_LOOK_AHEAD):
        damaged(world, DAMAGES["version 2"])
    assert (world.newest(), world.instances()) == ([own.id], {"eu-west"})


def test_a_result_in_which_nothing_was_graded_says_nothing_of_quality(world: World) -> None:
    own = world.result()
    unmeasured = (grading("p1", Status.ERROR), response(served_by=replace(SERVED_BY, provider_instance="us")))
    result(world.store, unmeasured, run_date=LATER)
    result(world.store, (grading("p1", Status.ERROR), response()), run_date=LATER)
    assert (world.newest(), world.instances()) == ([own.id], {"eu-west"})


def test_every_provider_instance_that_served_a_model_is_known(world: World) -> None:
    for instance in ("us", "eu-west", "ap", "eu-west", "us"):
        world.result(replace(SERVED_BY, provider_instance=instance))
    world.result(replace(SERVED_BY, provider_instance="za"), asked=plan(golden_set(id="acme.other")))
    assert world.instances() == {"ap", "eu-west", "us"}
    assert world.instances(["acme.set", "acme.other"]) == {"ap", "eu-west", "us", "za"}


def test_provider_instances_are_found_whatever_way_the_database_orders_texts(world: World) -> None:
    instances = {"B-west", "a-west", "ä-west", "Zeta", "zeta", "x" * 300, "x" * 301}
    for instance in sorted(instances):
        world.result(replace(SERVED_BY, provider_instance=instance))
    assert world.instances() == instances


def test_provider_instances_are_those_of_the_grader_the_model_and_the_time_asked_for(world: World) -> None:
    kept = world.result()
    assert world.instances(grader="llm_judge") == frozenset()
    assert world.instances(since=kept.run_date + HOUR) == frozenset()
    assert world.history.provider_instances_of(["acme.set"], "deterministic", "tern", NOON) == frozenset()


def test_an_application_that_declares_itself_is_no_evidence_of_a_model(world: World) -> None:
    world.result(ServedBy("eu-west", "tern-large", None, "shop-bot"))
    assert (world.newest(), world.instances()) == ([], frozenset())


def test_a_result_without_answers_says_nothing_of_quality(world: World) -> None:
    result(world.store, (grading("p1", Status.ERROR), failed()), run_date=LATER)
    assert (world.newest(), world.instances()) == ([], frozenset())


# Where results stand


def test_a_result_nothing_is_known_of_stands_nowhere(world: World) -> None:
    kept = world.result()
    assert world.history.standings([kept.id, 999_999_999]) == {kept.id: Standing(), 999_999_999: Standing()}
    assert world.history.standings([]) == {}


def test_a_verdict_of_record_comes_back_as_it_was_saved(world: World) -> None:
    kept = world.result()
    comparison = Comparison(verdict=Verdict.FIRST, reason="naïve")
    report = gate_report(kept, comparison, ("p1",), NOON, "compared loosely, naïvely")
    world.history.save_report(kept.id, report)
    assert world.history.standings([kept.id])[kept.id].report == report


def test_a_verdict_reached_anew_replaces_the_one_of_record(world: World) -> None:
    kept = world.judged(world.passed(), Verdict.REGRESSION)
    report = world.history.standings([kept.id])[kept.id].report
    assert report is not None
    assert report.comparison.verdict is Verdict.REGRESSION


def test_standings_of_several_results_are_kept_apart(world: World) -> None:
    first, second = world.passed(), rejected(world)
    accepted = world.decide(second, Action.ACCEPT)
    found = world.history.standings([first.id, second.id])
    assert (found[first.id].acceptance, found[second.id].acceptance) == (None, accepted)
    assert (found[first.id].approved(LATER), found[second.id].approved(LATER)) == (True, True)


def test_the_acceptance_and_the_pin_that_stand_are_the_newest_of_their_kind(world: World) -> None:
    kept = world.result()
    world.decide(kept, Action.ACCEPT, reason="first")
    world.decide(kept, Action.PIN, reason="first")
    pin = world.decide(kept, Action.PIN, reason="second")
    acceptance = world.decide(kept, Action.ACCEPT, until=LATER, reason="second")
    assert world.history.standings([kept.id])[kept.id] == Standing(acceptance=acceptance, pin=pin)


def test_what_was_taken_back_does_not_stand(world: World) -> None:
    kept = world.result()
    world.decide(kept, Action.ACCEPT)
    world.decide(kept, Action.PIN)
    withdrawal = world.decide(kept, Action.WITHDRAW)
    world.decide(kept, Action.UNPIN)
    assert world.history.standings([kept.id])[kept.id] == Standing(withdrawal=withdrawal)
    acceptance = world.decide(kept, Action.ACCEPT)
    assert world.history.standings([kept.id])[kept.id] == Standing(acceptance=acceptance)


def test_the_audit_keeps_every_decision_about_a_result_oldest_first(world: World) -> None:
    kept, other = world.result(), world.result()
    made = [world.decide(kept, action, reason=f"naïve {action}") for action in Action]
    world.decide(other, Action.PIN)
    made.append(world.decide(kept, Action.ACCEPT, until=LATER))
    assert world.history.decisions(kept.id) == made


def test_a_result_nobody_decided_about_has_no_audit(world: World) -> None:
    assert world.history.decisions(world.result().id) == []


# What only PostgreSQL can be asked


DAMAGED_VERDICTS = {
    "checks that are none": "checks = '{}'",
    "no checks at all": "checks = '[]'",
    "a check less": "checks = checks - 0",
    "an unknown check": """checks = jsonb_set(checks, '{0,name}', '"kind"')""",
    "a check without reason": "checks = checks #- '{0,reason}'",
    "an unknown verdict": """comparison = jsonb_set(comparison, '{verdict}', '"fine"')""",
    "a comparison that is none": "comparison = '[]'",
    "a key of another version": """comparison = jsonb_set(comparison, '{new}', '1')""",
}


@pytest.fixture
def postgres(shared_engine: Engine, project: str) -> World:
    return in_postgres(shared_engine, project)


@pytest.mark.parametrize("damage", DAMAGED_VERDICTS.values(), ids=DAMAGED_VERDICTS)
def test_a_damaged_verdict_of_record_is_none(postgres: World, shared_engine: Engine, damage: str) -> None:
    kept = postgres.passed()
    with shared_engine.begin() as connection:
        connection.execute(text(f"update result_verdict set {damage} where result_id = {kept.id}"))
    assert postgres.history.standings([kept.id])[kept.id] == Standing()


@pytest.mark.parametrize("name", ["checks that are none", "a check less", "an unknown verdict"])
def test_a_damaged_verdict_of_record_makes_no_baseline(
    postgres: World, shared_engine: Engine, name: str
) -> None:
    damage = DAMAGED_VERDICTS[name]
    older, newer = postgres.passed(), postgres.passed()
    with shared_engine.begin() as connection:
        connection.execute(text(f"update result_verdict set {damage} where result_id = {newer.id}"))
    assert postgres.baseline(postgres.result()) == older.id


def test_a_verdict_of_record_goes_with_its_result_and_decisions_stay(
    postgres: World, shared_engine: Engine
) -> None:
    kept = postgres.passed()
    decision = postgres.decide(kept, Action.ACCEPT)
    with shared_engine.begin() as connection:
        connection.execute(text(f"delete from evaluation_run where id = {kept.run_id}"))
    assert postgres.history.standings([kept.id])[kept.id] == Standing(acceptance=decision)
    assert postgres.history.decisions(kept.id) == [decision]


def test_projects_that_share_a_database_do_not_see_one_another(shared_engine: Engine, project: str) -> None:
    ours, theirs = (in_postgres(shared_engine, f"{project}{suffix}") for suffix in ("", "-staging"))
    kept = theirs.passed()
    elsewhere = theirs.passed(replace(SERVED_BY, provider_instance="us"))
    theirs.decide(kept, Action.PIN)
    theirs.decide(elsewhere, Action.ACCEPT)
    current = ours.result(run_date=LATER)
    assert [ours.baseline(current, against) for against in Against] == [None, None, None]
    assert ours.latest_before(current) is None
    assert (ours.newest(), ours.instances()) == ([current.id], {"eu-west"})
    assert [found.id for found in ours.history.results()] == [current.id]
    assert ours.history.decisions(kept.id) == []
    assert ours.history.standings([kept.id])[kept.id].pin is None


def test_a_decision_of_another_project_changes_nothing_in_ours(shared_engine: Engine, project: str) -> None:
    ours, theirs = (in_postgres(shared_engine, f"{project}{suffix}") for suffix in ("", "-staging"))
    kept = rejected(ours)
    theirs.decide(kept, Action.ACCEPT)
    theirs.decide(kept, Action.PIN)
    current = ours.result()
    assert (ours.baseline(current), ours.baseline(current, PINNED)) == (None, None)
    ours.decide(kept, Action.ACCEPT)
    theirs.decide(kept, Action.WITHDRAW)
    assert ours.baseline(current) == kept.id


def test_a_reason_that_postgresql_cannot_hold_is_kept_visibly(postgres: World) -> None:
    kept = postgres.result()
    postgres.decide(kept, Action.ACCEPT, reason="known\x00 fault")
    assert postgres.history.decisions(kept.id)[0].reason == "known\u2400 fault"
