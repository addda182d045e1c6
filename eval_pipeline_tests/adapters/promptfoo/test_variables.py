"""Variables as texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_pipeline.adapters.promptfoo import variables as module
from eval_pipeline.adapters.promptfoo.files import Files
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.variables import Variables, combinations
from eval_pipeline_tests.adapters.promptfoo.configurations import entry


def of(declared: dict[str, Any], folder: Path = Path(), *, expand: bool = True) -> list[Variables]:
    entries = {name: entry(value) for name, value in declared.items()}
    return list(combinations(entries, Files(folder), Findings(), expand=expand))


def test_lists_of_texts_make_a_prompt_of_each_combination() -> None:
    found = of({"a": ["x", "y"], "b": 1, "c": ["p", "q"]})
    assert [tuple(one.texts.values()) for one in found] == [
        ("x", "1", "p"),
        ("x", "1", "q"),
        ("y", "1", "p"),
        ("y", "1", "q"),
    ]


@pytest.mark.parametrize("value", [{"x": 1}, [1, 2], [], [["a"]]])
def test_what_is_no_text_is_faulty_and_refused_where_it_is_placed(value: Any) -> None:
    (found,) = of({"a": value, "b": "x"})
    assert found.texts == {"b": "x"}
    assert found.fill("{{b}}!") == "x!"
    with pytest.raises(NoCounterpart, match="the variable 'a' has no text"):
        found.fill("{{a}}")


def test_lists_that_are_not_expanded_are_faulty() -> None:
    (found,) = of({"a": ["x", "y"]}, expand=False)
    assert set(found.faulty) == {"a"}


def test_variables_in_variables_are_placed_and_one_final_line_end_is_dropped() -> None:
    (found,) = of({"a": "see {{ b }}", "b": "two\n\n", "c": "{{nothing}}"})
    assert found.texts == {"a": "see two\n", "b": "two\n", "c": ""}


@pytest.mark.parametrize("value", ["{{ b | upper }}", "{% if x %}", "{# note #}", "{{a}}", "\\frac{{{x}}}"])
def test_what_promptfoo_would_evaluate_in_a_variable_is_faulty(value: str) -> None:
    (found,) = of({"a": value})
    assert set(found.faulty) == {"a"}


def test_files_are_read_without_blanks_around_them_and_patterns_are_expanded(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text(" one \n", "utf-8")
    (tmp_path / "2.txt").write_text("two\n", "utf-8")
    (tmp_path / "d.yaml").write_text("a: [1, é]\n", "utf-8")
    found = of({"t": "file://*.txt", "d": "file://d.yaml"}, tmp_path)
    assert [one.texts for one in found] == [
        {"t": "one", "d": '{"a":[1,"é"]}'},
        {"t": "two", "d": '{"a":[1,"é"]}'},
    ]


@pytest.mark.parametrize("value", ["file://v.py", "file://v.js:get", "file://missing.txt", "package:x"])
def test_scripts_and_missing_files_are_faulty(tmp_path: Path, value: str) -> None:
    (found,) = of({"a": value}, tmp_path)
    assert set(found.faulty) == {"a"}


def test_lists_that_make_too_many_prompts_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_COMBINATIONS", 3)
    assert of({"a": ["x", "y"], "b": ["x", "y"]}) == []
