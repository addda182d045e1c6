"""Prompts inline and in files, as texts and as conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval_pipeline.domain.rendering import render
from eval_pipeline.domain.responses import Message
from eval_pipeline_tests.adapters.promptfoo.configurations import (
    case,
    left_out,
    only_set,
    read_back,
    translated,
)

CHAT = [{"role": "system", "content": "Be {{tone}}."}, {"role": "user", "content": "{{question}}"}]


def config(*prompts: Any, **more: Any) -> dict[str, Any]:
    return {"prompts": list(prompts), "providers": ["openai:gpt-4o"], "tests": [case()], **more}


@pytest.mark.parametrize(
    "prompt",
    [
        "Say: {{ question }}\n",
        "{{question}}",
        "Yes/no: {{question}} *now*",
        "[INST] {{question}} [/INST]",
        "Use {braces} and }} for {{question}}",
    ],
)
def test_an_inline_text_is_asked_as_it_is(tmp_path: Path, prompt: str) -> None:
    golden_set = only_set(tmp_path, config(prompt))
    (message,) = render(golden_set, golden_set.prompts[0])
    assert message == Message(
        "user", prompt.replace("{{ question }}", "{{question}}").replace("{{question}}", "Why?")
    )


def test_a_text_file_holds_several_prompts_between_lines_of_dashes(tmp_path: Path) -> None:
    translation = translated(tmp_path, config("file://p.txt"), p__txt="One {{question}}\n --- \n\nTwo\n---\n")
    assert left_out(translation) == ""
    sets = read_back(tmp_path, translation)
    assert {(one.id, one.template) for one in sets} == {
        ("support.p_1", "One {{question}}"),
        ("support.p_2", "Two"),
    }


@pytest.mark.parametrize("name", ["chat__json", "chat__yaml", "chat__jsonl"])
def test_a_conversation_in_a_file_becomes_messages(tmp_path: Path, name: str) -> None:
    reference = "file://" + name.replace("__", ".")
    declared = config(reference, tests=[case(), case(vars={"question": "How?", "tone": "kind"})])
    declared["tests"][0]["vars"]["tone"] = "brief"
    golden_set = only_set(tmp_path, declared, **{name: json.dumps(CHAT)})
    assert render(golden_set, golden_set.prompts[1]) == (
        Message("system", "Be kind."),
        Message("user", "How?"),
    )


def test_markdown_patterns_and_names_without_file_are_files_too(tmp_path: Path) -> None:
    translation = translated(
        tmp_path,
        config("*.md", "plain.txt"),
        a__md="A {{question}}\n",
        b__md="B {{question}}",
        plain__txt="P {{question}}",
    )
    assert left_out(translation) == ""
    assert {one.template for one in read_back(tmp_path, translation)} == {
        "A {{question}}\n",
        "B {{question}}",
        "P {{question}}",
    }


def test_labels_name_sets_and_a_prompts_own_configuration_becomes_parameters(tmp_path: Path) -> None:
    golden_set = only_set(
        tmp_path,
        config({"raw": "{{question}}", "label": "Very Polite!", "config": {"temperature": 0.3}}),
    )
    assert (golden_set.id, golden_set.name) == ("support.very_polite", "Very Polite!")
    assert golden_set.parameters == {"temperature": 0.3}


def test_prompts_may_be_files_by_name_with_labels(tmp_path: Path) -> None:
    golden_set = only_set(tmp_path, config() | {"prompts": {"p.txt": "polite"}}, p__txt="{{question}}")
    assert golden_set.id == "support.polite"


def test_without_prompts_the_variable_prompt_is_asked(tmp_path: Path) -> None:
    declared = {"providers": ["openai:gpt-4o"], "tests": [case(vars={"prompt": "Why?"})]}
    golden_set = only_set(tmp_path, declared)
    assert render(golden_set, golden_set.prompts[0]) == (Message("user", "Why?"),)


def test_prompts_of_one_name_become_sets_of_different_names(tmp_path: Path) -> None:
    translation = translated(tmp_path, config("Say {{question}}", "Say: {{question}}?"))
    assert [one.id for one in translation.sets] == ["support.say_question", "support.say_question_2"]


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("{% if question %}x{% endif %}", "nothing is evaluated"),
        ("{{ question | upper }}", "nothing is evaluated"),
        ("{{ _conversation }}", "the conversation so far"),
        ("{# note #} hi", "nothing is evaluated"),
        ("file://p.py", "a script is not run"),
        ("file://p.js:build", "a script is not run"),
        ("file://missing.txt", "no file missing.txt"),
        ("exec:./p", "a script or a service"),
        ("langfuse://x", "a script or a service"),
        ('[{"role": "user", "content": [{"type": "image"}]}]', "more than roles and texts"),
        ('[{"role": "tool", "content": "x"}]', "role 'tool'"),
        ('[{"role": "user", "content": "{{ a | b }}"}]', "nothing is evaluated"),
        ('{"prompt": "x"}', "no conversation"),
        ("{not json}", "takes it for JSON"),
        ("- role: user\n  content: hi", "YAML inside a text"),
        (7, "neither a text"),
    ],
)
def test_a_prompt_that_is_more_than_a_text_is_left_out(tmp_path: Path, prompt: Any, why: str) -> None:
    translation = translated(tmp_path, config(prompt, "{{question}}"))
    assert why in left_out(translation)
    assert len(translation.sets) == 1


def test_a_text_that_becomes_a_conversation_by_its_variables_is_left_out(tmp_path: Path) -> None:
    chat = '[{"role": "user", "content": "hi"}]'
    translation = translated(tmp_path, config("{{question}}", tests=[case(question=chat)]))
    assert "with its variables it is JSON, which promptfoo sends as a conversation" in left_out(translation)
    assert translation.sets == []


@pytest.mark.parametrize("prompt", ["file://p.txt", "{{question}}"])
def test_a_text_that_would_name_a_file_here_is_left_out(tmp_path: Path, prompt: str) -> None:
    test = case(question="file://q.txt" if prompt == "{{question}}" else "Why?")
    files = {"p__txt": "file:///etc/hostname", "q__txt": "file:///etc/hostname"}
    translation = translated(tmp_path, config(prompt, tests=[test]), **files)
    assert "it begins with file://" in left_out(translation)
    assert translation.sets == []
