"""Sensors. Those that spend nothing run from the start."""

from collections.abc import Callable

import dagster as dg

from eval_pipeline.orchestration.partitions import DeclaredKeys, PromptPartitions, partition_changes
from eval_pipeline.orchestration.quality_assets import MODEL_QUALITY


def partitions_sensor(
    partitions: PromptPartitions, declared: Callable[[], DeclaredKeys]
) -> dg.SensorDefinition:
    """Keeps the partitions in step with the declarations. Asks no model."""

    @dg.sensor(
        name="follow_declarations",
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Adds and removes partitions as sets and models are declared. Spends nothing.",
    )
    def follow(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        changes = partition_changes(partitions, declared(), context.instance)
        if not changes:
            return dg.SkipReason("The partitions are those that are declared.")
        requests: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
        for change in changes:
            if change.added:
                requests.append(change.definition.build_add_request(list(change.added)))
            if change.removed:
                requests.append(change.definition.build_delete_request(list(change.removed)))
        return dg.SensorResult(dynamic_partitions_requests=requests)

    return follow


def quality_sensor() -> dg.AutomationConditionSensorDefinition:
    """Lets the quality of models follow every new result. Asks no model."""
    return dg.AutomationConditionSensorDefinition(
        "follow_results",
        target=dg.AssetSelection.assets(MODEL_QUALITY),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Measures the quality of a model anew after every result of it. Spends nothing.",
    )
