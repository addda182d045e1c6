"""Translated sets as files: our own reader takes every one, and nothing is overwritten."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_pipeline.adapters.catalogue.models_file import read_models_file
from eval_pipeline.adapters.catalogue.strict_yaml import read_yaml
from eval_pipeline.adapters.promptfoo.writing import output_of, written
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.rendering import render
from eval_pipeline.domain.text import is_blank
from eval_pipeline_tests.adapters.promptfoo.configurations import (
    case,
    left_out,
    read_back,
    translated,
    with_tests,
)

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0{")
    | st.sampled_from("\n\r\t \x85\u2028:#'\"-")
)


def test_a_set_is_pleasant_to_read(tmp_path: Path) -> None:
    translation = translated(
        tmp_path,
        with_tests(case(description="Why not"), prompts=["Be brief.\nSay: {{question}}\n"]),
    )
    files = output_of(translation, tmp_path).files
    assert files["prompts/support.be_brief_say_question.yaml"] == (
        f"# Imported from {tmp_path / 'support.json'} of promptfoo. Later changes there are not followed.\n"
        "id: support.be_brief_say_question\n"
        "models:\n"
        "  - gpt-4o\n"
        "template: |\n"
        "  Be brief.\n"
        "  Say: {{question}}\n"
        "prompts:\n"
        "  - id: why-not\n"
        "    vars:\n"
        "      question: Why?\n"
        "    assert:\n"
        "      - contains: because\n"
    )


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(st.text(), st.recursive(TEXTS | st.integers() | st.booleans(), st.lists, max_leaves=5))
)
def test_what_is_written_is_what_our_reader_reads(document: dict[str, Any]) -> None:
    kept = {
        key: value
        for key, value in document.items()
        if "\0" not in key and not any("\ud800" <= char <= "\udfff" for char in key)
    }
    if kept:
        assert read_yaml(Path("x.yaml"), written(kept))[0] == kept


@settings(max_examples=20, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_every_set_is_read_back_with_the_texts_of_the_configuration(
    prompt: str, value: str, needle: str
) -> None:
    config = with_tests(
        case({"type": "contains", "value": needle}, question=value),
        prompts=[{"raw": f"A {prompt}\n{{{{question}}}}"}],
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        translation = translated(folder, config)
        sets = read_back(folder, translation)
        if is_blank(needle):
            assert sets == []
            return
        assert left_out(translation) == "" or value.startswith(("file://", "package:"))
        for golden_set in sets:
            (question,) = golden_set.prompts
            expected = f"A {prompt}\n{value.removesuffix(chr(10))}"
            assert render(golden_set, question)[0].content == expected
            assert question.assertions[0].definition()["value"] == needle


def test_prompts_that_our_reader_refuses_are_listed_and_left_out(tmp_path: Path) -> None:
    weightless = {"type": "assert-set", "weight": 0, "assert": [{"type": "is-json"}]}
    translation = translated(
        tmp_path, with_tests(case(weightless, description="bad"), case(description="good"))
    )
    (golden_set,) = read_back(tmp_path, translation)
    assert [prompt.id for prompt in golden_set.prompts] == ["good"]
    assert "prompt bad of set support.say_question: the weights of all assertions are 0" in left_out(
        translation
    )


def test_a_set_without_any_prompt_left_is_not_written(tmp_path: Path) -> None:
    weightless = {"type": "assert-set", "weight": 0, "assert": [{"type": "is-json"}]}
    translation = translated(tmp_path, with_tests(case(weightless)))
    assert read_back(tmp_path, translation) == []


def test_models_are_written_where_there_are_none_and_shown_otherwise(tmp_path: Path) -> None:
    translation = translated(tmp_path, with_tests(case()))
    first = output_of(translation, tmp_path / "project")
    first.write(tmp_path / "project")
    assert first.models == ""
    assert list(read_models_file(tmp_path / "project" / "models.yaml").models) == ["gpt-4o"]
    second = output_of(translation, tmp_path / "project")
    assert "models.yaml" not in second.files
    assert second.models.startswith("providers:\n  openai:\n")


def test_nothing_is_written_if_one_of_the_files_exists(tmp_path: Path) -> None:
    translation = translated(tmp_path, with_tests(case(), prompts=["one {{question}}", "two {{question}}"]))
    project = tmp_path / "project"
    taken = project / "prompts" / "support.two_question.yaml"
    taken.parent.mkdir(parents=True)
    taken.write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="nothing was written, for there is already"):
        output_of(translation, project).write(project)
    assert [path.name for path in project.rglob("*.yaml")] == [taken.name]
    assert taken.read_text("utf-8") == "mine"
