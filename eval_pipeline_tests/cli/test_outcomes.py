"""Every outcome of a comparison on the real command line: what it says, how it ends, what follows from it.

A model stands for a row of the table of outcomes. All are evaluated well at first, then as their row says, without
a gate and with one; then what may be accepted is accepted, and all are evaluated once more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_pipeline_tests.cli.conftest import CommandLine, Ran
from eval_pipeline_tests.endpoint import NEXT_SNAPSHOT, Answers, Endpoint, models_file, serving, set_file

# The first test to look at a step waits for all commands of it.
pytestmark = pytest.mark.timeout(900)

SET = "acme.outcomes"
OUTCOMES = {
    "steady": Answers(wrong=range(2)),
    "worse": Answers(wrong=range(3)),
    "next": Answers(wrong=range(2), reported=NEXT_SNAPSHOT),
    "next-worse": Answers(wrong=range(3), reported=NEXT_SNAPSHOT),
    "below-floor": Answers(wrong=range(9)),
    "must-pass": Answers(wrong=[19]),
    "mixed": Answers(stray="heron-2026"),
    "nameless": Answers(reported=None),
    "gaps": Answers(refused=[4, 5]),
    "down": Answers(refused=range(20), status=401),
}
GOOD, INCOMPLETE, NEVER = ("steady", "next"), ("gaps", "down"), ("mixed", "nameless", "gaps", "down")
ACCEPTABLE = tuple(row for row in OUTCOMES if row not in {*GOOD, *NEVER})
FIRST_ANSWERS = {"below-floor": Answers(wrong=range(8))}
OTHERS = ("plain", "lenient", "strict", "any", "repeated", "parts", "moved")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def new_project(
    tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]
) -> Callable[[], CommandLine]:
    """Makes projects with a database each, all alike."""

    def new() -> CommandLine:
        command = CommandLine(tmp_path_factory.mktemp("cli"), new_dagster_url())
        files = set_file(SET, must_pass=[19], gate={"min_pass_rate": 0.6})
        other = set_file("acme.other")
        command.write({"models.yaml": models_file([*OUTCOMES, *OTHERS]), **files, **other})
        return command

    return new


Run = Callable[..., Ran]


@pytest.fixture(scope="module")
def command(new_project: Callable[[], CommandLine]) -> CommandLine:
    return new_project()


@pytest.fixture(scope="module")
def run(command: CommandLine, endpoint: Endpoint) -> Run:
    """Runs the set by one model that answers like this from now on."""

    def evaluate(model: str, answers: Answers | None, *options: str, set_id: str = SET) -> Ran:
        if answers is not None:
            endpoint.answers[model] = answers
        return command("run", set_id, "--model", model, *options, LIVE_URL=endpoint.url)

    return evaluate


def by_model(ran: Ran) -> dict[str, dict[str, Any]]:
    return {result["model_key"]: result for result in ran.json["results"]}


def one(ran: Ran) -> dict[str, Any]:
    [result] = ran.json["results"]
    return result


def failing(result: dict[str, Any]) -> dict[str, bool]:
    """The checks that did not pass, and whether they block."""
    return {check["name"]: check["blocks"] for check in result["checks"] if not check["passed"]}


def blocking(result: dict[str, Any]) -> set[str]:
    return {name for name, blocks in failing(result).items() if blocks}


def models(*keys: str) -> list[str]:
    return [word for key in keys for word in ("--model", key)]


# The steps


@pytest.fixture(scope="module")
def first(command: CommandLine, endpoint: Endpoint) -> Ran:
    """All rows for the first time, with a gate."""
    endpoint.answers |= dict.fromkeys(OUTCOMES, Answers()) | FIRST_ANSWERS
    words = ["run", SET, *models(*OUTCOMES), "--fail-on-regression", "--json"]
    return command(*words, LIVE_URL=endpoint.url)


@pytest.fixture(scope="module")
def ungated(command: CommandLine, endpoint: Endpoint, first: Ran) -> dict[str, Ran]:
    """All rows as they turn out, without a gate; those that are incomplete apart from the others."""
    endpoint.answers |= OUTCOMES
    complete = [row for row in OUTCOMES if row not in INCOMPLETE]
    groups = {"complete": complete, "incomplete": INCOMPLETE}
    return command.all_of(
        {name: ["run", SET, *models(*rows), "--json"] for name, rows in groups.items()},
        LIVE_URL=endpoint.url,
    )


@pytest.fixture(scope="module")
def outcomes(ungated: dict[str, Ran]) -> dict[str, dict[str, Any]]:
    """The results of these, by row."""
    return by_model(ungated["complete"]) | by_model(ungated["incomplete"])


@pytest.fixture(scope="module")
def gated(command: CommandLine, endpoint: Endpoint, ungated: dict[str, Ran]) -> dict[str, Ran]:
    """The same outcomes again, each in a command of its own with a gate."""
    return command.all_of(
        {row: ["run", SET, "--model", row, "--fail-on-regression"] for row in OUTCOMES},
        LIVE_URL=endpoint.url,
    )


@pytest.fixture(scope="module")
def newest(command: CommandLine, gated: dict[str, Ran]) -> dict[str, dict[str, Any]]:
    """The results of these, by row."""
    listed = command("results", "list", "--limit", str(len(OUTCOMES)), "--json")
    return by_model(listed)


@pytest.fixture(scope="module")
def accepting(command: CommandLine, newest: dict[str, dict[str, Any]]) -> dict[str, Ran]:
    """What becomes of accepting the results that did not pass, by row."""
    return command.all_of(
        {
            row: ["results", "accept", str(newest[row]["result_id"]), "--reason", "we know why"]
            for row in (*ACCEPTABLE, *NEVER)
        }
    )


@pytest.fixture(scope="module")
def afterwards(command: CommandLine, endpoint: Endpoint, accepting: dict[str, Ran]) -> dict[str, Any]:
    """The rows that answer as before, and those whose trouble is over, once more."""
    endpoint.answers |= dict.fromkeys(NEVER, Answers())
    ran = command("run", SET, *models(*OUTCOMES), "--json", LIVE_URL=endpoint.url)
    return by_model(ran)


# The table of outcomes


def test_the_first_result_of_its_kind_passes_and_is_accepted(first: Ran) -> None:
    assert first.status == 0
    for result in by_model(first).values():
        assert result["comparison"]["verdict"] == "first"
        assert result["comparison"]["baseline_id"] is None
        assert (failing(result), result["accepted"]) == ({}, True)


EXPECTED = {
    "steady": ("no_regression", {}),
    "worse": ("regression", {"no_regression": True}),
    "next": ("snapshot_changed", {"generator_changed": False}),
    "next-worse": ("held_back", {"no_regression": True, "generator_changed": False}),
    "below-floor": ("no_regression", {"meets_floor": True}),
    "must-pass": ("no_regression", {"meets_floor": True}),
    "mixed": ("not_comparable", {"one_generator": True, "no_regression": False}),
    "nameless": ("not_comparable", {"one_generator": True, "no_regression": False}),
    "gaps": ("not_comparable", {"complete": True, "no_regression": False}),
}
rows = pytest.mark.parametrize("row", EXPECTED)


@rows
def test_an_outcome_has_its_verdict_and_fails_its_checks_and_no_others(
    outcomes: dict[str, dict[str, Any]], row: str
) -> None:
    verdict, checks = EXPECTED[row]
    assert (outcomes[row]["comparison"]["verdict"], failing(outcomes[row])) == (verdict, checks)


@rows
def test_only_an_outcome_that_blocks_nothing_is_accepted(
    outcomes: dict[str, dict[str, Any]], row: str
) -> None:
    assert outcomes[row]["accepted"] is (row in GOOD)


def test_without_a_gate_no_complete_outcome_fails_the_command(ungated: dict[str, Ran]) -> None:
    assert ungated["complete"].status == 0


def test_without_a_gate_an_incomplete_outcome_ends_it_with_3(ungated: dict[str, Ran]) -> None:
    assert ungated["incomplete"].status == 3


@pytest.mark.parametrize("row", OUTCOMES)
def test_with_a_gate_every_outcome_that_blocks_ends_the_command_with_1(
    gated: dict[str, Ran], row: str
) -> None:
    assert gated[row].status == (0 if row in GOOD else 1)


SAID = {
    "steady": ["verdict no regression", "no rate fell beyond its tolerance (over 20 shared prompts)"],
    "worse": ["verdict regression pass rate fell from 1 to 0.85, by more than 0.1", "no_regression fails"],
    "next-worse": [
        "verdict held back another snapshot answers under the same name",
        "pass rate fell from 1 to 0.85",
        "no_regression fails",
        "generator_changed warns",
    ],
    "below-floor": ["meets_floor fails: the pass rate is 11 of 20, below the floor of 0.6"],
    "must-pass": ["meets_floor fails: must pass and did not: p19"],
    "mixed": ["one_generator fails: mixed: live/mixed → tern-4-2026 (19), live/mixed → heron-2026 (1)"],
    "nameless": ["one_generator fails: unknown: unknown (20)"],
    "gaps": ["complete fails: 2 of 20 prompts could not be measured"],
    "down": ["complete fails: 20 of 20 prompts could not be measured"],
}


@pytest.mark.parametrize("row", SAID)
def test_people_are_told_what_came_out_and_why(gated: dict[str, Ran], row: str) -> None:
    assert [said for said in SAID[row] if said not in gated[row].said] == []


def test_people_are_warned_of_another_snapshot_that_is_no_worse(
    command: CommandLine, outcomes: dict[str, dict[str, Any]]
) -> None:
    said = command("results", "show", str(outcomes["next"]["result_id"])).said
    assert "verdict snapshot changed another snapshot answers under the same name" in said
    assert "generator_changed warns" in said


def test_a_regression_tells_against_what_by_how_much_and_which_prompts(
    gated: dict[str, Ran], first: Ran
) -> None:
    said = gated["worse"].said
    assert f"against the accepted one, result {by_model(first)['worse']['result_id']} of 20" in said
    assert "by live/worse → tern-4-2026" in said
    assert "Δ pass rate 1 → 0.85, -0.1500 (tolerance 0.1)" in said
    assert "now fail p00, p01, p02" in said


def test_machines_are_told_the_same(outcomes: dict[str, dict[str, Any]], first: Ran) -> None:
    comparison = outcomes["worse"]["comparison"]
    assert comparison["baseline_id"] == by_model(first)["worse"]["result_id"]
    assert (comparison["against"], comparison["shared"]) == ("accepted", 20)
    assert comparison["pass_rate_delta"] == pytest.approx(-0.15)
    assert [(flip["prompt_id"], flip["after"]) for flip in comparison["flipped"]] == [
        ("p00", "fail"),
        ("p01", "fail"),
        ("p02", "fail"),
    ]


def test_statistics_are_told_with_every_comparison(outcomes: dict[str, dict[str, Any]]) -> None:
    comparison = outcomes["worse"]["comparison"]
    low, high = comparison["interval"]
    assert low < -0.15 < high
    assert 0 < comparison["standard_error"] < comparison["detectable_drop"] < 1
    assert 0 < comparison["p_value"] < 1


def test_an_evaluation_in_which_nothing_was_answered_measures_nothing_and_compares_nothing(
    outcomes: dict[str, dict[str, Any]],
) -> None:
    down = outcomes["down"]
    assert (down["pass_rate"], down["mean_score"], down["error_count"]) == (None, None, 20)
    assert "complete" in blocking(down)
    assert (down["comparison"]["verdict"], down["accepted"]) == ("not_comparable", False)


def test_a_result_that_did_not_pass_is_not_the_next_ones_baseline(
    first: Ran, outcomes: dict[str, dict[str, Any]], newest: dict[str, dict[str, Any]]
) -> None:
    for row in ACCEPTABLE:
        assert newest[row]["comparison"]["baseline_id"] == by_model(first)[row]["result_id"]
        assert newest[row]["comparison"]["verdict"] == EXPECTED[row][0]


def test_a_result_that_passed_is_the_next_ones_baseline(
    outcomes: dict[str, dict[str, Any]], newest: dict[str, dict[str, Any]]
) -> None:
    for row in GOOD:
        assert newest[row]["comparison"]["baseline_id"] == outcomes[row]["result_id"]
        assert newest[row]["comparison"]["verdict"] == "no_regression"


# Acceptance by hand


@pytest.mark.parametrize("row", ACCEPTABLE)
def test_an_outcome_that_blocks_is_the_baseline_once_it_was_accepted(
    accepting: dict[str, Ran], newest: dict[str, dict[str, Any]], afterwards: dict[str, Any], row: str
) -> None:
    assert accepting[row].status == 0
    comparison = afterwards[row]["comparison"]
    assert (comparison["verdict"], comparison["baseline_id"]) == ("no_regression", newest[row]["result_id"])


@pytest.mark.parametrize("row", ["worse", "next-worse"])
def test_what_is_no_worse_than_an_accepted_regression_passes_its_checks(
    afterwards: dict[str, Any], row: str
) -> None:
    assert (failing(afterwards[row]), afterwards[row]["accepted"]) == ({}, True)


@pytest.mark.parametrize("row", ["below-floor", "must-pass"])
def test_an_acceptance_lowers_no_floor_for_what_follows(afterwards: dict[str, Any], row: str) -> None:
    assert (blocking(afterwards[row]), afterwards[row]["accepted"]) == ({"meets_floor"}, False)


@pytest.mark.parametrize("row", NEVER)
def test_what_cannot_be_a_baseline_is_never_accepted_nor_compared_with(
    accepting: dict[str, Ran], first: Ran, afterwards: dict[str, Any], row: str
) -> None:
    assert accepting[row].status == 2
    assert "can never be a baseline" in accepting[row].stderr
    comparison = afterwards[row]["comparison"]
    assert (comparison["verdict"], comparison["baseline_id"]) == (
        "no_regression",
        by_model(first)[row]["result_id"],
    )


# A set that became another one


@pytest.fixture(scope="module")
def moved(command: CommandLine, endpoint: Endpoint) -> dict[str, Ran]:
    """A set half of whose prompts were replaced, before and after it was accepted."""
    words = ("run", "acme.moving", "--model", "moved", "--fail-on-regression", "--json")
    command.write(set_file("acme.moving", range(20)))
    command(*words, LIVE_URL=endpoint.url)
    command.write(set_file("acme.moving", range(10, 30)))
    blocked = command(*words, LIVE_URL=endpoint.url)
    accepted = command("results", "accept", str(one(blocked)["result_id"]), "--reason", "a new set")
    return {"blocked": blocked, "accepted": accepted, "later": command(*words, LIVE_URL=endpoint.url)}


def test_too_few_shared_prompts_are_not_comparable_and_fail_the_gate(moved: dict[str, Ran]) -> None:
    result = one(moved["blocked"])
    assert (moved["blocked"].status, blocking(result)) == (1, {"no_regression"})
    comparison = result["comparison"]
    assert (comparison["verdict"], comparison["shared"]) == ("not_comparable", 10)
    assert (comparison["added"], comparison["removed"]) == (10, 10)
    assert "at least 80% are needed" in comparison["reason"]


def test_a_set_that_became_another_is_compared_again_once_a_result_was_accepted(
    moved: dict[str, Ran],
) -> None:
    assert (moved["accepted"].status, moved["later"].status) == (0, 0)
    assert one(moved["later"])["comparison"]["baseline_id"] == one(moved["blocked"])["result_id"]


# Gates, tolerances and repeats


def test_a_gate_of_any_fails_at_a_single_prompt_that_does_not_pass_and_at_no_other_thing(run: Run) -> None:
    assert run("any", Answers(wrong=[3]), "--fail-on", "any").status == 1
    assert run("any", Answers(), "--fail-on", "any").status == 0


def test_a_part_of_a_set_never_passes_a_gate_and_the_command_warns_before_it_asks(run: Run) -> None:
    ran = run("parts", Answers(), "--limit", "5", "--fail-on-regression", "--json")
    assert (ran.status, blocking(one(ran))) == (1, {"complete"})
    assert "a part of a set is never complete" in ran.stderr
    assert one(ran)["accepted"] is False


def test_a_part_of_a_set_that_passes_is_no_failure_without_a_gate_and_nobodys_baseline(run: Run) -> None:
    assert run("parts", Answers(), "--limit", "5").status == 0
    assert one(run("parts", Answers(wrong=range(3)), "--json"))["comparison"]["verdict"] == "first"


def test_a_tolerance_of_the_command_replaces_the_sets(run: Run) -> None:
    assert run("lenient", Answers()).status == 0
    same = Answers(wrong=range(4))
    drops = ("--max-pass-rate-drop", "0.2", "--max-mean-score-drop", "0.2")
    assert run("lenient", same, "--fail-on-regression").status == 1
    ran = run("lenient", same, "--fail-on-regression", *drops, "--json")
    assert (ran.status, blocking(one(ran)), one(ran)["accepted"]) == (0, set(), False)
    assert one(ran)["not_accepted_because"] == (
        "it was compared with max_pass_rate_drop 0.2, and its set allows 0.1"
    )
    previous = run("lenient", same, "--fail-on-regression", "--against", "previous", "--json")
    assert (previous.status, one(previous)["accepted"]) == (0, False)
    assert one(previous)["not_accepted_because"] == (
        f"its baseline, result {one(ran)['result_id']}, is not accepted itself"
    )


def test_a_stricter_tolerance_fails_a_drop_that_the_set_allows(run: Run) -> None:
    assert run("strict", Answers()).status == 0
    ran = run("strict", Answers(wrong=[0]), "--fail-on-regression", "--max-pass-rate-drop", "0.04", "--json")
    assert (ran.status, one(ran)["comparison"]["verdict"]) == (1, "regression")


def test_with_a_confidence_a_drop_within_the_noise_is_no_regression(run: Run) -> None:
    assert run("plain", Answers()).status == 0
    ran = run("plain", Answers(wrong=range(3)), "--fail-on-regression", "--confidence", "0.99", "--json")
    assert (ran.status, one(ran)["comparison"]["verdict"]) == (0, "no_regression")
    assert one(ran)["comparison"]["pass_rate"]["beyond_tolerance"] is True
    noise = "a drop beyond the tolerance does not stand up to a confidence of 0.99"
    assert noise in one(ran)["comparison"]["reason"]


def test_repeats_ask_every_prompt_so_many_times(run: Run, endpoint: Endpoint) -> None:
    before = endpoint.asked.copy()
    result = one(run("repeated", Answers(), "--repeats", "3", "--json", set_id="acme.other"))
    assert endpoint.asked - before == {("acme.other", number): 3 for number in range(20)}
    assert (result["prompt_count"], result["repeats"], result["complete"]) == (60, 3, True)


# Which status goes before which


@pytest.fixture(scope="module")
def together(command: CommandLine, endpoint: Endpoint, afterwards: dict[str, Any]) -> dict[str, Ran]:
    """One model that became worse, and one that cannot be measured, in one command."""
    endpoint.answers |= {"steady": Answers(wrong=range(10)), "gaps": OUTCOMES["gaps"]}
    both = ["run", SET, *models("gaps", "steady")]
    return {
        name: command(*both, *options, LIVE_URL=endpoint.url)
        for name, options in {
            "gated": ["--fail-on-regression"],
            "ungated": [],
            "wrong": ["--fail-on-regression", "--confidence", "1"],
        }.items()
    }


def test_a_gate_that_failed_goes_before_an_incomplete_evaluation(together: dict[str, Ran]) -> None:
    assert (together["gated"].status, together["ungated"].status) == (1, 3)


def test_wrong_usage_goes_before_everything(together: dict[str, Ran]) -> None:
    assert together["wrong"].status == 2


# Baselines from a file


@pytest.fixture(scope="module")
def baseline_file(command: CommandLine, first: Ran, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result exported from the first database."""
    path = tmp_path_factory.mktemp("baseline") / "baseline.json"
    exported = command(
        "results", "export", str(by_model(first)["steady"]["result_id"]), "--output", str(path)
    )
    assert exported.status == 0, exported.said
    return path


@pytest.fixture(scope="module")
def elsewhere(
    new_project: Callable[[], CommandLine], endpoint: Endpoint, together: dict[str, Ran], baseline_file: Path
) -> dict[str, Any]:
    """A run in another database against the exported result."""
    other, before = new_project(), baseline_file.read_bytes()
    endpoint.answers["steady"] = Answers(wrong=range(3))
    words = ["run", SET, "--model", "steady", "--baseline", str(baseline_file)]
    ran = other(*words, "--fail-on-regression", "--json", LIVE_URL=endpoint.url)
    return {"ran": ran, "unchanged": baseline_file.read_bytes() == before}


def test_an_exported_result_is_a_baseline_in_another_database(elsewhere: dict[str, Any]) -> None:
    result = one(elsewhere["ran"])
    assert (elsewhere["ran"].status, result["comparison"]["verdict"]) == (1, "regression")
    assert (result["comparison"]["against"], result["comparison"]["baseline_id"]) == ("file", None)
    assert result["comparison"]["shared"] == 20
    assert result["comparison"]["pass_rate_delta"] == pytest.approx(-0.15)


def test_an_exported_result_quotes_no_answer(baseline_file: Path) -> None:
    text = baseline_file.read_text("utf-8")
    [result] = json.loads(text)["results"]
    assert {key for grading in result["gradings"] for key in grading} == {
        *("prompt_id", "repeat", "inputs", "status", "score"),
    }
    assert [answer for answer in ("yes", "no, never") if answer in text] == []


def test_a_run_never_writes_its_baseline_file(elsewhere: dict[str, Any]) -> None:
    assert elsewhere["unchanged"]


# What is refused before any model is asked


@pytest.fixture(scope="module")
def refused(
    command: CommandLine, endpoint: Endpoint, elsewhere: dict[str, Any], first: Ran, baseline_file: Path
) -> dict[str, Ran]:
    """Commands that are wrong, and how many requests they made all together."""
    of_another = str(by_model(first)["worse"]["result_id"])
    damaged = baseline_file.with_name("damaged.json")
    document = json.loads(baseline_file.read_text("utf-8"))
    document["results"][0]["passed_count"] = 19
    damaged.write_text(json.dumps(document), "utf-8")
    wrong = {
        **{
            f"{option} {value}": [option, value]
            for option, value in (
                ("--max-pass-rate-drop", "1.01"),
                ("--max-pass-rate-drop", "nan"),
                ("--max-mean-score-drop", "-0.1"),
            )
        },
        **{f"--confidence {value}": ["--confidence", value] for value in ("0", "1", "nan")},
        "against nothing known": ["--against", "yesterday"],
        "against a result that does not exist": ["--against", "999"],
        "against an id beyond all ids": ["--against", "9" * 30],
        "against a result of another model": ["--against", of_another],
        "two baselines": ["--against", "previous", "--baseline", str(baseline_file)],
        "a baseline file that does not exist": ["--baseline", "nowhere.json"],
        "a baseline file that contradicts itself": ["--baseline", str(damaged)],
        "an unknown gate": ["--fail-on", "regresion"],
    }
    words = ["run", SET, "--model", "steady"]
    commands = {name: [*words, *options] for name, options in wrong.items()}
    commands["a baseline file of another set"] = [
        *("run", "acme.other", "--model", "steady", "--baseline", str(baseline_file)),
    ]
    endpoint.asked.clear()
    return command.all_of(commands, LIVE_URL=endpoint.url)


def test_wrong_options_end_the_command_with_2(refused: dict[str, Ran]) -> None:
    assert {name: ran.status for name, ran in refused.items() if ran.status != 2} == {}


def test_wrong_options_are_refused_before_any_model_is_asked(
    refused: dict[str, Ran], endpoint: Endpoint
) -> None:
    assert endpoint.asked == {}


REFUSALS = {
    "--max-pass-rate-drop nan": "max_pass_rate_drop is a share between 0 and 1, found nan",
    "--max-mean-score-drop -0.1": "max_mean_score_drop is a share between 0 and 1, found -0.1",
    "--confidence 1": "a confidence is between 0 and 1, such as 0.95, found 1",
    "against nothing known": "--against takes accepted, previous, pinned or the id of a result, not 'yesterday'",
    "against a result that does not exist": "there is no result 999 to compare with",
    "against an id beyond all ids": f"there is no result {'9' * 30} to compare with",
    "against a result of another model": "which is no baseline of acme.outcomes · steady · deterministic",
    "two baselines": "--against and --baseline both name a baseline",
    "a baseline file that does not exist": "the baseline cannot be read: No such file",
    "a baseline file that contradicts itself": "passed_count is 19, its gradings say 20",
    "a baseline file of another set": "holds 0 results of acme.other · steady · deterministic",
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_says_what_is_wrong_without_a_traceback(refused: dict[str, Ran], name: str) -> None:
    assert REFUSALS[name] in " ".join(refused[name].stderr.split())
    assert "Traceback" not in refused[name].stderr
