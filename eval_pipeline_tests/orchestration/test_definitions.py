"""What Dagster loads, and the files by which it finds it."""

from __future__ import annotations

import importlib
import tomllib
from itertools import pairwise
from pathlib import Path

import dagster as dg
import pytest
import yaml

from eval_pipeline.definitions import build_definitions
from eval_pipeline.domain.errors import DefinitionError, StorageError
from eval_pipeline.domain.gates import CheckName
from eval_pipeline.orchestration.instance import (
    open_instance,
    prepare_dagster_home,
    shipped_file,
    uses_postgres,
)
from eval_pipeline.settings import Settings

PAIRS = {
    "model_responses",
    "deterministic/gradings",
    "deterministic/evaluation_result",
    "deterministic/approved_result",
}
RESULT = dg.AssetKey(["deterministic", "evaluation_result"])


@pytest.fixture(scope="module")
def definitions(tmp_path_factory: pytest.TempPathFactory) -> dg.Definitions:
    return build_definitions(Settings(project=tmp_path_factory.mktemp("project")))


def test_the_definitions_of_a_project_without_any_file_are_loadable(definitions: dg.Definitions) -> None:
    dg.Definitions.validate_loadable(definitions)


def test_the_assets_are_those_of_the_design_in_their_groups_and_partitions(
    definitions: dg.Definitions,
) -> None:
    graph = definitions.resolve_asset_graph()
    found = {key.to_user_string(): graph.get(key) for key in graph.get_all_asset_keys()}
    assert found.keys() == {"golden_prompt_set", "model_quality"} | PAIRS
    assert found["golden_prompt_set"].group_name == "golden_sets"
    assert found["model_quality"].group_name == "quality"
    assert {found[name].group_name for name in PAIRS} == {"prompt_evaluation"}
    assert {tuple(found[name].partitions_def.partition_dimension_names) for name in PAIRS} == {
        ("model", "set")
    }
    assert all(entry.description and entry.owners for entry in found.values())


def test_the_lineage_leads_from_the_set_to_the_approved_result(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    order = [
        "golden_prompt_set",
        "model_responses",
        "deterministic/gradings",
        "deterministic/evaluation_result",
        "deterministic/approved_result",
    ]
    for upstream, downstream in pairwise(order):
        parents = graph.get(dg.AssetKey.from_user_string(downstream)).parent_keys
        assert parents == {dg.AssetKey.from_user_string(upstream)}


def test_a_result_has_five_checks_evaluated_per_partition(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    assert graph.asset_check_keys == {dg.AssetCheckKey(RESULT, name.value) for name in CheckName}
    for check in map(graph.get, graph.asset_check_keys):
        assert check.partitions_def == graph.get(RESULT).partitions_def


def test_the_checks_of_a_result_block_but_for_the_one_that_warns_of_another_generator(
    definitions: dg.Definitions,
) -> None:
    graph = definitions.resolve_asset_graph()
    blocking = {key.name for key in graph.asset_check_keys if graph.get(key).blocking}
    assert blocking == {"complete", "one_generator", "no_regression", "meets_floor"}


def test_definitions_of_a_faulty_project_are_refused_with_the_fault(tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text("project: Not A Slug\n", "utf-8")
    with pytest.raises(DefinitionError, match="Not A Slug"):
        build_definitions(Settings(project=tmp_path))


# The files that name them


def test_the_workspace_and_the_tools_settings_name_the_same_loadable_module() -> None:
    [entry] = yaml.safe_load(shipped_file("workspace.yaml").read_text("utf-8"))["load_from"]
    module = importlib.import_module(entry["python_module"]["module_name"])
    dg.Definitions.validate_loadable(module.defs())
    settings = tomllib.loads(shipped_file("pyproject.toml").read_text("utf-8"))["tool"]["dg"]["project"]
    assert settings["code_location_target_module"] == entry["python_module"]["module_name"]
    assert settings["code_location_name"] == entry["python_module"]["location_name"]


def test_the_shipped_instance_keeps_everything_in_postgresql_and_sends_no_telemetry() -> None:
    shipped = yaml.safe_load(shipped_file("dagster.yaml").read_text("utf-8"))
    assert shipped["storage"] == {"postgres": {"postgres_url": {"env": "EVAL_PIPELINE_DATABASE_URL"}}}
    assert (shipped["telemetry"], shipped["nux"]) == ({"enabled": False}, {"enabled": False})
    assert shipped["run_monitoring"]["enabled"]
    assert shipped["run_monitoring"]["free_slots_after_run_end_seconds"] > 0


# The instance


def test_the_home_of_an_instance_always_has_the_current_configuration(tmp_path: Path) -> None:
    (tmp_path / "dagster").mkdir()
    (tmp_path / "dagster" / "dagster.yaml").write_text("storage: of another time\n", "utf-8")
    folder = prepare_dagster_home(tmp_path)
    assert (folder / "dagster.yaml").read_bytes() == shipped_file("dagster.yaml").read_bytes()


def test_a_home_without_configuration_is_refused_instead_of_used_with_sqlite(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"holds no dagster\.yaml"):
        open_instance(tmp_path)


def test_an_instance_that_cannot_be_opened_is_refused_in_one_line_without_password(tmp_path: Path) -> None:
    url = "postgresql://ada:hunter2-of-ours@127.0.0.1:9/results"
    (tmp_path / "dagster.yaml").write_text(f"storage: {{postgres: {{postgres_uri: '{url}'}}}}\n", "utf-8")
    with pytest.raises(StorageError) as refused:
        open_instance(tmp_path)
    assert "\n" not in str(refused.value)
    assert "hunter2-of-ours" not in str(refused.value)


def test_an_instance_knows_whether_it_keeps_its_events_in_postgresql(instance: dg.DagsterInstance) -> None:
    assert uses_postgres(instance)
    with dg.DagsterInstance.ephemeral() as ephemeral:
        assert not uses_postgres(ephemeral)
