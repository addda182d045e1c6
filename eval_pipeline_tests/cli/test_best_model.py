"""`eval-pipeline best-model` and `models show`: choosing by what was measured."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eval_pipeline_tests.cli.conftest import CommandLine, Ran
from eval_pipeline_tests.endpoint import NEXT_SNAPSHOT, Answers, recorded_models, recording, set_file

# The first test to look at a step waits for all commands of it.
pytestmark = pytest.mark.timeout(900)
SETS = ("acme.facts", "acme.tone")
ANSWERS = {
    "tern": Answers(wrong=range(1)),
    "heron": Answers(wrong=range(4)),
    "mixed": Answers(stray=NEXT_SNAPSHOT),
    "nameless": Answers(reported=None),
}


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]) -> CommandLine:
    command = CommandLine(tmp_path_factory.mktemp("cli"), new_dagster_url())
    files = {name: text for set_id in SETS for name, text in set_file(set_id).items()}
    for key, how in ANSWERS.items():
        files |= recording(key, how)
    command.write({"models.yaml": recorded_models(ANSWERS, heron={"capabilities": ["json"]}), **files})
    return command


@pytest.fixture(scope="module")
def before(command: CommandLine) -> dict[str, Ran]:
    """What is chosen without any result."""
    return command.all_of(
        {
            "measured": ["best-model", "--min-quality", "0.1"],
            "json": ["best-model", "--min-quality", "0.1", "--json"],
            "show": ["models", "show", "tern"],
        }
    )


@pytest.fixture(scope="module")
def measured(command: CommandLine, before: dict[str, Ran]) -> Ran:
    """All models evaluated on the first set; one on the second as well, where it became worse later."""
    models = [word for key in ANSWERS for word in ("--model", key)]
    ran = command("run", SETS[0], *models)
    command("run", SETS[1], "--model", "tern")
    command.write(recording("tern", Answers(wrong=range(5))))
    command("run", SETS[1], "--model", "tern")
    return ran


@pytest.fixture(scope="module")
def chosen(command: CommandLine, measured: Ran) -> dict[str, Ran]:
    words = {
        "people": [],
        "machines": ["--json"],
        "one set": ["--set", SETS[1], "--json"],
        "capable": ["--capability", "json"],
        "none": ["--min-quality", "0.99"],
        "none --json": ["--min-quality", "0.99", "--json"],
        "usage": ["--min-quality", "nan"],
    }
    shown = {f"show {key}": ["models", "show", key, "--json"] for key in ("tern", "mixed")}
    return command.all_of(
        {
            **{name: ["best-model", *options] for name, options in words.items()},
            **shown,
            "show": ["models", "show", "tern"],
            "unknown": ["models", "show", "terne"],
        }
    )


def test_without_any_result_no_model_meets_a_quality_and_the_command_ends_with_1(
    before: dict[str, Ran],
) -> None:
    assert (before["measured"].status, before["json"].status) == (1, 1)
    assert before["measured"].stdout.splitlines()[0] == "no model is eligible"
    assert before["json"].json["chosen"] is None


def test_a_model_without_results_is_shown_as_of_unknown_quality(before: dict[str, Ran]) -> None:
    assert before["show"].status == 0
    assert "quality unknown" in before["show"].said
    assert "no results yet" in before["show"].said


def test_the_chosen_key_is_the_first_line_and_nothing_else_is_in_it(chosen: dict[str, Ran]) -> None:
    assert chosen["people"].status == 0
    assert chosen["people"].stdout.splitlines()[0] == "tern"


def test_the_ranking_tells_every_models_score_over_how_many_sets_and_prompts(chosen: dict[str, Ran]) -> None:
    ranked = {each["model_key"]: each for each in chosen["machines"].json["ranked"]}
    assert list(ranked)[:2] == ["tern", "heron"]
    assert ranked["tern"]["quality"]["score"] == pytest.approx((0.95 + 0.75) / 2)
    assert ranked["heron"]["quality"]["score"] == pytest.approx(0.8)
    assert (ranked["tern"]["quality"]["prompt_count"], ranked["heron"]["quality"]["prompt_count"]) == (40, 20)
    low, high = ranked["heron"]["quality"]["interval"]
    assert low < 0.8 < high


def test_a_result_that_regressed_counts_as_the_newest_of_its_set(chosen: dict[str, Ran]) -> None:
    ranked = {each["model_key"]: each for each in chosen["one set"].json["ranked"]}
    assert ranked["tern"]["quality"]["score"] == pytest.approx(0.75)


@pytest.mark.parametrize("key", ["mixed", "nameless"])
def test_a_result_without_one_known_generator_scores_no_model(chosen: dict[str, Ran], key: str) -> None:
    ranked = {each["model_key"]: each for each in chosen["machines"].json["ranked"]}
    assert (ranked[key]["scored"], ranked[key]["quality"]) == (False, None)


def test_a_criterion_goes_before_quality(chosen: dict[str, Ran]) -> None:
    assert chosen["capable"].stdout.splitlines()[0] == "heron"


def test_when_no_model_is_good_enough_the_command_ends_with_1_and_says_why_not(
    chosen: dict[str, Ran],
) -> None:
    assert (chosen["none"].status, chosen["none --json"].status) == (1, 1)
    assert chosen["none"].stdout.splitlines()[0] == "no model is eligible"
    rejected = {each["model_key"]: each["reason"] for each in chosen["none --json"].json["rejected"]}
    assert {"tern", "heron"} <= rejected.keys()
    assert all(rejected.values())


def test_a_quality_that_is_no_number_is_wrong_usage(chosen: dict[str, Ran]) -> None:
    assert chosen["usage"].status == 2


# models show


def test_a_model_is_shown_with_its_quality_and_the_scores_that_it_produced(chosen: dict[str, Ran]) -> None:
    said = chosen["show"].said
    assert "tern sent to tern-site as tern-large" in said
    assert "quality 0.850" in said
    assert "over 2 sets and 40 prompts" in said
    assert said.count("· tern ·") == 3


def test_machines_are_told_of_a_model_what_people_are(chosen: dict[str, Ran]) -> None:
    document = chosen["show tern"].json
    assert (document["model"], document["outbound_model"]) == ("tern", "tern-large")
    assert document["quality"]["score"] == pytest.approx(0.85)
    assert [result["set"] for result in document["results"]] == [SETS[1], SETS[1], SETS[0]]


def test_scores_of_several_generators_are_shown_of_a_model_and_are_no_quality_of_it(
    chosen: dict[str, Ran],
) -> None:
    document = chosen["show mixed"].json
    assert document["quality"] is None
    [result] = document["results"]
    assert (result["model_id"], result["provenance"]["status"]) == (None, "mixed")


def test_an_unknown_model_is_refused_with_the_closest_known_ones(chosen: dict[str, Ran]) -> None:
    assert chosen["unknown"].status == 2
    assert "tern" in chosen["unknown"].stderr
