"""`eval-pipeline regrade`: what is newest of a pair moves its checks and approval, and nothing older does."""

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
SET = "acme.regraded"
Events = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Story:
    """A good result, a worse one after it, and both graded by looser expectations, the older one first.

    Attributes:
        good, worse: Results.
        old, new: Commands that graded them anew.
        events: What Dagster recorded of their assets before, between and after these.
    """

    good: dict[str, Any]
    worse: dict[str, Any]
    old: Ran
    new: Ran
    events: tuple[Events, Events, Events]


def recorded(command: CommandLine) -> Events:
    """Every materialisation and evaluation of a check, oldest first."""
    with psycopg.connect(command.database_url or "") as connection:
        return connection.execute(
            "select id, dagster_event_type, asset_key, partition from event_logs where dagster_event_type"
            " in ('ASSET_MATERIALIZATION', 'ASSET_CHECK_EVALUATION') order by id"
        ).fetchall()


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]) -> Story:
    command = CommandLine(tmp_path_factory.mktemp("cli"), new_dagster_url())
    command.write({"models.yaml": recorded_models(["tern"]), **set_file(SET), **recording("tern")})
    [good] = command("run", SET, "--json").json["results"]
    command.write(recording("tern", Answers(wrong=range(5))))
    [worse] = command("run", SET, "--json").json["results"]
    command.write(set_file(SET, word="says"))
    before = recorded(command)
    old = command("regrade", str(good["result_id"]), "--json")
    between = recorded(command)
    new = command("regrade", str(worse["result_id"]), "--json")
    return Story(good, worse, old, new, (before, between, recorded(command)))


def test_an_older_result_is_graded_anew_and_moves_neither_checks_nor_approval(story: Story) -> None:
    assert story.old.status == 0, story.old.said
    [regraded] = story.old.json["results"]
    assert (regraded["regraded_from"], regraded["run_id"]) == (
        story.good["result_id"],
        story.good["run_id"],
    )
    assert (regraded["comparison"]["verdict"], regraded["pass_rate"]) == ("first", 1.0)
    before, between, _ = story.events
    assert before
    assert between == before


def test_the_newest_result_is_graded_anew_by_dagster_and_approved_where_it_passes(story: Story) -> None:
    assert story.new.status == 0, story.new.said
    [regraded] = story.new.json["results"]
    assert (regraded["regraded_from"], regraded["accepted"]) == (story.worse["result_id"], True)
    _, between, after = story.events
    further = [(event, asset) for _, event, asset, _ in after[len(between) :]]
    assert ("ASSET_MATERIALIZATION", '["deterministic", "approved_result"]') in further
    assert "ASSET_CHECK_EVALUATION" in {event for event, _ in further}
