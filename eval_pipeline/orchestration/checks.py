"""The checks on a result: what has to hold before anything may follow it.

The verdict of record is in the result's row; these show it in the UI and stop what is downstream.
"""

import warnings
from collections.abc import Iterator

import dagster as dg

from eval_pipeline.domain.provenance import GeneratorStatus
from eval_pipeline.domain.results import EvaluationResult

COMPLETE = "complete"
ONE_GENERATOR = "one_generator"

_DESCRIPTIONS = {
    COMPLETE: "The result covers the whole set, and few enough prompts could not be measured.",
    ONE_GENERATOR: "All answered prompts were served by the same, completely known generator.",
}


def result_check_specs(asset: dg.AssetKey, pairs: dg.PartitionsDefinition) -> list[dg.AssetCheckSpec]:
    """The blocking checks of a result's asset, one evaluation a partition."""
    with warnings.catch_warnings():
        # Without partitions a check of one model would hide that of another; the parameter is a preview.
        warnings.filterwarnings("ignore", message=".*partitions_def.*")
        return [
            dg.AssetCheckSpec(name, asset=asset, description=description, blocking=True, partitions_def=pairs)
            for name, description in _DESCRIPTIONS.items()
        ]


def result_checks(result: EvaluationResult) -> Iterator[dg.AssetCheckResult]:
    """What the checks say of `result`."""
    total = result.summary.total
    yield dg.AssetCheckResult(
        check_name=COMPLETE,
        passed=result.complete,
        severity=dg.AssetCheckSeverity.ERROR,
        description=result.incomplete_because or "complete",
        metadata={"prompt_count": total.prompt_count, "error_count": total.error_count},
    )
    provenance = result.summary.provenance
    yield dg.AssetCheckResult(
        check_name=ONE_GENERATOR,
        passed=provenance.status is GeneratorStatus.ONE,
        severity=dg.AssetCheckSeverity.ERROR,
        description=f"{provenance.status.value.replace('_', ' ')}: {provenance.summary()}",
        metadata={"generators": len(provenance.counts), "unknown": provenance.unknown_count},
    )
