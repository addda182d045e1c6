"""`eval-pipeline run`: evaluating recorded responses and a live endpoint."""

from __future__ import annotations

import psycopg
import pytest
from aiohttp import web

from eval_pipeline_tests.cli.conftest import CommandLine, Ran
from eval_pipeline_tests.http_server import HttpServer

RESULT_KEYS = {
    *("project", "set", "model_key", "grader", "run_id", "result_id", "run_date", "model_id", "partial"),
    *("prompt_count", "graded_count", "passed_count", "error_count", "skipped_count"),
    *("pass_rate", "pass_rate_bounds", "mean_score", "standard_error", "usage", "cost_usd", "latency_ms"),
    *("provenance", "yardstick", "breakdown", "comparison", "accepted", "gradings"),
    *("complete", "incomplete_because", "flags", "gate", "repeats", "hashes", "treatment", "checks"),
    *("acceptance", "withdrawal", "pin", "not_accepted_because", "regraded_from", "orchestration_run_id"),
}
GRADING_KEYS = {
    *("prompt_id", "repeat", "status", "score", "reason", "assertions", "served_by", "latency_ms", "flags"),
}
ASSERTION_KEYS = {"assertion", "status", "message", "expected", "actual", "weight"}


@pytest.fixture(scope="module")
def for_people(cli: CommandLine) -> Ran:
    return cli("run", "acme.faq")


@pytest.fixture(scope="module")
def for_machines(cli: CommandLine, for_people: Ran) -> Ran:
    return cli("run", "acme.faq", "--json")


def test_prompts_that_do_not_pass_are_shown_and_are_no_failure_of_the_command(for_people: Ran) -> None:
    assert for_people.status == 0
    assert "pass 1.00 greeting all assertions hold" in for_people.said
    assert "fail 0.00 hours contains 'Monday': 'Monday' not found" in for_people.said
    assert "pass rate 66.7% 2 of 3 graded" in for_people.said
    assert "generator eu-west/tern-large → tern-4-2026 (3)" in for_people.said
    assert "tokens 3000 in, 1500 out $0.0060" in for_people.said


def test_neither_progress_nor_logs_get_into_a_pipe(for_people: Ran, for_machines: Ran) -> None:
    assert (for_people.stderr, for_machines.stderr) == ("", "")
    assert "\x1b" not in for_people.stdout


def test_json_has_the_documented_keys_and_no_others(for_machines: Ran) -> None:
    assert for_machines.status == 0
    assert for_machines.json.keys() == {"results"}
    [result] = for_machines.json["results"]
    assert result.keys() == RESULT_KEYS
    for grading in result["gradings"]:
        assert grading.keys() == GRADING_KEYS
        assert all(assertion.keys() == ASSERTION_KEYS for assertion in grading["assertions"])


def test_json_says_the_same_as_the_table(for_machines: Ran) -> None:
    [result] = for_machines.json["results"]
    identity = ("project", "set", "model_key", "grader", "model_id")
    assert [result[key] for key in identity] == [
        *("acme", "acme.faq", "recorded", "deterministic", "tern-large"),
    ]
    counts = ("prompt_count", "graded_count", "passed_count", "error_count", "skipped_count")
    assert [result[key] for key in counts] == [3, 3, 2, 0, 0]
    assert (result["pass_rate"], result["pass_rate_bounds"]) == (2 / 3, [2 / 3, 2 / 3])
    assert (result["usage"], result["cost_usd"]) == ({"input_tokens": 3000, "output_tokens": 1500}, 0.006)
    assert (result["latency_ms"], result["complete"]) == ({"p50": 20.0, "p95": 20.0}, True)
    assert [(entry["prompt_id"], entry["status"]) for entry in result["gradings"]] == [
        ("greeting", "pass"),
        ("hours", "fail"),
        ("pets", "pass"),
    ]
    assert result["gradings"][1]["served_by"] == {
        "provider_instance": "eu-west",
        "outbound_model": "tern-large",
        "reported_model": "tern-4-2026",
        "alias_only": False,
    }
    assert {tag: part["passed_count"] for tag, part in result["breakdown"].items()} == {"ci": 1, "facts": 1}


def test_a_run_of_the_command_is_a_run_of_dagsters_with_the_same_assets(
    cli: CommandLine, for_people: Ran
) -> None:
    with psycopg.connect(cli.database_url or "") as connection:
        jobs = connection.execute("select distinct pipeline_name, status from runs order by 1").fetchall()
        assets = connection.execute(
            "select distinct asset_key from event_logs where dagster_event_type = 'ASSET_MATERIALIZATION'"
        ).fetchall()
    assert ("evaluate_deterministic", "SUCCESS") in jobs
    assert ("snapshot_golden_prompt_set", "SUCCESS") in jobs
    assert len(assets) == 5


# Which prompts


def test_a_selection_asks_only_its_prompts_and_is_marked_as_partial(cli: CommandLine) -> None:
    of_pair = ["run", "acme.faq", "--model", "also-recorded", "--json"]
    found = cli.all_of(
        {
            "prompt": [*of_pair, "--prompt", "pets"],
            "tag and limit": [*of_pair, "--tag", "ci", "--limit", "1"],
        }
    )
    for name, prompt_id in (("prompt", "pets"), ("tag and limit", "greeting")):
        [result] = found[name].json["results"]
        assert [entry["prompt_id"] for entry in result["gradings"]] == [prompt_id]
        assert (result["partial"], result["complete"], found[name].status) == (True, False, 0)


def test_failed_asks_again_what_did_not_pass_last_time(cli: CommandLine, for_machines: Ran) -> None:
    [result] = cli("run", "acme.faq", "--failed", "--json").json["results"]
    assert [entry["prompt_id"] for entry in result["gradings"]] == ["hours"]


def test_a_part_that_passes_does_not_hide_what_failed_before(cli: CommandLine, for_machines: Ran) -> None:
    [whole] = for_machines.json["results"]
    passed = next(entry["prompt_id"] for entry in whole["gradings"] if entry["status"] == "pass")
    assert cli("run", "acme.faq", "--prompt", passed).status == 0
    [again] = cli("run", "acme.faq", "--failed", "--json").json["results"]
    assert [entry["prompt_id"] for entry in again["gradings"]] == ["hours"]


def test_a_dry_run_shows_what_would_be_asked_and_stores_nothing(cli: CommandLine) -> None:
    with psycopg.connect(cli.database_url or "", autocommit=True) as connection:
        before = connection.execute("select count(*) from evaluation_run").fetchone()
        ran = cli("run", "acme.faq", "--dry-run", "--json")
        assert connection.execute("select count(*) from evaluation_run").fetchone() == before
    [plan] = ran.json["plans"]
    assert (plan["set"], plan["model_key"], plan["calls"]) == ("acme.faq", "recorded", 3)
    assert (plan["outbound_model"], plan["max_output_tokens"]) == ("recorded", 300)
    assert plan["max_cost_usd"] == pytest.approx((plan["input_tokens"] + 300 * 2) / 1e6)


# Incomplete


def test_an_evaluation_with_prompts_that_could_not_be_measured_ends_with_3(cli: CommandLine) -> None:
    found = cli.all_of(
        {"people": ["run", "acme.gaps"], "machines": ["run", "acme.gaps", "--model", "recorded", "--json"]}
    )
    assert (found["people"].status, found["machines"].status) == (3, 3)
    assert "error never-recorded no response to this prompt is recorded" in found["people"].said
    assert "between 50.0% and 100.0% whatever the errors are" in found["people"].said
    assert "incomplete 1 of 2 prompts could not be measured" in found["people"].said
    [result] = found["machines"].json["results"]
    assert (result["complete"], result["error_count"], result["pass_rate"]) == (False, 1, 1.0)
    assert result["incomplete_because"].startswith("1 of 2 prompts could not be measured")


# A live endpoint


async def hello(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    text = f"Hello, it is Monday. No. {len(body['messages'])} message"
    return web.json_response(
        {
            "model": "tern-4-2026",
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        }
    )


def test_a_live_endpoint_is_asked_every_prompt_once_as_declared(cli: CommandLine) -> None:
    with HttpServer(hello) as server:
        ran = cli("run", "acme.faq", "--model", "live", "--json", LIVE_URL=server.url, LIVE_KEY="k-123456")
    [result] = ran.json["results"]
    assert (ran.status, result["pass_rate"], result["model_id"]) == (0, 1.0, "tern-large")
    assert result["usage"] == {"input_tokens": 21, "output_tokens": 9}
    assert {received.path for received in server.received} == {"/v1/chat/completions"}
    assert {received.headers["Authorization"] for received in server.received} == {"Bearer k-123456"}
    assert sorted(received.json["messages"][-1]["content"] for received in server.received) == [
        "Answer in one line: Hello?",
        "Answer in one line: May I bring a dog?",
        "Answer in one line: When are you open?",
    ]
