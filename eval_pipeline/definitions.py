"""What Dagster loads: the assets, jobs and sensors of a project, with the ports that they are given.

Not here: anything that could live with what it is about, and how ports are built (`wiring.py`).
"""

from __future__ import annotations

from typing import Any

import dagster as dg

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.orchestration import jobs, resources
from eval_pipeline.orchestration.grader_assets import grader_assets
from eval_pipeline.orchestration.partitions import DeclaredKeys, PromptPartitions
from eval_pipeline.orchestration.prompt_assets import prompt_assets
from eval_pipeline.orchestration.quality_assets import quality_assets
from eval_pipeline.orchestration.sensors import partitions_sensor, quality_sensor
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import GRADERS, load_catalogue, model_clients, open_history, open_store


def declared_keys(catalogue: Catalogue) -> DeclaredKeys:
    """The partition keys that a catalogue asks for."""
    return DeclaredKeys(
        set_ids=frozenset(catalogue.sets),
        model_keys=frozenset(catalogue.model_keys),
        sets_with_faults=bool(catalogue.faults),
    )


def build_definitions(settings: Settings, **resource_overrides: Any) -> dg.Definitions:
    """Everything Dagster needs to know of a project.

    Args:
        settings: Where declarations and results are.
        resource_overrides: Ports to use instead of production's, by resource name.
    """
    declarations = resource_overrides.get(resources.DECLARATIONS) or load_catalogue(settings)
    project = declarations.project
    partitions = PromptPartitions.of(project)

    production: dict[str, Any] = {
        resources.DECLARATIONS: dg.ResourceDefinition(lambda _: load_catalogue(settings)),
        resources.RESULT_STORE: dg.ResourceDefinition(lambda _: open_store(settings, project)),
        resources.RESULT_HISTORY: dg.ResourceDefinition(lambda _: open_history(settings, project)),
        resources.MODEL_CLIENTS: dg.ResourceDefinition(lambda _: model_clients(settings)),
        resources.PROGRESS: dg.ResourceDefinition(lambda _: resources.LoggedProgress()),
    }
    return dg.Definitions(
        assets=[
            *prompt_assets(partitions),
            *(asset for grader in GRADERS for asset in grader_assets(grader, partitions)),
            *quality_assets(partitions),
        ],
        jobs=[
            jobs.snapshot_job(),
            *(jobs.evaluation_job(grader) for grader in GRADERS),
            *(jobs.regrading_job(grader) for grader in GRADERS),
        ],
        sensors=[
            partitions_sensor(partitions, lambda: declared_keys(load_catalogue(settings))),
            quality_sensor(),
        ],
        resources=production | resource_overrides,
        # A process for every step would cost seconds a partition; asking is concurrent within its step.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What `workspace.yaml` and `dg` load."""
    return build_definitions(Settings())
