"""The assets of one grader: gradings, the result with its checks, and the result once it is approved.

They are made by one factory, so that a user's own grader gets assets of its own. Not here: what grading,
comparing and approving mean.
"""

from pathlib import Path

import dagster as dg
from pydantic import Field

from eval_pipeline.adapters.reports.baseline_file import read_baseline
from eval_pipeline.application.baseline import ComparisonRules
from eval_pipeline.application.decide import decide
from eval_pipeline.application.grade import conclude, grade
from eval_pipeline.application.ports import Declarations, ResultHistory, ResultStore
from eval_pipeline.domain.baselines import Against
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.grading import Grader
from eval_pipeline.domain.results import GradingPass
from eval_pipeline.domain.runs import EvaluationRun
from eval_pipeline.orchestration.checks import result_check_specs, result_checks
from eval_pipeline.orchestration.metadata import result_metadata
from eval_pipeline.orchestration.partitions import PromptPartitions, pair_of
from eval_pipeline.orchestration.prompt_assets import OWNERS, PROMPT_GROUP
from eval_pipeline.orchestration.resources import failures_for_people, utc_now


class CompareConfig(dg.Config):
    """What a result is compared with, and how strictly."""

    against: Against | None = Field(
        default=None, description="How the baseline is chosen: a pinned one, else the newest accepted one."
    )
    baseline_result: int | None = Field(default=None, description="A certain result as the baseline.")
    baseline_file: str | None = Field(default=None, description="An exported result as the baseline.")
    max_pass_rate_drop: float | None = Field(default=None, description="Over the set's own tolerance.")
    max_mean_score_drop: float | None = Field(default=None, description="Over the set's own tolerance.")
    confidence: float | None = Field(
        default=None, description="A drop counts only when its interval excludes 0 as well, such as 0.95."
    )

    def rules(self, set_id: str, model_key: str, grader: str) -> ComparisonRules:
        """The rules, with the file read.

        Raises:
            DefinitionError: The file is none, or holds no result of this kind.
            UsageError: A value is out of range, or there are two baselines.
        """
        file = None
        if self.baseline_file is not None:
            file = read_baseline(Path(self.baseline_file), set_id, model_key, grader)
        return ComparisonRules(
            against=self.against,
            result_id=self.baseline_result,
            file=file,
            max_pass_rate_drop=self.max_pass_rate_drop,
            max_mean_score_drop=self.max_mean_score_drop,
            confidence=self.confidence,
        )


def result_key(grader_name: str) -> dg.AssetKey:
    """The asset of a grader's results."""
    return dg.AssetKey([grader_name, "evaluation_result"])


def approved_key(grader_name: str) -> dg.AssetKey:
    """The asset that a user's own assets follow: a grader's results that may be relied on."""
    return dg.AssetKey([grader_name, "approved_result"])


def grader_assets(grader: Grader, partitions: PromptPartitions) -> list[dg.AssetsDefinition]:
    """The assets of one grader. All graders of a partition grade the same stored responses."""
    gradings_key = dg.AssetKey([grader.name, "gradings"])

    @dg.asset(
        key=gradings_key,
        partitions_def=partitions.pairs,
        deps=[dg.AssetKey("model_responses")],
        group_name=PROMPT_GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version=str(grader.version),
        description=f"The grading of every stored response by the grader '{grader.name}', as is expected now.",
    )
    def gradings(
        context: dg.AssetExecutionContext,
        declarations: dg.ResourceParam[Declarations],
        result_store: dg.ResourceParam[ResultStore],
    ) -> dg.MaterializeResult:
        set_id, model_key = pair_of(context)
        with failures_for_people():
            run = _run_at_hand(result_store, set_id, model_key, context.run.run_id)
            golden_set = declarations.golden_prompt_set(set_id)
            grading_pass = grade(run, golden_set, grader, result_store, utc_now, context.run.run_id)
        return dg.MaterializeResult(metadata={"evaluation_run": run.id, "grading_pass": grading_pass.id})

    @dg.asset(
        key=result_key(grader.name),
        partitions_def=partitions.pairs,
        deps=[gradings_key],
        group_name=PROMPT_GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version="1",
        check_specs=result_check_specs(result_key(grader.name), partitions.pairs),
        description=f"Pass rate, mean score and generator of the pair, by the grader '{grader.name}', and its verdict.",
    )
    def evaluation_result(
        context: dg.AssetExecutionContext,
        config: CompareConfig,
        declarations: dg.ResourceParam[Declarations],
        result_store: dg.ResourceParam[ResultStore],
        result_history: dg.ResourceParam[ResultHistory],
    ) -> dg.MaterializeResult:
        set_id, model_key = pair_of(context)
        with failures_for_people():
            rules = config.rules(set_id, model_key, grader.name)
            grading_pass = _grading_at_hand(result_store, set_id, model_key, grader.name, context.run.run_id)
            run = _run(result_store, grading_pass.run_id)
            golden_set, model = declarations.golden_prompt_set(set_id), declarations.model(model_key)
            result = conclude(run, grading_pass, golden_set, grader, model, result_store)
            report = decide(
                result, golden_set, grader, result_store, result_history, result_history, rules, utc_now
            )
            baseline = _run_of_result(result_store, report.comparison.baseline_id)
        return dg.MaterializeResult(
            metadata=result_metadata(result, run, report, baseline),
            check_results=list(result_checks(result, report)),
        )

    @dg.asset(
        key=approved_key(grader.name),
        partitions_def=partitions.pairs,
        deps=[result_key(grader.name)],
        group_name=PROMPT_GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version="1",
        description="The newest result of the pair, once it passed its checks or was accepted by hand: what may be built on.",
    )
    def approved_result(
        context: dg.AssetExecutionContext,
        result_store: dg.ResourceParam[ResultStore],
        result_history: dg.ResourceParam[ResultHistory],
    ) -> dg.MaterializeResult:
        set_id, model_key = pair_of(context)
        with failures_for_people():
            result_id = _newest_grading(result_store, set_id, model_key, grader.name).id
            standing = result_history.standings([result_id])[result_id]
            if not standing.approved(utc_now()):
                raise UsageError(
                    f"result {result_id} is not approved: {standing.why_not_approved()}."
                    f" To let it pass: eval-pipeline results accept {result_id} --reason ..."
                )
        by_hand = standing.acceptance if standing.accepted_by_hand(utc_now()) else None
        return dg.MaterializeResult(
            metadata={
                "result": f"eval-pipeline results show {result_id}",
                "approved_by": "its checks" if by_hand is None else by_hand.decided_by,
                "reason": "all checks passed" if by_hand is None else by_hand.reason,
            }
        )

    return [gradings, evaluation_result, approved_result]


def _run_at_hand(store: ResultStore, set_id: str, model_key: str, dagster_run_id: str) -> EvaluationRun:
    """What this Dagster run asked, else the newest run of the pair over its whole set."""
    own = store.run_of_orchestration(set_id, model_key, dagster_run_id)
    found = own or store.latest_whole_run(set_id, model_key)
    if found is None:
        raise UsageError(
            f"model {model_key} was never asked the whole set {set_id}: materialise model_responses first"
        )
    return found


def _grading_at_hand(
    store: ResultStore, set_id: str, model_key: str, grader_name: str, dagster_run_id: str
) -> GradingPass:
    """What this Dagster run graded, else the newest grading of the pair."""
    own = store.grading_of_orchestration(set_id, model_key, grader_name, dagster_run_id)
    return own or _newest_grading(store, set_id, model_key, grader_name)


def _newest_grading(store: ResultStore, set_id: str, model_key: str, grader_name: str) -> GradingPass:
    """The newest of the pair over its whole set, whichever Dagster run made it."""
    found = store.latest_whole_grading(set_id, model_key, grader_name)
    if found is None:
        raise UsageError(
            f"{set_id} · {model_key} has no gradings by '{grader_name}' over the whole set: materialise them first"
        )
    return found


def _run(store: ResultStore, run_id: int) -> EvaluationRun:
    run = store.run(run_id)
    if run is None:
        raise UsageError(f"there is no evaluation run {run_id}")
    return run


def _run_of_result(store: ResultStore, result_id: int | None) -> EvaluationRun | None:
    result = store.result(result_id) if result_id is not None else None
    return store.run(result.run_id) if result is not None else None
