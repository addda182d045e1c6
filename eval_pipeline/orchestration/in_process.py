"""Materialising assets in this process, for the command line: the same assets, in the same instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg

from eval_pipeline.orchestration.jobs import SNAPSHOT_JOB, evaluation_job_name, regrading_job_name
from eval_pipeline.orchestration.partitions import pair_key

_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
_CHECK_FAILED = "DagsterAssetCheckFailedError"
_INTERRUPTED = "DagsterExecutionInterruptedError"
_DATA_VERSION_TAG = "dagster/data_version"


def snapshot_is_current(instance: dg.DagsterInstance, set_id: str, content_hash: str) -> bool:
    """Whether the set was last materialised with this content."""
    records = instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=dg.AssetKey("golden_prompt_set"), asset_partitions=[set_id]), limit=1
    ).records
    materialization = records[0].asset_materialization if records else None
    return materialization is not None and (materialization.tags or {}).get(_DATA_VERSION_TAG) == content_hash


def materialise_snapshot(
    definitions: dg.Definitions, instance: dg.DagsterInstance, set_id: str
) -> str | None:
    """Keep a set as it is declared now. Returns why that failed, or none."""
    return _executed(definitions, instance, SNAPSHOT_JOB, set_id, {})[1]


def materialise_pair(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    set_id: str,
    model_key: str,
    grader_name: str,
    asking: Mapping[str, Any],
    comparing: Mapping[str, Any],
) -> tuple[str, str | None]:
    """Ask, grade, conclude and, where its checks pass, approve one pair.

    Args:
        definitions: Of the project.
        instance: Of Dagster.
        set_id: The set.
        model_key: The model.
        grader_name: The grader.
        asking: What `AskConfig` holds.
        comparing: What `CompareConfig` holds.

    Returns:
        The Dagster run, and why a step failed, or none. A check that did not pass is no such failure.
    """
    config = {
        "model_responses": {"config": asking},
        _op(grader_name, "evaluation_result"): {"config": comparing},
    }
    return _executed(
        definitions,
        instance,
        evaluation_job_name(grader_name),
        pair_key(set_id, model_key),
        {"ops": config},
    )


def materialise_regrading(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    set_id: str,
    model_key: str,
    grader_name: str,
    comparing: Mapping[str, Any],
) -> tuple[str, str | None]:
    """Grade the stored answers of the newest run of a pair anew, conclude and approve. Asks no model."""
    config = {_op(grader_name, "evaluation_result"): {"config": comparing}}
    return _executed(
        definitions,
        instance,
        regrading_job_name(grader_name),
        pair_key(set_id, model_key),
        {"ops": config},
    )


def _op(grader_name: str, asset: str) -> str:
    """The step that materialises a grader's asset, as run configuration names it."""
    return f"{grader_name}__{asset}"


def _executed(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    job: str,
    partition_key: str,
    config: Mapping[str, Any],
) -> tuple[str, str | None]:
    result = definitions.resolve_job_def(job).execute_in_process(
        instance=instance, partition_key=partition_key, run_config={**_QUIET, **config}, raise_on_error=False
    )
    for event in result.all_events:
        if event.is_step_failure:
            if _INTERRUPTED in _causes(event):
                raise KeyboardInterrupt
            return result.run_id, _reason(event)
    return result.run_id, None


def _reason(event: dg.DagsterEvent) -> str | None:
    """Why a step failed; none for a blocking check, whose verdict stands in the result."""
    data = event.step_failure_data
    if data.user_failure_data is not None and data.user_failure_data.description:
        return data.user_failure_data.description
    causes = _causes(event)
    if not causes or _CHECK_FAILED in causes:
        return None
    return list(causes.values())[-1]


def _causes(event: dg.DagsterEvent) -> dict[str | None, str]:
    """The messages of a step's failure and of its causes, by the names of their exceptions."""
    found = {}
    error = event.step_failure_data.error
    while error is not None:
        found[error.cls_name] = error.message.strip()
        error = error.cause
    return found
