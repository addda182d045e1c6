"""What the command refuses: one line that says what is wrong, exit status 2, nothing asked."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from eval_pipeline_tests.cli.conftest import PROJECT, CommandLine, Ran

DATABASE = "postgresql://ada:hunter2-of-ours@127.0.0.1:9/results"
FAULTY_SET = "id: acme.faulty\nprompts:\n  - {id: p1, prompt: Hello?, asert: [{contains: x}]}\n"
FAULTY_RECORDS = "\nnot json\n"

REFUSED: dict[str, tuple[list[str], str]] = {
    "a model that is not declared": (
        ["run", "acme.faq", "--model", "recordet"],
        "error: there is no model 'recordet'; did you mean 'recorded'?",
    ),
    "a grader that does not exist": (
        ["run", "acme.faq", "--grader", "determinstic"],
        "error: there is no grader 'determinstic'; did you mean 'deterministic'?",
    ),
    "a prompt that is not in the set": (["run", "acme.faq", "--prompt", "petz"], "did you mean 'pets'?"),
    "a tag that no prompt has": (["run", "acme.faq", "--tag", "nightly"], "has the tag 'nightly'"),
    "failed prompts together with chosen ones": (
        ["run", "acme.faq", "--failed", "--prompt", "pets"],
        "error: --failed chooses the prompts itself: leave --prompt out",
    ),
    "failed prompts of a pair that was never evaluated": (
        ["run", "acme.faq", "--failed"],
        "has no result yet: run it without --failed first",
    ),
    "an environment variable that is not set": (
        ["run", "acme.faq", "--model", "live"],
        "provider 'live': the environment variable LIVE_URL is not set",
    ),
    "a set with a fault": (
        ["run", "acme.faulty"],
        "faulty.yaml:3: set acme.faulty, prompt p1: unknown key 'asert'; did you mean 'assert'?",
    ),
    "a set with a fault, to be validated": (["sets", "validate"], "unknown key 'asert'"),
    "recordings with a fault": (["run", "acme.faq", "--model", "broken"], "broken.jsonl"),
    "recordings that do not exist": (["run", "acme.faq", "--model", "lost"], "lost.jsonl"),
    "an address that is none": (["run", "acme.faq", "--model", "nowhere"], "ftp://127.0.0.1"),
    "a result that does not exist": (["results", "show", "4711"], "error: there is no result 4711"),
    "a limit of nothing": (["run", "acme.faq", "--limit", "0"], "--limit"),
}


@pytest.fixture(scope="module")
def refused(cli: CommandLine) -> dict[str, Ran]:
    more_models = (
        "  broken: {provider: broken}\n  lost: {provider: lost}\n  nowhere: {provider: nowhere}\n  recorded:"
    )
    more_providers = (
        "  broken: {kind: replay, path: broken.jsonl}\n  lost: {kind: replay, path: lost.jsonl}\n"
        '  nowhere: {kind: openai, base_url: "ftp://127.0.0.1"}\n  old:'
    )
    models = PROJECT["models.yaml"].replace("  recorded:", more_models).replace("  old:", more_providers)
    cli.write({"models.yaml": models, "prompts/faulty.yaml": FAULTY_SET, "broken.jsonl": FAULTY_RECORDS})
    return cli.all_of({name: words for name, (words, _) in REFUSED.items()})


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_usage_and_bad_definitions_end_with_2_and_say_what_to_do(
    refused: dict[str, Ran], name: str
) -> None:
    ran, said = refused[name], REFUSED[name][1]
    assert said in ran.said
    assert ran.status == 2
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


def test_a_set_that_is_not_declared_is_refused_with_the_nearest_one(empty_cli: CommandLine) -> None:
    ran = empty_cli("run", "eval_pipeline.smoky")
    assert ran.status == 2
    assert ran.stderr == (
        "error: there is no golden prompt set 'eval_pipeline.smoky'; did you mean 'eval_pipeline.smoke'?\n"
    )


def test_nothing_is_stored_of_what_was_refused(cli: CommandLine, refused: dict[str, Ran]) -> None:
    with psycopg.connect(cli.database_url or "") as connection:
        assert connection.execute("select count(*) from evaluation_result").fetchone() == (0,)
        assert connection.execute("select count(*) from model_response").fetchone() == (0,)


def test_a_fault_of_another_set_is_a_warning_and_stands_in_nobodys_way(
    cli: CommandLine, refused: dict[str, Ran]
) -> None:
    ran = cli("run", "acme.faq", "--dry-run", "--json")
    assert ran.status == 0
    assert ran.stderr.startswith("warning: ")
    assert "unknown key 'asert'" in ran.stderr
    assert ran.json["plans"]


def test_a_database_that_cannot_be_reached_is_named_in_one_line_without_its_password(
    empty_cli: CommandLine,
) -> None:
    commands = {"run": ["run", "eval_pipeline.smoke"], "list": ["results", "list"], "db": ["db", "status"]}
    for ran in empty_cli.all_of(commands, EVAL_PIPELINE_DATABASE_URL=DATABASE).values():
        assert ran.status == 2
        assert ran.stderr.startswith("error: the database postgresql://ada:***@127.0.0.1:9/results cannot be")
        assert ran.stderr.count("\n") == 1
        assert "hunter2" not in ran.stdout + ran.stderr


def test_a_database_without_tables_is_left_as_it_is_until_it_is_upgraded(
    empty_cli: CommandLine, empty_database_url: str
) -> None:
    url = {"EVAL_PIPELINE_DATABASE_URL": empty_database_url}
    refused = empty_cli("results", "list", **url)
    assert (refused.status, "run eval-pipeline db upgrade" in refused.stderr) == (2, True)
    status = empty_cli("db", "status", **url)
    assert (status.status, "none yet" in status.stdout) == (2, True)
    assert empty_cli("db", "upgrade", **url).status == 0
    listed = empty_cli("results", "list", **url)
    assert (listed.status, listed.stdout) == (0, "no results yet\n")


def test_a_models_file_with_a_fault_is_refused_by_every_command_that_reads_it(
    empty_cli: CommandLine,
) -> None:
    empty_cli.write(
        {"models.yaml": "providers:\n  a: {kind: openai, base_url: x, api_key: sk-hunter2-of-ours}\n"}
    )
    for ran in empty_cli.all_of({"sets": ["sets", "list"], "models": ["models", "list"]}).values():
        assert ran.status == 2
        assert "models.yaml:2: provider 'a': unknown key 'api_key'" in ran.said
        assert "Traceback" not in ran.stderr
        assert "hunter2" not in ran.stderr


def test_a_table_that_the_database_lost_is_no_traceback(
    cli: CommandLine, new_dagster_url: Callable[[], str]
) -> None:
    url = new_dagster_url()
    with psycopg.connect(url) as connection:
        connection.execute("drop table evaluation_result cascade")
    ran = cli("results", "list", EVAL_PIPELINE_DATABASE_URL=url)
    assert (ran.status, "Traceback" in ran.stderr) == (2, False)
    assert "evaluation_result" in ran.stderr
