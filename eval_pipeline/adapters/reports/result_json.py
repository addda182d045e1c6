"""Results as JSON, by the names of the documented format, written as they are read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Self, TextIO

from eval_pipeline.application.full_result import FullResult
from eval_pipeline.domain.aggregates import Aggregate
from eval_pipeline.domain.differences import Differences
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.provenance import GeneratorProvenance, identity
from eval_pipeline.domain.regression import Comparison
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.standing import ManualDecision

Graded = Iterable[tuple[Grading, ModelResponse]]


class ResultsWriter:
    """Writes `{"results": [...]}` piece by piece, because a set may have a hundred thousand prompts.

    Args:
        stream: Where to write.
        project: The project's slug.
        now: At which acceptances count.
    """

    def __init__(self, stream: TextIO, project: str, now: datetime) -> None:
        self._stream = stream
        self._project = project
        self._now = now
        self._separator = ""

    def __enter__(self) -> Self:
        self._stream.write('{"results": [')
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.write("]}\n")

    def write(
        self, full: FullResult, graded: Graded | None = None, inputs: Mapping[str, str] | None = None
    ) -> None:
        """Write one result.

        Args:
            full: The result.
            graded: Its gradings, where they are wanted.
            inputs: The hash of each prompt's inputs, by prompt id, where a baseline for elsewhere is wanted:
                gradings are then written with them, and without anything that was answered.
        """
        self._stream.write(self._separator + "\n")
        self._separator = ","
        head = _dumped(result_document(self._project, full, self._now))
        if graded is None:
            self._stream.write(head)
            return
        self._stream.write(head.removesuffix("}") + ', "gradings": [')
        separator = "\n  "
        for grading, response in graded:
            entry = (
                _grading(grading, response)
                if inputs is None
                else _baseline_grading(grading, inputs.get(grading.prompt_id))
            )
            self._stream.write(separator + _dumped(entry))
            separator = ",\n  "
        self._stream.write("]}")


def result_document(project: str, full: FullResult, now: datetime) -> dict[str, Any]:
    """A result without its gradings; `now` is when acceptances count."""
    result, run, standing = full.result, full.run, full.standing
    summary, report = result.summary, standing.report
    return {
        "project": project,
        "set": result.set_id,
        "model_key": result.model_key,
        "grader": result.grader,
        "run_id": result.run_id,
        "result_id": result.id,
        "regraded_from": result.regraded_from,
        "run_date": result.run_date.isoformat(),
        "orchestration_run_id": run.orchestration_run_id if run else None,
        "model_id": result.model_id,
        "partial": result.partial,
        "complete": result.complete,
        "incomplete_because": result.incomplete_because,
        "repeats": run.repeats if run else None,
        **_aggregate(summary.total),
        "usage": asdict(summary.usage),
        "cost_usd": result.cost_usd,
        "latency_ms": asdict(summary.latency) if summary.latency else None,
        "flags": dict(summary.flags),
        "provenance": _provenance(summary.provenance),
        "yardstick": dict(result.yardstick),
        "hashes": {"content": run.content_hash if run else None, **asdict(result.set_hashes)},
        "treatment": dict(run.treatment) if run and run.treatment is not None else None,
        "gate": result.gate.model_dump(),
        "breakdown": {tag: _aggregate(aggregate) for tag, aggregate in summary.breakdown.items()},
        "comparison": _comparison(report.comparison) if report else None,
        "checks": [check.model_dump(mode="json") for check in report.checks] if report else None,
        "accepted": standing.approved(now),
        "not_accepted_because": report.not_accepted_because if report else None,
        "acceptance": _decision(standing.acceptance, now),
        "withdrawal": _decision(standing.withdrawal, now),
        "pin": _decision(standing.pin, now),
    }


def _decision(decision: ManualDecision | None, now: datetime) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {
        "reason": decision.reason,
        "by": decision.decided_by,
        "at": decision.decided_at.isoformat(),
        "until": decision.until.isoformat() if decision.until else None,
        "expired": decision.until is not None and decision.until <= now,
    }


def differences_document(found: Differences) -> dict[str, Any]:
    """What tells two results apart; the unnamed interval, p-value and drop are those of the pass rate."""
    document = found.model_dump(mode="json")
    pass_rate = document["pass_rate"] or {}
    return {
        **document,
        "pass_rate_delta": found.pass_rate.delta if found.pass_rate else None,
        "mean_score_delta": found.mean_score.delta if found.mean_score else None,
        **{
            name: pass_rate.get(name)
            for name in ("standard_error", "interval", "p_value", "test", "detectable_drop")
        },
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    document = comparison.model_dump(mode="json", exclude={"differences"})
    return document | (differences_document(comparison.differences) if comparison.differences else {})


def _provenance(provenance: GeneratorProvenance) -> dict[str, Any]:
    because = provenance.unverified_because
    return provenance.encoded() | ({} if because is None else {"unverified_because": because})


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _aggregate(aggregate: Aggregate) -> Mapping[str, Any]:
    return asdict(aggregate)


def _baseline_grading(grading: Grading, inputs: str | None) -> dict[str, Any]:
    """What a comparison needs of a grading. Reasons and assertions are left out: they quote the answer."""
    return {
        "prompt_id": grading.prompt_id,
        "repeat": grading.repeat,
        "inputs": inputs,
        "status": grading.status.value,
        "score": grading.score,
    }


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
        "served_by": identity(response.served_by),
        "latency_ms": response.latency_ms,
        "flags": list(response.reply.flags) if response.reply else [],
    }
