"""The checks on a result in Dagster: what has to hold before anything may follow it.

The verdict of record is a row in PostgreSQL; these show it in the UI and stop what is downstream. Not
here: what they ask for (`domain/gates.py`).
"""

import warnings
from collections.abc import Iterator
from typing import Any

import dagster as dg

from eval_pipeline.domain.gates import BLOCKING, CheckName, GateReport
from eval_pipeline.domain.regression import Comparison
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.orchestration.metadata import change_metadata, id_list

_DESCRIPTIONS = {
    CheckName.COMPLETE: "The result covers the whole set, and few enough prompts could not be measured.",
    CheckName.ONE_GENERATOR: "All answered prompts were served by the same, completely known generator.",
    CheckName.NO_REGRESSION: "Against its baseline, no rate fell by more than the tolerance.",
    CheckName.MEETS_FLOOR: "The pass rate is not below its floor, and every must-pass prompt passed.",
    CheckName.GENERATOR_CHANGED: "Warns when another model answers under the same name than before.",
}


def result_check_specs(asset: dg.AssetKey, pairs: dg.PartitionsDefinition) -> list[dg.AssetCheckSpec]:
    """The checks of a result's asset, one evaluation a partition."""
    with warnings.catch_warnings():
        # Without partitions a check of one model would hide that of another; the parameter is a preview.
        warnings.filterwarnings("ignore", message=".*partitions_def.*")
        return [
            dg.AssetCheckSpec(
                name.value,
                asset=asset,
                description=description,
                blocking=name in BLOCKING,
                partitions_def=pairs,
            )
            for name, description in _DESCRIPTIONS.items()
        ]


def result_checks(result: EvaluationResult, report: GateReport) -> Iterator[dg.AssetCheckResult]:
    """What the checks say of `result`."""
    total, provenance = result.summary.total, result.summary.provenance
    comparison = _comparison_metadata(report.comparison)
    metadata: dict[CheckName, dict[str, Any]] = {
        CheckName.COMPLETE: {"prompt_count": total.prompt_count, "error_count": total.error_count},
        CheckName.ONE_GENERATOR: {
            "generators": len(provenance.counts),
            "unknown": provenance.unknown_count,
        },
        CheckName.NO_REGRESSION: comparison,
        CheckName.MEETS_FLOOR: {"passed_count": total.passed_count, "graded_count": total.graded_count},
        CheckName.GENERATOR_CHANGED: comparison,
    }
    for check in report.checks:
        yield dg.AssetCheckResult(
            check_name=check.name.value,
            passed=check.passed,
            severity=dg.AssetCheckSeverity.ERROR if check.blocks else dg.AssetCheckSeverity.WARN,
            description=check.reason,
            metadata=metadata[check.name],
        )


def _comparison_metadata(comparison: Comparison) -> dict[str, Any]:
    """Against what, by how much, and which prompts: names, ids and numbers."""
    shown: dict[str, Any] = {"verdict": comparison.verdict.value}
    if comparison.against is not None:
        shown |= {
            "against": comparison.against,
            "baseline": f"eval-pipeline results show {comparison.baseline_id}",
            "baseline_generator": comparison.baseline_generator or "unknown",
            "baseline_graded_anew": comparison.regraded,
        }
    found = comparison.differences
    if found is None:
        return shown
    shown |= change_metadata("pass_rate", found.pass_rate) | change_metadata("mean_score", found.mean_score)
    return shown | {
        "shared": found.shared,
        "added": found.added,
        "removed": found.removed,
        "edited": found.edited,
        "changed_treatment": ", ".join(found.changed_treatment) or "none",
        "flipped_to_fail": dg.MetadataValue.md(
            id_list(flip.prompt_id for flip in found.flipped if flip.worse)
        ),
        "flipped_to_pass": dg.MetadataValue.md(
            id_list(flip.prompt_id for flip in found.flipped if not flip.worse)
        ),
        "unmeasured": dg.MetadataValue.md(id_list(found.unmeasured)),
        "advice": "; ".join(found.advice) or "none",
    }
