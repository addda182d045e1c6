"""The models file: what it may say, every fault with its place, and the environment that it names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval_pipeline.adapters.catalogue.models_file import read_models_file, with_environment
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.model_catalogue import (
    ConfiguredModel,
    LlamaCppProvider,
    OpenAIProvider,
    Price,
    ReplayProvider,
)

FULL = """\
project: acme
default_model: tern
providers:
  eu-west:
    {kind: openai, base_url: "${GATEWAY}/v1", api_key_env: GATEWAY_KEY, max_concurrency: 32, timeout_seconds: 60}
  local: {kind: llama_cpp, path: weights.gguf}
  recorded: {kind: replay, path: answers.jsonl}
models:
  tern:
    provider: eu-west
    model: tern-large
    parameters: {max_tokens: 512, logit_bias: {"50256": -100}}
    capabilities: [chat, json]
    context_length: 200000
    price: {input: 1.25, output: 10}
    priority: 10
  small: {provider: local}
"""
PROVIDER = OpenAIProvider(kind="openai", base_url="${SCHEME}://${HOST}/v1", api_key_env="KEY")


def written(folder: Path, content: str, name: str = "models.yaml") -> Path:
    path = folder / name
    path.write_text(content)
    return path


def faults(folder: Path, content: str, name: str = "models.yaml") -> tuple[Fault, ...]:
    """All faults for which a models file is refused."""
    path = written(folder, content, name)
    with pytest.raises(DefinitionError) as refused:
        read_models_file(path)
    assert {found.source for found in refused.value.faults} == {str(path)}
    return refused.value.faults


def test_a_models_file_names_providers_and_models(tmp_path):
    declared = read_models_file(written(tmp_path, FULL))
    assert (declared.project, declared.default_model) == ("acme", "tern")
    assert declared.providers == {
        "eu-west": OpenAIProvider(
            kind="openai",
            base_url="${GATEWAY}/v1",
            api_key_env="GATEWAY_KEY",
            max_concurrency=32,
            timeout_seconds=60.0,
        ),
        "local": LlamaCppProvider(kind="llama_cpp", path="weights.gguf"),
        "recorded": ReplayProvider(kind="replay", path="answers.jsonl"),
    }
    assert declared.models["small"] == ConfiguredModel(provider="local")
    assert declared.models["tern"] == ConfiguredModel(
        provider="eu-west",
        model="tern-large",
        parameters={"max_tokens": 512, "logit_bias": {"50256": -100}},
        capabilities=["chat", "json"],
        context_length=200_000,
        price=Price(input=1.25, output=10.0),
        priority=10,
    )


def test_a_models_file_may_be_json(tmp_path):
    content = json.dumps({"providers": {"p": {"kind": "llama_cpp"}}, "models": {"m": {"provider": "p"}}})
    assert read_models_file(written(tmp_path, content, "models.json")).models.keys() == {"m"}


@pytest.mark.parametrize("content", ["", "~", "x", "- a", "[]"])
def test_a_models_file_is_a_mapping(tmp_path, content):
    (found,) = faults(tmp_path, content)
    assert "a mapping is expected" in found.reason


PROVIDERS = "providers:\n  p: {kind: llama_cpp}\n"


@pytest.mark.parametrize(
    ("content", "key", "meant", "line"),
    [
        (PROVIDERS + "modles: {}", "modles", "models", 3),
        ("providers:\n  p: {kind: llama_cpp, pth: x}", "pth", "path", 2),
        ("providers:\n  p: {kind: openai, base_url: x, timeout: 5}", "timeout", "timeout_seconds", 2),
        (PROVIDERS + "models:\n  m: {provider: p, parameter: {}}", "parameter", "parameters", 4),
        (
            PROVIDERS + "models:\n  m: {provider: p, price: {input: 1, output: 1, inptu: 1}}",
            "inptu",
            "input",
            4,
        ),
    ],
)
def test_an_unknown_key_is_refused_with_its_line_and_what_may_be_meant(tmp_path, content, key, meant, line):
    (found,) = faults(tmp_path, content)
    assert f"unknown key '{key}'" in found.reason
    assert meant in found.reason.partition(";")[2]
    assert found.line == line


@pytest.mark.parametrize(
    "provider",
    [
        "{kind: opnai, base_url: x}",
        "{base_url: x}",
        "{}",
        "~",
        "x",
        "{kind: openai}",
        "{kind: openai, base_url: no}",
        "{kind: replay}",
        "{kind: openai, base_url: x, max_concurrency: 0}",
        "{kind: openai, base_url: x, max_concurrency: 1.5}",
        "{kind: openai, base_url: x, max_concurrency: '4'}",
        "{kind: openai, base_url: x, timeout_seconds: 0}",
        "{kind: openai, base_url: x, timeout_seconds: .inf}",
        "{kind: openai, base_url: x, timeout_seconds: .nan}",
        "{kind: llama_cpp, max_concurrency: 2}",
    ],
)
def test_a_faulty_provider_is_refused_by_its_key_and_line(tmp_path, provider):
    (found,) = faults(tmp_path, f"providers:\n  good: {{kind: llama_cpp}}\n  eu-west: {provider}\n")
    assert "provider 'eu-west'" in found.reason
    assert found.line == 3


def test_an_unknown_kind_of_provider_is_refused_with_the_kinds_that_there_are(tmp_path):
    (found,) = faults(tmp_path, "providers: {p: {kind: opnai}}")
    assert all(kind in found.reason for kind in ("opnai", "openai", "llama_cpp", "replay"))


@pytest.mark.parametrize(
    "model",
    [
        "{}",
        "~",
        "{provider: 7}",
        "{provider: p, model: 5.2}",
        "{provider: p, model: no}",
        "{provider: p, parameters: [x]}",
        "{provider: p, price: {input: 1}}",
        "{provider: p, price: {input: -1, output: 0}}",
        "{provider: p, price: {input: .nan, output: 0}}",
        "{provider: p, price: {input: free, output: 0}}",
        "{provider: p, context_length: 0}",
        "{provider: p, priority: high}",
        "{provider: p, capabilities: chat}",
        "{provider: p, model: ''}",
        "{provider: p, parameters: {temperature: .nan}}",
        "{provider: p, parameters: {stop: [.inf]}}",
    ],
)
def test_a_faulty_model_is_refused_by_its_key_and_line(tmp_path, model):
    (found,) = faults(tmp_path, f"{PROVIDERS}models:\n  good: {{provider: p}}\n  tern: {model}\n")
    assert "model 'tern'" in found.reason
    assert found.line == 5


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n", "tools"])
def test_what_the_evaluation_itself_sets_is_no_parameter(tmp_path, name):
    (found,) = faults(tmp_path, f"{PROVIDERS}models:\n  m: {{provider: p, parameters: {{{name}: 1}}}}")
    assert f"the evaluation itself sets {name}" in found.reason


def test_a_model_of_an_unknown_provider_is_refused_with_those_that_there_are(tmp_path):
    (found,) = faults(tmp_path, f"{PROVIDERS}models:\n  good: {{provider: p}}\n  tern: {{provider: q}}\n")
    assert found.reason == "model 'tern': there is no provider 'q'; known are: p"
    assert found.line == 5


@pytest.mark.parametrize("key", ["a b", "a/b", "a|b", "-a", "a..b", "''", "ä", "a" * 201, '"a\\n"'])
@pytest.mark.parametrize("section", ["providers", "models"])
def test_a_key_is_letters_and_digits_in_parts(tmp_path, section, key):
    entry = "{kind: llama_cpp}" if section == "providers" else "{provider: p}"
    (found,) = faults(
        tmp_path, f"{section}:\n  {key}: {entry}\n" + ("" if section == "providers" else PROVIDERS)
    )
    assert "the key" in found.reason


@pytest.mark.parametrize(
    "project", ["Acme", "acme corp", "acme/x", "''", "no", "7", "a--b", "~", '"acme\\n"']
)
def test_a_project_is_a_slug(tmp_path, project):
    (found,) = faults(tmp_path, f"project: {project}\n")
    assert "project" in found.reason
    assert found.line == 1


def test_all_faults_are_told_at_once(tmp_path):
    found = faults(tmp_path, "projct: x\nproviders:\n  p: {kind: x}\nmodels:\n  m: {provder: p}\n")
    assert sorted(one.line for one in found) == [1, 3, 5, 5]


@pytest.mark.parametrize(
    "provider",
    [
        "{kind: openai, base_url: 'http://h/v1', api_key: sk-test-0123456789}",
        "{kind: opnai, base_url: 'http://h/v1', api_key: sk-test-0123456789}",
        "{base_url: 'http://h/v1', api_key: sk-test-0123456789}",
        "[sk-test-0123456789]",
        "sk-test-0123456789",
        "{kind: openai, base_url: 'http://h/v1', api_key_env: [sk-test-0123456789]}",
        "{kind: openai, base_url: 'http://h/v1', max_concurrency: sk-test-0123456789}",
    ],
)
def test_a_key_written_into_the_file_by_mistake_is_not_repeated(tmp_path, provider):
    assert "0123456789" not in "".join(map(str, faults(tmp_path, f"providers: {{p: {provider}}}")))


def test_variables_of_the_environment_are_filled_in(tmp_path):
    environment = {"SCHEME": "https", "HOST": "host.example:8000", "KEY": "secret"}
    provider = with_environment(PROVIDER, "eu-west", "models.yaml", environment)
    assert provider == PROVIDER.model_copy(update={"base_url": "https://host.example:8000/v1"})


def test_what_a_variable_holds_is_not_looked_at_again():
    environment = {"SCHEME": "${HOST}", "HOST": "${SCHEME}", "KEY": "secret"}
    assert (
        with_environment(PROVIDER, "eu-west", "models.yaml", environment).base_url == "${HOST}://${SCHEME}/v1"
    )


@pytest.mark.parametrize(
    ("environment", "missing"),
    [
        ({}, ["SCHEME", "HOST", "KEY"]),
        ({"SCHEME": "https", "HOST": ""}, ["HOST", "KEY"]),
        ({"SCHEME": "https", "HOST": "h"}, ["KEY"]),
        ({"SCHEME": "https", "HOST": "h", "KEY": ""}, ["KEY"]),
        ({"SCHEME": "https", "HOST": "h", "key": "secret"}, ["KEY"]),
    ],
)
def test_variables_that_are_not_set_are_refused_by_name(environment, missing):
    with pytest.raises(DefinitionError) as refused:
        with_environment(PROVIDER, "eu-west", "models.yaml", environment)
    assert [(found.source, found.reason) for found in refused.value.faults] == [
        ("models.yaml", f"provider 'eu-west': the environment variable {name} is not set") for name in missing
    ]


@pytest.mark.parametrize("base_url", ["${HOST", "$HOST", "{HOST}", "$${HOST"])
def test_what_only_looks_like_a_variable_is_text(base_url):
    provider = OpenAIProvider(kind="openai", base_url=base_url)
    assert with_environment(provider, "eu-west", "models.yaml", {"HOST": "h"}) == provider


@pytest.mark.parametrize("base_url", ["${}", "${ }", "${HOST NAME}"])
def test_a_variable_without_a_name_is_refused(base_url):
    provider = OpenAIProvider(kind="openai", base_url=base_url)
    with pytest.raises(DefinitionError, match="provider 'eu-west'"):
        with_environment(provider, "eu-west", "models.yaml", {"HOST": "h"})


@pytest.mark.parametrize(
    "provider",
    [ReplayProvider(kind="replay", path="it.bin"), LlamaCppProvider(kind="llama_cpp", path="it.bin")],
    ids=["replay", "llama_cpp"],
)
def test_a_path_is_relative_to_the_models_file(tmp_path, provider):
    resolved = with_environment(provider, "p", str(tmp_path / "models.yaml"), {})
    assert resolved.path == str(tmp_path / "it.bin")


def test_a_key_file_is_relative_to_the_models_file(tmp_path):
    provider = OpenAIProvider(kind="openai", base_url="http://h/v1", api_key_file="secrets/key")
    resolved = with_environment(provider, "p", str(tmp_path / "models.yaml"), {})
    assert resolved.api_key_file == str(tmp_path / "secrets" / "key")


def test_an_absolute_path_stays_and_may_come_from_the_environment(tmp_path):
    provider = ReplayProvider(kind="replay", path="${ANSWERS}")
    resolved = with_environment(
        provider, "p", "/elsewhere/models.yaml", {"ANSWERS": str(tmp_path / "a.jsonl")}
    )
    assert resolved.path == str(tmp_path / "a.jsonl")
