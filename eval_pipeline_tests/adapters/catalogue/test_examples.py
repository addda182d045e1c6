"""What the package itself contributes."""

from __future__ import annotations

from eval_pipeline.adapters.catalogue import examples
from eval_pipeline.domain.assertions import Contains, Exact, JsonSchema, Regex


def test_the_shipped_set_is_meant_for_the_shipped_model():
    (smoke,) = examples.golden_prompt_sets()
    assert smoke.id == "eval_pipeline.smoke"
    assert set(smoke.models) == examples.models().models.keys()


def test_the_shipped_set_needs_no_detector_so_that_it_runs_without_the_extra_for_language():
    (smoke,) = examples.golden_prompt_sets()
    shown = {type(assertion) for prompt in smoke.prompts for assertion in prompt.assertions}
    assert shown == {Exact, Contains, Regex, JsonSchema}
    assert not any(kind.detectors for kind in shown)


def test_the_shipped_model_costs_nothing_and_answers_alike_every_time():
    (model,) = examples.models().models.values()
    assert (model.price.input, model.price.output) == (0, 0)
    assert model.parameters["temperature"] == 0
    assert examples.models().providers[model.provider].max_concurrency == 1
