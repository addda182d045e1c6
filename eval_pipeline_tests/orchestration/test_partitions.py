"""Dynamic partitions that follow the declarations."""

from __future__ import annotations

import dagster as dg
import pytest

from eval_pipeline.orchestration.partitions import (
    DeclaredKeys,
    PromptPartitions,
    follow_declarations,
    pair_key,
    partition_changes,
)


@pytest.fixture
def partitions(project: str) -> PromptPartitions:
    """The partitions of a project that no other test uses."""
    return PromptPartitions.of(project)


def declared_keys(set_ids: list[str], model_keys: list[str]) -> DeclaredKeys:
    return DeclaredKeys(frozenset(set_ids), frozenset(model_keys))


def present(instance: dg.DagsterInstance, definition: dg.DynamicPartitionsDefinition) -> set[str]:
    return set(instance.get_dynamic_partitions(str(definition.name)))


def test_keys_are_added_as_sets_and_models_are_declared(
    instance: dg.DagsterInstance, partitions: PromptPartitions
) -> None:
    follow_declarations(partitions, declared_keys(["acme.faq", "acme.tone"], ["tern"]), instance)
    follow_declarations(
        partitions, declared_keys(["acme.faq", "acme.tone"], ["tern", "heron-4.5_mini"]), instance
    )
    assert present(instance, partitions.sets) == {"acme.faq", "acme.tone"}
    assert present(instance, partitions.models) == {"tern", "heron-4.5_mini"}
    pairs = partitions.pairs.get_partition_keys(dynamic_partitions_store=instance)
    assert pair_key("acme.faq", "heron-4.5_mini") in pairs
    assert len(pairs) == 4


def test_a_key_that_is_removed_keeps_the_history_of_its_partition(
    instance: dg.DagsterInstance, partitions: PromptPartitions
) -> None:
    follow_declarations(partitions, declared_keys(["acme.faq", "acme.tone"], []), instance)
    asset = dg.AssetKey("recorded")
    instance.report_runless_asset_event(dg.AssetMaterialization(asset, partition="acme.tone"))
    follow_declarations(partitions, declared_keys(["acme.faq"], []), instance)
    assert present(instance, partitions.sets) == {"acme.faq"}
    kept = dg.AssetRecordsFilter(asset_key=asset, asset_partitions=["acme.tone"])
    assert len(instance.fetch_materializations(kept, limit=5).records) == 1


def test_a_key_that_is_declared_again_is_back(
    instance: dg.DagsterInstance, partitions: PromptPartitions
) -> None:
    for declared in (["acme.faq"], [], ["acme.faq"]):
        follow_declarations(partitions, declared_keys(declared, []), instance)
    assert present(instance, partitions.sets) == {"acme.faq"}


def test_projects_on_one_instance_do_not_share_keys(instance: dg.DagsterInstance, project: str) -> None:
    ours, theirs = PromptPartitions.of(project), PromptPartitions.of(f"{project}-staging")
    follow_declarations(ours, declared_keys(["acme.faq"], ["tern"]), instance)
    follow_declarations(theirs, declared_keys(["acme.tone"], ["heron"]), instance)
    assert (present(instance, ours.sets), present(instance, ours.models)) == ({"acme.faq"}, {"tern"})
    assert (present(instance, theirs.sets), present(instance, theirs.models)) == ({"acme.tone"}, {"heron"})


def test_changes_name_what_is_new_and_what_is_gone_and_nothing_when_all_is_as_declared(
    instance: dg.DagsterInstance, partitions: PromptPartitions
) -> None:
    follow_declarations(partitions, declared_keys(["acme.faq", "acme.old"], ["tern"]), instance)
    [change] = partition_changes(partitions, declared_keys(["acme.new", "acme.faq"], ["tern"]), instance)
    assert (change.definition, change.added, change.removed) == (
        partitions.sets,
        ("acme.new",),
        ("acme.old",),
    )
    assert partition_changes(partitions, declared_keys(["acme.old", "acme.faq"], ["tern"]), instance) == []


def test_a_pair_is_told_apart_by_its_dimensions_whatever_the_keys_look_like() -> None:
    key = pair_key("model", "set.of.things")
    assert key.keys_by_dimension == {"set": "model", "model": "set.of.things"}


def test_no_set_loses_its_key_while_there_are_sets_that_cannot_be_read(
    instance: dg.DagsterInstance, partitions: PromptPartitions
) -> None:
    follow_declarations(partitions, declared_keys(["acme.faq", "acme.tone"], ["tern", "heron"]), instance)
    faulty = DeclaredKeys(frozenset({"acme.faq"}), frozenset({"tern"}), sets_with_faults=True)
    follow_declarations(partitions, faulty, instance)
    assert present(instance, partitions.sets) == {"acme.faq", "acme.tone"}
    assert present(instance, partitions.models) == {"tern"}
