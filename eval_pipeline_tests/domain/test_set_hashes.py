from __future__ import annotations

import json
from dataclasses import fields
from itertools import permutations
from typing import Any

import pytest

from eval_pipeline.domain.assertions import Contains, JsonSchema
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet
from eval_pipeline.domain.responses import Message
from eval_pipeline.domain.set_hashes import Hashes, prompt_document, prompt_hashes, set_document, set_hashes
from eval_pipeline_tests.builders import golden_set, prompt

MESSAGES = (Message("user", "Hei"),)


def own_hashes(golden_set: GoldenPromptSet) -> Hashes:
    """The hashes of the first prompt."""
    return next(hashes for _, hashes in prompt_hashes(golden_set))


def changed(one: Hashes, other: Hashes) -> set[str]:
    return {each.name for each in fields(Hashes) if getattr(one, each.name) != getattr(other, each.name)}


@pytest.mark.parametrize(
    "own",
    [
        {"prompt": "Another question?"},
        {"messages": [Message("user", "Question p1?")]},
        {"vars": {"x": "1"}},
    ],
)
def test_another_question_changes_the_inputs_alone(own: dict[str, Any]) -> None:
    before, after = golden_set(prompt()), golden_set(prompt(**own))
    assert changed(set_hashes(before), set_hashes(after)) == {"inputs"}
    assert changed(*(own_hashes(each) for each in (before, after))) == {"inputs"}


def test_a_renamed_prompt_is_another_question() -> None:
    before, after = golden_set(prompt("a", prompt="Hei?")), golden_set(prompt("b", prompt="Hei?"))
    assert changed(*(own_hashes(each) for each in (before, after))) == {"inputs"}
    assert "inputs" in changed(set_hashes(before), set_hashes(after))


@pytest.mark.parametrize(
    "shared",
    [
        {"template": "{{x}}"},
        {"messages": MESSAGES},
        {"system_prompt": "Be kind."},
        {"parameters": {"temperature": 0}},
        {"parameters": {"temperature": 1}},
    ],
)
def test_another_way_of_asking_changes_the_treatment_alone(shared: dict[str, Any]) -> None:
    before, after = golden_set(prompt(vars={"x": "1"})), golden_set(prompt(vars={"x": "1"}), **shared)
    assert changed(set_hashes(before), set_hashes(after)) == {"treatment"}
    assert changed(*(own_hashes(each) for each in (before, after))) == {"treatment"}


@pytest.mark.parametrize(
    "own",
    [
        {"assertions": [Contains("no")]},
        {"assertions": [Contains("yes", weight=2)]},
        {"assertions": [Contains("yes"), Contains("no")]},
        {"reference": "yes"},
        {"must_pass": True},
    ],
)
def test_other_expectations_change_the_expectations_alone(own: dict[str, Any]) -> None:
    before, after = golden_set(prompt()), golden_set(prompt(**own))
    assert changed(set_hashes(before), set_hashes(after)) == {"expectations"}
    assert changed(*(own_hashes(each) for each in (before, after))) == {"expectations"}


def test_another_gate_changes_the_expectations_of_the_set_alone() -> None:
    before, after = golden_set(), golden_set(gate=Gate(min_pass_rate=0.5))
    assert changed(set_hashes(before), set_hashes(after)) == {"expectations"}


def test_a_prompt_moved_from_one_id_to_another_changes_the_set() -> None:
    before = golden_set(prompt("a", prompt="1?"), prompt("b", prompt="2?"))
    after = golden_set(prompt("a", prompt="2?"), prompt("b", prompt="1?"))
    assert changed(set_hashes(before), set_hashes(after)) == {"inputs"}


def test_expectations_exchanged_between_prompts_change_the_set() -> None:
    before = golden_set(prompt("a", reference="1"), prompt("b", reference="2"))
    after = golden_set(prompt("a", reference="2"), prompt("b", reference="1"))
    assert changed(set_hashes(before), set_hashes(after)) == {"expectations"}


def test_the_order_of_prompts_changes_nothing() -> None:
    prompts = [prompt("a"), prompt("B"), prompt("10"), prompt("9")]
    assert len({set_hashes(golden_set(*order)) for order in permutations(prompts)}) == 1


@pytest.mark.parametrize(
    "shared",
    [{"name": "Answers"}, {"owner": "us"}, {"description": "Why."}, {"models": ["tern"]}, {"id": "other"}],
)
def test_what_is_for_people_changes_nothing(shared: dict[str, Any]) -> None:
    assert set_hashes(golden_set(**shared)) == set_hashes(golden_set())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (golden_set(parameters={"a": 0, "b": 1}), golden_set(parameters={"b": 1.0, "a": 0.0})),
        (golden_set(prompt(vars={"a": "1", "b": "2"})), golden_set(prompt(vars={"b": "2", "a": "1"}))),
        (
            golden_set(prompt(assertions=[JsonSchema({"type": "object", "minProperties": 1})])),
            golden_set(prompt(assertions=[JsonSchema('{"minProperties": 1.0, "type": "object"}', weight=1)])),
        ),
    ],
)
def test_the_same_meaning_written_otherwise_changes_nothing(
    one: GoldenPromptSet, other: GoldenPromptSet
) -> None:
    assert set_hashes(one) == set_hashes(other)


def test_the_content_hash_follows_each_of_the_three() -> None:
    hashes = [Hashes("a", "b", "c"), Hashes("x", "b", "c"), Hashes("a", "x", "c"), Hashes("a", "b", "x")]
    assert len({each.content for each in hashes}) == 4


def test_the_stored_snapshot_is_json_and_holds_everything_declared() -> None:
    one = prompt(vars={"x": "1"}, reference="yes", must_pass=True, tags=["ci"])
    golden = golden_set(one, owner="us", models=["tern"], system_prompt="Hei", parameters={"temperature": 0})
    assert json.loads(json.dumps(prompt_document(one))) == {
        "id": "p1",
        "prompt": "Question p1?",
        "vars": {"x": "1"},
        "assert": [{"type": "contains", "value": "yes"}],
        "reference": "yes",
        "must_pass": True,
        "tags": ["ci"],
    }
    document = json.loads(json.dumps(set_document(golden)))
    assert (
        document.items()
        >= {"id": "acme.set", "owner": "us", "models": ["tern"], "system_prompt": "Hei"}.items()
    )
    assert document["parameters"] == {"temperature": 0}
    assert Gate(**document["gate"]) == golden.gate
