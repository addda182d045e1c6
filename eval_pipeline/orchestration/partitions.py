"""The partitions: golden sets by models, dynamic because they follow what is declared.

Not here: which pairs are evaluated when.
"""

from __future__ import annotations

from dataclasses import dataclass

import dagster as dg

SET_DIMENSION = "set"
MODEL_DIMENSION = "model"


@dataclass(frozen=True, slots=True)
class PromptPartitions:
    """The partitions of a project's prompt evaluation.

    Attributes:
        sets: Keyed by the identifiers of golden prompt sets.
        models: Keyed by model keys.
        pairs: Keyed by both. Any pair can be evaluated; which ones are is up to the sets.
    """

    sets: dg.DynamicPartitionsDefinition
    models: dg.DynamicPartitionsDefinition
    pairs: dg.MultiPartitionsDefinition

    @classmethod
    def of(cls, project: str) -> PromptPartitions:
        """The partitions of a project. Their names carry its slug, since an instance shares keys by name."""
        sets = dg.DynamicPartitionsDefinition(name=f"{project}.golden_prompt_sets")
        models = dg.DynamicPartitionsDefinition(name=f"{project}.models")
        return cls(sets, models, dg.MultiPartitionsDefinition({SET_DIMENSION: sets, MODEL_DIMENSION: models}))


@dataclass(frozen=True, slots=True)
class DeclaredKeys:
    """The keys that declarations ask for.

    Attributes:
        set_ids: Identifiers of golden prompt sets.
        model_keys: Keys of models.
        sets_with_faults: Whether there are sets that cannot be read. It is not known which these are, so
            that no key of a set is removed meanwhile.
    """

    set_ids: frozenset[str]
    model_keys: frozenset[str]
    sets_with_faults: bool = False


@dataclass(frozen=True, slots=True)
class PartitionChanges:
    """What has to happen to one kind of keys so that they match the declarations."""

    definition: dg.DynamicPartitionsDefinition
    added: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def partition_changes(
    partitions: PromptPartitions, declared: DeclaredKeys, instance: dg.DagsterInstance
) -> list[PartitionChanges]:
    """How the instance's keys differ from the declared ones. Removed keys keep their history."""
    changes = []
    for definition, wanted in ((partitions.sets, declared.set_ids), (partitions.models, declared.model_keys)):
        present = set(instance.get_dynamic_partitions(str(definition.name)))
        removed = set() if definition is partitions.sets and declared.sets_with_faults else present - wanted
        changes.append(PartitionChanges(definition, tuple(sorted(wanted - present)), tuple(sorted(removed))))
    return [change for change in changes if change]


def follow_declarations(
    partitions: PromptPartitions, declared: DeclaredKeys, instance: dg.DagsterInstance
) -> None:
    """Make the instance's keys those that are declared."""
    for change in partition_changes(partitions, declared, instance):
        name = str(change.definition.name)
        if change.added:
            instance.add_dynamic_partitions(name, list(change.added))
        for key in change.removed:
            instance.delete_dynamic_partition(name, key)


def pair_of(context: dg.AssetExecutionContext) -> tuple[str, str]:
    """The set identifier and the model key of the partition at hand."""
    key = context.partition_key
    if not isinstance(key, dg.MultiPartitionKey):
        raise TypeError(f"not a partition of set and model: {key}")
    return key.keys_by_dimension[SET_DIMENSION], key.keys_by_dimension[MODEL_DIMENSION]


def pair_key(set_id: str, model_key: str) -> dg.MultiPartitionKey:
    """The partition key of a set and a model."""
    return dg.MultiPartitionKey({SET_DIMENSION: set_id, MODEL_DIMENSION: model_key})
