"""One story from beginning to end, on real parts: the command, an endpoint over HTTP, PostgreSQL, and Dagster's
automation, which decides whether a user's own asset may run.

A model gets better and worse behind one name, and at every step the verdict, the exit status, what follows
the approved result, and the measured quality say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from aiohttp import web

from eval_pipeline.definitions import build_definitions
from eval_pipeline.orchestration.instance import open_instance
from eval_pipeline.orchestration.partitions import PromptPartitions
from eval_pipeline.settings import Settings
from eval_pipeline_tests.cli.conftest import CommandLine, Ran
from eval_pipeline_tests.http_server import HttpServer

COUNT = 100
SET = """
id: acme.support
system_prompt: {system_prompt}
prompts:
  - file://questions.jsonl
"""
MODELS = """
project: acme
default_model: tern
providers:
  eu-west: {kind: openai, base_url: "${ENDPOINT}", max_concurrency: 32}
models:
  tern: {provider: eu-west, model: tern-large}
"""
APPROVED = dg.AssetKey(["deterministic", "approved_result"])
PUBLISHED = dg.AssetKey("published")
QUALITY = dg.AssetKey("model_quality")


@dataclass
class Endpoint:
    """What stands behind the model's name: which snapshot it says it is, and what it answers.

    Attributes:
        reported: The model name in every reply.
        right: Prompts up to this number are answered right, in lower case.
        shouted: Prompts up to this number are answered right, but in capitals.
        fallback: Prompts that another model answers.
    """

    reported: str = "tern-4-a"
    right: int = 95
    shouted: int = 0
    fallback: frozenset[int] = frozenset()

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        number = int((await request.json())["messages"][-1]["content"].removeprefix("Question "))
        text = "yes" if number < self.right else "YES" if number < self.shouted else "no"
        reported = "small-backup-v2" if number in self.fallback else self.reported
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return web.json_response({"model": reported, "choices": [choice]})


@dataclass
class Team:
    """A team with an evaluation project, and an asset of its own behind the approved result."""

    command: CommandLine
    endpoint: Endpoint
    server: HttpServer
    instance: dg.DagsterInstance
    definitions: dg.Definitions
    cursor: Any = None

    def expects(self, assertion: str, system_prompt: str = "Answer yes or no.") -> None:
        questions = (
            {"id": f"q{number}", "prompt": f"Question {number}", "assert": [json.loads(assertion)]}
            for number in range(COUNT)
        )
        self.command.write(
            {
                "models.yaml": MODELS,
                "prompts/support.yaml": SET.format(system_prompt=system_prompt),
                "prompts/questions.jsonl": "".join(json.dumps(question) + "\n" for question in questions),
            }
        )

    def __call__(self, *arguments: str) -> Ran:
        return self.command(*arguments, ENDPOINT=self.server.url)

    def evaluated(self, *options: str, status: int) -> dict[str, Any]:
        """The one result of a run that ends with `status`."""
        ran = self("run", "acme.support", "--fail-on-regression", "--json", *options)
        assert ran.status == status, ran.stderr + ran.stdout[-2000:]
        [result] = ran.json["results"]
        return result

    def quality(self) -> float | None:
        quality = self("models", "show", "tern", "--json").json["quality"]
        return None if quality is None else quality["score"]

    def automate(self) -> list[dg.AssetKey]:
        """Let Dagster's automation look once at what is new, run what it asks for, and say what that was."""
        outcome = dg.evaluate_automation_conditions(
            self.definitions,
            self.instance,
            asset_selection=dg.AssetSelection.assets(PUBLISHED, QUALITY),
            cursor=self.cursor,
        )
        self.cursor = outcome.cursor
        asked = []
        for entry in outcome.results:
            for subset in entry.true_subset.expensively_compute_asset_partitions():
                assert self.materialise(entry.key, subset.partition_key)
                asked.append(entry.key)
        return asked

    def approve_again(self) -> bool:
        """Materialise the approved result by hand, as one does in the UI; whether that succeeded."""
        return self.materialise(APPROVED, dg.MultiPartitionKey({"set": "acme.support", "model": "tern"}))

    def materialise(self, key: dg.AssetKey, partition_key: str) -> bool:
        job = self.definitions.resolve_implicit_global_asset_job_def()
        return job.execute_in_process(
            instance=self.instance, asset_selection=[key], partition_key=partition_key, raise_on_error=False
        ).success


def checks(result: dict[str, Any]) -> dict[str, bool]:
    return {check["name"]: check["passed"] for check in result["checks"]}


def follower() -> dg.AssetsDefinition:
    """What a team puts behind the approved result."""

    @dg.asset(
        key=PUBLISHED,
        partitions_def=PromptPartitions.of("acme").pairs,
        deps=[APPROVED],
        automation_condition=dg.AutomationCondition.any_deps_updated(),
    )
    def published() -> None: ...

    return published


@pytest.fixture
def team(
    tmp_path: Path, new_dagster_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Team]:
    command = CommandLine(tmp_path, new_dagster_url())
    endpoint = Endpoint()
    with HttpServer(endpoint) as server:
        monkeypatch.setenv("ENDPOINT", server.url)
        monkeypatch.setenv("EVAL_PIPELINE_DATABASE_URL", str(command.database_url))
        monkeypatch.setenv("EVAL_PIPELINE_PROJECT", str(tmp_path / "evals"))
        # The command makes Dagster's home; the team's own code location lives in the same instance.
        command.write({"models.yaml": MODELS})
        settings = Settings()
        made = command("results", "list", ENDPOINT=server.url)
        assert made.status == 0, made.stderr
        home = tmp_path / "dagster"
        home.mkdir()
        configuration = {"storage": {"postgres": {"postgres_url": command.database_url}}}
        (home / "dagster.yaml").write_text(json.dumps(configuration), "utf-8")
        with open_instance(home) as instance:
            definitions = dg.Definitions.merge(build_definitions(settings), dg.Definitions([follower()]))
            yield Team(command, endpoint, server, instance, definitions)


@pytest.mark.timeout(600)
def test_a_model_changes_behind_its_name_and_nothing_of_it_goes_unnoticed(team: Team) -> None:  # noqa: PLR0915 - one story
    team.expects('{"contains": "yes"}')

    first = team.evaluated(status=0)
    assert (first["comparison"]["verdict"], first["accepted"]) == ("first", True)
    team.automate()  # takes notice of what is there when it starts
    second = team.evaluated(status=0)
    assert second["comparison"]["verdict"] == "no_regression"
    assert second["comparison"]["baseline_id"] == first["result_id"]
    assert {PUBLISHED, QUALITY} <= set(team.automate())
    assert team.quality() == pytest.approx(0.95)

    # Snapshot B, much worse, answers under the same name: it is held back, and nothing follows it.
    team.endpoint.reported, team.endpoint.right = "tern-4-b", 60
    held_back = team.evaluated(status=1)
    assert held_back["comparison"]["verdict"] == "held_back"
    assert held_back["comparison"]["baseline_id"] == second["result_id"]
    assert held_back["comparison"]["pass_rate_delta"] == pytest.approx(-0.35)
    assert checks(held_back) == {
        "complete": True,
        "one_generator": True,
        "no_regression": False,
        "meets_floor": True,
        "generator_changed": False,
    }
    assert set(team.automate()) == {QUALITY}
    assert team.quality() == pytest.approx(0.6)
    assert not team.approve_again()

    # It is accepted with a reason; what follows it may run.
    accepted = team("results", "accept", str(held_back["result_id"]), "--reason", "the cheaper tariff")
    assert accepted.status == 0, accepted.stderr
    assert "the cheaper tariff" in team("results", "list").stdout
    assert team.approve_again()
    assert PUBLISHED in team.automate()

    # A fallback answers 3 prompts: nobody's score, and no quality.
    team.endpoint.fallback = frozenset({3, 50, 97})
    mixed = team.evaluated(status=1)
    assert (mixed["model_id"], mixed["provenance"]["status"]) == (None, "mixed")
    assert checks(mixed)["one_generator"] is False
    assert mixed["pass_rate"] == pytest.approx(0.6)
    assert PUBLISHED not in team.automate()
    assert team.quality() == pytest.approx(0.6)
    team.endpoint.fallback = frozenset()

    # The system prompt is edited, and the answers get worse: 20 of them are shouted.
    team.expects('{"contains": "yes"}', system_prompt="Answer with emphasis.")
    team.endpoint.right, team.endpoint.shouted = 40, 60
    regression = team.evaluated(status=1)
    comparison = regression["comparison"]
    assert (comparison["verdict"], comparison["baseline_id"]) == ("regression", held_back["result_id"])
    assert comparison["changed_treatment"] == ["system_prompt"]
    assert "system_prompt" in comparison["reason"]
    assert {flip["prompt_id"] for flip in comparison["flipped"]} == {f"q{number}" for number in range(40, 60)}
    assert set(team.automate()) == {QUALITY}
    assert team.quality() == pytest.approx(0.4)

    # The assertion is corrected: stored answers are graded anew, on both sides, and nothing is asked.
    team.expects('{"regex": "/yes/i"}', system_prompt="Answer with emphasis.")
    asked = len(team.server.received)
    ran = team("regrade", str(regression["result_id"]), "--fail-on-regression", "--json")
    assert ran.status == 0, ran.stderr + ran.stdout[-2000:]
    [corrected] = ran.json["results"]
    assert len(team.server.received) == asked
    assert corrected["regraded_from"] == regression["result_id"]
    assert corrected["provenance"] == regression["provenance"]
    assert corrected["comparison"]["regraded"] is True
    assert corrected["comparison"]["baseline_id"] == held_back["result_id"]
    assert (corrected["comparison"]["verdict"], corrected["pass_rate"]) == ("no_regression", 0.6)
    assert PUBLISHED in team.automate()
    assert team.quality() == pytest.approx(0.6)

    # Six runs, each 0.03 worse than the one before: against a pin the fourth is too much.
    assert team("results", "pin", str(corrected["result_id"])).status == 0
    verdicts = []
    for worse in range(1, 7):
        team.endpoint.shouted = 60 - 3 * worse
        result = team.evaluated(status=0 if worse < 4 else 1)
        assert result["comparison"]["baseline_id"] == corrected["result_id"]
        verdicts.append(result["comparison"]["verdict"])
    assert verdicts == ["no_regression"] * 3 + ["regression"] * 3
