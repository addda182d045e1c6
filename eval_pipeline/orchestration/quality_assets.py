"""The assets that say how good models are, drawn from results.

Not here: what quality is (`domain/quality.py`).
"""

import warnings

import dagster as dg

from eval_pipeline.application.ports import Declarations, ResultHistory
from eval_pipeline.application.select_model import MeasuredQuality
from eval_pipeline.domain.quality import GeneratorScope
from eval_pipeline.orchestration.grader_assets import result_key
from eval_pipeline.orchestration.metadata import quality_metadata
from eval_pipeline.orchestration.partitions import MODEL_DIMENSION, PromptPartitions
from eval_pipeline.orchestration.prompt_assets import OWNERS
from eval_pipeline.orchestration.resources import failures_for_people, utc_now

MODEL_QUALITY = "model_quality"
QUALITY_GROUP = "quality"
_GRADER = "deterministic"


def quality_assets(partitions: PromptPartitions) -> list[dg.AssetsDefinition]:
    """The measured quality of every model."""
    # Results that regressed count as well, hence not behind approval; and not every model meets every set,
    # which a condition that waits for all partitions would wait for in vain. One that remembers what was
    # handled would lose a result that arrives while the quality is being measured.
    follows_results = dg.AutomationCondition.any_deps_updated()

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=dg.BetaWarning)
        of_all_sets = dg.MultiToSingleDimensionPartitionMapping(MODEL_DIMENSION)

    @dg.asset(
        name=MODEL_QUALITY,
        partitions_def=partitions.models,
        deps=[dg.AssetDep(result_key(_GRADER), partition_mapping=of_all_sets)],
        group_name=QUALITY_GROUP,
        kinds={"postgres"},
        owners=OWNERS,
        code_version="1",
        automation_condition=follows_results,
        description="The measured quality of a model: the mean score of its newest verified results, set by set.",
    )
    def model_quality(
        context: dg.AssetExecutionContext,
        declarations: dg.ResourceParam[Declarations],
        result_history: dg.ResourceParam[ResultHistory],
    ) -> dg.MaterializeResult:
        with failures_for_people():
            model = declarations.model(context.partition_key)
            source = MeasuredQuality(result_history, declarations.set_ids_for_quality, utc_now)
            scope = GeneratorScope(model.provider_key, model.outbound_model, model.key)
            quality = source.scoped_quality(scope)
        return dg.MaterializeResult(metadata=quality_metadata(quality))

    return [model_quality]
