"""A result as JSON, by the names of the documented format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from eval_pipeline.domain.aggregates import Aggregate
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.results import EvaluationResult


def result_document(
    project: str, result: EvaluationResult, graded: Iterable[tuple[Grading, ModelResponse]] | None = None
) -> dict[str, Any]:
    """The JSON of one result, with its gradings where they are given."""
    summary = result.summary
    document: dict[str, Any] = {
        "project": project,
        "set": result.set_id,
        "model_key": result.model_key,
        "grader": result.grader,
        "run_id": result.run_id,
        "result_id": result.id,
        "run_date": result.run_date.isoformat(),
        "model_id": result.model_id,
        "partial": result.partial,
        "complete": result.complete,
        "incomplete_because": result.incomplete_because,
        **_aggregate(summary.total),
        "usage": asdict(summary.usage),
        "cost_usd": result.cost_usd,
        "latency_ms": asdict(summary.latency) if summary.latency else None,
        "flags": dict(summary.flags),
        "provenance": summary.provenance.encoded(),
        "yardstick": dict(result.yardstick),
        "gate": result.gate.model_dump(),
        "breakdown": {tag: _aggregate(aggregate) for tag, aggregate in summary.breakdown.items()},
    }
    if graded is not None:
        document["gradings"] = [_grading(grading, response) for grading, response in graded]
    return document


def _aggregate(aggregate: Aggregate) -> Mapping[str, Any]:
    return asdict(aggregate)


def _grading(grading: Grading, response: ModelResponse) -> dict[str, Any]:
    return {
        "prompt_id": grading.prompt_id,
        "repeat": grading.repeat,
        "status": grading.status.value,
        "score": grading.score,
        "reason": grading.reason,
        "assertions": [
            {
                "assertion": result.assertion,
                "status": result.status.value,
                "message": result.message,
                "expected": result.expected,
                "actual": result.actual,
                "weight": result.weight,
            }
            for result in grading.assertions
        ],
        "served_by": asdict(response.served_by),
        "latency_ms": response.latency_ms,
        "flags": list(response.reply.flags) if response.reply else [],
    }
