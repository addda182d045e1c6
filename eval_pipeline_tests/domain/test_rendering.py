from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.rendering import render
from eval_pipeline.domain.responses import Message
from eval_pipeline_tests.builders import golden_set, prompt
from eval_pipeline_tests.domain.strategies import storable_text

like_templates = st.text("{}xy \\g1%$0", max_size=30) | storable_text
CONVERSATION = (Message("system", "Be brief."), Message("user", "Hei"), Message("assistant", "Hallo"))


def bare(**changes: object) -> GoldenPrompt:
    return GoldenPrompt(id="p1", reference="yes", **changes)


def rendered(golden_set: GoldenPromptSet) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in render(golden_set, golden_set.prompts[0])]


def asked(written: str, **values: str) -> str:
    ((_, content),) = rendered(golden_set(prompt(prompt=written, vars=values)))
    return content


@given(like_templates)
def test_what_a_variable_holds_arrives_byte_for_byte(value: str) -> None:
    assert asked("<{{x}}|{{ y }}>", x=value, y="{{x}}") == f"<{value}|{{{{x}}}}>"


@given(like_templates, like_templates)
def test_every_place_of_a_variable_is_filled_in_one_pass(one: str, other: str) -> None:
    assert asked("{{x}}{{y}}{{x}}", x=one, y=other) == one + other + one


@pytest.mark.parametrize(
    "literal",
    [
        "{x}",
        "{0}",
        "%s",
        "%(x)s",
        "${x}",
        "$x",
        "{% raw %}",
        "{# x #}",
        "{ {x} }",
        '{"a": {"b": 1}}',
        "\\1",
    ],
)
def test_nothing_but_a_placeholder_is_touched(literal: str) -> None:
    assert asked(f"{literal} {{{{x}}}}", x="1") == f"{literal} 1"


def test_template_syntax_of_other_languages_survives_as_a_value(shared_cases: Path) -> None:
    written = (shared_cases / "text-27-template.txt").read_text()
    assert asked("Mend this: {{text}}", text=written, name="x", score="1") == f"Mend this: {written}"


@pytest.mark.parametrize("where", ["template", "system_prompt"])
def test_a_placeholder_without_a_variable_is_refused_with_the_names_there_are(where: str) -> None:
    texts = {"template": "Hei", "system_prompt": "Hei"} | {where: "Hei {{nmae}}"}
    with pytest.raises(DefinitionError, match=r"p1.*nmae.*\bcity, name\b"):
        golden_set(bare(vars={"name": "Ada", "city": "Oslo"}), **texts)


def test_a_placeholder_in_any_message_needs_its_variable() -> None:
    with pytest.raises(DefinitionError, match="nmae"):
        golden_set(bare(messages=[Message("user", "Hei"), Message("assistant", "{{nmae}}")]))


@pytest.mark.parametrize("expression", ["{{x|upper}}", "{{ x.y }}", "{{x()}}", "{{x + 1}}", "{{ x if y }}"])
def test_an_expression_is_refused_because_nothing_is_evaluated(expression: str) -> None:
    with pytest.raises(DefinitionError, match="evaluated"):
        golden_set(prompt(prompt=expression, vars={"x": "1"}))


@pytest.mark.parametrize("around", ["{{{x}}}", '{"n":{{{x}}}}', "{{{{x}}}}", "{{ {{x}}", "{{\nx\n}}"])
def test_braces_and_line_ends_next_to_a_name_never_leave_it_unplaced_in_silence(around: str) -> None:
    try:
        content = asked(around, x="7")
    except DefinitionError:
        return
    assert "7" in content


@pytest.mark.parametrize(
    ("own", "shared", "wanted"),
    [
        ({"prompt": "own"}, {"template": "shared"}, [("user", "own")]),
        ({"prompt": "own"}, {"messages": CONVERSATION}, [("user", "own")]),
        ({"messages": [Message("user", "own")]}, {"template": "shared"}, [("user", "own")]),
        ({}, {"template": "shared"}, [("user", "shared")]),
        ({}, {"messages": CONVERSATION}, [(message.role, message.content) for message in CONVERSATION]),
    ],
)
def test_what_a_prompt_says_itself_comes_before_what_its_set_says(
    own: dict, shared: dict, wanted: list
) -> None:
    assert rendered(golden_set(bare(**own), **shared)) == wanted


def test_a_prompt_that_nobody_gives_a_text_is_refused() -> None:
    with pytest.raises(DefinitionError, match="p1: there is nothing to ask"):
        golden_set(bare())


def test_the_system_prompt_precedes_a_conversation() -> None:
    assert rendered(golden_set(prompt(prompt="Hei"), system_prompt="Be kind."))[0] == ("system", "Be kind.")


def test_a_conversation_with_a_system_message_of_its_own_keeps_it() -> None:
    golden = golden_set(prompt(messages=CONVERSATION), system_prompt="Be kind.")
    assert rendered(golden)[0] == ("system", "Be brief.")
