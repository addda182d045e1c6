"""`eval-pipeline results accept|withdraw|pin|unpin`: what people decide about a result, and where it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from eval_pipeline_tests.cli.conftest import CommandLine, Ran
from eval_pipeline_tests.endpoint import Answers, recorded_models, recording, set_file

# The first test to look at a step waits for all commands of it.
pytestmark = pytest.mark.timeout(900)
SET = "acme.decided"
WORSE = Answers(wrong=range(5))


@dataclass(frozen=True)
class Results:
    """The ids of a good result, a worse one after it, one of two generators, and an incomplete one."""

    good: str
    worse: str
    mixed: str
    gaps: str


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]) -> CommandLine:
    command = CommandLine(tmp_path_factory.mktemp("cli"), new_dagster_url())
    command.write(
        {
            "models.yaml": recorded_models(["tern", "mixed", "gaps"]),
            **set_file(SET),
            **recording("tern"),
            **recording("mixed", Answers(stray="heron-2026")),
            **recording("gaps", Answers(refused=[7])),
        }
    )
    return command


@pytest.fixture(scope="module")
def results(command: CommandLine) -> Results:
    models = [word for key in ("tern", "mixed", "gaps") for word in ("--model", key)]
    first = command("run", SET, *models, "--json").json["results"]
    command.write(recording("tern", WORSE))
    [worse] = command("run", SET, "--json").json["results"]
    good, mixed, gaps = (str(result["result_id"]) for result in first)
    return Results(good, str(worse["result_id"]), mixed, gaps)


def shown(command: CommandLine, result_id: str) -> dict[str, Any]:
    [result] = command("results", "show", result_id, "--json").json["results"]
    return result


def audit(command: CommandLine) -> list[tuple[Any, ...]]:
    columns = "result_id::text, action, decided_by, reason"
    with psycopg.connect(command.database_url or "") as connection:
        return connection.execute(f"select {columns} from result_decision order by id").fetchall()


# Refusals

REASON = ("--reason", "we know why")
REFUSED = {
    "no reason": (["accept", "worse", "--reason", ""], "an acceptance needs a reason"),
    "a blank reason": (["accept", "worse", "--reason", " \t"], "an acceptance needs a reason"),
    "no option for a reason": (["accept", "worse"], "Missing option '--reason'"),
    "accept incomplete": (["accept", "gaps", *REASON], "is incomplete"),
    "accept mixed": (["accept", "mixed", *REASON], "was not produced by one known generator (mixed"),
    "pin incomplete": (["pin", "gaps"], "is incomplete"),
    "pin mixed": (["pin", "mixed"], "was not produced by one known generator"),
    "until yesterday": (["accept", "worse", *REASON, "--until", "2025-01-01"], "would be over already"),
    "until without zone": (["accept", "worse", *REASON, "--until", "2999-01-01T12:00"], "has no time zone"),
    "until nonsense": (["accept", "worse", *REASON, "--until", "soon"], "takes a date such as"),
    "unpin unpinned": (["unpin", "good"], "is not pinned"),
    "withdraw unaccepted": (["withdraw", "worse"], "is not accepted: there is nothing to withdraw"),
    "unknown": (["accept", "unknown", *REASON], "there is no result 9999"),
}


@pytest.fixture(scope="module")
def refused(command: CommandLine, results: Results) -> dict[str, Ran]:
    ids = {"unknown": "9999", **{name: getattr(results, name) for name in ("good", "worse", "mixed", "gaps")}}
    commands = {
        name: ["results", action, ids[result], *options]
        for name, ((action, result, *options), _) in REFUSED.items()
    }
    outcomes = command.all_of(commands)
    assert audit(command) == []
    return outcomes


@pytest.mark.parametrize("name", REFUSED)
def test_a_decision_that_cannot_be_taken_is_refused_with_2_and_its_reason(
    refused: dict[str, Ran], name: str
) -> None:
    assert refused[name].status == 2
    assert REFUSED[name][1] in " ".join(refused[name].stderr.replace("│", " ").split())


# What was decided


@pytest.fixture(scope="module")
def accepted(command: CommandLine, results: Results, refused: dict[str, Ran]) -> Ran:
    """An acceptance of the worse result, and a pin of the good one."""
    accept = [
        "accept",
        results.worse,
        "--reason",
        "a stricter prompt",
        "--until",
        "2999-12-31",
        "--by",
        "ada",
    ]
    ran = command("results", *accept)
    command("results", "pin", results.good, "--reason", "release 4", "--by", "bo")
    return ran


@pytest.fixture(scope="module")
def views(command: CommandLine, accepted: Ran, results: Results) -> dict[str, Ran]:
    """Every view of the two results."""
    views = {
        "list": ["results", "list"],
        "history": ["results", "history", SET],
        "show worse": ["results", "show", results.worse],
        "show good": ["results", "show", results.good],
    }
    return command.all_of(
        {**views, **{f"{name} --json": [*words, "--json"] for name, words in views.items()}}
    )


def test_an_acceptance_says_what_to_do_for_what_follows(accepted: Ran, results: Results) -> None:
    assert accepted.status == 0
    assert f"result {results.worse} is accepted; materialise approved_result again" in accepted.said


@pytest.mark.parametrize("view", ["list", "history", "show worse"])
def test_an_acceptance_is_shown_with_who_when_why_and_how_long(views: dict[str, Ran], view: str) -> None:
    assert "accepted until 2999-12-31 23:59Z by ada on 20" in views[view].said
    assert ": a stricter prompt" in views[view].said


@pytest.mark.parametrize("view", ["list", "history", "show good"])
def test_a_pin_is_shown_wherever_the_result_is(views: dict[str, Ran], view: str) -> None:
    assert "pinned as baseline by bo on 20" in views[view].said
    assert ": release 4" in views[view].said


@pytest.mark.parametrize("view", ["list --json", "history --json", "show worse --json"])
def test_machines_are_told_of_an_acceptance_beside_the_failed_check(
    views: dict[str, Ran], results: Results, view: str
) -> None:
    [worse] = [each for each in views[view].json["results"] if str(each["result_id"]) == results.worse]
    assert worse["acceptance"].keys() == {"reason", "by", "at", "until", "expired"}
    assert (worse["acceptance"]["by"], worse["acceptance"]["reason"]) == ("ada", "a stricter prompt")
    assert (worse["acceptance"]["expired"], worse["accepted"], worse["pin"]) == (False, True, None)
    assert [check["name"] for check in worse["checks"] if not check["passed"]] == ["no_regression"]


def test_machines_are_told_of_a_pin(views: dict[str, Ran]) -> None:
    [good] = views["show good --json"].json["results"]
    assert (good["pin"]["by"], good["pin"]["reason"], good["acceptance"]) == ("bo", "release 4", None)


@pytest.fixture(scope="module")
def against(command: CommandLine, results: Results, views: dict[str, Ran]) -> dict[str, dict[str, Any]]:
    """The same answers again, compared while the good result is pinned, and after it was unpinned and accepted."""
    [pinned] = command("run", SET, "--json").json["results"]
    command("results", "unpin", results.good, "--by", "bo")
    command("results", "accept", results.good, "--reason", "why not", "--by", "cy")
    [unpinned] = command("run", SET, "--json").json["results"]
    return {"pinned": pinned["comparison"], "unpinned": unpinned["comparison"]}


def test_a_pinned_result_is_the_baseline_before_newer_accepted_ones(
    against: dict[str, dict[str, Any]], results: Results
) -> None:
    comparison = against["pinned"]
    assert (comparison["against"], comparison["verdict"]) == ("pinned", "regression")
    assert str(comparison["baseline_id"]) == results.good


def test_without_a_pin_the_newest_accepted_result_is_the_baseline_whatever_was_accepted_after_it(
    against: dict[str, dict[str, Any]], results: Results
) -> None:
    comparison = against["unpinned"]
    assert str(comparison["baseline_id"]) == results.worse
    assert (comparison["against"], comparison["verdict"]) == ("accepted", "no_regression")


def test_every_decision_is_kept_with_who_and_why_and_an_expired_or_withdrawn_one_counts_no_longer(
    command: CommandLine, results: Results, against: dict[str, dict[str, Any]]
) -> None:
    with psycopg.connect(command.database_url or "", autocommit=True) as connection:
        connection.execute(
            "update result_decision set until = now() - interval '1 day' where until is not null"
        )
    listed = command("results", "show", results.worse)
    assert "which is over: the acceptance has expired" in listed.said
    assert shown(command, results.worse)["acceptance"]["expired"] is True
    assert shown(command, results.worse)["accepted"] is False
    assert command("results", "withdraw", results.worse, "--reason", "a mistake", "--by", "di").status == 0
    after = shown(command, results.worse)
    assert (after["acceptance"], after["accepted"]) == (None, False)
    assert audit(command) == [
        (results.worse, "accept", "ada", "a stricter prompt"),
        (results.good, "pin", "bo", "release 4"),
        (results.good, "unpin", "bo", ""),
        (results.good, "accept", "cy", "why not"),
        (results.worse, "withdraw", "di", "a mistake"),
    ]


def test_what_passed_its_checks_is_no_baseline_once_it_is_withdrawn(command: CommandLine) -> None:
    command.write({**set_file("acme.withdrawn"), "models.yaml": recorded_models(["tern", "wren"])})
    command.write(recording("wren"))
    words = ("run", "acme.withdrawn", "--model", "wren", "--json")
    first, second = (command(*words).json["results"][0] for _ in range(2))
    assert (first["accepted"], second["accepted"]) == (True, True)
    second_id = str(second["result_id"])
    ran = command("results", "withdraw", second_id, "--reason", "a leaked set", "--by", "ada")
    assert ran.status == 0, ran.said
    withdrawn = shown(command, second_id)
    assert (withdrawn["accepted"], withdrawn["acceptance"]) == (False, None)
    assert (withdrawn["withdrawal"]["by"], withdrawn["withdrawal"]["reason"]) == ("ada", "a leaked set")
    assert "a leaked set" in command("results", "show", second_id).said
    [third] = command(*words).json["results"]
    assert third["comparison"]["baseline_id"] == first["result_id"]
    again = command("results", "withdraw", second_id)
    assert (again.status, "there is nothing to withdraw" in again.said) == (2, True)
