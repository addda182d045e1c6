"""What assets show in the UI: counts, rates, names and links, and never a text of a prompt or an answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg

from eval_pipeline.domain.results import EvaluationResult

_IDS_SHOWN = 50


def result_metadata(result: EvaluationResult, dagster_run_id: str) -> dict[str, Any]:
    """The metadata of an evaluation result. What was not measured is left out, never shown as 0."""
    total, summary = result.summary.total, result.summary
    measured: Mapping[str, float | None] = {
        "pass_rate": total.pass_rate,
        "mean_score": total.mean_score,
        "standard_error": total.standard_error,
        "cost_usd": result.cost_usd,
        "latency_p50_ms": summary.latency.p50 if summary.latency else None,
        "latency_p95_ms": summary.latency.p95 if summary.latency else None,
    }
    return {
        "result": dg.MetadataValue.text(f"eval-pipeline results show {result.id}"),
        "prompt_count": total.prompt_count,
        "graded_count": total.graded_count,
        "passed_count": total.passed_count,
        "error_count": total.error_count,
        "skipped_count": total.skipped_count,
        **{name: float(value) for name, value in measured.items() if value is not None},
        "generator": summary.provenance.summary(),
        "generator_status": summary.provenance.status.value,
        "complete": result.incomplete_because or "yes",
        "not_passed": dg.MetadataValue.md(id_list(summary.not_passed)),
        "responses": dg.MetadataValue.asset(dg.AssetKey("model_responses")),
        "run": dg.MetadataValue.dagster_run(dagster_run_id),
    }


def id_list(ids: Iterable[str]) -> str:
    """Ids as a Markdown list, shortened."""
    listed = list(ids)
    lines = [f"- `{prompt_id}`" for prompt_id in listed[:_IDS_SHOWN]]
    if len(listed) > _IDS_SHOWN:
        lines.append(f"- and {len(listed) - _IDS_SHOWN} more")
    return "\n".join(lines) or "none"
