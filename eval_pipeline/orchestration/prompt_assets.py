"""The assets of prompt evaluation: a set, the responses of a model to it, their gradings, the result.

An asset reads its partition, calls one use case and returns metadata. Not here: what evaluation means.
"""

import dagster as dg
from pydantic import Field

from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.application.ports import Declarations, ModelClients, Progress, ResultStore
from eval_pipeline.application.respond import respond
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.grading import Grader
from eval_pipeline.domain.runs import AskPlan, EvaluationRun, Selection
from eval_pipeline.orchestration.checks import result_check_specs, result_checks
from eval_pipeline.orchestration.metadata import result_metadata
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
            data_version=dg.DataVersion(hashes.content),
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
                declarations.golden_prompt_set(set_id), declarations.model(model_key), selection
            )
            run = respond(plan, model_clients, result_store, progress, utc_now, context.run.run_id)
        return dg.MaterializeResult(
            metadata={
                "evaluation_run": run.id,
                "prompt_count": run.prompt_count,
                "partial": run.partial,
                "provider_instance": run.provider_instance,
                "outbound_model": run.outbound_model,
            },
        )

    return [golden_prompt_set, model_responses]


def grader_assets(grader: Grader, partitions: PromptPartitions) -> list[dg.AssetsDefinition]:
    """The assets of one grader. All graders of a partition grade the same stored responses."""
    responses_key = dg.AssetKey("model_responses")
    gradings_key = dg.AssetKey([grader.name, "gradings"])
    result_key = dg.AssetKey([grader.name, "evaluation_result"])

    @dg.asset(
        key=gradings_key,
        partitions_def=partitions.pairs,
        deps=[responses_key],
        group_name=PROMPT_GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version=str(grader.version),
        description=f"The grading of every stored response by the grader '{grader.name}'.",
    )
    def gradings(
        context: dg.AssetExecutionContext,
        declarations: dg.ResourceParam[Declarations],
        result_store: dg.ResourceParam[ResultStore],
    ) -> dg.MaterializeResult:
        set_id, model_key = pair_of(context)
        with failures_for_people():
            run = _run_at_hand(result_store, set_id, model_key, context.run.run_id)
            grading_pass = grade(run, declarations.golden_prompt_set(set_id), grader, result_store, utc_now)
        return dg.MaterializeResult(metadata={"evaluation_run": run.id, "grading_pass": grading_pass.id})

    @dg.asset(
        key=result_key,
        partitions_def=partitions.pairs,
        deps=[gradings_key],
        group_name=PROMPT_GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version="1",
        check_specs=result_check_specs(result_key, partitions.pairs),
        description=f"Pass rate, mean score and generator of the pair, by the grader '{grader.name}'.",
    )
    def evaluation_result(
        context: dg.AssetExecutionContext,
        declarations: dg.ResourceParam[Declarations],
        result_store: dg.ResourceParam[ResultStore],
    ) -> dg.MaterializeResult:
        set_id, model_key = pair_of(context)
        with failures_for_people():
            run = _run_at_hand(result_store, set_id, model_key, context.run.run_id)
            grading_pass = result_store.latest_grading(run.id, grader.name)
            if grading_pass is None:
                raise UsageError(f"run {run.id} has no gradings by '{grader.name}': materialise them first")
            golden_set, model = declarations.golden_prompt_set(set_id), declarations.model(model_key)
            result = conclude(run, grading_pass, golden_set, model, result_store)
        return dg.MaterializeResult(
            metadata=result_metadata(result, context.run.run_id), check_results=list(result_checks(result))
        )

    return [gradings, evaluation_result]


def _run_at_hand(store: ResultStore, set_id: str, model_key: str, dagster_run_id: str) -> EvaluationRun:
    """The run that this Dagster run asked, else the newest of the pair."""
    run = store.latest_run(set_id, model_key, dagster_run_id)
    if run is None:
        raise UsageError(
            f"model {model_key} was never asked the set {set_id}: materialise model_responses first"
        )
    return run
