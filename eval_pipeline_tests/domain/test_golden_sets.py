from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from eval_pipeline.domain.assertions import Assertion, Contains, Outcome
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.golden_sets import Gate, TagGate
from eval_pipeline.domain.responses import Message, ModelResponse
from eval_pipeline_tests.builders import golden_set, prompt

BLANK = ["", " \n", "\u200b"]


class Polite(Assertion):
    kind = "polite"
    judged = True

    def check(self, response: ModelResponse) -> Outcome:
        raise NotImplementedError


def test_a_prompt_with_neither_assertion_nor_reference_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"p1: .*at least one assertion or a reference"):
        prompt(assertions=[])


@pytest.mark.parametrize(
    "expected", [{"assertions": [Contains("yes")]}, {"assertions": [], "reference": "yes"}]
)
def test_an_assertion_or_a_reference_is_enough(expected: dict[str, Any]) -> None:
    assert prompt(**expected).id == "p1"


@pytest.mark.parametrize("prompt_id", ["", " ", "\u200b", " p1", "p1 ", "p1\n", "p\t1", "p\x001", "p\u200b1"])
def test_an_id_that_cannot_be_told_from_another_is_refused(prompt_id: str) -> None:
    with pytest.raises(DefinitionError, match="the id"):
        prompt(prompt_id)


@pytest.mark.parametrize("ids", [("7", "007"), ("a", "A"), ("no", "none"), ("caf\u00e9", "cafe\u0301")])
def test_ids_are_compared_exactly(ids: tuple[str, str]) -> None:
    assert [each.id for each in golden_set(*map(prompt, ids)).prompts] == list(ids)


def test_an_id_given_twice_is_refused_with_both_positions() -> None:
    with pytest.raises(DefinitionError, match=r"prompt dup: .*number 1 and 3"):
        golden_set(prompt("dup"), prompt("other"), prompt("dup", prompt="Something else?"))


def test_one_text_under_two_ids_is_two_prompts() -> None:
    golden = golden_set(prompt("a", prompt="2 + 2?"), prompt("b", prompt="2 + 2?", reference="5"))
    assert len(golden.prompts) == 2


def test_a_set_without_prompts_is_refused() -> None:
    with pytest.raises(DefinitionError, match="no prompts"):
        golden_set(prompts=[])


@pytest.mark.parametrize("set_id", ["a", "acme", "acme.support_faq", "0.1.2", "a" * 200])
def test_a_set_id_is_lowercase_segments_joined_by_dots(set_id: str) -> None:
    assert golden_set(id=set_id).id == set_id


@pytest.mark.parametrize(
    "set_id", ["", ".", "a.", ".a", "a..b", "Acme", "a-b", "a b", "a|b", "a/b", "é", "a\n", "٣", "a" * 201]
)
def test_any_other_set_id_is_refused(set_id: str) -> None:
    with pytest.raises(DefinitionError, match="the id"):
        golden_set(id=set_id)


def test_a_set_is_called_by_its_id_unless_it_has_a_name() -> None:
    assert golden_set(id="acme.faq").name == "acme.faq"
    assert golden_set(id="acme.faq", name="Answers").name == "Answers"


@pytest.mark.parametrize("own", [{"prompt": blank} for blank in BLANK] + [{"messages": []}] + [
    {"messages": [Message("user", blank)]} for blank in BLANK] + [{"reference": blank} for blank in BLANK])  # fmt: skip
def test_a_prompt_with_an_empty_text_is_refused(own: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match="empty"):
        prompt(**own)


@pytest.mark.parametrize("shared", [{"template": blank} for blank in BLANK] + [
    {"system_prompt": blank} for blank in BLANK] + [{"messages": []}])  # fmt: skip
def test_a_set_with_an_empty_text_is_refused(shared: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match="empty"):
        golden_set(**shared)


def test_a_text_and_a_conversation_together_are_refused() -> None:
    with pytest.raises(DefinitionError, match="not both"):
        prompt(prompt="Hei", messages=[Message("user", "Hei")])
    with pytest.raises(DefinitionError, match="not both"):
        golden_set(template="Hei", messages=[Message("user", "Hei")])


@pytest.mark.parametrize("role", ["", "User", "tool", "assistent"])
def test_an_unknown_role_is_refused(role: str) -> None:
    with pytest.raises(DefinitionError, match="unknown role"):
        prompt(messages=[Message(role, "Hei")])


@pytest.mark.parametrize("others", [[], [Polite()]])
def test_a_prompt_whose_deterministic_assertions_all_weigh_nothing_is_refused(
    others: list[Assertion],
) -> None:
    with pytest.raises(DefinitionError, match="weights"):
        prompt(assertions=[Contains("a", weight=0), Contains("b", weight=0), *others])


def test_one_assertion_without_weight_beside_another_is_fine() -> None:
    assert prompt(assertions=[Contains("a", weight=0), Contains("b")]).assertions[0].weight == 0


@pytest.mark.parametrize("own", [{"tags": "nightly"}, {"assertions": Contains("yes")}])
def test_one_value_where_a_prompt_takes_a_list_is_refused_and_not_taken_apart(own: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match=next(iter(own))):
        prompt(**own)


def test_one_model_where_a_set_takes_a_list_is_refused_and_not_taken_apart() -> None:
    with pytest.raises(DefinitionError, match="models"):
        golden_set(models="tern")


@pytest.mark.parametrize(
    "own", [{"prompt_id": 7}, {"prompt": 5}, {"reference": False}, {"prompt": "{{n}}", "vars": {"n": 1}}]
)
def test_a_value_where_a_text_is_expected_is_refused(own: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match="text"):
        golden_set(prompt(**own))


@pytest.mark.parametrize("character", ["\x00", "\ud800"])
@pytest.mark.parametrize("where", ["prompt", "reference", "vars", "template", "system_prompt"])
def test_a_character_that_cannot_be_stored_is_refused_before_anything_is_asked(
    where: str, character: str
) -> None:
    written = f"a{character}"
    own = (
        {where: {"x": written} if where == "vars" else written}
        if where in ("prompt", "reference", "vars")
        else {}
    )
    with pytest.raises(DefinitionError, match=r"acme\.set|p1"):
        golden_set(prompt(**own), **({} if own else {where: written}))


def test_all_faults_of_a_set_are_reported_at_once() -> None:
    with pytest.raises(DefinitionError) as caught:
        golden_set(prompt("a"), prompt("a"), prompt("b", prompt="{{x}}"), id="Acme", template=" ")
    assert len(caught.value.faults) == 4
    assert {fault.set_id for fault in caught.value.faults} == {"Acme"}


SHARES = [(gate, field) for gate in (Gate, TagGate) for field in sorted(gate.model_fields) if field != "tags"]


@pytest.mark.parametrize(("gate", "field"), SHARES)
@pytest.mark.parametrize("value", [-0.01, 1.01, 85, float("nan"), float("inf"), "0.5", True])
def test_a_gate_outside_0_and_1_is_refused(gate: type[Gate | TagGate], field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        gate(**{field: value})


@pytest.mark.parametrize(("gate", "field"), SHARES)
@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0])
def test_the_ends_of_a_gate_are_values(gate: type[Gate | TagGate], field: str, value: float) -> None:
    assert getattr(gate(**{field: value}), field) == value


def test_a_gate_of_a_tag_that_no_prompt_has_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(DefinitionError, match=r"'saftey'.*did you mean 'safety'"):
        golden_set(prompt(tags=["safety"]), gate=Gate(tags={"saftey": TagGate(min_pass_rate=1)}))
    with pytest.raises(DefinitionError, match=r"'safety'.*there are none"):
        golden_set(gate=Gate(tags={"safety": TagGate(min_pass_rate=1)}))


def test_a_gate_of_a_tag_of_any_prompt_is_fine() -> None:
    gate = Gate(tags={"safety": TagGate(min_pass_rate=1)})
    assert golden_set(prompt("a"), prompt("b", tags=["safety"]), gate=gate).gate == gate


def test_an_unknown_key_of_a_gate_of_a_tag_is_refused() -> None:
    with pytest.raises(ValidationError, match="max_error_share"):
        Gate.model_validate({"tags": {"safety": {"max_error_share": 0.5}}})
