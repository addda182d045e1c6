from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.model_catalogue import ModelsFile
from eval_pipeline.domain.validation import Place, closest, reasons


def why(declared: type[BaseModel], document: dict[str, Any], written: str | None = None) -> dict[Place, str]:
    with pytest.raises(ValidationError) as caught:
        declared.model_validate(document)
    return dict(reasons(caught.value, declared, lambda place: written))


def models_with(**declared: Any) -> dict[str, Any]:
    return {"models": {"tern": {"provider": "eu", **declared}}}


@pytest.mark.parametrize(
    ("document", "place", "hint"),
    [
        ({"projct": "acme"}, ("projct",), "did you mean 'project'?"),
        ({"xyz": 1}, ("xyz",), "known are: default_model, models, project, providers"),
        (models_with(modle="m"), ("models", "tern", "modle"), "did you mean 'model'?"),
        (
            models_with(price={"input": 1.0, "output": 1.0, "outputs": 1.0}),
            ("models", "tern", "price", "outputs"),
            "did you mean 'output'?",
        ),
        (
            {"models": {"price": {"provider": "eu", "modle": "m"}}},
            ("models", "price", "modle"),
            "did you mean 'model'?",
        ),
        (
            {"providers": {"eu": {"kind": "openai", "base_url": "http://h", "timeout": 5.0}}},
            ("providers", "eu", "openai", "timeout"),
            "did you mean 'timeout_seconds'?",
        ),
        (
            {"providers": {"local": {"kind": "llama_cpp", "pth": "x"}}},
            ("providers", "local", "llama_cpp", "pth"),
            "did you mean 'path'?",
        ),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_key_of_its_place(
    document: dict[str, Any], place: Place, hint: str
) -> None:
    reason = why(ModelsFile, document)[place]
    assert reason.startswith(f"unknown key '{place[-1]}'")
    assert hint in reason


def test_a_missing_key_is_named() -> None:
    assert why(ModelsFile, {"models": {"tern": {}}}) == {
        ("models", "tern", "provider"): "the key 'provider' is missing"
    }


@pytest.mark.parametrize(
    ("value", "written", "found"),
    [
        (False, "no", "no, which means the truth value False"),
        (750, "12:30", "12:30, which means the number 750"),
        (1.1, "1.10", "1.10, which means the number 1.1"),
        (7, None, "the number 7"),
        (None, "~", "no value"),
        ({"name": None}, None, "unquoted {{"),
        (["a"], None, "a mapping or a list"),
    ],
)
def test_a_value_where_text_is_expected_is_shown_as_written_with_the_advice_to_quote(
    value: object, written: str | None, found: str
) -> None:
    (reason,) = why(ModelsFile, models_with(provider=value), written).values()
    assert reason.startswith("provider: a text is expected")
    assert found in reason
    assert "in quotes" in reason


@pytest.mark.parametrize(("field", "value"), [("min_pass_rate", 1.5), ("max_error_share", "x")])
def test_any_other_fault_names_the_key_and_what_was_found(field: str, value: object) -> None:
    (reason,) = why(Gate, {field: value}).values()
    assert reason.startswith(f"{field}: ")
    assert reason.endswith(f"found {value!r}")


def test_all_faults_are_reported_with_their_places() -> None:
    document = {"projct": "x", "models": {"a": {}, "b": {"provider": "p", "priority": "high"}}}
    assert set(why(ModelsFile, document)) == {
        ("projct",),
        ("models", "a", "provider"),
        ("models", "b", "priority"),
    }


@pytest.mark.parametrize(
    "provider",
    [
        {"kind": "opnai", "api_key": "sk-test-123"},
        {"api_key": "sk-test-123"},
        {"kind": "openai", "base_url": "http://h", "api_key": "sk-test-123"},
    ],
)
def test_a_key_written_into_a_provider_is_not_repeated_in_the_reason(provider: dict[str, str]) -> None:
    assert "sk-test-123" not in str(why(ModelsFile, {"providers": {"eu": provider}}))


def test_without_a_near_name_all_known_names_are_listed() -> None:
    assert closest("zzz", ["b", "a"]) == "known are: a, b"
    assert closest("exakt", ["contains", "exact"]) == "did you mean 'exact'?"
    assert closest("exact", []) == "there are none"
