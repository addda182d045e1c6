"""Results as the command exports them, in memory."""

from __future__ import annotations

import io
import json
from datetime import datetime
from typing import Any

from eval_pipeline.adapters.reports.result_json import ResultsWriter
from eval_pipeline.application.full_result import full_results, gradings_of_result
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline_tests.evaluated import World


def exported(world: World, *results: EvaluationResult, now: datetime | None = None) -> str:
    """What an export of results writes, with all that a baseline takes."""
    stream = io.StringIO()
    with ResultsWriter(stream, "acme", now or world.clock()) as writer:
        for full in full_results(list(results), world.store, world.history):
            inputs = world.store.prompt_inputs(full.result.set_id, full.run.content_hash if full.run else "")
            writer.write(full, gradings_of_result(full.result, world.store), inputs)
    return stream.getvalue()


def shown(world: World, result: EvaluationResult) -> dict[str, Any]:
    """One result with its gradings as the command shows it, read back."""
    stream = io.StringIO()
    with ResultsWriter(stream, "acme", world.clock()) as writer:
        for full in full_results([result], world.store, world.history):
            writer.write(full, gradings_of_result(full.result, world.store))
    [found] = json.loads(stream.getvalue())["results"]
    return found


def document(world: World, result: EvaluationResult) -> dict[str, Any]:
    """One exported result, read back."""
    [found] = json.loads(exported(world, result))["results"]
    return found
