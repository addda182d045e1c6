"""Providers as models, and what is never copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_pipeline.domain.model_catalogue import ModelsFile
from eval_pipeline_tests.adapters.promptfoo.configurations import (
    case,
    left_out,
    notes,
    translated,
    with_tests,
)


def models(folder: Path, *providers: Any, **files: str) -> tuple[ModelsFile, str]:
    translation = translated(folder, with_tests(case(), providers=list(providers)), **files)
    return ModelsFile.model_validate(translation.models.document), left_out(translation)


def test_a_name_of_openai_becomes_a_model_with_promptfoos_defaults(tmp_path: Path) -> None:
    found, missing = models(tmp_path, "openai:gpt-4o", "openai:chat:ft:gpt-4o:acme::1", "openai:o3-mini")
    assert missing == ""
    assert found.default_model == "gpt-4o"
    assert found.models["gpt-4o"].parameters == {"temperature": 0, "max_tokens": 1024}
    assert found.models["ft-gpt-4o-acme-1"].model == "ft:gpt-4o:acme::1"
    assert found.models["o3-mini"].parameters == {}
    assert found.providers["openai"].model_dump()["api_key_env"] == "OPENAI_API_KEY"


def test_labels_are_keys_and_endpoints_are_shared(tmp_path: Path) -> None:
    endpoint = {"apiBaseUrl": "https://gw.example/v1", "apiKeyEnvar": "GW_KEY"}
    found, missing = models(
        tmp_path,
        {"id": "openai:chat:m", "label": "warm", "config": {**endpoint, "temperature": 1, "stop": ["END"]}},
        {"id": "openai:chat:m", "label": "warm", "config": {**endpoint, "cost": 0.000002}},
        {"openai:m": {"config": {"apiHost": "gw.example", "apiKeyEnvar": "GW_KEY"}}},
    )
    assert missing == ""
    assert list(found.providers) == ["gw-example"]
    assert list(found.models) == ["warm", "warm-2", "m"]
    assert found.models["warm"].parameters == {"temperature": 1, "max_tokens": 1024, "stop": ["END"]}
    price = found.models["warm-2"].price
    assert price is not None
    assert (price.input, price.output) == (2, 2)


def test_environment_variables_in_addresses_and_keys_stay_variables(tmp_path: Path) -> None:
    config = {"apiBaseUrl": "{{ env.GW_URL }}/v1", "apiKey": "{{env['GW_KEY']}}"}
    found, missing = models(tmp_path, {"id": "openai:m", "config": config})
    assert missing == ""
    (provider,) = found.providers.values()
    assert provider.model_dump()["base_url"] == "${GW_URL}/v1"
    assert provider.model_dump()["api_key_env"] == "GW_KEY"


def test_an_endpoint_without_keys_needs_none(tmp_path: Path) -> None:
    config = {"apiBaseUrl": "http://localhost:8000/v1", "apiKeyRequired": False}
    found, _ = models(tmp_path, {"id": "openai:m", "config": config})
    (provider,) = found.providers.values()
    assert provider.model_dump()["api_key_env"] is None


def test_no_value_of_a_configuration_is_ever_shown(tmp_path: Path) -> None:
    secret = "hunter2-of-ours"
    config = {
        "apiKey": secret,
        "headers": {"x": secret},
        "organization": secret,
        secret[:3]: secret,
        "tools": [secret],
        "passthrough": {"model": secret},
    }
    translation = translated(
        tmp_path,
        with_tests(
            case(),
            providers=[
                {"id": "openai:m", "config": config},
                f"https://user:{secret}@host/x",
                {"id": "openai:n", "config": {"apiBaseUrl": f"https://user:{secret}@host/v1"}},
            ],
            env={"OPENAI_API_KEY": secret},
        ),
    )
    said = left_out(translation) + notes(translation) + str(translation.models.document)
    assert secret not in said
    for key in ("apiKey", "headers", "organization", "tools", "model", "env", "password"):
        assert key in left_out(translation)


@pytest.mark.parametrize(
    ("provider", "why"),
    [
        ("anthropic:messages:claude-sonnet-4-5", "only openai: has a counterpart"),
        ("python:provider.py", "only openai: has a counterpart"),
        ("exec:./run", "only openai: has a counterpart"),
        ("http", "only openai: has a counterpart"),
        ("openai:responses:gpt-5", "not OpenAI's responses"),
        ("openai:embedding:x", "not OpenAI's embedding"),
        ("openai:gpt-3.5-turbo-instruct", "text completions"),
        ("openai:{{ env.MODEL }}", "filled in"),
        ({"id": "openai:m", "transform": "output"}, "a script"),
        ({"id": "openai:m", "config": {"apiBaseUrl": "{{ x }}/v1"}}, "environment variables"),
        ("file://providers.py", "only openai: has a counterpart"),
        ("file://missing.yaml", "no file missing.yaml"),
        ({}, "only openai: has a counterpart"),
    ],
)
def test_a_provider_without_a_counterpart_is_left_out(tmp_path: Path, provider: Any, why: str) -> None:
    found, missing = models(tmp_path, provider, "openai:gpt-4o")
    assert why in missing
    assert list(found.models) == ["gpt-4o"]


def test_providers_in_files_and_targets_are_read(tmp_path: Path) -> None:
    found, missing = models(tmp_path, "file://p.yaml", p__yaml="- openai:a\n- id: openai:b\n")
    assert missing == ""
    assert list(found.models) == ["a", "b"]
    declared = {"prompts": ["{{question}}"], "targets": ["openai:c"], "tests": [case()]}
    assert list(translated(tmp_path, declared).models.models) == ["c"]


def test_a_provider_that_is_asked_some_prompts_is_a_model_of_their_sets(tmp_path: Path) -> None:
    declared = with_tests(
        case(),
        prompts=[{"raw": "{{question}}", "label": "one"}, {"raw": "Now: {{question}}", "label": "two"}],
        providers=["openai:a", {"id": "openai:b", "prompts": ["two"]}],
    )
    sets = {one.id: one.document["models"] for one in translated(tmp_path, declared).sets}
    assert sets == {"support.one": ["a"], "support.two": ["a", "b"]}
