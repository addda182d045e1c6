"""What follows new results by itself, on a matrix of sets and models of which most pairs are never evaluated."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
import psycopg
import pytest
from dagster._core.definitions.asset_daemon_cursor import AssetDaemonCursor

from eval_pipeline.application.accept import decide_by_hand
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.responses import ModelRequest, ModelResponse, Reply, ServedBy
from eval_pipeline.domain.standing import Action
from eval_pipeline.orchestration.grader_assets import approved_key, grader_assets, result_key
from eval_pipeline.orchestration.instance import shipped_file
from eval_pipeline.orchestration.partitions import (
    DeclaredKeys,
    PromptPartitions,
    follow_declarations,
    pair_key,
)
from eval_pipeline.orchestration.prompt_assets import prompt_assets
from eval_pipeline.orchestration.quality_assets import MODEL_QUALITY, quality_assets
from eval_pipeline.orchestration.resources import utc_now
from eval_pipeline_tests.builders import failed, golden_set, model, prompt, response
from eval_pipeline_tests.cli.conftest import CommandLine
from eval_pipeline_tests.endpoint import NEXT_SNAPSHOT, Answers, recorded_models, recording, set_file
from eval_pipeline_tests.fakes import (
    FakeDeclarations,
    InMemoryResultHistory,
    InMemoryResultStore,
    OneClient,
    RecordedProgress,
    ScriptedClient,
)

MODELS = ("tern", "heron", "wren")
RESPONSES, GRADINGS = dg.AssetKey("model_responses"), dg.AssetKey(["deterministic", "gradings"])
RESULT, APPROVED = result_key("deterministic"), approved_key("deterministic")
QUALITY, PUBLISHED = dg.AssetKey(MODEL_QUALITY), dg.AssetKey("published_scores")
FOLLOWS = dg.AutomationCondition.any_deps_updated()
WORSE = Answers(wrong=range(5))


@dataclass
class World:
    """Two sets by three models on a real instance, watched by the automation; results are kept in memory."""

    instance: dg.DagsterInstance
    project: str
    store: InMemoryResultStore = field(default_factory=InMemoryResultStore)
    cursor: AssetDaemonCursor | None = None

    def __post_init__(self) -> None:
        self.history = InMemoryResultHistory(self.store)
        self.sets = (f"{self.project}.facts".replace("-", "_"), f"{self.project}.tone".replace("-", "_"))
        partitions = PromptPartitions.of(self.project)

        @dg.asset(
            key=PUBLISHED, partitions_def=partitions.pairs, deps=[APPROVED], automation_condition=FOLLOWS
        )
        def published_scores() -> None:
            pass

        self.assets = [
            *prompt_assets(partitions),
            *grader_assets(DeterministicGrader(), partitions),
            *quality_assets(partitions),
            published_scores,
        ]
        follow_declarations(partitions, DeclaredKeys(frozenset(self.sets), frozenset(MODELS)), self.instance)

    def tick(self) -> tuple[set[str | None], set[str | None]]:
        """One evaluation of all conditions: models whose quality is requested, and pairs to be published."""
        found = dg.evaluate_automation_conditions(
            dg.Definitions(self.assets, resources=self.resources()),
            self.instance,
            dg.AssetSelection.assets(QUALITY, PUBLISHED),
            cursor=self.cursor,
        )
        self.cursor = found.cursor
        return set(found.get_requested_partitions(QUALITY)), set(found.get_requested_partitions(PUBLISHED))

    def evaluate(self, set_id: str, key: str, how: Answers | None = None) -> None:
        """Ask, grade, conclude and, where its checks pass, approve one pair."""
        self._materialise([RESPONSES, GRADINGS, RESULT, APPROVED], pair_key(set_id, key), how)

    def approve_again(self, set_id: str, key: str) -> bool:
        return self._materialise([APPROVED], pair_key(set_id, key)).success

    def measure(self, key: str) -> Mapping[str, Any]:
        """Carry out a request for the quality of a model; what it then shows."""
        assert self._materialise([QUALITY], key).success
        wanted = dg.AssetRecordsFilter(asset_key=QUALITY, asset_partitions=[key])
        [record] = self.instance.fetch_materializations(wanted, limit=1).records
        assert record.asset_materialization is not None
        return {name: value.value for name, value in record.asset_materialization.metadata.items()}

    def accept_newest(self) -> None:
        decide_by_hand(
            self.history.results()[0].id,
            Action.ACCEPT,
            reason="known",
            decided_by="ada",
            until=None,
            store=self.store,
            verdicts=self.history,
            clock=utc_now,
        )

    def _declared(self, set_id: str) -> GoldenPromptSet:
        return golden_set(*(prompt(f"p{number:02}") for number in range(20)), id=set_id)

    def _materialise(
        self, keys: list[dg.AssetKey], partition_key: str, how: Answers | None = None
    ) -> dg.ExecuteInProcessResult:
        return dg.materialize(
            self.assets,
            selection=dg.AssetSelection.assets(*keys),
            instance=self.instance,
            partition_key=partition_key,
            resources=self.resources(how or Answers()),
            raise_on_error=False,
        )

    def resources(self, answers: Answers | None = None) -> dict[str, Any]:
        """The ports, with models that answer like this."""
        how = answers or Answers()

        def answer(sent: ModelRequest) -> ModelResponse:
            number = int(sent.prompt_id.removeprefix("p"))
            if number in how.refused:
                return failed(prompt_id=sent.prompt_id)
            text = "no" if number in how.wrong else "yes"
            reported = how.stray if number == 0 and how.stray else how.reported
            return response(
                text,
                sent.prompt_id,
                reply=Reply(text, finish_reason="stop", reported_model=reported),
                served_by=ServedBy("eu-west", "tern-large", reported),
            )

        return {
            "declarations": FakeDeclarations(
                {set_id: self._declared(set_id) for set_id in self.sets},
                {key: model(key) for key in MODELS},
            ),
            "result_store": self.store,
            "result_history": self.history,
            "model_clients": OneClient(ScriptedClient(answer)),
            "progress": RecordedProgress(),
        }


@pytest.fixture
def world(instance: dg.DagsterInstance, project: str) -> World:
    """A world of which one pair has been evaluated, and whose automation has seen it."""
    world = World(instance, project)
    world.tick()
    world.evaluate(world.sets[0], "tern")
    world.tick()
    return world


def test_without_any_result_nothing_is_requested(instance: dg.DagsterInstance, project: str) -> None:
    world = World(instance, project)
    assert [world.tick() for _ in range(2)] == [(set(), set())] * 2


def test_a_first_result_has_the_quality_of_its_model_measured_and_is_published(
    instance: dg.DagsterInstance, project: str
) -> None:
    world = World(instance, project)
    world.tick()
    world.evaluate(world.sets[1], "heron")
    assert world.tick() == ({"heron"}, {pair_key(world.sets[1], "heron")})


def test_without_a_new_result_nothing_is_requested_again(world: World) -> None:
    assert [world.tick() for _ in range(2)] == [(set(), set())] * 2


def test_every_new_result_is_followed_for_its_own_model_and_for_no_other(world: World) -> None:
    facts, tone = world.sets
    world.evaluate(facts, "tern")
    world.evaluate(tone, "heron")
    assert world.tick() == ({"tern", "heron"}, {pair_key(facts, "tern"), pair_key(tone, "heron")})
    world.evaluate(tone, "tern")
    assert world.tick() == ({"tern"}, {pair_key(tone, "tern")})


def test_two_results_of_one_model_have_its_quality_measured_once(world: World) -> None:
    world.evaluate(world.sets[0], "tern")
    world.evaluate(world.sets[1], "tern")
    assert world.tick()[0] == {"tern"}
    assert world.tick()[0] == set()


@pytest.mark.parametrize(
    "how",
    [
        WORSE,
        Answers(wrong=range(5), reported=NEXT_SNAPSHOT),
        Answers(stray="heron-2026"),
        Answers(refused=[3]),
    ],
    ids=["a regression", "another snapshot that is worse", "mixed generators", "incomplete"],
)
def test_a_result_that_is_blocked_has_the_quality_measured_and_is_not_published(
    world: World, how: Answers
) -> None:
    world.evaluate(world.sets[0], "tern", how)
    assert world.tick() == ({"tern"}, set())


def test_only_approved_pairs_are_published_of_several_new_results(world: World) -> None:
    facts, tone = world.sets
    world.evaluate(facts, "tern", WORSE)
    world.evaluate(tone, "wren")
    assert world.tick() == ({"tern", "wren"}, {pair_key(tone, "wren")})


def test_a_blocked_result_is_published_once_it_was_accepted_and_approved_again(world: World) -> None:
    pair = (world.sets[0], "tern")
    world.evaluate(*pair, WORSE)
    world.tick()
    assert not world.approve_again(*pair)
    assert world.tick() == (set(), set())
    world.accept_newest()
    assert world.tick() == (set(), set())
    assert world.approve_again(*pair)
    assert world.tick() == (set(), {pair_key(*pair)})
    assert world.tick() == (set(), set())


def test_what_is_requested_can_be_carried_out_and_shows_the_quality_with_its_regression(world: World) -> None:
    assert world.measure("tern")["score"] == 1.0
    world.evaluate(world.sets[0], "tern", WORSE)
    assert world.tick()[0] == {"tern"}
    shown = world.measure("tern")
    assert (shown["score"], shown["sets"], shown["prompt_count"]) == (0.75, 1, 20)
    assert world.tick() == (set(), set())


def test_a_quality_that_is_not_known_is_said_and_not_shown_as_a_number(world: World) -> None:
    world.evaluate(world.sets[0], "heron", Answers(stray="heron-2026"))
    assert world.tick()[0] == {"heron"}
    shown = world.measure("heron")
    assert "score" not in shown
    assert shown["quality"].startswith("unknown")


def test_a_result_that_came_while_the_quality_was_measured_is_followed_afterwards(world: World) -> None:
    world.evaluate(world.sets[0], "tern")
    assert world.tick()[0] == {"tern"}
    world.evaluate(world.sets[1], "tern", WORSE)
    world.measure("tern")
    assert world.tick()[0] == {"tern"}
    assert world.measure("tern")["sets"] == 2


# The daemon itself


@contextmanager
def daemon(command: CommandLine) -> Iterator[None]:
    """Dagster's daemon over a project, as `workspace.yaml` has it; nothing of it is left behind."""
    workspace = str(shipped_file("workspace.yaml"))
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "dagster-daemon"), "run", "--workspace", workspace],
        cwd=command.folder,
        env=command.environment(DAGSTER_HOME=str(command.home / "dagster")),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(subprocess.TimeoutExpired):
            process.send_signal(signal.SIGINT)
            process.wait(timeout=15)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def rows(command: CommandLine, statement: str) -> set[str]:
    with psycopg.connect(command.database_url or "") as connection:
        return {value for (value,) in connection.execute(statement).fetchall()}


def waited_for(found: Callable[[], set[str]], seconds: float = 100) -> set[str]:
    """What is found, once something is."""
    end = time.monotonic() + seconds
    while not (values := found()) and time.monotonic() < end:
        time.sleep(0.2)
    return values


TICKED = "select status from job_ticks where tick_body like '%\"follow_results\"%' and status <> 'STARTED'"
MEASURED = """select partition from event_logs
  where asset_key = '["model_quality"]' and dagster_event_type = 'ASSET_MATERIALIZATION'"""


@pytest.mark.timeout(300)
def test_the_real_daemon_measures_the_model_of_a_new_result_that_regressed_and_no_other(
    tmp_path: Path, new_dagster_url: Callable[[], str]
) -> None:
    command = CommandLine(tmp_path, new_dagster_url())
    command.write(
        {
            "models.yaml": recorded_models(MODELS),
            **set_file("acme.facts"),
            **set_file("acme.tone"),
            **recording("tern"),
        }
    )
    assert command("run", "acme.facts", "--model", "tern").status == 0
    command.write(recording("tern", WORSE))
    with daemon(command):
        assert waited_for(lambda: rows(command, TICKED))
        assert command("run", "acme.facts", "--model", "tern", "--fail-on-regression").status == 1
        assert waited_for(lambda: rows(command, MEASURED)) == {"tern"}
