"""Jobs: what is launched as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg

from eval_pipeline.domain.grading import Grader

if TYPE_CHECKING:
    from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

SNAPSHOT_JOB = "snapshot_golden_prompt_set"


def evaluation_job_name(grader_name: str) -> str:
    """The job that asks, grades and concludes one pair."""
    return f"evaluate_{grader_name}"


def snapshot_job() -> UnresolvedAssetJobDefinition:
    """Keeps one set as it is declared now."""
    return dg.define_asset_job(
        SNAPSHOT_JOB,
        selection=dg.AssetSelection.assets("golden_prompt_set"),
        description="Validates one golden prompt set and keeps it as a snapshot.",
    )


def regrading_job_name(grader_name: str) -> str:
    """The job that grades stored answers anew."""
    return f"regrade_{grader_name}"


def evaluation_job(grader: Grader) -> UnresolvedAssetJobDefinition:
    """Evaluates one set on one model by one grader."""
    selection = dg.AssetSelection.assets("model_responses") | _graded_assets(grader)
    return dg.define_asset_job(
        evaluation_job_name(grader.name),
        selection=selection,
        description=f"Asks one model every prompt of one set and grades the answers by '{grader.name}'.",
    )


def regrading_job(grader: Grader) -> UnresolvedAssetJobDefinition:
    """Grades the stored answers of one set and one model anew."""
    return dg.define_asset_job(
        regrading_job_name(grader.name),
        selection=_graded_assets(grader),
        description=f"Grades stored answers anew by '{grader.name}', as is expected now. Asks no model.",
    )


def _graded_assets(grader: Grader) -> dg.AssetSelection:
    names = ("gradings", "evaluation_result", "approved_result")
    return dg.AssetSelection.assets(*([grader.name, name] for name in names))
