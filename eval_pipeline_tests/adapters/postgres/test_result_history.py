"""How PostgreSQL finds a baseline among very many results: along an index, whatever else is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event, text

from eval_pipeline.adapters.postgres.result_history import PostgresResultHistory
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.gates import gate_report
from eval_pipeline.domain.quality import GeneratorScope
from eval_pipeline.domain.regression import Comparison, Verdict
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline_tests.builders import SERVED_BY
from eval_pipeline_tests.stored import NOON, result

COUNT = 20_000
PROJECT = "acme"
LATER = NOON + timedelta(days=365)

# A copy of one result that the store itself saved, for 20 sets, 5 models and 4 snapshots, a minute apart.
LOADED = f"""
with template_run as (select * from evaluation_run where id = :run_id),
     template as (select * from evaluation_result where id = :result_id),
     numbered as (
        select n, 'acme.set_' || n % 20 as set_id, 'model-' || n / 20 % 5 as model_key,
               'tern-' || n / 100 % 4 as snapshot, cast(:noon as timestamptz) + n * interval '1 minute' as at
          from generate_series(1, {COUNT}) n
     ),
     runs as (
        insert into evaluation_run (
               project, set_id, model_key, status, partial, prompt_count, inputs_hash, treatment_hash,
               expectations_hash, content_hash, provider_instance, outbound_model, parameters,
               orchestration_run_id, started_at)
        select '{PROJECT}', numbered.set_id, numbered.model_key, 'finished', false, t.prompt_count, t.inputs_hash,
               t.treatment_hash, t.expectations_hash, t.content_hash, t.provider_instance, t.outbound_model,
               t.parameters, 'load-' || n, at
          from numbered, template_run t
        returning id, orchestration_run_id
     ),
     passes as (
        insert into grading_pass (run_id, grader, yardstick, graded_at)
        select runs.id, t.grader, t.yardstick, t.run_date from runs, template t
        returning id, run_id
     ),
     results as (
        insert into evaluation_result (
               id, run_id, project, set_id, model_key, grader, run_date, model_id, partial, incomplete_because,
               prompt_count, graded_count, passed_count, error_count, skipped_count, pass_rate, mean_score,
               not_passed, flags, breakdown, gate, inputs_hash, treatment_hash, expectations_hash, yardstick,
               provenance)
        select passes.id, passes.run_id, '{PROJECT}', numbered.set_id, numbered.model_key, t.grader, at, t.model_id,
               t.partial, t.incomplete_because, t.prompt_count, t.graded_count, t.passed_count, t.error_count,
               t.skipped_count, t.pass_rate, t.mean_score, t.not_passed, t.flags, t.breakdown, t.gate,
               t.inputs_hash, t.treatment_hash, t.expectations_hash, t.yardstick,
               jsonb_set(t.provenance, '{{generators,0,reported_model}}', to_jsonb(snapshot))
          from passes
          join runs on runs.id = passes.run_id
          join numbered on 'load-' || numbered.n = runs.orchestration_run_id,
               template t
        returning id
     )
insert into result_verdict (result_id, decided_at, accepted, not_accepted_because, verdict, checks, comparison)
select results.id, now(), results.id % 2 = 0, case when results.id % 2 = 1 then 'compared loosely' end, v.verdict,
       v.checks, v.comparison
  from results, result_verdict v where v.result_id = :result_id
"""


@pytest.fixture(scope="module")
def loaded(shared_engine: Engine) -> Engine:
    """A database with very many results, every second of which its checks accepted."""
    one = result(PostgresResultStore(shared_engine, PROJECT))
    report = gate_report(one, Comparison(verdict=Verdict.FIRST, reason="the first"), (), NOON)
    PostgresResultHistory(shared_engine, PROJECT).save_report(one.id, report)
    values = {"run_id": one.run_id, "result_id": one.id, "noon": NOON}
    with shared_engine.begin() as connection:
        connection.execute(text(LOADED), values)
    with shared_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze"))
    return shared_engine


@pytest.fixture
def history(loaded: Engine) -> PostgresResultHistory:
    return PostgresResultHistory(loaded, PROJECT)


@pytest.fixture
def newest(history: PostgresResultHistory) -> EvaluationResult:
    """The newest result of one set and model."""
    [found] = history.results("acme.set_7", "model-3", limit=1)
    return found


@contextmanager
def statements_on(engine: Engine) -> Iterator[list[tuple[str, Any]]]:
    """Collects the statements that are executed in the context, with their parameters."""
    seen: list[tuple[str, Any]] = []

    def collect(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        seen.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", collect)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", collect)


def plans(engine: Engine, read: Callable[[], object]) -> list[str]:
    """How PostgreSQL carries out every statement on results that `read` executes; at least one."""
    with statements_on(engine) as seen:
        assert read()
    reads = [(statement, values) for statement, values in seen if "evaluation_result" in statement]
    assert reads
    explained = []
    with engine.connect() as connection:
        for statement, values in reads:
            rows = connection.exec_driver_sql(f"explain (costs off) {statement}", values)
            explained.append("\n".join(line for (line,) in rows))
    return explained


def scope_of(of: EvaluationResult, *, another_snapshot: bool = False) -> BaselineScope:
    generator = of.summary.provenance.generator
    assert generator is not None
    return BaselineScope.of(of, generator, another_snapshot=another_snapshot)


def assert_read_along(indexes: set[str], explained: list[str]) -> None:
    for plan in explained:
        used = set(re.findall(r"using (\w+) on evaluation_result\b", plan))
        assert used & indexes, plan
        assert "Seq Scan on evaluation_result" not in plan


def test_the_results_loaded_are_read_as_if_they_had_been_saved(history: PostgresResultHistory) -> None:
    found = history.results(limit=100)
    assert len(found) == 100
    assert all(each.model_id == SERVED_BY.outbound_model and each.complete for each in found)


@pytest.mark.parametrize("against", [Against.ACCEPTED, Against.PREVIOUS])
def test_a_baseline_is_found_along_the_index_of_generators(
    loaded: Engine, history: PostgresResultHistory, newest: EvaluationResult, against: Against
) -> None:
    explained = plans(loaded, lambda: history.baseline(scope_of(newest), against, LATER))
    assert_read_along({"evaluation_result_of_generator"}, explained)


def test_a_baseline_of_another_snapshot_is_found_along_an_index(
    loaded: Engine, history: PostgresResultHistory, newest: EvaluationResult
) -> None:
    scope = scope_of(newest, another_snapshot=True)
    explained = plans(loaded, lambda: history.baseline(scope, Against.ACCEPTED, LATER))
    # Of any other snapshot, the newest: the index in the order of time serves as well.
    assert_read_along({"evaluation_result_of_generator", "evaluation_result_newest"}, explained)


def test_the_newest_results_of_sets_are_found_along_the_index_of_models(
    loaded: Engine, history: PostgresResultHistory
) -> None:
    scope = GeneratorScope("eu-west", "tern-large")
    sets = ["acme.set_3", "acme.set_11"]
    explained = plans(loaded, lambda: history.newest_of_sets(sets, "deterministic", scope, NOON))
    assert_read_along({"evaluation_result_of_model"}, explained)


def test_the_provider_instances_of_a_model_are_found_along_the_index_of_models(
    loaded: Engine, history: PostgresResultHistory
) -> None:
    explained = plans(
        loaded,
        lambda: history.provider_instances_of(["acme.set_3"], "deterministic", "tern-large", NOON),
    )
    assert_read_along({"evaluation_result_of_model"}, explained)


def test_the_newest_accepted_one_is_found_among_very_many(
    history: PostgresResultHistory, newest: EvaluationResult
) -> None:
    found = history.baseline(scope_of(newest), Against.ACCEPTED, LATER)
    assert found is not None
    earlier = [
        each
        for each in history.results(newest.set_id, newest.model_key, limit=COUNT)
        if each.id < newest.id
        and each.id % 2 == 0
        and each.summary.provenance.generator == newest.summary.provenance.generator
    ]
    assert found.id == earlier[0].id
