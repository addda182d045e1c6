"""What the package itself contributes through its entry points, as an example: a smoke set and a model."""

from pathlib import Path

from eval_pipeline.adapters.catalogue.models_file import read_models_file
from eval_pipeline.adapters.catalogue.prompt_set_files import read_prompt_set
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.model_catalogue import ModelsFile

_HERE = Path(__file__).parent


def golden_prompt_sets() -> list[GoldenPromptSet]:
    """The set `eval_pipeline.smoke`."""
    return [read_prompt_set(_HERE / "smoke.yaml").golden_set]


def models() -> ModelsFile:
    """The provider `local` and its model `smollm2-135m`, which runs inside the process."""
    return read_models_file(_HERE / "models.yaml")
