"""Sensors. Those that spend nothing run from the start."""

from collections.abc import Callable, Iterable

import dagster as dg

from eval_pipeline.orchestration.partitions import PromptPartitions, partition_changes

Declared = Callable[[], tuple[Iterable[str], Iterable[str]]]
"""Gives the identifiers of the declared sets and the keys of the declared models."""


def partitions_sensor(partitions: PromptPartitions, declared: Declared) -> dg.SensorDefinition:
    """Keeps the partitions in step with the declarations. Asks no model."""

    @dg.sensor(
        name="follow_declarations",
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Adds and removes partitions as sets and models are declared. Spends nothing.",
    )
    def follow(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        set_ids, model_keys = declared()
        changes = partition_changes(partitions, set_ids, model_keys, context.instance)
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
