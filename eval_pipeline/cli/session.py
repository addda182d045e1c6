"""Evaluating in this process: the project's definitions against its Dagster instance."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.postgres.schema import plain_url
from eval_pipeline.application.ports import Progress
from eval_pipeline.cli.output import err
from eval_pipeline.definitions import build_definitions, declared_keys
from eval_pipeline.domain.errors import StorageError
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.runs import AskPlan, Selection
from eval_pipeline.orchestration import resources
from eval_pipeline.orchestration.in_process import (
    materialise_pair,
    materialise_regrading,
    materialise_snapshot,
    snapshot_is_current,
)
from eval_pipeline.orchestration.instance import open_instance, prepare_dagster_home, uses_postgres
from eval_pipeline.orchestration.partitions import PromptPartitions, follow_declarations
from eval_pipeline.settings import Settings


@dataclass(frozen=True, slots=True)
class Outcome:
    """How materialising a pair ended.

    Attributes:
        dagster_run_id: The run in the UI.
        failure: Why a step failed; none otherwise.
    """

    dagster_run_id: str
    failure: str | None


@dataclass(frozen=True, slots=True)
class Session:
    """An open instance with the definitions of a project."""

    definitions: dg.Definitions
    instance: dg.DagsterInstance

    def evaluate(
        self, plan: AskPlan, grader: str, selection: Selection, comparing: Mapping[str, Any]
    ) -> Outcome:
        """Materialise the snapshot of the set if it has changed, and the pair.

        Args:
            plan: What is asked.
            grader: Who grades.
            selection: Which prompts the plan is made of.
            comparing: What the result is compared with, as `CompareConfig` has it.

        Raises:
            StorageError: The snapshot cannot be kept.
        """
        set_id = plan.golden_set.id
        if not snapshot_is_current(self.instance, set_id, plan.golden_set.content_hash):
            failure = materialise_snapshot(self.definitions, self.instance, set_id)
            if failure is not None:
                raise StorageError(failure)
        asking = {
            "prompt_ids": None if selection.prompt_ids is None else list(selection.prompt_ids),
            "tags": list(selection.tags),
            "limit": selection.limit,
            "repeats": plan.repeats,
        }
        run_id, failure = materialise_pair(
            self.definitions, self.instance, set_id, plan.model.key, grader, asking, comparing
        )
        return Outcome(run_id, failure)

    def regrade(self, result: EvaluationResult, comparing: Mapping[str, Any]) -> Outcome:
        """Materialise the gradings of the newest run of a result's pair anew, and what follows from them."""
        run_id, failure = materialise_regrading(
            self.definitions,
            self.instance,
            result.set_id,
            result.model_key,
            result.grader,
            comparing,
        )
        return Outcome(run_id, failure)


def dagster_home_of(settings: Settings) -> Path:
    """The folder of the Dagster instance: one's own, else the one below the home, made ready."""
    return settings.dagster_home or prepare_dagster_home(settings.home)


@contextmanager
def open_project_instance(dagster_home: Path, catalogue: Catalogue, url: str) -> Iterator[dg.DagsterInstance]:
    """The instance over the database at `url`, its partitions those that are declared.

    Raises:
        StorageError: Dagster's instance cannot be opened.
    """
    # dagster.yaml names the database by this variable, also where it is the embedded one.
    os.environ["EVAL_PIPELINE_DATABASE_URL"] = plain_url(url)
    with open_instance(dagster_home) as instance:
        if not uses_postgres(instance):
            err.print(
                "warning: Dagster's storage is not PostgreSQL and may lock up under concurrent runs",
                markup=False,
            )
        follow_declarations(PromptPartitions.of(catalogue.project), declared_keys(catalogue), instance)
        yield instance


@contextmanager
def open_session(settings: Settings, catalogue: Catalogue, url: str, progress: Progress) -> Iterator[Session]:
    """A session whose partitions are those that are declared.

    Raises:
        StorageError: Dagster's instance cannot be opened.
    """
    overrides = {resources.DECLARATIONS: catalogue, resources.PROGRESS: progress}
    definitions = build_definitions(settings, **overrides)
    with open_project_instance(dagster_home_of(settings), catalogue, url) as instance:
        # What has been loaded by now lives until the end. Looking through it for garbage again and again
        # would take a tenth of the time in which a thousand prompts are asked.
        gc.freeze()
        yield Session(definitions, instance)
