"""The assets of prompt evaluation, materialised for real, with in-memory ports."""

import math
import re
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import dagster as dg
import pytest

from eval_pipeline.application.ports import ModelClients
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.gates import CheckName
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.responses import ModelRequest, ModelResponse, ServedBy
from eval_pipeline.orchestration.grader_assets import grader_assets
from eval_pipeline.orchestration.partitions import (
    DeclaredKeys,
    PromptPartitions,
    follow_declarations,
    pair_key,
)
from eval_pipeline.orchestration.prompt_assets import prompt_assets
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, model, prompt, response
from eval_pipeline_tests.fakes import (
    FakeDeclarations,
    InMemoryResultHistory,
    InMemoryResultStore,
    OneClient,
    RecordedProgress,
    ScriptedClient,
    answering,
)
from eval_pipeline_tests.stored import everything_in

PARTITIONS = PromptPartitions.of("acme")
FOLLOWER = dg.AssetKey("published")
SNAPSHOT = dg.AssetKey("golden_prompt_set")
RESPONSES = dg.AssetKey("model_responses")
GRADINGS = dg.AssetKey(["deterministic", "gradings"])
RESULT = dg.AssetKey(["deterministic", "evaluation_result"])
APPROVED = dg.AssetKey(["deterministic", "approved_result"])
COMPLETE, ONE_GENERATOR, NO_REGRESSION = (
    CheckName.COMPLETE,
    CheckName.ONE_GENERATOR,
    CheckName.NO_REGRESSION,
)
SECRETS = ("What is the airspeed?", "unladen swallow", "four and twenty", "an odd refusal", "gale warning")
_numbers = count(1)


@dg.asset(key=FOLLOWER, partitions_def=PARTITIONS.pairs, deps=[APPROVED])
def published() -> None:
    """What a user puts behind an approved result, to follow it only when its blocking checks passed."""


ASSETS = [*prompt_assets(PARTITIONS), *grader_assets(DeterministicGrader(), PARTITIONS), published]


@dataclass
class World:
    """A project of one set and two models on a real instance, and what to do with it."""

    instance: dg.DagsterInstance
    set_id: str
    store: InMemoryResultStore = field(default_factory=InMemoryResultStore)
    history: InMemoryResultHistory = field(init=False)
    clients: ModelClients = field(default_factory=answering)
    prompts: tuple[Any, ...] = (prompt("p1"), prompt("p2"))
    is_declared: bool = True

    def __post_init__(self) -> None:
        self.history = InMemoryResultHistory(self.store)

    @property
    def golden_set(self):
        return golden_set(*self.prompts, id=self.set_id)

    def materialise(
        self, *keys: dg.AssetKey, key: str = "tern", config: dict[str, Any] | None = None
    ) -> dg.ExecuteInProcessResult:
        """Materialise these assets, or all but the snapshot, for the set and one model."""
        of_set = keys == (SNAPSHOT,)
        return dg.materialize(
            ASSETS,
            selection=dg.AssetSelection.assets(*keys or (RESPONSES, GRADINGS, RESULT, APPROVED, FOLLOWER)),
            instance=self.instance,
            partition_key=self.set_id if of_set else pair_key(self.set_id, key),
            resources={
                "declarations": FakeDeclarations(
                    {self.set_id: self.golden_set} if self.is_declared else {},
                    {name: model(name) for name in ("tern", "heron")},
                ),
                "result_store": self.store,
                "result_history": self.history,
                "model_clients": self.clients,
                "progress": RecordedProgress(),
            },
            run_config={"ops": {"model_responses": {"config": config}}} if config else None,
            raise_on_error=False,
        )

    def metadata(self, asset: dg.AssetKey) -> dict[str, Any]:
        event = self.instance.get_latest_materialization_event(asset)
        assert event is not None
        materialization = event.asset_materialization
        assert materialization is not None
        return {name: value.value for name, value in materialization.metadata.items()}

    def is_materialised(self, asset: dg.AssetKey, key: str = "tern") -> bool:
        records = self.instance.fetch_materializations(
            dg.AssetRecordsFilter(asset_key=asset, asset_partitions=[pair_key(self.set_id, key)]), limit=1
        )
        return bool(records.records)

    def check(self, name: str, key: str = "tern") -> tuple[bool, str | None]:
        """Whether the newest evaluation of a check for one partition passed, and what it says."""
        history = self.instance.event_log_storage.get_asset_check_execution_history(
            dg.AssetCheckKey(RESULT, name), limit=50
        )
        events = [record.event.dagster_event for record in history if record.event is not None]
        evaluations = [
            event.asset_check_evaluation_data
            for event in events
            if event is not None and event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION
        ]
        own = [entry for entry in evaluations if entry.partition == pair_key(self.set_id, key)]
        return own[0].passed, own[0].description


@pytest.fixture
def world(instance: dg.DagsterInstance) -> World:
    """A world whose set no other test has."""
    set_id = f"acme.set_{next(_numbers)}"
    declared = DeclaredKeys(frozenset({set_id}), frozenset({"tern", "heron"}))
    follow_declarations(PARTITIONS, declared, instance)
    return World(instance, set_id)


def answered_by(answers: dict[str, ModelResponse]) -> OneClient:
    """Clients that answer by prompt id."""

    def answer(request: ModelRequest) -> ModelResponse:
        return answers[request.prompt_id]

    return OneClient(ScriptedClient(answer))


def reason(result: dg.ExecuteInProcessResult) -> str:
    """What the failed step says to people."""
    [event] = [event for event in result.all_events if event.is_step_failure]
    data = event.step_failure_data
    assert data.user_failure_data is not None
    return data.user_failure_data.description or ""


# What is materialised


def test_a_pair_is_asked_graded_and_concluded_and_what_follows_it_is_materialised(world: World) -> None:
    assert world.materialise().success
    [result] = world.history.results()
    assert (result.set_id, result.model_key, result.summary.total.passed_count) == (world.set_id, "tern", 2)
    assert all(world.is_materialised(key) for key in (RESPONSES, GRADINGS, RESULT, APPROVED, FOLLOWER))
    assert all(world.check(name)[0] for name in CheckName)


def test_a_set_is_materialised_with_its_content_hash_as_data_version(world: World) -> None:
    assert world.materialise(SNAPSHOT).success
    event = world.instance.get_latest_materialization_event(SNAPSHOT)
    assert event is not None
    assert event.asset_materialization is not None
    hashes = world.golden_set.hashes
    assert (event.asset_materialization.tags or {})["dagster/data_version"] == world.golden_set.content_hash
    assert (world.set_id, world.golden_set.content_hash) in world.store.snapshots
    shown = world.metadata(SNAPSHOT)
    assert (shown["prompt_count"], shown["expectations_hash"]) == (2, hashes.expectations)


def test_a_result_shows_its_counts_rates_ids_and_generator(world: World) -> None:
    answers = {"p1": response("yes", "p1"), "p2": response("no", "p2")}
    world.clients = answered_by(answers)
    run_id = world.materialise().run_id
    shown = world.metadata(RESULT)
    counts = ("prompt_count", "graded_count", "passed_count", "error_count", "skipped_count")
    assert [shown[name] for name in counts] == [2, 2, 1, 0, 0]
    assert (shown["pass_rate"], shown["mean_score"], shown["latency_p50_ms"]) == (0.5, 0.5, 12.0)
    assert shown["generator"] == "eu-west/tern-large → tern-4-2026 (2)"
    assert (shown["generator_status"], shown["complete"], shown["asked_in"]) == ("one", "yes", run_id)
    assert (shown["not_passed"], shown["result"]) == ("- `p2`", "eval-pipeline results show 1")


def test_responses_show_which_run_asked_whom_and_how_many_prompts(world: World) -> None:
    world.materialise(config={"limit": 1})
    shown = world.metadata(RESPONSES)
    assert (shown["evaluation_run"], shown["prompt_count"], shown["partial"]) == (1, 1, True)
    assert (shown["provider_instance"], shown["outbound_model"]) == ("eu-west", "tern-large")


def test_nothing_of_a_prompt_or_an_answer_is_anywhere_in_dagsters_tables(world: World) -> None:
    question, answer, needle, refusal, warning = SECRETS
    world.prompts = (
        prompt("p1", prompt=question, assertions=[Contains(needle)], reference=needle),
        prompt("p2", prompt=f"{question} Really?"),
    )
    world.clients = answered_by({"p1": response(answer, "p1"), "p2": failed(f"{refusal}: {warning}", "p2")})
    world.materialise(SNAPSHOT)
    world.materialise()
    tables = everything_in(world.instance.event_log_storage.postgres_url)
    assert "tern-4-2026" in tables
    assert [secret for secret in SECRETS if secret in tables] == []


def test_what_was_not_measured_is_left_out_and_no_number_shown_is_not_finite(world: World) -> None:
    world.clients = answered_by({name: failed(prompt_id=name) for name in ("p1", "p2")})
    world.materialise()
    shown = world.metadata(RESULT)
    assert {"pass_rate", "mean_score", "standard_error", "cost_usd", "latency_p50_ms"}.isdisjoint(shown)
    assert all(math.isfinite(value) for value in shown.values() if isinstance(value, float | int))
    assert (shown["error_count"], shown["generator_status"]) == (2, "empty")


# Checks


def test_a_check_of_one_model_neither_hides_nor_touches_that_of_another(world: World) -> None:
    world.clients = answered_by({"p1": response("yes", "p1"), "p2": failed(prompt_id="p2")})
    assert not world.materialise(key="tern").success
    world.clients = answering()
    assert world.materialise(key="heron").success
    assert (world.check(COMPLETE, "tern")[0], world.check(COMPLETE, "heron")[0]) == (False, True)


def test_a_blocking_check_that_fails_makes_the_run_fail_and_stops_what_follows(world: World) -> None:
    world.clients = answered_by({name: failed(prompt_id=name) for name in ("p1", "p2")})
    run = world.materialise()
    assert world.instance.get_run_by_id(run.run_id).status is dg.DagsterRunStatus.FAILURE
    assert world.is_materialised(RESULT)
    assert not world.is_materialised(FOLLOWER)
    assert len(world.history.results()) == 1


def test_prompts_in_error_fail_the_check_of_completeness_and_no_other(world: World) -> None:
    world.clients = answered_by({"p1": response("yes", "p1"), "p2": failed(prompt_id="p2")})
    world.materialise()
    passed, description = world.check(COMPLETE)
    assert not passed
    assert description == "1 of 2 prompts could not be measured; the set allows a share of 0.01"
    assert world.check(ONE_GENERATOR)[0]


def test_prompts_that_fail_their_assertions_fail_no_check(world: World) -> None:
    world.clients = answering("no")
    assert world.materialise().success
    assert (world.check(COMPLETE)[0], world.check(ONE_GENERATOR)[0]) == (True, True)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (ServedBy("eu-west", "tern-large", "tern-3-2025"), "mixed: .*tern-3-2025.*tern-4-2026"),
        (ServedBy("eu-west", "tern-large", None), r"partly unknown: .*unknown \(1\)"),
    ],
    ids=["mixed", "partly unknown"],
)
def test_answers_of_more_than_one_known_generator_fail_the_check_of_the_generator_and_no_other(
    world: World, other: ServedBy, said: str
) -> None:
    world.clients = answered_by(
        {"p1": response(prompt_id="p1", served_by=SERVED_BY), "p2": response(prompt_id="p2", served_by=other)}
    )
    assert not world.materialise().success
    passed, description = world.check(ONE_GENERATOR)
    assert not passed
    assert re.search(said, description or "")
    assert world.check(COMPLETE)[0]


# Materialising one by one


def test_gradings_without_responses_fail_with_what_to_do(world: World) -> None:
    said = reason(world.materialise(GRADINGS))
    assert said == (
        f"model tern was never asked the whole set {world.set_id}: materialise model_responses first"
    )


def test_a_result_without_gradings_fails_with_what_to_do(world: World) -> None:
    world.materialise(RESPONSES)
    said = reason(world.materialise(RESULT))
    assert "has no gradings by 'deterministic' over the whole set: materialise them first" in said


def test_stored_responses_are_graded_again_without_asking_the_model(world: World) -> None:
    client = ScriptedClient(lambda request: response("yes", request.prompt_id))
    world.clients = OneClient(client)
    world.materialise()
    assert world.materialise(GRADINGS, RESULT).success
    assert len(client.asked) == 2
    assert [result.run_id for result in world.history.results()] == [1, 1]


def test_stored_responses_are_graded_by_what_is_expected_now(world: World) -> None:
    world.materialise()
    world.prompts = (prompt("p1"), prompt("p2", assertions=[Contains("no")]))
    world.materialise(GRADINGS, RESULT)
    newest, oldest = world.history.results()
    assert (oldest.summary.total.passed_count, newest.summary.total.passed_count) == (2, 1)
    assert newest.regraded_from == oldest.id


def test_responses_to_a_part_of_what_is_asked_now_make_a_result_that_is_not_complete(world: World) -> None:
    world.materialise()
    world.prompts = (prompt("p1"), prompt("p3"))
    world.materialise(GRADINGS, RESULT)
    assert world.check(COMPLETE) == (False, "only a part of the set was evaluated")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"prompt_ids": ["p9"]}, "has no prompt 'p9'; known are: p1, p2"),
        ({"tags": ["nightly"]}, "has the tag 'nightly'"),
    ],
)
def test_a_selection_that_does_not_fit_the_set_fails_before_anything_is_asked(
    world: World, config: dict[str, Any], said: str
) -> None:
    assert said in reason(world.materialise(config=config))
    assert world.store.runs == {}


def test_a_selection_of_prompts_makes_a_partial_result_that_is_not_complete(world: World) -> None:
    assert not world.materialise(config={"prompt_ids": ["p2"]}).success
    [result] = world.history.results()
    assert (result.partial, result.summary.total.prompt_count) == (True, 1)
    assert world.check(COMPLETE) == (False, "only a part of the set was evaluated")


def test_a_set_that_is_no_longer_declared_fails_with_its_name(world: World) -> None:
    world.is_declared = False
    assert reason(world.materialise(SNAPSHOT)) == f"there is no golden prompt set '{world.set_id}'"
