"""Declared models as candidates, and the sets by which they are measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_pipeline.adapters.catalogue.candidates import candidates, sets_that_count
from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.domain.errors import DefinitionError, UsageError
from eval_pipeline.domain.model_catalogue import Price
from eval_pipeline.domain.model_criteria import Candidate

SET = "id: {}\nprompts:\n  - {{id: p1, prompt: Hi, assert: [{{contains: x}}]}}\n".format
MODELS = """\
project: acme
default_model: tern
providers:
  eu-west: {kind: openai, base_url: "http://host.example/v1", api_key_env: GATEWAY_KEY}
  recordings: {kind: replay, path: recorded.jsonl}
models:
  tern:
    provider: eu-west
    model: tern-large
    capabilities: [chat, json]
    context_length: 32000
    price: {input: 0, output: 2}
    priority: -3
  heron: {provider: recordings}
  owl: {provider: recordings, model: "${OWL}"}
"""
EXAMPLE = "smollm2-135m"
SHIPPED_SET = "eval_pipeline.smoke"


def catalogue(folder: Path, models: str = MODELS, *sets: str, **environment: str) -> Catalogue:
    """The catalogue of a project of these models and sets."""
    (folder / "prompts").mkdir()
    (folder / "models.yaml").write_text(models)
    for number, content in enumerate(sets):
        (folder / "prompts" / f"set-{number}.yaml").write_text(content)
    return Catalogue.load(folder, environment)


def of(declared: Catalogue, key: str, *set_ids: str) -> Candidate:
    (found,) = [each for each in candidates(declared, set_ids or None) if each.key == key]
    return found


def test_a_candidate_has_everything_that_its_model_declares(tmp_path):
    declared = catalogue(tmp_path, GATEWAY_KEY="secret-value")
    assert of(declared, "tern") == Candidate(
        key="tern",
        provider_instance="eu-west",
        outbound_model="tern-large",
        adapter_kind="openai",
        capabilities=("chat", "json"),
        context_length=32000,
        price=Price(input=0.0, output=2.0),
        priority=-3,
    )


def test_what_is_not_declared_is_unknown(tmp_path):
    found = of(catalogue(tmp_path), "heron")
    assert (found.outbound_model, found.provider_instance, found.adapter_kind) == (
        "heron",
        "recordings",
        "replay",
    )
    assert (found.price, found.context_length, found.latency_ms, found.capabilities) == (None, None, None, ())
    assert found.unusable_because is None


def test_every_declared_model_is_a_candidate_in_the_order_of_keys(tmp_path):
    assert [each.key for each in candidates(catalogue(tmp_path))] == ["heron", "owl", EXAMPLE, "tern"]


def test_a_model_whose_variable_is_not_set_is_a_candidate_with_that_reason(tmp_path):
    declared = catalogue(tmp_path)
    for key, variable in {"tern": "GATEWAY_KEY", "owl": "OWL"}.items():
        assert f"the environment variable {variable} is not set" in of(declared, key).unusable_because


def test_the_name_that_is_sent_comes_from_the_environment_where_the_model_says_so(tmp_path):
    found = of(catalogue(tmp_path, OWL="owl-7"), "owl")
    assert (found.outbound_model, found.unusable_because) == ("owl-7", None)


def test_no_candidate_shows_a_value_of_the_environment(tmp_path):
    assert "secret-value" not in repr(candidates(catalogue(tmp_path, GATEWAY_KEY="secret-value")))


def test_latencies_belong_to_models_by_their_key_and_0_is_one(tmp_path):
    found = candidates(catalogue(tmp_path), latencies={"heron": 0.0, "eu-west": 1.0, "tern-large": 2.0})
    latencies = {each.key: each.latency_ms for each in found}
    assert latencies == {"heron": 0.0, "owl": None, EXAMPLE: None, "tern": None}


def test_an_example_model_cannot_be_chosen_unless_a_set_that_counts_is_meant_for_it(tmp_path):
    declared = catalogue(tmp_path, MODELS, SET("acme.faq"))
    assert "is an example" in of(declared, EXAMPLE).unusable_because
    assert of(declared, EXAMPLE, SHIPPED_SET).unusable_because is None


def test_a_project_that_makes_the_example_model_its_default_can_choose_it(tmp_path):
    declared = catalogue(tmp_path, "project: acme", SET("acme.faq"))
    assert of(declared, EXAMPLE).unusable_because is None


def test_all_sets_that_are_no_examples_count(tmp_path):
    declared = catalogue(tmp_path, MODELS, SET("acme.faq"), SET("acme.hours"))
    assert sets_that_count(declared) == ["acme.faq", "acme.hours"]


def test_chosen_sets_count_instead_and_examples_may_be_chosen(tmp_path):
    declared = catalogue(tmp_path, MODELS, SET("acme.faq"))
    assert sets_that_count(declared, [SHIPPED_SET, SHIPPED_SET]) == [SHIPPED_SET]


def test_a_chosen_set_that_is_not_there_or_is_faulty_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"did you mean 'acme\.faq'"):
        sets_that_count(catalogue(tmp_path, MODELS, SET("acme.faq")), ["acme.fag"])
    (tmp_path / "prompts" / "set-1.yaml").write_text("id: acme.empty\nprompts: []\n")
    with pytest.raises(DefinitionError, match="no prompts"):
        sets_that_count(Catalogue.load(tmp_path, {}), ["acme.empty"])
