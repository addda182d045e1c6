from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from eval_pipeline.domain.model_catalogue import ConfiguredModel, ModelsFile, Price, is_key, without_reserved
from eval_pipeline.domain.responses import TokenUsage
from eval_pipeline.domain.results import cost_usd

ENDPOINT = {"kind": "openai", "base_url": "http://host/v1"}


def with_provider(**declared: Any) -> ModelsFile:
    return ModelsFile(providers={"eu": declared})


@pytest.mark.parametrize("key", ["a", "gpt-5.2", "GPT_4", "eu-west.1", "007", "a" * 200])
def test_a_key_is_letters_and_digits_in_joined_parts(key: str) -> None:
    assert is_key(key)


@pytest.mark.parametrize(
    "key", ["", "-a", "a-", "a..b", "a--b", "a b", "a/b", "a|b", "a\n", "é", "٣", "...", "a" * 201]
)
def test_anything_else_is_no_key(key: str) -> None:
    assert not is_key(key)
    with pytest.raises(ValidationError, match="key"):
        ModelsFile(models={key: {"provider": "eu"}})
    with pytest.raises(ValidationError, match="key"):
        ModelsFile(providers={key: ENDPOINT})


@pytest.mark.parametrize("project", ["", "Acme", "a b", "-a", "a--b", "a.b", "acme\n"])
def test_a_project_that_is_no_slug_is_refused(project: str) -> None:
    with pytest.raises(ValidationError, match="project"):
        ModelsFile(project=project)


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n", "tools"])
def test_what_the_evaluation_sets_itself_is_no_parameter(name: str) -> None:
    with pytest.raises(ValidationError, match=f"sets {name}"):
        ConfiguredModel(provider="eu", parameters={"temperature": 0, name: 1})


def test_any_other_parameter_is_taken_as_it_is() -> None:
    parameters = {"temperature": 0, "top_p": 0.5, "stop": ["."], "vendor": {"deep": None}}
    assert without_reserved(parameters) == parameters


@pytest.mark.parametrize(
    "changes",
    [
        {"max_concurrency": 0},
        {"max_concurrency": -1},
        {"max_concurrency": True},
        {"max_concurrency": "8"},
        {"timeout_seconds": 0.0},
        {"timeout_seconds": float("inf")},
        {"timeout_seconds": float("nan")},
        {"base_url": 8080},
        {"api_key": "secret"},
        {"kind": "opnai"},
    ],
)
def test_an_endpoint_that_could_not_be_asked_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        with_provider(**ENDPOINT | changes)


def test_each_kind_of_provider_has_keys_of_its_own() -> None:
    assert with_provider(kind="llama_cpp").providers["eu"].max_concurrency == 1
    with pytest.raises(ValidationError):
        with_provider(kind="llama_cpp", base_url="http://host/v1")
    with pytest.raises(ValidationError):
        with_provider(kind="llama_cpp", max_concurrency=2)


@pytest.mark.parametrize("price", [-0.01, float("nan"), float("inf"), "1"])
def test_a_price_that_is_no_amount_is_refused(price: object) -> None:
    with pytest.raises(ValidationError):
        Price(input=price, output=1)


@pytest.mark.parametrize(
    ("usage", "dollars"),
    [
        (TokenUsage(1_000_000, 0), 1.25),
        (TokenUsage(0, 1_000_000), 10.0),
        (TokenUsage(0, 0), 0.0),
        (TokenUsage(None, 5), None),
        (TokenUsage(5, None), None),
    ],
)
def test_a_cost_is_known_only_when_both_counts_are(usage: TokenUsage, dollars: float | None) -> None:
    assert cost_usd(usage, Price(input=1.25, output=10)) == dollars


def test_without_a_price_there_is_no_cost() -> None:
    assert cost_usd(TokenUsage(1, 1), None) is None
    assert cost_usd(TokenUsage(1, 1), Price(input=0, output=0)) == 0
