"""The assets of prompt evaluation that all graders share: a set, and the responses of a model to it.

An asset reads its partition, calls one use case and returns metadata. Not here: what evaluation means, and
the assets of graders (`grader_assets.py`).
"""

import dagster as dg
from pydantic import Field

from eval_pipeline.application.ports import Declarations, ModelClients, Progress, ResultStore
from eval_pipeline.application.respond import respond
from eval_pipeline.domain.runs import AskPlan, Selection
from eval_pipeline.orchestration.partitions import PromptPartitions, pair_of
from eval_pipeline.orchestration.resources import failures_for_people, utc_now

GOLDEN_SETS_GROUP = "golden_sets"
PROMPT_GROUP = "prompt_evaluation"
OWNERS = ["team:evaluation"]


class AskConfig(dg.Config):
    """Which prompts of the set are asked; nothing given means all. A part of a set is never a baseline."""

    prompt_ids: list[str] | None = Field(default=None, description="Only these prompts.")
    tags: list[str] = Field(default=[], description="Only prompts that carry one of these tags.")
    limit: int | None = Field(default=None, ge=1, description="Only the first so many of those that remain.")
    repeats: int = Field(default=1, ge=1, description="How many times each prompt is asked.")


def prompt_assets(partitions: PromptPartitions) -> list[dg.AssetsDefinition]:
    """The golden set and the model's responses to it; graders follow with assets of their own."""

    @dg.asset(
        partitions_def=partitions.sets,
        group_name=GOLDEN_SETS_GROUP,
        kinds={"yaml", "postgres"},
        owners=OWNERS,
        code_version="1",
        description="A golden prompt set as it is declared now: validated, hashed, and kept as a snapshot.",
    )
    def golden_prompt_set(
        context: dg.AssetExecutionContext,
        declarations: dg.ResourceParam[Declarations],
        result_store: dg.ResourceParam[ResultStore],
    ) -> dg.MaterializeResult:
        with failures_for_people():
            golden_set = declarations.golden_prompt_set(context.partition_key)
            hashes = golden_set.hashes
            result_store.save_snapshot(golden_set, utc_now())
        return dg.MaterializeResult(
            data_version=dg.DataVersion(golden_set.content_hash),
            metadata={
                "name": golden_set.name,
                "owner": golden_set.owner or "none",
                "prompt_count": len(golden_set.prompts),
                "inputs_hash": hashes.inputs,
                "treatment_hash": hashes.treatment,
                "expectations_hash": hashes.expectations,
            },
        )

    @dg.asset(
        partitions_def=partitions.pairs,
        deps=[golden_prompt_set],
        group_name=PROMPT_GROUP,
        kinds={"llm", "postgres"},
        owners=OWNERS,
        code_version="1",
        description="Every response of the model to the set, with what served it, its tokens and its latency.",
    )
    def model_responses(
        context: dg.AssetExecutionContext,
        config: AskConfig,
        declarations: dg.ResourceParam[Declarations],
        model_clients: dg.ResourceParam[ModelClients],
        result_store: dg.ResourceParam[ResultStore],
        progress: dg.ResourceParam[Progress],
    ) -> dg.MaterializeResult:
        set_id, model_key = pair_of(context)
        selection = Selection(config.prompt_ids, config.tags, config.limit)
        with failures_for_people():
            plan = AskPlan.of(
                declarations.golden_prompt_set(set_id),
                declarations.model(model_key),
                selection,
                config.repeats,
            )
            run = respond(plan, model_clients, result_store, progress, utc_now, context.run.run_id)
        return dg.MaterializeResult(
            metadata={
                "evaluation_run": run.id,
                "prompt_count": run.prompt_count,
                "repeats": run.repeats,
                "partial": run.partial,
                "provider_instance": run.provider_instance,
                "outbound_model": run.outbound_model,
            },
        )

    return [golden_prompt_set, model_responses]
