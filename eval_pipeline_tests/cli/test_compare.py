"""`eval-pipeline compare`: two results side by side, or two models on one set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from eval_pipeline_tests.cli.conftest import CommandLine, Ran
from eval_pipeline_tests.endpoint import Answers, recorded_models, recording, set_file

# The first test to look at a step waits for all commands of it.
pytestmark = pytest.mark.timeout(900)
SET = "acme.compared"


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]) -> CommandLine:
    command = CommandLine(tmp_path_factory.mktemp("cli"), new_dagster_url())
    command.write(
        {
            "models.yaml": recorded_models(["tern", "heron", "wren"]),
            **set_file(SET),
            **set_file("acme.other"),
            **recording("tern", Answers(wrong=[4])),
            **recording("heron", Answers(wrong=range(3))),
            **recording("wren"),
        }
    )
    return command


def evaluated(command: CommandLine, set_id: str, *models: str) -> list[str]:
    """The ids of new results."""
    words = [word for key in models for word in ("--model", key)]
    return [str(each["result_id"]) for each in command("run", set_id, *words, "--json").json["results"]]


@pytest.fixture(scope="module")
def ids(command: CommandLine) -> dict[str, str]:
    """A result of each of two models, and one of another set."""
    tern, heron = evaluated(command, SET, "tern", "heron")
    [other] = evaluated(command, "acme.other", "tern")
    return {"tern": tern, "heron": heron, "other": other}


@pytest.fixture(scope="module")
def compared(command: CommandLine, ids: dict[str, str]) -> dict[str, Ran]:
    return command.all_of(
        {
            "people": ["compare", ids["tern"], ids["heron"]],
            "machines": ["compare", ids["tern"], ids["heron"], "--json"],
            "models": ["compare", "tern", "heron", "--set", SET, "--json"],
        }
    )


def test_two_results_are_told_apart_by_their_rates_and_their_statistics(compared: dict[str, Ran]) -> None:
    document = compared["machines"].json
    assert compared["machines"].status == 0
    assert document["pass_rate_delta"] == pytest.approx(-0.1)
    assert (document["shared"], document["measured"], document["regraded"]) == (20, 20, False)
    low, high = document["interval"]
    assert low < -0.1 < high


def test_every_flip_comes_with_both_answers(compared: dict[str, Ran]) -> None:
    flips = {flip["prompt_id"]: flip for flip in compared["machines"].json["flipped"]}
    assert flips.keys() == {"p00", "p01", "p02", "p04"}
    assert (flips["p00"]["before"], flips["p00"]["after"]) == ("pass", "fail")
    assert (flips["p04"]["before"], flips["p04"]["after"]) == ("fail", "pass")
    for flip, before, after in (("p00", "yes", "no"), ("p04", "no", "yes")):
        assert flips[flip]["answers_before"] == [f"{before}, says tern"]
        assert flips[flip]["answers_after"] == [f"{after}, says heron"]


def test_people_see_both_results_and_every_flip_with_both_answers(compared: dict[str, Ran]) -> None:
    said = compared["people"].said
    assert compared["people"].status == 0
    assert "95.0% (19/20)" in said
    assert "85.0% (17/20)" in said
    assert "p00 pass → fail A yes, says tern B no, says heron" in said
    assert "p04 fail → pass A no, says tern B yes, says heron" in said


def test_two_models_are_compared_by_their_newest_whole_results_of_a_set(
    compared: dict[str, Ran], ids: dict[str, str]
) -> None:
    document = compared["models"].json
    assert (str(document["baseline_id"]), str(document["result_id"])) == (ids["tern"], ids["heron"])
    assert document["flipped"] == compared["machines"].json["flipped"]


def test_a_comparison_by_hand_reaches_no_verdict_and_ends_with_0_however_bad_it_is(
    compared: dict[str, Ran],
) -> None:
    assert {ran.status for ran in compared.values()} == {0}
    assert {"verdict", "reason"}.isdisjoint(compared["machines"].json)


# Refusals

REFUSED: dict[str, tuple[list[str], str]] = {
    "other set": (["tern", "other"], "only results of one set by one grader can be compared"),
    "unknown id": (["tern", "9999"], "there is no result 9999"),
    "a key without a set": (["tern", "wren!"], "to compare two models, name a set with --set"),
    "never evaluated": (
        ["=tern", "=wren", "--set", SET],
        "has no result by 'deterministic' over the whole set",
    ),
    "unknown model": (["=tern", "=wrem", "--set", SET], "wrem"),
    "unknown set": (["=tern", "=heron", "--set", "acme.compard"], "acme.compard"),
    "confidence": (["tern", "heron", "--confidence", "nan"], "a confidence is between 0 and 1"),
}


@pytest.fixture(scope="module")
def refused(command: CommandLine, ids: dict[str, str]) -> dict[str, Ran]:
    def word(text: str) -> str:
        return ids.get(text, text).removeprefix("=")

    return command.all_of({name: ["compare", *map(word, words)] for name, (words, _) in REFUSED.items()})


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compared_is_refused_with_2_and_its_reason(refused: dict[str, Ran], name: str) -> None:
    assert (refused[name].status, refused[name].stdout) == (2, "")
    assert REFUSED[name][1] in refused[name].said


# Different yardsticks


@pytest.fixture(scope="module")
def by_another_yardstick(
    command: CommandLine, ids: dict[str, str], compared: dict[str, Ran], refused: dict[str, Ran]
) -> dict[str, Any]:
    """A result graded by other expectations, compared with an earlier one; and again without stored answers."""
    command.write(set_file(SET, word="says"))
    [later] = evaluated(command, SET, "heron")
    anew = command.all_of(
        {
            "machines": ["compare", ids["tern"], later, "--json"],
            "people": ["compare", ids["tern"], later],
        }
    )
    with psycopg.connect(command.database_url or "", autocommit=True) as connection:
        connection.execute(
            "delete from model_response where run_id = (select run_id from evaluation_result"
            f" where id = {ids['tern']})"
        )
    return {**anew, "gone": command("compare", ids["tern"], later)}


def test_results_by_different_yardsticks_are_graded_anew_by_what_is_expected_now(
    by_another_yardstick: dict[str, Ran],
) -> None:
    document = by_another_yardstick["machines"].json
    assert (document["regraded"], document["pass_rate"]["baseline"]) == (True, 1.0)
    assert document["flipped"] == []
    assert "the answers of both were graded anew" in by_another_yardstick["people"].said


def test_results_by_different_yardsticks_are_refused_where_answers_are_gone(
    by_another_yardstick: dict[str, Ran],
) -> None:
    gone = by_another_yardstick["gone"]
    assert (gone.status, gone.stdout) == (2, "")
    assert "its answers are no longer stored" in gone.said
