"""Between results and their rows. Provenance is verified against its row on every read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from eval_pipeline.domain.aggregates import Aggregate, EvaluationSummary, Latency
from eval_pipeline.domain.errors import StorageError
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.responses import TokenUsage
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.set_hashes import Hashes
from eval_pipeline.domain.text import storable


def result_row(project: str, result: EvaluationResult) -> dict[str, Any]:
    """The columns of an `evaluation_result`."""
    summary, total = result.summary, result.summary.total
    low, high = total.pass_rate_bounds or (None, None)
    return {
        "id": result.id,
        "run_id": result.run_id,
        "project": project,
        "set_id": result.set_id,
        "model_key": result.model_key,
        "grader": result.grader,
        "run_date": result.run_date,
        "model_id": result.model_id,
        "partial": result.partial,
        "incomplete_because": result.incomplete_because,
        "prompt_count": total.prompt_count,
        "graded_count": total.graded_count,
        "passed_count": total.passed_count,
        "error_count": total.error_count,
        "skipped_count": total.skipped_count,
        "pass_rate": total.pass_rate,
        "pass_rate_low": low,
        "pass_rate_high": high,
        "mean_score": total.mean_score,
        "standard_error": total.standard_error,
        "input_tokens": summary.usage.input_tokens,
        "output_tokens": summary.usage.output_tokens,
        "cost_usd": result.cost_usd,
        "latency_p50_ms": summary.latency.p50 if summary.latency else None,
        "latency_p95_ms": summary.latency.p95 if summary.latency else None,
        "not_passed": list(summary.not_passed),
        "flags": dict(summary.flags),
        "breakdown": {storable(tag): asdict(aggregate) for tag, aggregate in summary.breakdown.items()},
        "gate": result.gate.model_dump(),
        "inputs_hash": result.set_hashes.inputs,
        "treatment_hash": result.set_hashes.treatment,
        "expectations_hash": result.set_hashes.expectations,
        "yardstick": dict(result.yardstick),
        "provenance": summary.provenance.encoded(),
        "regraded_from": result.regraded_from,
    }


def result_of(row: Any) -> EvaluationResult:
    """The result of a row of an `evaluation_result`. Provenance that is damaged, or at odds with its row, is no evidence.

    Raises:
        StorageError: Something else in the row is damaged.
    """
    try:
        return _result_of(row)
    except (KeyError, TypeError, ValueError):
        raise StorageError(f"the stored result {row.id} is damaged: remove or repair its row") from None


def _result_of(row: Any) -> EvaluationResult:
    provenance = GeneratorProvenance.decoded(row.provenance).verified_against(
        prompt_count=row.prompt_count, graded_count=row.graded_count, model_id=row.model_id
    )
    summary = EvaluationSummary(
        total=Aggregate(
            prompt_count=row.prompt_count,
            graded_count=row.graded_count,
            passed_count=row.passed_count,
            error_count=row.error_count,
            skipped_count=row.skipped_count,
            pass_rate=row.pass_rate,
            pass_rate_bounds=_pair(row.pass_rate_low, row.pass_rate_high),
            mean_score=row.mean_score,
            standard_error=row.standard_error,
        ),
        breakdown={tag: _aggregate(stored) for tag, stored in sorted(row.breakdown.items())},
        provenance=provenance,
        usage=TokenUsage(row.input_tokens, row.output_tokens),
        latency=_latency(row.latency_p50_ms, row.latency_p95_ms),
        not_passed=tuple(row.not_passed),
        flags=row.flags,
    )
    return EvaluationResult(
        id=row.id,
        run_id=row.run_id,
        set_id=row.set_id,
        model_key=row.model_key,
        grader=row.grader,
        run_date=row.run_date,
        partial=row.partial,
        incomplete_because=row.incomplete_because,
        summary=summary,
        yardstick=row.yardstick,
        gate=Gate(**row.gate),
        set_hashes=Hashes(row.inputs_hash, row.treatment_hash, row.expectations_hash),
        cost_usd=row.cost_usd,
        regraded_from=row.regraded_from,
    )


def _aggregate(stored: Mapping[str, Any]) -> Aggregate:
    bounds = stored["pass_rate_bounds"]
    return Aggregate(**{**stored, "pass_rate_bounds": tuple(bounds) if bounds is not None else None})


def _pair(low: float | None, high: float | None) -> tuple[float, float] | None:
    return (low, high) if low is not None and high is not None else None


def _latency(p50: float | None, p95: float | None) -> Latency | None:
    return Latency(p50, p95) if p50 is not None and p95 is not None else None
