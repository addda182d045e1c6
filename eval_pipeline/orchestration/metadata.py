"""What assets show in the UI: counts, rates, names and links, and never a text of a prompt or an answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg

from eval_pipeline.domain.differences import Change
from eval_pipeline.domain.gates import GateReport
from eval_pipeline.domain.quality import Quality
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.runs import EvaluationRun

_IDS_SHOWN = 50


def result_metadata(
    result: EvaluationResult, run: EvaluationRun, report: GateReport, baseline_run: EvaluationRun | None
) -> dict[str, Any]:
    """The metadata of an evaluation result. What was not measured is left out, never shown as 0.

    Args:
        result: The result.
        run: The run that it grades.
        report: The verdict of record on it.
        baseline_run: The run that its baseline grades, where there is one.
    """
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
        "verdict": f"{report.comparison.verdict.value.replace('_', ' ')}: {report.comparison.reason}",
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
        "set_version": run.content_hash,
        "yardstick": dg.MetadataValue.json(dict(result.yardstick)),
        "responses": dg.MetadataValue.asset(dg.AssetKey("model_responses")),
        **_run_link("asked_in", run),
        **_run_link("baseline_asked_in", baseline_run),
        **({} if result.regraded_from is None else {"regraded_from": result.regraded_from}),
    }


def change_metadata(name: str, change: Change | None) -> dict[str, Any]:
    """The numbers of a change; nothing where nothing was measured."""
    if change is None:
        return {}
    measured = {
        f"{name}_baseline": change.baseline,
        f"{name}_current": change.current,
        f"{name}_delta": change.delta,
        f"{name}_tolerance": change.tolerance,
        f"{name}_p_value": change.p_value,
        f"{name}_detectable_drop": change.detectable_drop,
    }
    interval = {} if change.interval is None else {f"{name}_interval": _between(change.interval)}
    return {key: float(value) for key, value in measured.items() if value is not None} | interval


def quality_metadata(quality: Quality | None) -> dict[str, Any]:
    """The measured quality of a model, set by set; that there is none is said, never shown as 0."""
    if quality is None:
        return {"quality": "unknown: no verified, complete result of a declared set is recent enough"}
    rows = "\n".join(
        f"| `{each.set_id}` | {each.mean_score:.3f} | {each.prompt_count} | {each.run_date:%Y-%m-%d}"
        f" | `eval-pipeline results show {each.result_id}` |"
        for each in quality.sets
    )
    interval = {} if quality.interval is None else {"interval": _between(quality.interval)}
    return {
        "score": quality.score,
        **interval,
        "sets": len(quality.sets),
        "prompt_count": quality.prompt_count,
        "by_set": dg.MetadataValue.md(
            f"| set | mean score | prompts | asked | result |\n|---|---|---|---|---|\n{rows}"
        ),
    }


def id_list(ids: Iterable[str]) -> str:
    """Ids as a Markdown list, shortened."""
    listed = list(ids)
    lines = [f"- `{prompt_id}`" for prompt_id in listed[:_IDS_SHOWN]]
    if len(listed) > _IDS_SHOWN:
        lines.append(f"- and {len(listed) - _IDS_SHOWN} more")
    return "\n".join(lines) or "none"


def _run_link(name: str, run: EvaluationRun | None) -> dict[str, Any]:
    if run is None or run.orchestration_run_id is None:
        return {}
    return {name: dg.MetadataValue.dagster_run(run.orchestration_run_id)}


def _between(interval: tuple[float, float]) -> str:
    return f"{interval[0]:+.4f} to {interval[1]:+.4f}"
