"""The sensor that keeps partitions in step, evaluated on a real instance against real files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from eval_pipeline.definitions import build_definitions
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.settings import Settings

SET = "id: {set_id}\nprompts:\n  - {{id: p1, prompt: Really?, assert: [{{contains: 'yes'}}]}}\n"
MODELS = "project: {project}\nproviders:\n  old: {{kind: replay, path: r.jsonl}}\nmodels:\n  {models}\n"


@dataclass
class Project:
    """The files of a project, and the sensor that looks at them."""

    folder: Path
    slug: str
    instance: dg.DagsterInstance

    def declare(self, *set_ids: str, models: tuple[str, ...] = ("tern",)) -> None:
        """Make these the sets and models of the project."""
        listed = "\n  ".join(f"{key}: {{provider: old}}" for key in models)
        (self.folder / "prompts").mkdir(parents=True, exist_ok=True)
        (self.folder / "models.yaml").write_text(MODELS.format(project=self.slug, models=listed), "utf-8")
        for path in (self.folder / "prompts").iterdir():
            path.unlink()
        for set_id in set_ids:
            (self.folder / "prompts" / f"{set_id}.yaml").write_text(SET.format(set_id=set_id), "utf-8")

    def tick(self) -> dg.SensorResult | dg.SkipReason:
        """One evaluation of the sensor, whose requests are carried out as the daemon does."""
        definitions = build_definitions(Settings(project=self.folder))
        sensor = definitions.get_repository_def().get_sensor_def("follow_declarations")
        with dg.build_sensor_context(instance=self.instance, definitions=definitions) as context:
            said = sensor(context)
        for request in getattr(said, "dynamic_partitions_requests", None) or ():
            if isinstance(request, dg.AddDynamicPartitionsRequest):
                self.instance.add_dynamic_partitions(
                    request.partitions_def_name, list(request.partition_keys)
                )
            else:
                for key in request.partition_keys:
                    self.instance.delete_dynamic_partition(request.partitions_def_name, key)
        return said

    @property
    def own_sets(self) -> set[str]:
        """The keys of sets but for the package's example."""
        return set(self.instance.get_dynamic_partitions(f"{self.slug}.golden_prompt_sets")) - {
            "eval_pipeline.smoke"
        }

    @property
    def models(self) -> set[str]:
        return set(self.instance.get_dynamic_partitions(f"{self.slug}.models"))


@pytest.fixture
def files(tmp_path: Path, project: str, instance: dg.DagsterInstance) -> Project:
    return Project(tmp_path, project, instance)


def test_the_first_tick_adds_what_is_declared_the_packages_examples_included(files: Project) -> None:
    files.declare("acme.faq", "acme.tone", models=("tern", "heron"))
    files.tick()
    assert files.own_sets == {"acme.faq", "acme.tone"}
    assert files.models == {"tern", "heron", "smollm2-135m"}


def test_a_tick_with_nothing_new_is_skipped_with_a_reason(files: Project) -> None:
    files.declare("acme.faq")
    files.tick()
    said = files.tick()
    assert isinstance(said, dg.SkipReason)
    assert said.skip_message == "The partitions are those that are declared."


def test_a_tick_follows_sets_and_models_that_come_and_go_in_the_meantime(files: Project) -> None:
    files.declare("acme.faq", "acme.old")
    files.tick()
    files.declare("acme.faq", "acme.new", models=("heron",))
    files.tick()
    assert files.own_sets == {"acme.faq", "acme.new"}
    assert files.models == {"heron", "smollm2-135m"}


def test_a_set_that_comes_back_unchanged_is_added_again(files: Project) -> None:
    for declared in (["acme.faq"], [], ["acme.faq"]):
        files.declare(*declared)
        files.tick()
    assert files.own_sets == {"acme.faq"}


def test_a_models_file_that_became_faulty_fails_the_tick_and_removes_no_partition(files: Project) -> None:
    files.declare("acme.faq")
    files.tick()
    definitions = build_definitions(Settings(project=files.folder))
    (files.folder / "models.yaml").write_text("no_such_key: 1\n", "utf-8")
    with (
        dg.build_sensor_context(instance=files.instance, definitions=definitions) as context,
        pytest.raises(DefinitionError, match="no_such_key"),
    ):
        definitions.get_repository_def().get_sensor_def("follow_declarations")(context)
    assert files.own_sets == {"acme.faq"}


def test_a_set_whose_file_became_faulty_keeps_its_partition_until_it_is_really_gone(files: Project) -> None:
    files.declare("acme.faq", "acme.tone")
    files.tick()
    (files.folder / "prompts" / "acme.tone.yaml").write_text("id: acme.tone\nprompts: []\n", "utf-8")
    files.tick()
    assert files.own_sets == {"acme.faq", "acme.tone"}


def test_the_sensor_runs_from_the_start_and_launches_nothing(files: Project) -> None:
    files.declare("acme.faq")
    definitions = build_definitions(Settings(project=files.folder))
    sensor = definitions.get_repository_def().get_sensor_def("follow_declarations")
    assert sensor.default_status is dg.DefaultSensorStatus.RUNNING
    said = files.tick()
    assert isinstance(said, dg.SensorResult)
    assert not said.run_requests
