"""A result: what one grader says of one run, with its aggregates and the model that produced it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from eval_pipeline.domain.aggregates import EvaluationSummary
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.model_catalogue import Price
from eval_pipeline.domain.responses import TokenUsage
from eval_pipeline.domain.set_hashes import Hashes

_TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class GradingPass:
    """One grading of all responses of a run by one grader.

    Attributes:
        id: Given by the store; the result that follows has the same.
        run_id: The run whose responses are graded.
        grader: The grader's name.
        yardstick: What graded, down to the definitions: grader, version, hash of the expectations.
        graded_at: Aware, in UTC.
        orchestration_run_id: The Dagster run, where one graded.
        regraded_from: The result that the same responses had before; none the first time.
    """

    id: int
    run_id: int
    grader: str
    yardstick: Mapping[str, Any]
    graded_at: datetime
    orchestration_run_id: str | None = None
    regraded_from: int | None = None


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """A result as it is stored.

    Attributes:
        id: Also the id of its grading pass.
        run_id: The run that it grades.
        set_id, model_key, grader: What was evaluated, and by what.
        run_date: When the model was asked; aware, in UTC. Grading answers anew makes them no newer.
        partial: Whether only a part of the set was evaluated.
        incomplete_because: Why it is not complete; none when it is.
        summary: Counts, rates, provenance, usage.
        yardstick: What graded.
        gate: The gate of the set at the time.
        set_hashes: The hashes of the whole set: inputs and treatment when it was asked, expectations
            when it was graded.
        cost_usd: What the tokens cost by the declared price; none where either is unknown.
        regraded_from: The result that the same responses had before; none the first time.
    """

    id: int
    run_id: int
    set_id: str
    model_key: str
    grader: str
    run_date: datetime
    partial: bool
    incomplete_because: str | None
    summary: EvaluationSummary
    yardstick: Mapping[str, Any]
    gate: Gate
    set_hashes: Hashes
    cost_usd: float | None
    regraded_from: int | None = None

    @property
    def complete(self) -> bool:
        """Whether it covers the whole set with few enough errors."""
        return self.incomplete_because is None

    @property
    def model_id(self) -> str | None:
        """The outbound model of its one generator; none when there is not exactly one."""
        return self.summary.provenance.model_id


def cost_usd(usage: TokenUsage, price: Price | None) -> float | None:
    """What `usage` costs in US dollars, or none where the price or a count is unknown."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    return (usage.input_tokens * price.input + usage.output_tokens * price.output) / _TOKENS_PER_PRICE
