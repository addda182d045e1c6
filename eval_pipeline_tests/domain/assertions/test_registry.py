from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from eval_pipeline.domain.assertions import Assertion, Contains, Exact, JsonSchema, Regex, read_assertion
from eval_pipeline.domain.errors import DefinitionError


@pytest.mark.parametrize(
    ("declared", "meant"),
    [
        ({"contains": "yes"}, Contains("yes")),
        ({"type": "contains", "value": "yes"}, Contains("yes")),
        ({"type": "contains", "value": "yes", "weight": 2}, Contains("yes", weight=2)),
        ({"type": "regex", "pattern": "a", "flags": "i"}, Regex(pattern="a", flags="i")),
        ({"json-schema": {"type": "object"}}, JsonSchema({"type": "object"})),
        ({"type": "json-schema", "value": {}}, JsonSchema({})),
    ],
)
def test_the_short_and_the_long_form_mean_the_same(declared: object, meant: Assertion) -> None:
    assert type(read_assertion(declared)) is type(meant)
    assert read_assertion(declared).definition() == meant.definition()


@pytest.mark.parametrize(
    "assertion",
    [
        Exact("yes"),
        Contains("yes", weight=0),
        Regex("/a/i"),
        Regex(pattern="a", flags="i", weight=0.5),
        JsonSchema({"type": "object", "required": ["a"]}),
        JsonSchema('{"minimum": 0}', weight=3),
    ],
)
def test_a_definition_that_was_stored_reads_back_as_the_same_assertion(assertion: Assertion) -> None:
    stored = json.loads(json.dumps(assertion.definition()))
    assert type(read_assertion(stored)) is type(assertion)
    assert read_assertion(stored).definition() == stored


@pytest.mark.parametrize("declared", [{"contians": "yes"}, {"type": "contians", "value": "yes"}, "contians"])
def test_an_unknown_kind_is_refused_with_the_nearest_known(declared: object) -> None:
    with pytest.raises(DefinitionError, match=r"unknown assertion kind 'contians'.*'contains'"):
        read_assertion(declared)


@pytest.mark.parametrize("name", ["Contains", "contains ", "", "asert", "contains.x"])
def test_a_kind_is_named_exactly(name: str) -> None:
    with pytest.raises(DefinitionError, match="unknown assertion kind"):
        read_assertion({name: "yes"})


@pytest.mark.parametrize("unknown", ["wieght", "vlaue", "kind", "judged", "label", "self", "cls"])
def test_an_unknown_parameter_is_refused_and_named(unknown: str) -> None:
    with pytest.raises(DefinitionError, match=f"unknown key '{unknown}'"):
        read_assertion({"type": "contains", "value": "yes", unknown: "x"})


@pytest.mark.parametrize(
    "declared",
    [
        None,
        5,
        True,
        [],
        ["contains", "yes"],
        {},
        {1: "yes"},
        {None: "yes"},
        {"contains": "yes", "weight": 2},
        {"contains": "yes", "exact": "yes"},
        {"type": None},
        {"type": ["contains"], "value": "yes"},
        {"contains": {"value": "yes"}},
        "contains",
        {"type": "contains"},
    ],
)
def test_what_is_no_assertion_is_refused(declared: object) -> None:
    with pytest.raises(DefinitionError):
        read_assertion(declared)


@pytest.mark.parametrize("weight", [-1, -0.001, 1_000_001, float("nan"), float("inf"), "1", True, None])
def test_a_weight_that_is_no_amount_is_refused(weight: Any) -> None:
    with pytest.raises(DefinitionError, match="weight"):
        Contains("yes", weight=weight)


@pytest.mark.parametrize("weight", [0, 0.5, 1_000_000])
def test_any_finite_amount_is_a_weight(weight: float) -> None:
    assert Contains("yes", weight=weight).weight == weight


def test_all_faults_of_an_assertion_are_reported_at_once() -> None:
    with pytest.raises(DefinitionError) as caught:
        Contains(5, weight=-1, colour="red")
    assert len(caught.value.faults) == 3
    assert all(fault.reason.startswith("assertion contains: ") for fault in caught.value.faults)


def test_an_assertion_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Contains("yes").value = "no"
