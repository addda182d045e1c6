"""Every outcome of a comparison in Dagster: which checks fail how, what they say, and what is stopped by them."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

import dagster as dg
import pytest

from eval_pipeline.application.accept import decide_by_hand
from eval_pipeline.application.baseline import ComparisonRules
from eval_pipeline.application.decide import decide
from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.golden_sets import Gate, GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.responses import ModelRequest, ModelResponse, Reply, ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.standing import Action
from eval_pipeline.orchestration.grader_assets import approved_key, grader_assets, result_key
from eval_pipeline.orchestration.partitions import (
    DeclaredKeys,
    PromptPartitions,
    follow_declarations,
    pair_key,
)
from eval_pipeline.orchestration.prompt_assets import prompt_assets
from eval_pipeline.orchestration.resources import utc_now
from eval_pipeline_tests.builders import failed, golden_set, model, prompt, response
from eval_pipeline_tests.endpoint import NEXT_SNAPSHOT, Answers
from eval_pipeline_tests.fakes import (
    FakeDeclarations,
    InMemoryResultHistory,
    InMemoryResultStore,
    OneClient,
    RecordedProgress,
    ScriptedClient,
)
from eval_pipeline_tests.stored import everything_in

PARTITIONS = PromptPartitions.of("acme")
RESPONSES, GRADINGS = dg.AssetKey("model_responses"), dg.AssetKey(["deterministic", "gradings"])
RESULT, APPROVED = result_key("deterministic"), approved_key("deterministic")
PUBLISHED = dg.AssetKey("published_scores")
CHECKS = ("complete", "one_generator", "no_regression", "meets_floor", "generator_changed")
ERROR, WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN
_numbers = count(1)


@dg.asset(key=PUBLISHED, partitions_def=PARTITIONS.pairs, deps=[APPROVED])
def published_scores() -> None:
    """What a user builds on results that may be relied on."""


ASSETS = [*prompt_assets(PARTITIONS), *grader_assets(DeterministicGrader(), PARTITIONS), published_scores]


@dataclass(frozen=True)
class Evaluated:
    """What the newest evaluation of a check in one partition says."""

    passed: bool
    severity: dg.AssetCheckSeverity
    description: str
    metadata: dict[str, Any]


@dataclass
class World:
    """A set of twenty prompts and two models on a real instance; results are kept in memory."""

    instance: dg.DagsterInstance
    set_id: str
    store: InMemoryResultStore = field(default_factory=InMemoryResultStore)
    prompts: tuple[GoldenPrompt, ...] = tuple(prompt(f"p{n:02}", must_pass=n == 19) for n in range(20))
    right: str = "yes"
    wrong: str = "no"

    def __post_init__(self) -> None:
        self.history = InMemoryResultHistory(self.store)

    @property
    def golden_set(self) -> GoldenPromptSet:
        return golden_set(*self.prompts, id=self.set_id, gate=Gate(min_pass_rate=0.6))

    @property
    def newest(self) -> EvaluationResult:
        return self.history.results()[0]

    def evaluate(self, how: Answers | None = None, key: str = "tern", **comparing: Any) -> dg.DagsterRun:
        """Ask, grade, conclude and publish one pair, answered like this."""
        config = {"deterministic__evaluation_result": {"config": comparing}}
        run = self._materialise([RESPONSES, GRADINGS, RESULT, APPROVED, PUBLISHED], how, key, config)
        recorded = self.instance.get_run_by_id(run.run_id)
        assert recorded is not None
        return recorded

    def approve_again(self, key: str = "tern") -> dg.ExecuteInProcessResult:
        """Materialise what stands behind the checks, and nothing before it."""
        return self._materialise([APPROVED, PUBLISHED], None, key, {})

    def grade_again(self, key: str = "tern") -> dg.ExecuteInProcessResult:
        """Materialise everything behind the responses, and ask nothing."""
        return self._materialise([GRADINGS, RESULT, APPROVED, PUBLISHED], None, key, {})

    def graded_again(self, result: EvaluationResult) -> EvaluationResult:
        """A further result of the answers of `result`, judged without Dagster."""
        run, grader = self.store.runs[result.run_id], DeterministicGrader()
        grading_pass = grade(run, self.golden_set, grader, self.store, utc_now)
        again = conclude(run, grading_pass, self.golden_set, grader, model(run.model_key), self.store)
        history = self.history
        decide(again, self.golden_set, grader, self.store, history, history, ComparisonRules(), utc_now)
        return again

    def _materialise(
        self, keys: list[dg.AssetKey], how: Answers | None, key: str, config: dict[str, Any]
    ) -> dg.ExecuteInProcessResult:
        return dg.materialize(
            ASSETS,
            selection=dg.AssetSelection.assets(*keys),
            instance=self.instance,
            partition_key=pair_key(self.set_id, key),
            resources={
                "declarations": FakeDeclarations(
                    {self.set_id: self.golden_set}, {name: model(name) for name in ("tern", "heron")}
                ),
                "result_store": self.store,
                "result_history": self.history,
                "model_clients": OneClient(ScriptedClient(lambda sent: self._answer(sent, how or Answers()))),
                "progress": RecordedProgress(),
            },
            run_config={"ops": config} if config else None,
            raise_on_error=False,
        )

    def _answer(self, sent: ModelRequest, how: Answers) -> ModelResponse:
        number = [each.id for each in self.prompts].index(sent.prompt_id)
        if number in how.refused:
            return failed(prompt_id=sent.prompt_id)
        reported = how.stray if number == 0 and how.stray is not None else how.reported
        text = self.wrong if number in how.wrong else self.right
        return response(
            text,
            sent.prompt_id,
            reply=Reply(text, finish_reason="stop", reported_model=reported),
            served_by=ServedBy("eu-west", "tern-large", reported),
        )

    def accept(
        self, result: EvaluationResult, *, days: int | None = None, action: Action = Action.ACCEPT
    ) -> None:
        """Decide about a result; an acceptance of so many days, decided two days ago, may be over by now."""
        decided_at = utc_now() - timedelta(days=2)
        decide_by_hand(
            result.id,
            action,
            reason="a stricter prompt is wanted",
            decided_by="ada",
            until=None if days is None else decided_at + timedelta(days=days),
            store=self.store,
            verdicts=self.history,
            clock=lambda: decided_at,
        )

    def times_materialised(self, asset: dg.AssetKey, key: str = "tern") -> int:
        wanted = dg.AssetRecordsFilter(asset_key=asset, asset_partitions=[pair_key(self.set_id, key)])
        return len(self.instance.fetch_materializations(wanted, limit=100).records)

    def check(self, name: str, key: str = "tern") -> Evaluated:
        return self.evaluations(name, key)[0]

    def evaluations(self, name: str, key: str = "tern") -> list[Evaluated]:
        """All evaluations of a check in one partition, the newest first."""
        history = self.instance.event_log_storage.get_asset_check_execution_history(
            dg.AssetCheckKey(RESULT, name), limit=1000
        )
        found = []
        for record in history:
            event = record.event.dagster_event if record.event is not None else None
            if event is None or event.event_type is not dg.DagsterEventType.ASSET_CHECK_EVALUATION:
                continue
            data = event.asset_check_evaluation_data
            if data.partition == pair_key(self.set_id, key):
                shown = {label: value.value for label, value in data.metadata.items()}
                found.append(Evaluated(data.passed, data.severity, data.description or "", shown))
        return found

    def failing(self, key: str = "tern") -> dict[str, dg.AssetCheckSeverity]:
        """The checks that did not pass last time, with their severities."""
        evaluated = {name: self.check(name, key) for name in CHECKS}
        return {name: check.severity for name, check in evaluated.items() if not check.passed}

    def metadata(self, asset: dg.AssetKey, key: str = "tern") -> dict[str, Any]:
        wanted = dg.AssetRecordsFilter(asset_key=asset, asset_partitions=[pair_key(self.set_id, key)])
        [record] = self.instance.fetch_materializations(wanted, limit=1).records
        assert record.asset_materialization is not None
        return {name: value.value for name, value in record.asset_materialization.metadata.items()}


@pytest.fixture
def world(instance: dg.DagsterInstance) -> World:
    """A world whose set no other test has."""
    set_id = f"acme.outcomes_{next(_numbers)}"
    follow_declarations(PARTITIONS, DeclaredKeys(frozenset({set_id}), frozenset({"tern", "heron"})), instance)
    return World(instance, set_id)


def reason(result: dg.ExecuteInProcessResult) -> str:
    """What the failed step says to people."""
    [event] = [event for event in result.all_events if event.is_step_failure]
    assert event.step_failure_data.user_failure_data is not None
    return event.step_failure_data.user_failure_data.description or ""


# The table of outcomes: how the second evaluation is answered, and which checks fail then

BAD = {
    "regression": (Answers(wrong=range(3)), {"no_regression": ERROR}),
    "another snapshot that is worse": (
        Answers(wrong=range(3), reported=NEXT_SNAPSHOT),
        {"no_regression": ERROR, "generator_changed": WARN},
    ),
    "a must-pass prompt": (Answers(wrong=[19]), {"meets_floor": ERROR}),
    "mixed generators": (Answers(stray="heron-2026"), {"one_generator": ERROR, "no_regression": WARN}),
    "unknown generator": (Answers(reported=None), {"one_generator": ERROR, "no_regression": WARN}),
    "incomplete": (Answers(refused=[4, 5]), {"complete": ERROR, "no_regression": WARN}),
}
GOOD = {
    "exactly at the tolerance": (Answers(wrong=range(2)), {}),
    "another snapshot within the tolerance": (
        Answers(wrong=range(2), reported=NEXT_SNAPSHOT),
        {"generator_changed": WARN},
    ),
}
bad = pytest.mark.parametrize(("how", "failing"), BAD.values(), ids=BAD)
good = pytest.mark.parametrize(("how", "failing"), GOOD.values(), ids=GOOD)
Failing = dict[str, dg.AssetCheckSeverity]


def test_a_first_result_passes_all_checks_and_what_follows_is_materialised(world: World) -> None:
    assert world.evaluate().status is dg.DagsterRunStatus.SUCCESS
    assert world.failing() == {}
    assert world.check("no_regression").description == "first: the first result of its kind"
    assert world.times_materialised(PUBLISHED) == 1


@good
def test_what_is_no_regression_leaves_the_run_green_and_is_followed(
    world: World, how: Answers, failing: Failing
) -> None:
    world.evaluate()
    assert world.evaluate(how).status is dg.DagsterRunStatus.SUCCESS
    assert world.failing() == failing
    assert (world.times_materialised(APPROVED), world.times_materialised(PUBLISHED)) == (2, 2)


@bad
def test_what_blocks_fails_its_checks_and_the_run_and_nothing_follows(
    world: World, how: Answers, failing: Failing
) -> None:
    world.evaluate()
    assert world.evaluate(how).status is dg.DagsterRunStatus.FAILURE
    assert world.failing() == failing
    assert world.times_materialised(RESULT) == 2
    assert (world.times_materialised(APPROVED), world.times_materialised(PUBLISHED)) == (1, 1)


def test_a_pass_rate_below_its_floor_blocks_a_first_result_too(world: World) -> None:
    assert world.evaluate(Answers(wrong=range(9))).status is dg.DagsterRunStatus.FAILURE
    assert world.failing() == {"meets_floor": ERROR}
    assert "the pass rate is 11 of 20, below the floor of 0.6" in world.check("meets_floor").description
    assert world.times_materialised(APPROVED) == world.times_materialised(PUBLISHED) == 0


def test_a_set_of_which_too_little_is_shared_blocks_as_not_comparable(world: World) -> None:
    world.evaluate()
    world.prompts = tuple(prompt(f"p{n:02}") for n in range(10, 30))
    assert world.evaluate().status is dg.DagsterRunStatus.FAILURE
    assert world.failing() == {"no_regression": ERROR}
    check = world.check("no_regression")
    assert check.description.startswith("not comparable: only 10 prompts are shared")
    assert (check.metadata["added"], check.metadata["removed"]) == (10, 10)


def test_an_evaluation_without_any_answer_blocks_and_shows_no_rate(world: World) -> None:
    assert world.evaluate(Answers(refused=range(20))).status is dg.DagsterRunStatus.FAILURE
    assert world.failing()["complete"] is ERROR
    assert {"pass_rate", "mean_score"}.isdisjoint(world.metadata(RESULT))
    assert world.times_materialised(PUBLISHED) == 0


def test_every_check_is_evaluated_in_every_run_whatever_fails(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(20)))
    assert {name: len(world.evaluations(name)) for name in CHECKS} == dict.fromkeys(CHECKS, 2)


def test_what_was_blocked_is_no_baseline_and_what_passed_is(world: World) -> None:
    world.evaluate()
    for how in (Answers(wrong=range(3)), Answers(stray="heron-2026"), Answers(refused=[4, 5])):
        world.evaluate(how)
    world.evaluate(Answers(wrong=range(2)))
    assert world.check("no_regression").metadata["baseline"] == "eval-pipeline results show 1"
    world.evaluate(Answers(wrong=range(2)))
    assert world.check("no_regression").metadata["baseline"] == "eval-pipeline results show 5"


# What a check says


def test_a_regression_says_against_what_by_how_much_and_which_prompts(world: World) -> None:
    world.evaluate(Answers(wrong=[7]))
    world.evaluate(Answers(wrong=range(4)))
    check = world.check("no_regression")
    assert check.description == (
        "regression: pass rate fell from 0.95 to 0.8, by more than 0.1;"
        " mean score fell from 0.95 to 0.8, by more than 0.1 (over 20 shared prompts)"
    )
    shown = check.metadata
    assert (shown["verdict"], shown["against"]) == ("regression", "accepted")
    assert shown["baseline"] == "eval-pipeline results show 1"
    assert shown["baseline_generator"] == "eu-west/tern-large → tern-4-2026"
    assert (shown["pass_rate_baseline"], shown["pass_rate_current"]) == (0.95, 0.8)
    assert (shown["pass_rate_delta"], shown["pass_rate_tolerance"]) == (pytest.approx(-0.15), 0.1)
    assert (shown["shared"], shown["added"], shown["removed"], shown["edited"]) == (20, 0, 0, 0)
    assert shown["flipped_to_fail"] == "- `p00`\n- `p01`\n- `p02`\n- `p03`"
    assert shown["flipped_to_pass"] == "- `p07`"


def test_a_change_of_the_snapshot_says_so_and_what_answered_before(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(reported=NEXT_SNAPSHOT))
    check = world.check("generator_changed")
    assert "tern-5-2027 answers instead of" in check.description
    assert check.metadata["baseline_generator"] == "eu-west/tern-large → tern-4-2026"
    assert NEXT_SNAPSHOT in world.metadata(RESULT)["generator"]


def test_a_mix_of_generators_names_and_counts_them(world: World) -> None:
    world.evaluate(Answers(stray="heron-2026"))
    check = world.check("one_generator")
    assert re.search(r"mixed: .*tern-4-2026 \(19\), .*heron-2026 \(1\)", check.description)
    assert check.metadata == {"generators": 2, "unknown": 0}


def test_a_must_pass_prompt_that_did_not_is_named(world: World) -> None:
    world.evaluate(Answers(wrong=[19]))
    assert world.check("meets_floor").description == "must pass and did not: p19"


def test_a_result_links_to_the_run_that_asked_its_baseline(world: World) -> None:
    first = world.evaluate()
    second = world.evaluate()
    shown = world.metadata(RESULT)
    assert (shown["asked_in"], shown["baseline_asked_in"]) == (second.run_id, first.run_id)


def test_the_rules_of_a_comparison_can_be_given_as_configuration(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(4)), max_pass_rate_drop=0.2, max_mean_score_drop=0.2)
    assert world.failing() == {}
    world.evaluate(Answers(wrong=range(4)), baseline_result=1)
    assert world.failing() == {"no_regression": ERROR}
    assert world.check("no_regression").metadata["against"] == "result"


def test_nothing_that_was_asked_answered_or_expected_is_in_dagsters_tables(world: World) -> None:
    question, right, wrong, needle = (
        "What is the airspeed?",
        "an unladen swallow",
        "four and twenty",
        "unladen",
    )
    world.prompts = tuple(
        prompt(f"p{n:02}", prompt=f"{question} {n}", assertions=[Contains(needle)], reference=right)
        for n in range(20)
    )
    world.right, world.wrong = right, wrong
    world.evaluate()
    world.evaluate(Answers(wrong=range(5), reported=NEXT_SNAPSHOT))
    assert world.failing() == {"no_regression": ERROR, "generator_changed": WARN}
    tables = everything_in(world.instance.event_log_storage.postgres_url)
    assert "`p04`" in tables
    assert [secret for secret in (question, right, wrong, needle) if secret in tables] == []


# Partitions


@bad
def test_what_one_model_does_leaves_the_checks_of_another_alone(
    world: World, how: Answers, failing: Failing
) -> None:
    world.evaluate(key="tern")
    world.evaluate(key="heron")
    world.evaluate(how, key="tern")
    assert (world.failing("tern"), world.failing("heron")) == (failing, {})
    world.evaluate(key="heron")
    assert (world.failing("tern"), world.failing("heron")) == (failing, {})


def test_a_model_is_compared_with_its_own_results_only(world: World) -> None:
    world.evaluate(key="tern")
    world.evaluate(Answers(wrong=range(5)), key="heron")
    assert world.check("no_regression", "heron").metadata["verdict"] == "first"


# Acceptance by hand

ACCEPTABLE = {name: BAD[name] for name in list(BAD)[:3]}
acceptable = pytest.mark.parametrize(("how", "failing"), ACCEPTABLE.values(), ids=ACCEPTABLE)


@bad
def test_a_blocked_result_stays_blocked_however_often_it_is_to_be_approved(
    world: World, how: Answers, failing: Failing
) -> None:
    world.evaluate()
    world.evaluate(how)
    blocking = next(name for name, severity in failing.items() if severity is ERROR)
    said = reason(world.approve_again())
    assert said.startswith(f"result {world.newest.id} is not approved: {blocking} failed")
    assert f"eval-pipeline results accept {world.newest.id} --reason" in said
    assert (world.times_materialised(APPROVED), world.times_materialised(PUBLISHED)) == (1, 1)


@acceptable
def test_what_was_accepted_by_hand_is_followed_once_it_is_approved_again(
    world: World, how: Answers, failing: Failing
) -> None:
    world.evaluate()
    world.evaluate(how)
    world.accept(world.newest)
    assert world.approve_again().success
    assert (world.times_materialised(APPROVED), world.times_materialised(PUBLISHED)) == (2, 2)
    shown = world.metadata(APPROVED)
    assert shown["result"] == f"eval-pipeline results show {world.newest.id}"
    assert (shown["approved_by"], shown["reason"]) == ("ada", "a stricter prompt is wanted")
    assert world.failing() == failing


def test_an_acceptance_that_is_not_over_yet_is_followed(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(3)))
    world.accept(world.newest, days=3)
    assert world.approve_again().success


def test_an_acceptance_that_is_over_is_not_followed_and_says_so(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(3)))
    world.accept(world.newest, days=1)
    assert "which is over" in reason(world.approve_again())
    assert world.times_materialised(PUBLISHED) == 1


def test_an_acceptance_that_was_withdrawn_is_not_followed(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(3)))
    world.accept(world.newest)
    world.accept(world.newest, action=Action.WITHDRAW)
    assert "its acceptance was withdrawn by ada" in reason(world.approve_again())
    assert world.times_materialised(PUBLISHED) == 1


def test_what_passed_its_checks_and_was_withdrawn_is_not_followed_nor_a_baseline(world: World) -> None:
    world.evaluate()
    world.evaluate()
    world.accept(world.newest, action=Action.WITHDRAW)
    assert "its acceptance was withdrawn by ada" in reason(world.approve_again())
    assert world.times_materialised(PUBLISHED) == 2
    world.evaluate()
    assert world.check("no_regression").metadata["baseline"] == "eval-pipeline results show 1"


LOOSE = {
    "a larger tolerance": (
        {"max_pass_rate_drop": 0.5, "max_mean_score_drop": 0.5},
        "it was compared with max_pass_rate_drop 0.5, and its set allows 0.1",
    ),
    "a previous result": ({"against": "PREVIOUS"}, "its baseline, result 2, is not accepted itself"),
    "a named result": ({"baseline_result": 2}, "its baseline, result 2, is not accepted itself"),
}


@pytest.mark.parametrize(("comparing", "because"), LOOSE.values(), ids=LOOSE)
def test_what_passes_more_loosely_than_its_set_asks_for_is_not_followed(
    world: World, comparing: dict[str, Any], because: str
) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(4)))
    assert world.evaluate(Answers(wrong=range(4)), **comparing).status is dg.DagsterRunStatus.FAILURE
    assert world.failing() == {}
    assert f"result 3 is not approved: it passed its checks, but {because}." in reason(world.approve_again())
    assert (world.times_materialised(APPROVED), world.times_materialised(PUBLISHED)) == (1, 1)


def test_an_older_result_that_is_graded_again_leaves_approval_to_the_newest(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(3)))
    old, newest = world.history.results()[1], world.newest
    checks = {name: world.evaluations(name) for name in CHECKS}
    again = world.graded_again(old)
    assert again.id > newest.id
    assert world.history.standings([again.id])[again.id].approved(utc_now())
    assert {name: world.evaluations(name) for name in CHECKS} == checks
    assert reason(world.approve_again()).startswith(
        f"result {newest.id} is not approved: no_regression failed"
    )
    assert world.times_materialised(APPROVED) == 1


def test_gradings_alone_are_of_the_newest_whole_run_whatever_was_graded_last(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(3)))
    old, newest = world.history.results()[1], world.newest
    world.graded_again(old)
    assert not world.grade_again().success
    assert world.metadata(GRADINGS)["evaluation_run"] == newest.run_id
    assert world.failing() == {"no_regression": ERROR}


def test_an_accepted_result_is_the_next_ones_baseline(world: World) -> None:
    world.evaluate()
    world.evaluate(Answers(wrong=range(3)))
    world.accept(world.newest)
    assert world.evaluate(Answers(wrong=range(3))).status is dg.DagsterRunStatus.SUCCESS
    assert world.check("no_regression").metadata["baseline"] == "eval-pipeline results show 2"


def test_an_acceptance_of_one_model_lets_no_other_pass(world: World) -> None:
    for key in ("tern", "heron"):
        world.evaluate(key=key)
        world.evaluate(Answers(wrong=range(3)), key=key)
    [accepted, _] = world.history.results(model_key="tern")
    world.accept(accepted)
    assert world.approve_again("tern").success
    assert not world.approve_again("heron").success
    assert world.times_materialised(PUBLISHED, "heron") == 1


def test_what_passed_its_checks_says_so_where_it_is_approved(world: World) -> None:
    world.evaluate()
    shown = world.metadata(APPROVED)
    assert (shown["approved_by"], shown["reason"]) == ("its checks", "all checks passed")
