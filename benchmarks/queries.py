"""Looking things up among a million stored results: the baseline of one, and the quality of a model.

The results are loaded by one statement each table, 20 sets by 50 models by 1,000 nights. The yardstick is a
look-up of one result by its id in the same database.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))

from sqlalchemy import Engine, text

from benchmarks.measuring import fresh_home
from eval_pipeline.adapters.postgres import schema
from eval_pipeline.adapters.postgres.embedded import start_embedded
from eval_pipeline.adapters.postgres.result_history import PostgresResultHistory
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.application.select_model import MeasuredQuality
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.gates import BLOCKING, CheckName
from eval_pipeline.domain.quality import GeneratorScope

SETS, MODELS = 20, 50
PROJECT = "bench"
NOW = datetime(2026, 11, 30, tzinfo=UTC)
LOOKUPS = 200

LOAD = f"""
insert into evaluation_run (project, set_id, model_key, status, partial, prompt_count, inputs_hash, treatment_hash,
    expectations_hash, content_hash, treatment, provider_instance, outbound_model, parameters, started_at)
select '{PROJECT}', 'acme.set_' || (n % {SETS}), 'key-' || (n / {SETS} % {MODELS}), 'finished', false, 100, 'i', 't',
    'e', 'c', '{{}}', 'eu', 'model-' || (n / {SETS} % {MODELS}), '{{}}',
    timestamptz '2026-11-30' - make_interval(mins => (:total - n)::int)
from generate_series(0, :total - 1) n order by n;
insert into grading_pass (run_id, grader, yardstick, graded_at)
select id, 'deterministic', '{{"grader": "deterministic"}}', started_at from evaluation_run order by id;
insert into evaluation_result (id, run_id, project, set_id, model_key, grader, run_date, model_id, partial,
    prompt_count, graded_count, passed_count, error_count, skipped_count, pass_rate, pass_rate_low, pass_rate_high,
    mean_score, standard_error, not_passed, flags, breakdown, gate, inputs_hash, treatment_hash, expectations_hash,
    yardstick, provenance)
select pass.id, run.id, run.project, run.set_id, run.model_key, 'deterministic', run.started_at, run.outbound_model,
    false, 100, 100, 90, 0, 0, 0.9, 0.9, 0.9, 0.9, 0.03, '{{}}', '{{}}', '{{}}', '{{}}', 'i', 't', 'e',
    pass.yardstick,
    jsonb_build_object('version', 1, 'status', 'one', 'unknown', 0, 'answered', 100, 'generators',
        jsonb_build_array(jsonb_build_object('provider_instance', 'eu', 'outbound_model', run.outbound_model,
            'reported_model', run.outbound_model || case when run.id % 3 = 0 then '-b' else '-a' end,
            'alias_only', false, 'responses', 100)))
from grading_pass pass join evaluation_run run on run.id = pass.run_id order by pass.id;
insert into result_verdict (result_id, decided_at, accepted, verdict, checks, comparison)
select id, run_date, id / 1000 % 10 <> 0, 'no_regression', cast(:checks as jsonb), cast(:comparison as jsonb)
from evaluation_result;
"""
CHECKS = [
    {"name": name, "passed": True, "blocks": name in BLOCKING, "reason": "simulated"} for name in CheckName
]
COMPARISON = {"verdict": "no_regression", "reason": "simulated"}


def load(engine: Engine, total: int) -> None:
    with engine.begin() as connection:
        for statement in LOAD.split(";\n"):
            if statement.strip():
                documents = {"checks": json.dumps(CHECKS), "comparison": json.dumps(COMPARISON)}
                parameters = {"total": total, **documents}
                named = {name: value for name, value in parameters.items() if f":{name}" in statement}
                connection.execute(text(statement), named)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze"))


def milliseconds(look_up: Callable[[], object]) -> float:
    times = []
    for _ in range(LOOKUPS):
        started = time.perf_counter()
        assert look_up() is not None
        times.append((time.perf_counter() - started) * 1000)
    return median(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=int, default=1_000_000)
    total = parser.parse_args().results
    rng = random.Random(1)
    with fresh_home() as (home, _):
        engine = schema.connect(start_embedded(home / "postgres"))
        schema.upgrade(engine)
        started = time.perf_counter()
        load(engine, total)
        loaded = time.perf_counter() - started
        store, history = PostgresResultStore(engine, PROJECT), PostgresResultHistory(engine, PROJECT)
        set_ids = [f"acme.set_{number}" for number in range(SETS)]

        def result() -> object:
            return store.result(rng.randrange(1, total + 1))

        def baseline(against: Against, *, another_snapshot: bool = False) -> object:
            of = store.result(rng.randrange(total - total // 10, total + 1))
            assert of is not None
            generator = of.summary.provenance.generator
            assert generator is not None
            scope = BaselineScope.of(of, generator, another_snapshot=another_snapshot)
            return history.baseline(scope, against, NOW)

        def quality() -> object:
            number = rng.randrange(MODELS)
            source = MeasuredQuality(history, set_ids, lambda: NOW, timedelta(days=3650))
            return source.scoped_quality(GeneratorScope("eu", f"model-{number}", f"key-{number}"))

        def unscoped() -> object:
            source = MeasuredQuality(history, set_ids, lambda: NOW, timedelta(days=3650))
            return source.quality(f"model-{rng.randrange(MODELS)}")

        yardstick = milliseconds(result)
        figures = {
            "results": total,
            "sets": SETS,
            "models": MODELS,
            "seconds_to_load": round(loaded, 1),
            "milliseconds": {
                "one_result_by_id": yardstick,
                # The result whose baseline is looked for is itself looked up, and taken off.
                "baseline_accepted": milliseconds(lambda: baseline(Against.ACCEPTED)) - yardstick,
                "baseline_previous": milliseconds(lambda: baseline(Against.PREVIOUS)) - yardstick,
                "baseline_of_another_snapshot": milliseconds(
                    lambda: baseline(Against.ACCEPTED, another_snapshot=True)
                )
                - yardstick,
                f"quality_over_{SETS}_sets": milliseconds(quality),
                "quality_by_name_alone": milliseconds(unscoped),
            },
        }
        print(json.dumps(figures, indent=2))
        engine.dispose()


if __name__ == "__main__":
    main()
