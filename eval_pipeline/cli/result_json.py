"""Results as JSON, by the names of the documented format, written as they are read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Self, TextIO

from eval_pipeline.domain.aggregates import Aggregate
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.results import EvaluationResult

Graded = Iterable[tuple[Grading, ModelResponse]]


class ResultsWriter:
    """Writes `{"results": [...]}` piece by piece, because a set may have a hundred thousand prompts.

    Args:
        stream: Where to write.
        project: The project's slug.
    """

    def __init__(self, stream: TextIO, project: str) -> None:
        self._stream = stream
        self._project = project
        self._separator = ""

    def __enter__(self) -> Self:
        self._stream.write('{"results": [')
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.write("]}\n")

    def write(self, result: EvaluationResult, graded: Graded | None = None) -> None:
        """Write one result, with its gradings where they are given."""
        self._stream.write(self._separator + "\n")
        self._separator = ","
        head = _dumped(_result_document(self._project, result))
        if graded is None:
            self._stream.write(head)
            return
        self._stream.write(head.removesuffix("}") + ', "gradings": [')
        separator = "\n  "
        for grading, response in graded:
            self._stream.write(separator + _dumped(_grading(grading, response)))
            separator = ",\n  "
        self._stream.write("]}")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _result_document(project: str, result: EvaluationResult) -> dict[str, Any]:
    summary = result.summary
    return {
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
        "comparison": None,
        "accepted": None,
    }


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
