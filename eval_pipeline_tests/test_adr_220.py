"""Results name their generator: what each decision of that rule forbids, from the endpoint to the database.

The rule in short: what really sent a request says what served it; a result has a model only when one
generator gave all of its answers; and nothing but such a result is a baseline or evidence of quality.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, text

from eval_pipeline.adapters.llm.clients import ProviderClients
from eval_pipeline.adapters.llm.replay import Replay
from eval_pipeline.adapters.llm.terminal import Terminal
from eval_pipeline.adapters.postgres import schema
from eval_pipeline.adapters.postgres.result_history import PostgresResultHistory
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.application.baseline import ComparisonRules
from eval_pipeline.application.compare import compare_results
from eval_pipeline.application.decide import decide
from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.application.ports import (
    ModelClient,
    ResultHistory,
    ResultSource,
    ScopedQualitySource,
    VerifiedBaselines,
    VerifiedResults,
)
from eval_pipeline.application.respond import respond
from eval_pipeline.application.select_model import MeasuredQuality, select_by_quality
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.errors import CallError
from eval_pipeline.domain.gates import CheckName, GateReport
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.model_catalogue import OpenAIProvider, ReplayProvider
from eval_pipeline.domain.model_criteria import Candidate, Criteria
from eval_pipeline.domain.provenance import GeneratorStatus, generator_name
from eval_pipeline.domain.quality import GeneratorScope, Quality, SetQuality
from eval_pipeline.domain.regression import Verdict
from eval_pipeline.domain.responses import ModelRequest, ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.runs import AskPlan, Selection
from eval_pipeline.domain.yardstick import shares_one_yardstick
from eval_pipeline_tests import builders
from eval_pipeline_tests.builders import failed, golden_set, model, prompt, request, response
from eval_pipeline_tests.fakes import FakeClock, OneClient, RecordedProgress, ScriptedClient
from eval_pipeline_tests.http_server import HttpServer

TERN_4 = ServedBy("eu-west", "tern-large", "tern-4-2026")
TERN_5 = ServedBy("eu-west", "tern-large", "tern-5-2027")
IN_THE_US = ServedBy("us-east", "tern-large", "tern-4-2026")
SMALL = ServedBy("eu-west", "tern-small", "tern-4-2026")
NAMELESS = ServedBy("eu-west", "tern-large", None)
UNKNOWN = ServedBy()
SUPPORT_APP = ServedBy("app", None, None, "support-app", "41")
OTHER_APP = ServedBy("app", None, None, "sales-app", "41")
SCOPE = GeneratorScope("eu-west", "tern-large")
QUESTION, ANSWER, NEEDLE = "What is the airspeed?", "an unladen swallow", "unladen"


@dataclass
class Project:
    """A project in PostgreSQL whose models answer as a test wants them to."""

    engine: Engine
    name: str
    clock: FakeClock = field(default_factory=FakeClock)
    store: PostgresResultStore = field(init=False)
    history: PostgresResultHistory = field(init=False)

    def __post_init__(self) -> None:
        self.store = PostgresResultStore(self.engine, self.name)
        self.history = PostgresResultHistory(self.engine, self.name)

    def evaluate(
        self,
        *served_by: ServedBy,
        texts: Sequence[str | None] | None = None,
        asked: GoldenPromptSet | None = None,
        model_key: str = "tern",
    ) -> EvaluationResult:
        """A result of as many prompts as there are generators given, each answered by its own.

        A text of none is a call that failed.
        """
        asked = asked or twenty(len(served_by))
        ids = [each.id for each in asked.prompts]
        given = dict(zip(ids, zip(served_by, texts or ["yes"] * len(ids), strict=True), strict=True))

        def answer(sent: ModelRequest) -> ModelResponse:
            identity, said = given[sent.prompt_id]
            if said is None:
                return replace(failed(prompt_id=sent.prompt_id), request_key=sent.key)
            reply = Reply(said, finish_reason="stop", reported_model=identity.reported_model)
            return response(said, sent.prompt_id, request_key=sent.key, served_by=identity, reply=reply)

        return self.asked_of(ScriptedClient(answer), asked, model_key)

    def asked_of(
        self, client: ModelClient, asked: GoldenPromptSet, model_key: str = "tern"
    ) -> EvaluationResult:
        """The result of asking a client a whole set."""
        plan = AskPlan.of(asked, model(model_key), Selection())
        run = respond(plan, OneClient(client), self.store, RecordedProgress(), self.clock)
        graded = grade(run, asked, DeterministicGrader(), self.store, self.clock)
        return conclude(run, graded, asked, DeterministicGrader(), plan.model, self.store)

    def verdict(
        self,
        result: EvaluationResult,
        asked: GoldenPromptSet | None = None,
        source: ResultSource | None = None,
        **rules: Any,
    ) -> GateReport:
        """The verdict of record on a result."""
        return decide(
            result,
            asked or twenty(result.summary.total.prompt_count),
            DeterministicGrader(),
            self.store,
            source or self.history,
            self.history,
            ComparisonRules(**rules),
            self.clock,
        )

    def approved(self, *served_by: ServedBy, **options: Any) -> EvaluationResult:
        """A result that passed its checks."""
        result = self.evaluate(*served_by, **options)
        assert self.verdict(result, options.get("asked")).passed
        return result

    @property
    def quality(self) -> MeasuredQuality:
        return MeasuredQuality(self.history, ["acme.set"], self.clock)

    def baseline_of(
        self, result: EvaluationResult, generator: ServedBy = TERN_4, **scope: Any
    ) -> EvaluationResult | None:
        """The newest earlier result that could serve a later one of the same pair."""
        later = replace(result, id=result.id + 1, run_id=result.run_id + 1, run_date=self.clock())
        return self.history.baseline(
            BaselineScope.of(later, generator, **scope), Against.PREVIOUS, self.clock()
        )

    def execute(self, statement: str, **values: Any) -> list[Any]:
        """Rows of a statement."""
        with self.engine.begin() as connection:
            found = connection.execute(text(statement), values)
            return list(found) if found.returns_rows else []

    def record(self, result: EvaluationResult) -> Any:
        """The provenance as the database holds it."""
        return self.execute("select provenance from evaluation_result where id = :id", id=result.id)[0][0]

    def overwrite(self, result: EvaluationResult, **columns: Any) -> None:
        """Change columns of a result's row behind the code's back."""
        for name, value in columns.items():
            encoded = json.dumps(value) if name == "provenance" and value is not None else value
            cast = "cast(:value as jsonb)" if name == "provenance" else ":value"
            self.execute(
                f"update evaluation_result set {name} = {cast} where id = :id", value=encoded, id=result.id
            )

    def read(self, result: EvaluationResult) -> EvaluationResult:
        found = self.store.result(result.id)
        assert found is not None
        return found


@pytest.fixture
def here(shared_engine: Engine, project: str) -> Project:
    return Project(shared_engine, project)


def twenty(count: int = 20, **changes: Any) -> GoldenPromptSet:
    """A set of so many prompts."""
    return golden_set(*(prompt(f"p{number:02}") for number in range(count)), **changes)


def chat(**changes: Any) -> dict[str, Any]:
    """The body of a reply of an endpoint, with members over it; those that are none are left out."""
    message = {"role": "assistant", "content": "yes"}
    body = {
        "model": "tern-4-2026",
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


@contextmanager
def endpoint(body: dict[str, Any], headers: dict[str, str] | None = None) -> Iterator[ModelClient]:
    """A client of a real endpoint, configured as provider eu-west with the outbound name tern-large."""

    async def handler(_: web.Request) -> web.StreamResponse:
        return web.json_response(body, headers=headers)

    class Opened:
        """Opens the real client anew within the loop that asks."""

        async def ask(self, sent: ModelRequest) -> ModelResponse:
            provider = OpenAIProvider(kind="openai", base_url=f"{server.url}/v1")
            async with ProviderClients({}).open(model(provider=provider)) as client:
                return await client.ask(sent)

    with HttpServer(handler) as server:
        yield Opened()


def ask(client: ModelClient, sent: ModelRequest | None = None) -> ModelResponse:
    return asyncio.run(client.ask(sent or request()))


# 1. What served is said by what really sent the request


@pytest.mark.parametrize("missing", [None, "", "  ", 4, ["tern-4-2026"]], ids=repr)
def test_a_requested_model_is_no_evidence_of_what_served(here: Project, missing: object) -> None:
    with endpoint(chat(model=missing)) as client:
        result = here.asked_of(client, golden_set())
    assert here.store.responses(result.run_id, ["p1"])["p1", 0].served_by == NAMELESS
    stored = here.read(result)
    assert (stored.model_id, stored.summary.provenance.status) == (None, GeneratorStatus.UNKNOWN)


def test_what_served_is_the_instance_the_name_sent_and_the_name_in_the_reply() -> None:
    with endpoint(chat(model="heron-2026")) as client:
        assert ask(client).served_by == ServedBy("eu-west", "tern-large", "heron-2026")


def test_an_endpoint_cannot_claim_another_instance_or_name() -> None:
    claim = {"provider_instance": "us-east", "outbound_model": "heron", "reported_model": "heron-2026"}
    body = chat(provider="us-east", served_by=claim, metadata={"served_by": claim}, **claim)
    with endpoint(body, {f"X-{name}": value for name, value in claim.items()}) as client:
        assert ask(client).served_by == TERN_4


def test_an_adapter_cannot_claim_another_identity() -> None:
    class Claiming(Reply):
        served_by = IN_THE_US
        provider_instance = "us-east"
        outbound_model = "heron"

    class Impostor:
        async def complete(self, outbound_model: str, sent: ModelRequest) -> Reply:
            return Claiming("yes", reported_model="tern-4-2026")

    assert ask(Terminal(Impostor(), "eu-west", "tern-large")).served_by == TERN_4


def test_the_rest_of_a_response_survives_the_identity() -> None:
    reply = Reply(
        "yes", "because", ({"id": "t1"},), "length", "tern-4-2026", TokenUsage(1, 2), ("truncated",)
    )

    class Adapter:
        async def complete(self, outbound_model: str, sent: ModelRequest) -> Reply:
            return reply

    given = ask(Terminal(Adapter(), "eu-west", "tern-large"), request("p7", repeat=3, key="abc"))
    assert {each.name: getattr(given.reply, each.name) for each in fields(Reply)} == {
        each.name: getattr(reply, each.name) for each in fields(Reply)
    }
    assert (given.prompt_id, given.repeat, given.request_key) == ("p7", 3, "abc")


def test_what_answers_for_another_names_itself(here: Project) -> None:
    class Broken:
        async def complete(self, outbound_model: str, sent: ModelRequest) -> Reply:
            if sent.prompt_id == "p01":
                raise CallError("HTTP 503")
            return Reply("yes", reported_model="tern-4-2026")

    class Works:
        async def complete(self, outbound_model: str, sent: ModelRequest) -> Reply:
            return Reply("yes", reported_model="heron-2026")

    class WithFallback:
        primary = Terminal(Broken(), "eu-west", "tern-large")
        fallback = Terminal(Works(), "us-east", "heron")

        async def ask(self, sent: ModelRequest) -> ModelResponse:
            first = await self.primary.ask(sent)
            return first if first.error is None else await self.fallback.ask(sent)

    result = here.read(here.asked_of(WithFallback(), twenty(3)))
    assert dict(result.summary.provenance.counts) == {
        TERN_4: 2,
        ServedBy("us-east", "heron", "heron-2026"): 1,
    }
    assert result.model_id is None


def test_a_failed_call_is_served_by_nobody_who_reported_a_name(here: Project) -> None:
    result = here.read(here.evaluate(TERN_4, TERN_4, texts=["yes", None]))
    assert dict(result.summary.provenance.counts) == {TERN_4: 1}


def recorded(folder: Path, **line: Any) -> Replay:
    path = folder / "recorded.jsonl"
    path.write_text(json.dumps({"prompt_id": "p1", "text": "yes", **line}) + "\n", "utf-8")
    return Replay(path)


def test_a_replayed_response_keeps_its_first_identity(here: Project, tmp_path: Path) -> None:
    first = {"provider_instance": "us-east", "outbound_model": "tern-large", "reported_model": "tern-4-2026"}
    result = here.asked_of(recorded(tmp_path, served_by=first), golden_set())
    assert dict(here.read(result).summary.provenance.counts) == {IN_THE_US: 1}


def test_a_replay_never_claims_a_response_for_itself(tmp_path: Path) -> None:
    recorded(tmp_path)
    provider = ReplayProvider(kind="replay", path=str(tmp_path / "recorded.jsonl"))

    async def asked() -> ModelResponse:
        async with ProviderClients({}).open(model(provider=provider)) as client:
            return await client.ask(request())

    assert asyncio.run(asked()).served_by == UNKNOWN


def test_answers_graded_anew_keep_the_identity_that_they_were_served_with(here: Project) -> None:
    first = here.evaluate(TERN_4, IN_THE_US)
    run = here.store.run(first.run_id)
    assert run is not None
    now_expected = golden_set(*(prompt(f"p0{n}", assertions=[Contains("es")]) for n in range(2)))
    graded = grade(run, now_expected, DeterministicGrader(), here.store, here.clock)
    again = here.read(conclude(run, graded, now_expected, DeterministicGrader(), model(), here.store))
    assert again.id != first.id
    assert dict(again.summary.provenance.counts) == {TERN_4: 1, IN_THE_US: 1}


def test_a_reported_name_of_any_length_costs_no_result(here: Project) -> None:
    endless = ServedBy("eu-west", "tern-large", random.Random(7).randbytes(20_000).hex())
    result = here.read(here.evaluate(*[endless] * 3))
    assert (result.summary.total.prompt_count, result.summary.total.passed_count) == (3, 3)


# 2. A run has a model only when one generator gave all answers

NOT_ONE = {
    "another provider instance": ([TERN_4] * 9 + [IN_THE_US], GeneratorStatus.MIXED),
    "another outbound name": ([TERN_4] * 9 + [SMALL], GeneratorStatus.MIXED),
    "another reported name": ([TERN_4] * 9 + [TERN_5], GeneratorStatus.MIXED),
    "one answer without a name": ([TERN_4] * 9 + [NAMELESS], GeneratorStatus.PARTLY_UNKNOWN),
    "one answer of unknown origin": ([TERN_4] * 9 + [UNKNOWN], GeneratorStatus.PARTLY_UNKNOWN),
    "one answer of an application": ([TERN_4] * 9 + [SUPPORT_APP], GeneratorStatus.MIXED),
    "no answer of known origin": ([UNKNOWN] * 10, GeneratorStatus.UNKNOWN),
}
not_one = pytest.mark.parametrize(("served_by", "status"), NOT_ONE.values(), ids=NOT_ONE)


@not_one
def test_a_run_of_two_generators_has_no_model(
    here: Project, served_by: list[ServedBy], status: GeneratorStatus
) -> None:
    result = here.read(here.evaluate(*served_by))
    assert (result.summary.provenance.status, result.model_id) == (status, None)
    assert here.execute("select model_id from evaluation_result where id = :id", id=result.id) == [(None,)]


def test_a_run_without_any_answer_has_no_model(here: Project) -> None:
    result = here.read(here.evaluate(TERN_4, TERN_4, texts=[None, None]))
    assert (result.model_id, result.summary.provenance.status) == (None, GeneratorStatus.EMPTY)
    assert (result.complete, result.summary.total.pass_rate) == (False, None)


def test_the_model_of_a_run_is_the_name_sent_and_the_reported_name_stays_beside_it(here: Project) -> None:
    result = here.read(here.evaluate(*[TERN_4] * 3))
    assert (result.model_id, result.summary.provenance.generator) == ("tern-large", TERN_4)
    assert here.record(result)["generators"][0]["reported_model"] == "tern-4-2026"


@not_one
def test_no_subset_becomes_a_measurement_of_the_whole(
    here: Project, served_by: list[ServedBy], status: GeneratorStatus
) -> None:
    result = here.evaluate(*served_by)
    for identity in set(served_by) - {UNKNOWN}:
        assert here.baseline_of(result, identity) is None
        scope = GeneratorScope(str(identity.provider_instance), str(identity.outbound_model))
        assert here.quality.scoped_quality(scope) is None
        assert here.quality.quality(str(identity.outbound_model)) is None


@not_one
def test_a_mixed_run_keeps_its_grades(
    here: Project, served_by: list[ServedBy], status: GeneratorStatus
) -> None:
    result = here.read(here.evaluate(*served_by, texts=["yes"] * 7 + ["no"] * 3))
    total = result.summary.total
    assert (total.prompt_count, total.graded_count, total.passed_count) == (10, 10, 7)
    assert (total.pass_rate, total.mean_score) == (0.7, 0.7)
    statuses = [entry.status for batch in here.store.gradings(result.id) for entry in batch]
    assert statuses == [Status.PASS] * 7 + [Status.FAIL] * 3


def test_every_answer_of_a_mixed_run_keeps_its_own_identity(here: Project) -> None:
    result = here.evaluate(TERN_4, IN_THE_US, UNKNOWN)
    found = here.store.responses(result.run_id, ["p00", "p01", "p02"])
    assert [found[prompt_id, 0].served_by for prompt_id in ("p00", "p01", "p02")] == [
        TERN_4,
        IN_THE_US,
        UNKNOWN,
    ]


# 3. What graded and what generated are separate facts


def test_different_generators_share_a_yardstick(here: Project) -> None:
    one, other = (
        here.evaluate(*[TERN_4] * 4),
        here.evaluate(*[IN_THE_US] * 4, texts=["yes", "no", "no", "yes"]),
    )
    assert shares_one_yardstick(here.read(one), here.read(other))
    found, anew = compare_results(one, other, twenty(4), DeterministicGrader(), here.store)
    assert (found.pass_rate.delta, anew) == (-0.5, False)


def test_a_run_of_several_generators_shares_a_yardstick_too(here: Project) -> None:
    mixed, one = here.evaluate(*[TERN_4, IN_THE_US] * 2), here.evaluate(*[TERN_4] * 4)
    assert shares_one_yardstick(here.read(mixed), here.read(one))


def expecting(word: str) -> GoldenPromptSet:
    """The same questions with another expectation."""
    return golden_set(*(prompt(f"p{number:02}", assertions=[Contains(word)]) for number in range(10)))


def test_two_yardsticks_are_never_compared(here: Project) -> None:
    first = here.approved(*[TERN_4] * 10)
    here.execute("delete from model_response where run_id = :run", run=first.run_id)
    second = here.evaluate(*[TERN_4] * 10, asked=expecting("es"))
    report = here.verdict(second, expecting("es"))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "no longer stored" in report.comparison.reason
    assert report.comparison.differences is None
    assert not report.passed


def test_before_another_yardstick_compares_it_grades_the_stored_answers_of_both_sides(here: Project) -> None:
    here.approved(*[TERN_4] * 10, texts=["yes"] * 10)
    second = here.evaluate(*[TERN_4] * 10, asked=expecting("es"), texts=["yes"] * 5 + ["no"] * 5)
    comparison = here.verdict(second, expecting("es")).comparison
    assert (comparison.verdict, comparison.regraded) == (Verdict.REGRESSION, True)
    unfulfilled = here.evaluate(*[TERN_4] * 10, asked=expecting("maybe"))
    comparison = here.verdict(unfulfilled, expecting("maybe")).comparison
    assert (comparison.verdict, comparison.regraded) == (Verdict.NO_REGRESSION, True)


@not_one
def test_a_result_without_one_generator_fails_the_strict_gate(
    here: Project, served_by: list[ServedBy], status: GeneratorStatus
) -> None:
    here.approved(*[TERN_4] * 10)
    report = here.verdict(here.evaluate(*served_by))
    assert not report.passed
    assert [check.name for check in report.failures()] == [CheckName.ONE_GENERATOR]
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert status.value.replace("_", " ") in report.comparison.reason


def test_a_run_of_two_generators_is_not_the_next_ones_baseline(here: Project) -> None:
    here.verdict(here.evaluate(*[TERN_4] * 9, IN_THE_US))
    next_one = here.evaluate(*[TERN_4] * 10, texts=["no"] * 10)
    for against in (None, Against.PREVIOUS):
        assert here.verdict(next_one, against=against).comparison.verdict is Verdict.FIRST


# 4. The record: versioned, without content, verified at every read


def test_provenance_holds_no_text(here: Project) -> None:
    asked = golden_set(prompt("p1", prompt=QUESTION, assertions=[Contains(NEEDLE)], reference=ANSWER))
    result = here.evaluate(TERN_4, asked=asked, texts=[ANSWER])
    [row] = here.execute("select * from evaluation_result where id = :id", id=result.id)
    shown = json.dumps(row._mapping["provenance"])
    assert here.record(result) == {
        "version": 1,
        "status": "one",
        "generators": [
            {
                "provider_instance": "eu-west",
                "outbound_model": "tern-large",
                "reported_model": "tern-4-2026",
                "alias_only": False,
                "responses": 1,
            }
        ],
        "unknown": 0,
        "answered": 1,
    }
    assert [secret for secret in (QUESTION, ANSWER, NEEDLE, "p1") if secret in shown] == []


def test_provenance_survives_the_removal_of_what_was_said(here: Project) -> None:
    result = here.evaluate(*[TERN_4] * 10)
    here.execute("delete from model_response where run_id = :run", run=result.run_id)
    here.execute("delete from prompt_grading where grading_id = :id", id=result.id)
    assert here.read(result).summary.provenance == result.summary.provenance
    assert here.baseline_of(result) is not None
    assert here.quality.scoped_quality(SCOPE) is not None


def test_provenance_goes_with_its_row(here: Project) -> None:
    result, kept = here.evaluate(*[TERN_5] * 10), here.evaluate(*[TERN_4] * 10)
    here.execute("delete from evaluation_run where id = :run", run=result.run_id)
    records = here.execute("select provenance from evaluation_result where project = :name", name=here.name)
    assert [record["generators"][0]["reported_model"] for (record,) in records] == ["tern-4-2026"]
    assert here.store.result(result.id) is None
    assert here.read(kept).model_id == "tern-large"


def of_generator(**changes: Any) -> dict[str, Any]:
    """A right record of ten answers by one generator, with members over it."""
    generator = {
        "provider_instance": "eu-west",
        "outbound_model": "tern-large",
        "reported_model": "tern-4-2026",
        "alias_only": False,
        "responses": 10,
    }
    right = {"version": 1, "status": "one", "generators": [generator], "unknown": 0, "answered": 10}
    return {**right, **changes}


GENERATOR = of_generator()["generators"][0]
NO_EVIDENCE: dict[str, dict[str, Any]] = {
    "absent": {"provenance": None},
    "a JSON null": {"provenance": "null"},
    "a list": {"provenance": []},
    "a text": {"provenance": "eu-west/tern-large"},
    "empty": {"provenance": {}},
    "of a newer version": {"provenance": of_generator(version=2)},
    "of an older version": {"provenance": of_generator(version=0)},
    "of a version that is a text": {"provenance": of_generator(version="1")},
    "of a version that is true": {"provenance": of_generator(version=True)},
    "with a member too many": {"provenance": of_generator(prompt="p1")},
    "without its counts": {"provenance": of_generator(answered=None)},
    "of a generator without a reported name": {
        "provenance": of_generator(generators=[{**GENERATOR, "reported_model": None}])
    },
    "of a generator without an instance": {
        "provenance": of_generator(generators=[{**GENERATOR, "provider_instance": ""}])
    },
    "that calls a mix one": {
        "provenance": of_generator(
            generators=[
                {**GENERATOR, "responses": 5},
                {**GENERATOR, "provider_instance": "us-east", "responses": 5},
            ]
        )
    },
    "that hides an unknown answer": {"provenance": of_generator(unknown=1)},
    "of more answers than prompts": {
        "provenance": of_generator(generators=[{**GENERATOR, "responses": 11}], answered=11)
    },
    "of fewer answers than grades": {
        "provenance": of_generator(generators=[{**GENERATOR, "responses": 9}], answered=9)
    },
    "of another model than its row": {"model_id": "heron"},
    "of a model where its row has none": {"model_id": None},
    "of one generator by another name than its row": {
        "provenance": of_generator(generators=[{**GENERATOR, "outbound_model": "heron"}])
    },
}


@pytest.mark.parametrize("damage", NO_EVIDENCE.values(), ids=NO_EVIDENCE)
def test_provenance_that_does_not_hold_up_is_no_evidence(here: Project, damage: dict[str, Any]) -> None:
    result = here.evaluate(*[TERN_4] * 10)
    if damage.get("provenance") == "null":
        here.execute("update evaluation_result set provenance = 'null' where id = :id", id=result.id)
    else:
        here.overwrite(result, **damage)
    assert here.read(result).summary.provenance.status is GeneratorStatus.UNVERIFIED
    assert here.read(result).summary.provenance.unverified_because
    assert here.baseline_of(result) is None
    for scope in (SCOPE, replace(SCOPE, outbound_model="heron")):
        assert here.quality.scoped_quality(scope) is here.quality.quality(scope.outbound_model) is None
    assert here.read(result).summary.total == result.summary.total


def test_the_undamaged_record_is_evidence(here: Project) -> None:
    result = here.evaluate(*[TERN_4] * 10)
    assert here.record(result) == of_generator()
    here.overwrite(result, provenance=of_generator())
    assert here.baseline_of(result) == result
    assert here.quality.scoped_quality(SCOPE).score == here.quality.quality("tern-large").score == 1.0


def test_a_newer_record_that_is_no_evidence_hides_no_older_one_that_is(here: Project) -> None:
    good = here.evaluate(*[TERN_4] * 10)
    for _ in range(12):
        here.overwrite(here.evaluate(*[TERN_4] * 10, texts=["no"] * 10), model_id=None)
    assert here.baseline_of(good) == good
    assert here.quality.scoped_quality(SCOPE).score == 1.0


def test_a_result_with_a_damaged_record_cannot_be_compared_with_by_its_id_either(here: Project) -> None:
    first = here.evaluate(*[TERN_4] * 10)
    here.overwrite(first, provenance=of_generator(version=2))
    report = here.verdict(here.evaluate(*[TERN_4] * 10), result_id=first.id)
    assert (report.comparison.verdict, report.passed) == (Verdict.NOT_COMPARABLE, False)
    assert "version" in report.comparison.reason


# 5. Baselines and quality ask for the generator before they choose


def test_a_newer_snapshot_does_not_hide_an_older_match(here: Project) -> None:
    match = here.approved(*[TERN_4] * 10)
    here.approved(*[TERN_5] * 10)
    here.verdict(here.evaluate(*[TERN_5] * 9, TERN_4))
    report = here.verdict(here.evaluate(*[TERN_4] * 10))
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.NO_REGRESSION, match.id)
    assert (
        here.history.newest_of_sets(
            ["acme.set"], "deterministic", replace(SCOPE, reported_model="tern-4-2026"), match.run_date
        )[0].summary.provenance.generator
        == TERN_4
    )


@pytest.mark.parametrize("other", [IN_THE_US, SMALL, TERN_5], ids=["instance", "outbound name", "snapshot"])
def test_a_baseline_is_of_the_same_instance_outbound_name_and_snapshot(
    here: Project, other: ServedBy
) -> None:
    here.approved(*[other] * 10)
    result = here.evaluate(*[TERN_4] * 10, texts=["no"] * 10)
    assert here.history.baseline(BaselineScope.of(result, TERN_4), Against.PREVIOUS, here.clock()) is None
    verdict = here.verdict(result).comparison.verdict
    assert verdict not in (Verdict.REGRESSION, Verdict.NO_REGRESSION)


def test_a_first_result_of_another_snapshot_is_never_called_a_regression(here: Project) -> None:
    last = here.approved(*[TERN_4] * 10)
    report = here.verdict(here.evaluate(*[TERN_5] * 10, texts=["no"] * 10))
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.HELD_BACK, last.id)
    assert not report.passed


def test_a_result_of_another_provider_is_a_first_one_and_says_who_served_before(here: Project) -> None:
    here.approved(*[IN_THE_US] * 10)
    report = here.verdict(here.evaluate(*[TERN_4] * 10, texts=["no"] * 10))
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.FIRST, None)
    warned = report.check(CheckName.GENERATOR_CHANGED)
    assert (warned.passed, warned.blocks) == (False, False)
    assert "us-east/tern-large" in warned.reason


def test_a_baseline_of_another_model_cannot_be_named_either(here: Project) -> None:
    other = here.approved(*[IN_THE_US] * 10)
    report = here.verdict(here.evaluate(*[TERN_4] * 10), result_id=other.id)
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "us-east/tern-large → tern-4-2026" in report.comparison.reason


def test_quality_is_that_of_the_instance_and_the_name_sent(here: Project) -> None:
    here.evaluate(*[TERN_4] * 10, texts=["yes"] * 9 + ["no"])
    here.evaluate(*[IN_THE_US] * 10, texts=["yes"] * 5 + ["no"] * 5)
    here.evaluate(*[SMALL] * 10, texts=["no"] * 10)
    found = {
        (instance, outbound): here.quality.scoped_quality(GeneratorScope(instance, outbound))
        for instance in ("eu-west", "us-east")
        for outbound in ("tern-large", "tern-small", "tern-4-2026", "tern")
    }
    assert {pair: quality.score for pair, quality in found.items() if quality is not None} == {
        ("eu-west", "tern-large"): 0.9,
        ("us-east", "tern-large"): 0.5,
        ("eu-west", "tern-small"): 0.0,
    }


def test_a_name_that_several_providers_serve_is_unknown_unless_one_is_named(here: Project) -> None:
    here.evaluate(*[TERN_4] * 10)
    assert here.quality.quality("tern-large").score == 1.0
    here.evaluate(*[IN_THE_US] * 10)
    assert here.quality.quality("tern-large") is None
    assert here.quality.scoped_quality(SCOPE).score == 1.0


def test_a_provider_without_evidence_makes_no_name_ambiguous(here: Project) -> None:
    here.evaluate(*[TERN_4] * 10)
    here.evaluate(*[IN_THE_US] * 9, UNKNOWN)
    assert here.quality.quality("tern-large").score == 1.0


def test_the_scoped_capabilities_are_optional() -> None:
    class ByName:
        def quality(self, model_id: str) -> Quality | None:
            return None

    class Old:
        def results(self, *_: Any, **__: Any) -> list[EvaluationResult]:
            return []

    assert not isinstance(ByName(), ScopedQualitySource)
    assert not isinstance(Old(), VerifiedBaselines | VerifiedResults)


def test_the_own_history_has_all_capabilities(here: Project) -> None:
    history: ResultHistory = here.history
    assert isinstance(history, VerifiedBaselines)
    assert isinstance(history, VerifiedResults)
    assert isinstance(here.quality, ScopedQualitySource)


def test_a_source_that_knows_only_model_names_keeps_working(here: Project) -> None:
    class ByName:
        def quality(self, model_id: str) -> Quality | None:
            score = {"tern-large": 0.4, "heron-large": 0.8}[model_id]
            return Quality((SetQuality("own", 1, here.clock(), 50, score, 0.1),))

    tern, heron = (Candidate(key, "eu-west", f"{key}-large", "openai") for key in ("tern", "heron"))
    ranking = select_by_quality(Criteria(), [tern, heron], ByName())
    assert [(each.candidate.key, each.score) for each in ranking.ranked] == [("heron", 0.8), ("tern", 0.4)]


@dataclass
class Unverified:
    """A source of results that cannot say what produced them."""

    history: PostgresResultHistory

    def results(
        self,
        set_id: str | None = None,
        model_key: str | None = None,
        grader: str | None = None,
        limit: int = 50,
    ) -> list[EvaluationResult]:
        return self.history.results(set_id, model_key, grader, limit)


def test_a_source_without_verified_reads_is_unknown(here: Project) -> None:
    here.approved(*[TERN_4] * 10)
    source = Unverified(here.history)
    quality = MeasuredQuality(source, ["acme.set"], here.clock)
    assert quality.quality("tern-large") is quality.scoped_quality(SCOPE) is None
    report = here.verdict(here.evaluate(*[TERN_4] * 10), source=source)
    assert (report.comparison.verdict, report.passed) == (Verdict.NOT_COMPARABLE, False)
    assert "cannot verify" in report.comparison.reason


# 6. What was stored before stays readable, and proves nothing


@pytest.fixture
def old_database(empty_database_url: str) -> Iterator[Engine]:
    """A database with the first tables, as code before generators could be looked up left it."""
    engine = schema.connect(empty_database_url)
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    yield engine
    engine.dispose()


OLD_RUN = """
insert into evaluation_run (project, set_id, model_key, status, partial, prompt_count, inputs_hash,
  treatment_hash, expectations_hash, provider_instance, outbound_model, parameters, started_at)
values ('acme', 'acme.set', 'tern', 'finished', false, 10, 'i', 't', 'e', 'eu-west', 'tern-large', '{}',
  '2025-12-31T12:00:00Z') returning id
"""
OLD_PASS = """
insert into grading_pass (run_id, grader, yardstick, graded_at)
values (:run, 'deterministic', '{"grader": "deterministic"}', '2025-12-31T12:05:00Z') returning id
"""
OLD_RESULT = """
insert into evaluation_result (id, run_id, project, set_id, model_key, grader, run_date, model_id, partial,
  prompt_count, graded_count, passed_count, error_count, skipped_count, pass_rate, pass_rate_low,
  pass_rate_high, mean_score, not_passed, flags, breakdown, gate, inputs_hash, treatment_hash,
  expectations_hash, yardstick, provenance)
values (:id, :run, 'acme', 'acme.set', 'tern', 'deterministic', '2025-12-31T12:05:00Z', 'tern-large', false,
  10, 10, 9, 0, 0, 0.9, 0.9, 0.9, 0.9, '{p09}', '{}', '{}', '{}', 'i', 't', 'e',
  '{"grader": "deterministic"}', cast(:provenance as jsonb))
"""


def upgraded(engine: Engine, provenance: Any) -> Project:
    """The project after a schema upgrade of a database that held one result."""
    old = Project(engine, "acme")
    [(run,)] = old.execute(OLD_RUN)
    [(graded,)] = old.execute(OLD_PASS, run=run)
    encoded = None if provenance is None else json.dumps(provenance)
    old.execute(OLD_RESULT, id=graded, run=run, provenance=encoded)
    schema.upgrade(engine)
    return old


def test_a_result_from_before_is_readable_and_never_evidence(old_database: Engine) -> None:
    old = upgraded(old_database, None)
    [result] = old.history.results()
    assert (result.summary.total.pass_rate, result.summary.not_passed) == (0.9, ("p09",))
    assert result.summary.provenance.status is GeneratorStatus.UNVERIFIED
    assert old.baseline_of(result) is None
    assert old.quality.scoped_quality(SCOPE) is old.quality.quality("tern-large") is None
    report = old.verdict(old.evaluate(*[TERN_4] * 10, texts=["no"] * 10))
    assert report.comparison.verdict is Verdict.FIRST


def test_an_upgrade_fills_nothing_in(old_database: Engine) -> None:
    old = upgraded(old_database, None)
    columns = "provenance, generator_status, generator_instance, generator_snapshot, eligible is true"
    assert old.execute(f"select {columns} from evaluation_result") == [(None, None, None, None, False)]


def test_evidence_from_before_an_upgrade_is_evidence_after_it(old_database: Engine) -> None:
    old = upgraded(old_database, of_generator())
    [result] = old.history.results()
    assert result.summary.provenance.generator == TERN_4
    assert old.baseline_of(result) == result


def test_reading_a_result_without_evidence_fills_nothing_in(here: Project) -> None:
    result = here.evaluate(*[TERN_4] * 10)
    here.overwrite(result, provenance=None)
    here.history.results()
    here.verdict(here.read(result))
    assert here.record(result) is None


# What the rule adds: names that prove little, and applications


def test_a_reported_name_that_only_repeats_the_alias_is_evidence_and_flagged(here: Project) -> None:
    alias = ServedBy("eu-west", "tern-large", "tern-large")
    result = here.approved(*[alias] * 10)
    assert here.read(result).model_id == "tern-large"
    assert here.record(result)["generators"][0]["alias_only"] is True
    assert here.record(here.evaluate(TERN_4))["generators"][0]["alias_only"] is False
    assert "reported by the same name" in generator_name(alias)
    assert here.baseline_of(result, alias) == result


def test_an_application_is_compared_under_the_name_that_it_declares(here: Project) -> None:
    first = here.approved(*[SUPPORT_APP] * 10)
    newer = replace(SUPPORT_APP, declared_version="42")
    report = here.verdict(here.evaluate(*[newer] * 10, texts=["no"] * 10))
    assert (report.comparison.verdict, report.comparison.baseline_id) == (Verdict.REGRESSION, first.id)
    assert report.comparison.differences.changed_treatment == ("application_version",)


def test_an_application_of_another_name_is_compared_with_nothing(here: Project) -> None:
    here.approved(*[SUPPORT_APP] * 10)
    report = here.verdict(here.evaluate(*[OTHER_APP] * 10, texts=["no"] * 10))
    assert report.comparison.baseline_id is None


def test_a_declared_application_is_no_evidence_of_a_model(here: Project) -> None:
    declared = replace(SUPPORT_APP, outbound_model="tern-large", provider_instance="eu-west")
    result = here.read(here.evaluate(*[declared] * 10))
    assert (result.model_id, result.summary.provenance.status) == (None, GeneratorStatus.DECLARED)
    assert here.quality.scoped_quality(SCOPE) is here.quality.quality("tern-large") is None
    assert here.quality.quality("support-app") is None
    assert here.baseline_of(result, TERN_4) is None
    assert "declared, unverified" in generator_name(declared)


def test_a_reply_that_reports_a_model_goes_before_what_an_application_declares(here: Project) -> None:
    told = replace(builders.SERVED_BY, declared_name="support-app")
    result = here.read(here.evaluate(*[told] * 3))
    assert (result.model_id, result.summary.provenance.generator) == ("tern-large", TERN_4)
