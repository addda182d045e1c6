"""Results as JSON: by the documented names, and nothing that is not known as if it were."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from eval_pipeline.adapters.reports.result_json import ResultsWriter, differences_document, result_document
from eval_pipeline.application.baseline import ComparisonRules
from eval_pipeline.application.compare import compare_results
from eval_pipeline.application.full_result import FullResult, full_results
from eval_pipeline.domain.assertions import Contains, Exact
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.standing import Action, ManualDecision, Standing
from eval_pipeline_tests.adapters.reports.exported import document, exported, shown
from eval_pipeline_tests.builders import SERVED_BY, golden_set, prompt
from eval_pipeline_tests.evaluated import APPLICATION, GRADER, NEWER, World, set_of
from eval_pipeline_tests.stored import NOON

HOUR = timedelta(hours=1)


@pytest.fixture
def world() -> World:
    return World()


def decide(world: World, result: EvaluationResult, action: Action, until: object = None) -> None:
    world.history.record_decision(ManualDecision(result.id, action, "a known fault", "ada", NOON, until))


def test_no_results_are_an_empty_list(world: World) -> None:
    assert json.loads(exported(world)) == {"results": []}


def test_several_results_are_written_in_the_order_given(world: World) -> None:
    results = [world.result() for _ in range(3)]
    found = json.loads(exported(world, *reversed(results)))["results"]
    assert [entry["result_id"] for entry in found] == [3, 2, 1]


def test_without_gradings_a_result_has_no_such_key(world: World) -> None:
    stream = io.StringIO()
    with ResultsWriter(stream, "acme", NOON) as writer:
        for full in full_results([world.result()], world.store, world.history):
            writer.write(full)
    [found] = json.loads(stream.getvalue())["results"]
    assert "gradings" not in found


def test_a_result_names_its_run_and_how_it_was_asked(world: World) -> None:
    golden = set_of(parameters={"temperature": 0.5})
    result = world.result(6, golden, repeats=2)
    found = document(world, result)
    assert (found["run_id"], found["repeats"], found["prompt_count"]) == (1, 2, 20)
    assert found["treatment"] == {"parameters.temperature": 0.5}
    assert found["hashes"] == {
        "content": golden.content_hash,
        "inputs": golden.hashes.inputs,
        "treatment": golden.hashes.treatment,
        "expectations": golden.hashes.expectations,
    }
    assert found["run_date"] == "2026-03-01T13:00:00.123456+00:00"


def test_a_result_whose_run_was_removed_since_is_written_without_what_is_not_known(world: World) -> None:
    result = world.result()
    found = result_document("acme", FullResult(result, None, Standing()), NOON)
    unknown = ("repeats", "treatment", "orchestration_run_id")
    assert [found[name] for name in unknown] == [None, None, None]
    assert found["hashes"]["content"] is None


def test_what_was_not_measured_is_null_and_no_number(world: World) -> None:
    found = document(world, world.result(texts={f"p{number}": None for number in range(10)}))
    names = ("pass_rate", "mean_score", "standard_error", "cost_usd", "latency_ms", "model_id")
    assert [found[name] for name in names] == [None] * len(names)
    assert (found["pass_rate_bounds"], found["error_count"]) == ([0.0, 1.0], 10)


def test_a_regrading_names_the_result_before_it(world: World) -> None:
    run = world.run()
    first, again = world.graded(run), world.graded(run)
    assert (document(world, first)["regraded_from"], document(world, again)["regraded_from"]) == (
        None,
        first.id,
    )


def test_an_exported_grading_is_its_outcome_with_its_prompts_inputs_and_nothing_else(world: World) -> None:
    first, second, *_ = document(world, world.result(1, repeats=2))["gradings"][1:]
    assert first["inputs"] != second["inputs"]
    assert {**first, "inputs": ""} == {
        "prompt_id": "p0",
        "repeat": 1,
        "inputs": "",
        "status": "pass",
        "score": 1.0,
    }
    assert (second["prompt_id"], second["repeat"], second["status"], second["score"]) == (
        "p1",
        0,
        "fail",
        0.0,
    )


def test_an_export_quotes_no_answer(world: World) -> None:
    answer, reply = "the patient is Ada Quill", "a private reply"
    golden = golden_set(
        *(prompt(f"p{number}", assertions=[Exact(answer), Contains("yes")]) for number in range(10))
    )
    result, _ = world.evaluated(0, golden, texts={"p0": answer, "p1": reply})
    text, shown_text = exported(world, result), json.dumps(shown(world, result))
    for quoted in (answer, reply):
        assert quoted not in text
        assert quoted in shown_text


def test_each_grading_that_is_shown_has_what_served_it_and_no_inputs(world: World) -> None:
    found = shown(world, world.result(served_by=[SERVED_BY, NEWER]))
    first, second, *_ = found["gradings"]
    assert "inputs" not in first
    assert (first["served_by"]["reported_model"], second["served_by"]["reported_model"]) == (
        "tern-4-2026",
        "tern-5-2026",
    )
    assert found["provenance"]["status"] == "mixed"


def test_an_application_is_written_by_what_it_claims_and_not_as_a_model(world: World) -> None:
    found = shown(world, world.result(served_by=APPLICATION))
    assert (found["model_id"], found["provenance"]["status"]) == (None, "declared")
    assert found["gradings"][0]["served_by"] == {
        "provider_instance": "shop",
        "outbound_model": None,
        "declared_name": "shop-bot",
        "declared_version": "2.1",
    }


def test_a_result_nobody_judged_has_neither_comparison_nor_checks(world: World) -> None:
    found = document(world, world.result())
    assert (found["comparison"], found["checks"], found["accepted"]) == (None, None, False)
    assert (found["acceptance"], found["pin"]) == (None, None)


def test_a_comparison_is_written_with_its_verdict_and_its_numbers(world: World) -> None:
    first, _ = world.evaluated(10)
    second, _ = world.evaluated(8)
    comparison = document(world, second)["comparison"]
    assert (comparison["verdict"], comparison["against"], comparison["baseline_id"]) == (
        "regression",
        "accepted",
        first.id,
    )
    assert comparison["pass_rate_delta"] == pytest.approx(-0.2)
    assert (comparison["shared"], comparison["added"], comparison["removed"]) == (10, 0, 0)
    assert [flip["prompt_id"] for flip in comparison["flipped"]] == ["p8", "p9"]


def test_the_checks_are_written_each_with_its_reason(world: World) -> None:
    result, _ = world.evaluated(10)
    checks = document(world, result)["checks"]
    assert [check["name"] for check in checks] == [
        "complete",
        "one_generator",
        "no_regression",
        "meets_floor",
        "generator_changed",
    ]
    assert all(check["passed"] and check["reason"] for check in checks)


def test_an_acceptance_is_written_with_who_why_and_until_when(world: World) -> None:
    world.evaluated(10)
    result, _ = world.evaluated(2)
    decide(world, result, Action.ACCEPT, NOON + HOUR)
    found = json.loads(exported(world, result, now=NOON))["results"][0]
    assert found["accepted"]
    assert found["acceptance"] == {
        "reason": "a known fault",
        "by": "ada",
        "at": NOON.isoformat(),
        "until": (NOON + HOUR).isoformat(),
        "expired": False,
    }


def test_an_acceptance_that_ended_is_shown_and_does_not_count(world: World) -> None:
    world.evaluated(10)
    result, _ = world.evaluated(2)
    decide(world, result, Action.ACCEPT, NOON)
    found = json.loads(exported(world, result, now=NOON))["results"][0]
    assert (found["accepted"], found["acceptance"]["expired"]) == (False, True)


def test_a_result_that_passed_and_is_not_accepted_is_written_with_the_reason(world: World) -> None:
    world.evaluated(10)
    result, report = world.evaluated(
        8, rules=ComparisonRules(max_pass_rate_drop=0.5, max_mean_score_drop=0.5)
    )
    assert report.passed
    found = document(world, result)
    assert (found["accepted"], found["not_accepted_because"]) == (
        False,
        "it was compared with max_pass_rate_drop 0.5, and its set allows 0.1",
    )


def test_a_withdrawal_is_written_with_who_and_why(world: World) -> None:
    result, _ = world.evaluated()
    assert document(world, result)["withdrawal"] is None
    decide(world, result, Action.WITHDRAW)
    found = document(world, result)
    assert (found["accepted"], found["acceptance"]) == (False, None)
    assert (found["withdrawal"]["by"], found["withdrawal"]["reason"]) == ("ada", "a known fault")


def test_a_pin_is_written_and_accepts_nothing(world: World) -> None:
    result = world.result()
    decide(world, result, Action.PIN)
    found = document(world, result)
    assert (found["pin"]["by"], found["accepted"]) == ("ada", False)


def test_unverified_provenance_is_written_as_such_with_the_reason(world: World) -> None:
    result = world.result()
    summary = result.summary
    no_evidence = type(summary.provenance).no_evidence("the stored provenance is malformed")
    damaged = FullResult(_with_provenance(result, no_evidence), None, Standing())
    found = result_document("acme", damaged, NOON)["provenance"]
    assert (found["status"], found["generators"]) == ("unverified", [])
    assert found["unverified_because"] == "the stored provenance is malformed"


def _with_provenance(result: EvaluationResult, provenance: object) -> EvaluationResult:

    return replace(result, summary=replace(result.summary, provenance=provenance))


def test_differences_without_anything_measured_have_no_deltas_instead_of_zeros(world: World) -> None:
    first = world.result(texts={f"p{number}": None for number in range(10)})
    found, _ = compare_results(first, world.result(), set_of(), GRADER, world.store)
    written = differences_document(found)
    names = ("pass_rate_delta", "mean_score_delta", "interval", "p_value", "detectable_drop")
    assert [written[name] for name in names] == [None] * len(names)


def test_texts_are_written_as_they_are_and_no_number_is_anything_but_json(world: World) -> None:
    found = shown(world, world.result(texts={"p0": "naïve 東京"}))
    assert found["gradings"][0]["assertions"][0]["actual"] == "naïve 東京"
    regressed = world.result()
    world.history.record_decision(ManualDecision(regressed.id, Action.ACCEPT, "naïve 東京", "ada", NOON))
    text = exported(world, regressed)
    assert "naïve 東京" in text
    assert "NaN" not in text
