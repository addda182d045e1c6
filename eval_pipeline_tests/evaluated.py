"""A small world in memory in which sets are asked, graded and decided about, by the use cases themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from eval_pipeline.application.baseline import ComparisonRules
from eval_pipeline.application.decide import decide
from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.application.ports import ResultSource
from eval_pipeline.domain.gates import GateReport
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader, Grader
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.responses import ModelResponse, ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, Selection
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, model, prompt, response
from eval_pipeline_tests.fakes import FakeClock, InMemoryResultHistory, InMemoryResultStore
from eval_pipeline_tests.stored import NOON, finished_run

NEWER = replace(SERVED_BY, reported_model="tern-5-2026")
APPLICATION = ServedBy("shop", None, None, "shop-bot", "2.1")
GRADER = DeterministicGrader()


def set_of(count: int = 10, **changes: Any) -> GoldenPromptSet:
    """A set of so many prompts, each of which expects the word yes."""
    return golden_set(*(prompt(f"p{number}") for number in range(count)), **changes)


@dataclass
class World:
    """A project with a store, a history and a clock. Runs are an hour apart.

    No model is ever asked here: answers are put into the store, and what is graded is what is stored.
    """

    store: InMemoryResultStore = field(default_factory=InMemoryResultStore)
    history: InMemoryResultHistory = field(init=False)
    clock: FakeClock = field(default_factory=FakeClock)
    asked: int = 0

    def __post_init__(self) -> None:
        self.history = InMemoryResultHistory(self.store)

    def run(
        self,
        right: int = 10,
        golden: GoldenPromptSet | None = None,
        *,
        served_by: ServedBy | Sequence[ServedBy] = SERVED_BY,
        texts: Mapping[str, str | None] | None = None,
        repeats: int = 1,
        by: ResolvedModel | None = None,
        **selection: Any,
    ) -> EvaluationRun:
        """A finished run in which the first so many prompts are answered with yes, and the others with no.

        Args:
            right: How many prompts.
            golden: The set.
            served_by: Served the answers, in turn.
            texts: Other answers by prompt id; none is a call that failed.
            repeats: How often each prompt is asked.
            by: The model.
            selection: Which prompts are asked.
        """
        golden = golden or set_of()
        served = [served_by] if isinstance(served_by, ServedBy) else served_by
        plan = AskPlan.of(golden, by or model(), Selection(**selection), repeats)
        usual = {each.id: "yes" if place < right else "no" for place, each in enumerate(golden.prompts)}
        answers = {**usual, **(texts or {})}
        given: list[ModelResponse] = []
        for place, request in enumerate(plan.requests):
            text = answers[request.prompt_id]
            answer = response(
                text, request.prompt_id, repeat=request.repeat, served_by=served[place % len(served)]
            )
            failure = replace(failed(prompt_id=request.prompt_id), repeat=request.repeat)
            given.append(failure if text is None else answer)
        self.asked += 1
        self.store.save_snapshot(golden, NOON)
        return finished_run(self.store, given, plan, started_at=NOON + self.asked * timedelta(hours=1))

    def graded(
        self, run: EvaluationRun, golden: GoldenPromptSet | None = None, grader: Grader = GRADER
    ) -> EvaluationResult:
        """The result of a run by what a set expects."""
        golden = golden or set_of()
        grading_pass = grade(run, golden, grader, self.store, self.clock)
        return conclude(run, grading_pass, golden, grader, model(run.model_key), self.store)

    def result(
        self, right: int = 10, golden: GoldenPromptSet | None = None, **changes: Any
    ) -> EvaluationResult:
        """The result of a new run."""
        return self.graded(self.run(right, golden, **changes), golden)

    def decided(
        self,
        result: EvaluationResult,
        golden: GoldenPromptSet | None = None,
        rules: ComparisonRules | None = None,
        source: ResultSource | None = None,
        grader: Grader = GRADER,
    ) -> GateReport:
        """The verdict of record on a result."""
        return decide(
            result,
            golden or set_of(),
            grader,
            self.store,
            source or self.history,
            self.history,
            rules or ComparisonRules(),
            self.clock,
        )

    def evaluated(
        self,
        right: int = 10,
        golden: GoldenPromptSet | None = None,
        rules: ComparisonRules | None = None,
        **changes: Any,
    ) -> tuple[EvaluationResult, GateReport]:
        """The result of a new run, and the verdict of record on it."""
        result = self.result(right, golden, **changes)
        return result, self.decided(result, golden, rules)
