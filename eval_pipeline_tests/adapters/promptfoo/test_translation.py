"""Whole configurations: which prompts come out, and everything that does not is listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_pipeline.adapters.promptfoo.translation import translate
from eval_pipeline.domain.assertions import Contains, Exact
from eval_pipeline.domain.assertions.behaviour import ResponseTimeBelow
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.rendering import render
from eval_pipeline_tests.adapters.promptfoo.configurations import (
    case,
    left_out,
    notes,
    only_set,
    read_back,
    translated,
    with_tests,
)

CONTAINS = {"type": "contains", "value": "because"}


def test_every_prompt_with_every_test_is_a_golden_prompt(tmp_path: Path) -> None:
    config = """
description: What customers ask.
prompts: ["A {{question}}", "B {{question}}"]
providers: [openai:gpt-4o, openai:gpt-4o-mini]
tests:
  - description: Opening hours, on Mondays
    vars: {question: When?}
    assert: [{type: contains, value: Monday, metric: facts}, {type: equals, value: x, metric: facts}]
  - vars: {question: no}
    assert: [{type: contains, value: "{{question}}"}]
"""
    translation = translated(tmp_path, config)
    assert left_out(translation) == ""
    first, second = read_back(tmp_path, translation)
    assert [first.id, second.id] == ["support.a_question", "support.b_question"]
    assert first.description == "What customers ask."
    assert first.models == ("gpt-4o", "gpt-4o-mini")
    for golden_set in (first, second):
        hours, other = golden_set.prompts
        assert (hours.id, other.id) == ("opening-hours-on-mondays", "test-2")
        assert hours.assertions == (Contains("Monday"), Exact("x"))
        assert hours.tags == ("facts",)
        assert other.vars == {"question": "no"}
        assert other.assertions == (Contains("no"),)


def test_metrics_are_tags_of_the_prompt_with_their_placeholders_filled(tmp_path: Path) -> None:
    inner = {"type": "contains", "value": "x", "metric": "Tone/{{question}}"}
    golden_set = only_set(
        tmp_path, with_tests(case({"type": "assert-set", "metric": "style", "assert": [inner]}))
    )
    assert golden_set.prompts[0].tags == ("style", "Tone/Why?")


def test_defaults_come_first_and_own_variables_win(tmp_path: Path) -> None:
    golden_set = only_set(
        tmp_path,
        with_tests(
            case(),
            case(options={"disableDefaultAsserts": True}),
            defaultTest={
                "vars": {"question": "Default?", "tone": "kind"},
                "assert": [{"type": "latency", "threshold": 9}],
            },
        ),
    )
    first, second = golden_set.prompts
    assert first.vars == {"question": "Why?", "tone": "kind"}
    assert first.assertions == (ResponseTimeBelow(9), Contains("because"))
    assert second.assertions == (Contains("because"),)


def test_scenarios_put_each_configuration_into_each_test(tmp_path: Path) -> None:
    scenario = {
        "config": [{"vars": {"question": "A?"}}, {"vars": {"question": "B?"}, "assert": [CONTAINS]}],
        "tests": [{"vars": {"tone": "x"}, "assert": [{"type": "contains", "value": "{{question}}"}]}],
    }
    config = with_tests(scenarios=[scenario])
    del config["tests"]
    golden_set = only_set(tmp_path, config)
    assert [prompt.vars for prompt in golden_set.prompts] == [
        {"question": "A?", "tone": "x"},
        {"question": "B?", "tone": "x"},
    ]
    assert golden_set.prompts[1].assertions == (Contains("because"), Contains("B?"))


def test_tests_come_from_files(tmp_path: Path) -> None:
    golden_set = only_set(
        tmp_path,
        with_tests() | {"tests": ["file://t.yaml", "t.csv", "file://t.jsonl", {"path": "file://t.json"}]},
        t__yaml="- {description: yaml, vars: {question: a}, assert: [{type: contains, value: x}]}\n",
        t__csv="question,__expected,__description\nb,contains:x,csv\n",
        t__jsonl='{"description": "lines", "vars": {"question": "c"}, "assert": [{"type": "is-json"}]}\n',
        t__json='{"description": "json", "vars": {"question": "d"}, "assert": [{"type": "is-json"}]}',
    )
    assert [prompt.id for prompt in golden_set.prompts] == ["yaml", "csv", "lines", "json"]


def test_variables_assertions_and_defaults_come_from_files_and_references(tmp_path: Path) -> None:
    golden_set = only_set(
        tmp_path,
        {
            **with_tests(
                {"vars": "file://v.yaml", "assert": ["file://a.yaml", {"$ref": "#/templates/short"}]},
                defaultTest="file://d.yaml",
            ),
            "templates": {"short": {"type": "latency", "threshold": 5}},
        },
        v__yaml="question: From a file?\n",
        a__yaml="- {type: contains, value: a}\n- {type: contains, value: b}\n",
        d__yaml="assert: [{type: contains, value: d}]\n",
    )
    (prompt,) = golden_set.prompts
    assert prompt.vars == {"question": "From a file?"}
    assert prompt.assertions == (Contains("d"), Contains("a"), Contains("b"), ResponseTimeBelow(5))


def test_texts_around_the_prompt_of_one_test_make_a_text_of_its_own(tmp_path: Path) -> None:
    golden_set = only_set(
        tmp_path, with_tests(case(), case(options={"prefix": "Please. ", "suffix": " Now."}))
    )
    assert golden_set.template == "Say: {{question}}"
    texts = [render(golden_set, prompt)[0].content for prompt in golden_set.prompts]
    assert texts == ["Say: Why?", "Please. Say: Why? Now."]


def test_a_test_may_be_of_some_prompts_only(tmp_path: Path) -> None:
    prompts = [{"raw": "{{question}}", "label": "one"}, {"raw": "Now: {{question}}", "label": "two: x"}]
    translation = translated(tmp_path, with_tests(case(), case(prompts=["two"]), prompts=prompts))
    assert {one.id: len(one.tests) for one in translation.sets} == {"support.one": 1, "support.two_x": 2}


def test_a_placeholder_without_a_variable_is_empty_as_in_promptfoo(tmp_path: Path) -> None:
    translation = translated(tmp_path, with_tests({"assert": [CONTAINS]}))
    (golden_set,) = read_back(tmp_path, translation)
    assert render(golden_set, golden_set.prompts[0])[0].content == "Say: "
    assert "variable 'question'" in notes(translation)


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (case(provider="openai:x"), "a model of its own"),
        (case(providers=["openai:x"]), "some models only"),
        (case(providerOutput="x"), "its answer is given"),
        (case(options={"transform": "output.trim()"}), "a script changes the answer"),
        (case(options={"transformVars": "x"}), "a script changes the variables"),
        (case(options={"temperature": 1}), "may change the request"),
        (case(question={"a": 1}), "the variable 'question' has no text here"),
        ({"vars": {"question": "x"}}, "it has no assertions"),
        (case({"type": "llm-rubric", "value": "x"}), "no assertion of it could be translated"),
        ("file://tests.py", "a script is not run"),
        ("file://missing.yaml", "there is no file"),
        ("https://docs.google.com/spreadsheets/x", "not fetched"),
        (7, "not a mapping"),
    ],
)
def test_a_test_that_cannot_be_asked_the_same_is_left_out(tmp_path: Path, test: Any, why: str) -> None:
    translation = translated(tmp_path, with_tests(case(description="good"), test))
    assert why in left_out(translation)
    (golden_set,) = read_back(tmp_path, translation)
    assert [prompt.id for prompt in golden_set.prompts] == ["good"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"threshold": 0.5}, "all of them must hold"),
        ({"assertScoringFunction": "file://s.js"}, "a script decides"),
        ({"metadata": {"a": 1}}, "only tags"),
        ({"odd": 1}, "an unknown key"),
        ({"options": {"rubricPrompt": "x"}}, "judging models"),
    ],
)
def test_what_has_no_counterpart_in_a_test_is_listed_and_the_prompt_kept(
    tmp_path: Path, more: dict[str, Any], why: str
) -> None:
    translation = translated(tmp_path, with_tests(case(**more)))
    assert why in left_out(translation)
    assert len(translation.sets[0].tests) == 1


def test_a_test_that_uses_the_answer_of_another_is_left_out(tmp_path: Path) -> None:
    prompts = ["{{question}}", "{{question}} {{story}}"]
    tests = [case(options={"storeOutputAs": "story"}), case(vars={"question": "x", "story": "{{story}}"})]
    translation = translated(tmp_path, with_tests(*tests, prompts=prompts))
    assert "answers are not handed on" in left_out(translation)
    assert "it uses the answer of another test" in left_out(translation)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("extensions", ["file://x.js:y"]),
        ("env", {"A": "b"}),
        ("derivedMetrics", [{"name": "x"}]),
        ("redteam", {"plugins": []}),
        ("nunjucksFilters", {"f": "f.js"}),
        ("tags", {"a": "b"}),
        ("providres", ["x"]),
    ],
)
def test_other_keys_of_a_configuration_are_listed(tmp_path: Path, key: str, value: Any) -> None:
    assert f"key {key}:" in left_out(translated(tmp_path, with_tests(case(), **{key: value})))


def test_how_promptfoo_runs_is_noted_and_repeats_are_listed(tmp_path: Path) -> None:
    translation = translated(
        tmp_path, with_tests(case(), outputPath="x.html", evaluateOptions={"maxConcurrency": 2, "repeat": 3})
    )
    assert "key outputPath" in notes(translation)
    assert "key evaluateOptions.maxConcurrency" in notes(translation)
    assert left_out(translation).endswith("give --repeats to eval-pipeline run instead")


def test_a_finding_is_one_line_with_file_line_and_reason_and_said_once(tmp_path: Path) -> None:
    config = (
        "prompts: ['a {{question}}', 'b {{question}}']\n"
        "providers: [openai:m]\n"
        "tests:\n"
        "  - vars: {question: [x, y]}\n"
        "    assert:\n"
        "      - {type: contains, value: x}\n"
        "      - {type: webhook, value: http://host}\n"
    )
    (finding,) = translated(tmp_path, config).findings.left_out
    assert (finding.source, finding.line, finding.what) == (
        str(tmp_path / "support.yaml"),
        7,
        "assertion webhook",
    )
    assert str(finding).startswith(f"{tmp_path / 'support.yaml'}:7: assertion webhook: a script is not run")


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("c.yaml", "a: 1\n", "no configuration of promptfoo"),
        ("c.yaml", "- a\n", "no configuration of promptfoo"),
        ("c.yaml", "", "no configuration of promptfoo"),
        ("c.yaml", "a: [\n", "not YAML"),
        ("c.yaml", "tests: !!python/object:x {}\n", "tag"),
        ("c.json", "{", "not JSON"),
        ("c.js", "module.exports = {}", "scripts are not run"),
        ("missing.yaml", None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(
    tmp_path: Path, name: str, text: str | None, why: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(DefinitionError, match=why):
        translate(tmp_path / name)


def test_the_usual_name_of_the_file_is_replaced_by_that_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "Café 7"
    folder.mkdir()
    path = folder / "promptfooconfig.yaml"
    path.write_text("prompts: [hi]\nproviders: [openai:m]\ntests: [{assert: [{type: is-json}]}]\n", "utf-8")
    assert [one.id for one in translate(path).sets] == ["cafe_7.hi"]
