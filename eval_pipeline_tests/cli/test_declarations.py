"""`eval-pipeline init`, `sets`, `models`, `results` and `db`: what is declared and what is stored."""

from __future__ import annotations

import pytest
from aiohttp import web
from jsonschema import Draft202012Validator
from yaml import safe_load

from eval_pipeline.adapters.postgres.schema import SCHEMA_VERSION
from eval_pipeline_tests.cli.conftest import FAQ, CommandLine, Ran
from eval_pipeline_tests.http_server import HttpServer


@pytest.fixture(scope="module")
def shown(cli: CommandLine) -> dict[str, Ran]:
    """What the commands say that only look, after one evaluation."""
    evaluated = cli("run", "acme.faq", "--json")
    result = str(evaluated.json["results"][0]["result_id"])
    return {"run": evaluated} | cli.all_of(
        {
            "sets": ["sets", "list", "--json"],
            "set": ["sets", "show", "acme.faq"],
            "set as json": ["sets", "show", "acme.faq", "--json"],
            "schema": ["sets", "schema"],
            "models": ["models", "list"],
            "models as json": ["models", "list", "--json"],
            "results": ["results", "list"],
            "results as json": ["results", "list", "--set", "acme.faq", "--json"],
            "result": ["results", "show", result],
            "one prompt": ["results", "show", result, "--prompt", "hours", "--json"],
            "database": ["db", "status"],
        }
    )


def test_commands_that_only_look_succeed_and_say_nothing_beside(shown: dict[str, Ran]) -> None:
    ended = {name: (ran.status, ran.stderr) for name, ran in shown.items()}
    assert ended == dict.fromkeys(ended, (0, ""))


def test_sets_are_listed_with_their_models_and_the_packages_example_as_such(shown: dict[str, Ran]) -> None:
    sets = {entry["set"]: entry for entry in shown["sets"].json["sets"]}
    assert sets.keys() == {"acme.faq", "acme.gaps", "eval_pipeline.smoke"}
    faq = sets["acme.faq"]
    assert (faq["prompts"], faq["models"], faq["owner"]) == (3, ["recorded"], "team-support")
    assert {name: entry["example"] for name, entry in sets.items()} == {
        "acme.faq": False,
        "acme.gaps": False,
        "eval_pipeline.smoke": True,
    }


def test_a_set_is_shown_as_it_will_be_asked_and_what_is_expected(shown: dict[str, Ran]) -> None:
    assert "user: Answer in one line: When are you open?" in shown["set"].stdout
    assert "expects contains 'Monday'" in shown["set"].stdout
    document = shown["set as json"].json
    assert (document["id"], document["owner"], len(document["prompts"])) == ("acme.faq", "team-support", 3)
    assert len(document["content_hash"]) == 64


def test_the_schema_for_editors_takes_a_right_set_and_refuses_a_wrong_one(shown: dict[str, Ran]) -> None:
    validator = Draft202012Validator(shown["schema"].json)
    written = safe_load(FAQ)
    assert list(validator.iter_errors(written)) == []
    assert list(validator.iter_errors({**written, "promts": []})) != []


def test_models_are_listed_by_what_is_sent_and_what_they_still_need(shown: dict[str, Ran]) -> None:
    models = {entry["model"]: entry for entry in shown["models as json"].json["models"]}
    assert models.keys() == {"recorded", "also-recorded", "live", "smollm2-135m"}
    recorded = models["recorded"]
    assert (recorded["default"], recorded["provider"], recorded["kind"]) == (True, "old", "replay")
    assert "the environment variable LIVE_URL is not set" in models["live"]["provider"]
    assert "LIVE_URL is not set" in shown["models"].said


def test_results_are_listed_with_their_counts_and_generator(shown: dict[str, Ran]) -> None:
    assert "66.7% (2/3)" in shown["results"].said
    assert "eu-west/tern-large → tern-4-2026 (3)" in shown["results"].said
    [listed] = shown["results as json"].json["results"]
    [evaluated] = shown["run"].json["results"]
    del evaluated["gradings"]
    assert listed == evaluated


def test_a_result_is_shown_with_every_question_answer_verdict_and_generator(shown: dict[str, Ran]) -> None:
    said = shown["result"].said
    assert "Answer in one line: When are you open?" in said
    assert "On Tuesdays, naïvely." in said
    assert "fail contains 'Monday': 'Monday' not found" in said
    assert "served by eu-west/tern-large → tern-4-2026" in said
    [result] = shown["one prompt"].json["results"]
    assert [grading["prompt_id"] for grading in result["gradings"]] == ["hours"]


def test_an_answer_is_shown_as_text_whatever_markup_it_holds(shown: dict[str, Ran]) -> None:
    assert "Hello, [bold]friend[/bold]!" in shown["result"].stdout


def test_the_database_is_shown_with_its_version(shown: dict[str, Ran]) -> None:
    assert "(EVAL_PIPELINE_DATABASE_URL)" in shown["database"].said
    assert f"tables: {SCHEMA_VERSION}; this code needs {SCHEMA_VERSION}" in shown["database"].said


def test_a_new_project_is_written_once_and_is_well_formed(empty_cli: CommandLine) -> None:
    assert empty_cli("init").status == 0
    written = (empty_cli.folder / "evals" / "models.yaml").read_text("utf-8")
    again = empty_cli("init")
    assert (again.status, "nothing was written" in again.said) == (2, True)
    assert (empty_cli.folder / "evals" / "models.yaml").read_text("utf-8") == written
    assert "2 sets and 1 models are well-formed" in empty_cli("sets", "validate").stdout


async def answer(request: web.Request) -> web.StreamResponse:
    if request.headers["Authorization"] == "Bearer wrong-key":
        return web.json_response({"error": {"message": "invalid key", "code": "invalid_api_key"}}, status=401)
    choice = {"message": {"role": "assistant", "content": "ready"}, "finish_reason": "stop"}
    return web.json_response({"model": "tern-4-2026", "choices": [choice]})


def test_a_check_of_a_model_tells_what_served_it_or_why_nothing_did(cli: CommandLine) -> None:
    with HttpServer(answer) as server:
        right = cli("models", "check", "live", LIVE_URL=server.url, LIVE_KEY="right-key")
        wrong = cli("models", "check", "live", LIVE_URL=server.url, LIVE_KEY="wrong-key")
    assert right.status == 0
    assert "live: answered by live/tern-large → tern-4-2026 in" in right.said
    assert wrong.status == 2
    assert "invalid key (invalid_api_key)" in wrong.said
    assert len(server.received) == 2
