from __future__ import annotations

import json
from dataclasses import fields
from itertools import permutations
from typing import Any

import pytest

from eval_pipeline.domain.assertions import Contains, JsonSchema
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet, TagGate
from eval_pipeline.domain.responses import Message
from eval_pipeline.domain.set_hashes import (
    Hashes,
    prompt_document,
    prompt_hashes,
    set_document,
    set_hashes,
    treatment_fields,
)
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
    ],
)
def test_other_expectations_change_the_expectations_alone(own: dict[str, Any]) -> None:
    before, after = golden_set(prompt()), golden_set(prompt(**own))
    assert changed(set_hashes(before), set_hashes(after)) == {"expectations"}
    assert changed(*(own_hashes(each) for each in (before, after))) == {"expectations"}


@pytest.mark.parametrize(
    "after",
    [
        golden_set(prompt(tags=["ci"]), gate=Gate(min_pass_rate=0.5)),
        golden_set(prompt(tags=["ci"]), gate=Gate(max_pass_rate_drop=0.0)),
        golden_set(prompt(tags=["ci"]), gate=Gate(max_mean_score_drop=0.0)),
        golden_set(prompt(tags=["ci"]), gate=Gate(max_error_share=0.5)),
        golden_set(prompt(tags=["ci"]), gate=Gate(tags={"ci": TagGate(min_pass_rate=0.5)})),
        golden_set(prompt(tags=["ci"], must_pass=True)),
    ],
)
def test_what_a_result_has_to_keep_to_changes_no_grading_and_yet_the_content(after: GoldenPromptSet) -> None:
    before = golden_set(prompt(tags=["ci"]))
    assert set_hashes(before) == set_hashes(after)
    assert own_hashes(before) == own_hashes(after)
    assert before.content_hash != after.content_hash


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
    sets = [golden_set(*order) for order in permutations(prompts)]
    assert len({set_hashes(each) for each in sets}) == 1
    assert len({each.content_hash for each in sets}) == 1


@pytest.mark.parametrize(
    "shared",
    [{"name": "Answers"}, {"owner": "us"}, {"description": "Why."}, {"models": ["tern"]}, {"id": "other"}],
)
def test_what_is_for_people_changes_nothing(shared: dict[str, Any]) -> None:
    assert set_hashes(golden_set(**shared)) == set_hashes(golden_set())
    assert golden_set(**shared).content_hash == golden_set().content_hash


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
    assert one.content_hash == other.content_hash


def test_the_content_hash_follows_each_of_the_three() -> None:
    sets = [
        golden_set(),
        golden_set(prompt(prompt="Another question?")),
        golden_set(system_prompt="Be kind."),
        golden_set(prompt(reference="yes")),
    ]
    assert len({each.content_hash for each in sets}) == 4


def test_a_must_pass_that_moves_to_another_prompt_changes_the_content() -> None:
    before = golden_set(prompt("a", must_pass=True), prompt("b"))
    after = golden_set(prompt("a"), prompt("b", must_pass=True))
    assert before.content_hash != after.content_hash


def test_a_tag_with_a_floor_that_moves_to_another_prompt_changes_the_content() -> None:
    gate = Gate(tags={"safety": TagGate(min_pass_rate=1)})
    before = golden_set(prompt("a", tags=["safety"]), prompt("b"), gate=gate)
    after = golden_set(prompt("a"), prompt("b", tags=["safety"]), gate=gate)
    assert set_hashes(before) == set_hashes(after)
    assert before.content_hash != after.content_hash


def test_the_treatment_by_field_names_what_is_sent_and_holds_no_text() -> None:
    asked = golden_set(
        prompt(vars={"x": "1"}),
        template="Tell me about {{x}}",
        system_prompt="Be kind.",
        parameters={"temperature": 0},
    )
    fields = treatment_fields(
        asked, {"temperature": 0, "logprobs": True, "stop": ["Stop here."], "seed": None}
    )
    assert list(fields) == [
        "parameters.logprobs",
        "parameters.seed",
        "parameters.stop",
        "parameters.temperature",
        "system_prompt",
        "template",
    ]
    assert (fields["parameters.temperature"], fields["parameters.logprobs"]) == (0, True)
    written = json.dumps(fields)
    assert not any(text in written for text in ("kind", "Tell", "Stop here"))


def test_the_treatment_by_field_follows_all_that_is_sent_and_not_the_parameters_of_the_set() -> None:
    asked = golden_set(parameters={"temperature": 0})
    assert treatment_fields(asked, {"max_tokens": 5}) == {"parameters.max_tokens": 5}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"system_prompt": "Be kind."}, {"system_prompt": "Be kind!"}),
        ({"messages": MESSAGES}, {"messages": (Message("system", "Hei"),)}),
        ({"template": "{{x}}"}, {"template": "{{x}} "}),
    ],
)
def test_a_changed_text_changes_its_field_alone(one: dict[str, Any], other: dict[str, Any]) -> None:
    before, after = (
        treatment_fields(golden_set(prompt(vars={"x": "1"}), **each), {"a": 1}) for each in (one, other)
    )
    assert {name for name in before if before[name] != after[name]} == set(one)


def test_what_is_expected_is_no_part_of_the_treatment() -> None:
    strict = golden_set(prompt(reference="yes", must_pass=True), gate=Gate(min_pass_rate=1))
    assert treatment_fields(strict, {}) == treatment_fields(golden_set(), {}) == {}


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
