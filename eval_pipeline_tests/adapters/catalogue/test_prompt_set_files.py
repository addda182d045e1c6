"""Golden prompt sets in files: what they may say, and every fault with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from eval_pipeline.adapters.catalogue.prompt_set_files import read_prompt_set
from eval_pipeline.adapters.catalogue.prompt_set_schema import set_file_schema
from eval_pipeline.domain.assertions import Contains, Exact, JsonSchema, Regex
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.golden_sets import Gate, GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.rendering import render
from eval_pipeline.domain.responses import Message
from eval_pipeline.domain.set_hashes import set_hashes
from eval_pipeline.domain.text import is_blank
from eval_pipeline_tests import builders

FULL = """\
id: acme.support_faq
name: Support answers
description: What customers ask.
owner: team-support
models: [tern, heron]
template: "Answer: {{question}}"
system_prompt: Be brief.
parameters: {temperature: 0, stop: [END]}
defaults: {tags: [nightly], assert: [{regex: '/\\w/'}]}
gate: {min_pass_rate: 0.85, max_pass_rate_drop: 0.05, max_mean_score_drop: 0, max_error_share: 0.5}
prompts:
  - id: opening-hours
    vars: {question: "When are you open?"}
    assert:
      - contains: Monday
      - {type: exact, value: Monday, weight: 0.5}
    reference: Monday to Friday.
    must_pass: true
    tags: [ci, nightly]
  - id: contact
    messages: [{role: system, content: Reply in JSON.}, {role: user, content: Who is it}]
    assert:
      - json-schema: {type: object}
"""
ONE = "id: acme.set\nprompts:\n  - {id: p1, prompt: Hi, assert: [{contains: x}]}\n"
SENDABLE = st.characters(codec="utf-8", exclude_characters="\0")
TEXT = st.text(SENDABLE).filter(
    lambda text: not is_blank(text) and not text.startswith("file://") and "{{" not in text
)
ID = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=20)
MISSING = "file://missing.md"
TEXT_PLACES = [
    "id: {}",
    "id: p1\n    tags:\n      - {}",
    "id: p1\n    vars:\n      x: {}",
    "id: p1\n    messages:\n      - role: user\n        content: {}",
    "id: p1\n    assert:\n      - contains: {}",
    "id: p1\n    assert:\n      - {{type: exact, value: {}}}",
]


def written(folder: Path, content: str | bytes, name: str = "set.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def loaded(folder: Path, content: str | bytes, name: str = "set.yaml") -> GoldenPromptSet:
    return read_prompt_set(written(folder, content, name)).golden_set


def faults(folder: Path, content: str | bytes, name: str = "set.yaml") -> tuple[Fault, ...]:
    """All faults for which a set is refused."""
    path = written(folder, content, name)
    with pytest.raises(DefinitionError) as refused:
        read_prompt_set(path)
    return refused.value.faults


def set_of(*prompts: str, **keys: Any) -> str:
    """A set of prompts written in flow style, one a line from line 3 on, and of more keys behind them."""
    lines = "".join(f"  - {prompt}\n" for prompt in prompts)
    return f"id: acme.set\nprompts:\n{lines}{yaml.safe_dump(keys) if keys else ''}"


def definitions(prompt: GoldenPrompt) -> list[dict[str, Any]]:
    return [assertion.definition() for assertion in prompt.assertions]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sets")


def test_a_set_says_how_it_is_asked_and_gated(tmp_path):
    golden_set = loaded(tmp_path, FULL)
    assert (golden_set.id, golden_set.name) == ("acme.support_faq", "Support answers")
    assert (golden_set.description, golden_set.owner) == ("What customers ask.", "team-support")
    assert golden_set.models == ("tern", "heron")
    assert (golden_set.template, golden_set.system_prompt) == ("Answer: {{question}}", "Be brief.")
    assert golden_set.parameters == {"temperature": 0, "stop": ["END"]}
    assert golden_set.gate == Gate(
        min_pass_rate=0.85, max_pass_rate_drop=0.05, max_mean_score_drop=0.0, max_error_share=0.5
    )


def test_a_prompt_says_what_is_asked_and_expected(tmp_path):
    first, second = loaded(tmp_path, FULL).prompts
    assert first.vars == {"question": "When are you open?"}
    assert definitions(first) == [
        Regex(r"/\w/").definition(),
        Contains("Monday").definition(),
        Exact("Monday", weight=0.5).definition(),
    ]
    assert (first.reference, first.must_pass) == ("Monday to Friday.", True)
    assert second.messages == (Message("system", "Reply in JSON."), Message("user", "Who is it"))
    assert definitions(second) == [Regex(r"/\w/").definition(), JsonSchema({"type": "object"}).definition()]
    assert (second.reference, second.must_pass) == (None, False)


def test_defaults_come_before_a_prompts_own_tags_and_none_is_named_twice(tmp_path):
    assert [prompt.tags for prompt in loaded(tmp_path, FULL).prompts] == [("nightly", "ci"), ("nightly",)]


def test_a_set_is_the_same_in_yaml_and_in_json(tmp_path):
    as_json = json.dumps(yaml.safe_load(FULL))
    assert set_hashes(loaded(tmp_path, as_json, "set.json")) == set_hashes(loaded(tmp_path, FULL))


def test_what_is_not_said_has_its_default(tmp_path):
    golden_set = loaded(tmp_path, ONE)
    assert (golden_set.name, golden_set.models, golden_set.parameters) == ("acme.set", (), {})
    assert golden_set.gate == Gate()


@pytest.mark.parametrize(
    "assertion",
    ["{contains: a b}", "{type: contains, value: a b}", "{value: a b, type: contains}", "{contains: 'a b'}"],
)
def test_an_assertion_means_the_same_in_its_short_and_its_long_form(tmp_path, assertion):
    (prompt,) = loaded(tmp_path, set_of(f"{{id: p, prompt: Hi, assert: [{assertion}]}}")).prompts
    assert prompt.assertions == (Contains("a b"),)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_text_may_stand_in_a_file_whose_last_line_end_does_not_count(tmp_path, ending):
    text = f"Hi {{{{name}}}},{ending}what is new?"
    written(tmp_path, text + ending, "texts/ask.md")
    prompt = "{id: p, vars: {name: Ada}, reference: x}"
    assert loaded(tmp_path, set_of(prompt, template="file://texts/ask.md")).template == text


@pytest.mark.parametrize(
    "prompt",
    [
        "{id: p, prompt: 'file://it.md', reference: x}",
        "{id: p, messages: [{role: user, content: 'file://it.md'}], reference: x}",
        "{id: p, prompt: It, assert: [{contains: 'file://it.md'}]}",
        "{id: p, prompt: It, assert: [{type: contains, value: 'file://it.md'}]}",
        "{id: p, prompt: It, reference: 'file://it.md'}",
        "{id: p, prompt: '{{it}}', vars: {it: 'file://it.md'}, reference: x}",
    ],
)
def test_a_named_file_is_read_wherever_it_stands(tmp_path, prompt):
    written(tmp_path, "It\n", "it.md")
    golden_set = loaded(tmp_path, set_of(prompt))
    assert golden_set == loaded(tmp_path, set_of(prompt.replace("file://it.md", "It")))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (set_of("{id: p1, prompt: Hi, reference: x}", f"{{id: p2, prompt: '{MISSING}', reference: x}}"), 4),
        (set_of(f"{{id: p1, messages: [{{role: user, content: '{MISSING}'}}], reference: x}}"), 3),
        (set_of(f"{{id: p1, prompt: Hi, assert: [{{contains: '{MISSING}'}}]}}"), 3),
        (set_of(f"{{id: p1, prompt: Hi, assert: [{{type: regex, pattern: '{MISSING}'}}]}}"), 3),
        (set_of(f"{{id: p1, prompt: Hi, reference: '{MISSING}'}}"), 3),
        (set_of(f"{{id: p1, prompt: '{{{{q}}}}', vars: {{q: '{MISSING}'}}, reference: x}}"), 3),
        (set_of("{id: p1, reference: x}", template=MISSING), 4),
        (set_of("{id: p1, prompt: Hi, reference: x}", system_prompt=MISSING), 4),
        (set_of("{id: p1, reference: x}", messages=[{"role": "user", "content": MISSING}]), 5),
        (set_of(MISSING.replace(".md", ".jsonl")), 3),
        (set_of("file://missing/*.jsonl"), 3),
    ],
)
def test_a_file_that_is_missing_is_a_fault_of_the_line_that_names_it(tmp_path, content, line):
    (found,) = faults(tmp_path, content)
    assert "missing" in found.reason
    assert (Path(found.source).name, found.set_id) == ("set.yaml", "acme.set")
    assert found.line == line


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "./",
        "../",
        "/",
        "//x",
        "[",
        "**",
        "**x.jsonl",
        "a/**b/c.jsonl",
        "~",
        "*",
        "\0",
        "a\0.jsonl",
        "x" * 5000,
        "\ud800",
    ],
)
@pytest.mark.parametrize(
    "prompt", ["file://{}", {"id": "p", "prompt": "file://{}", "reference": "x"}], ids=["prompts", "text"]
)
def test_a_strange_name_of_a_file_is_a_fault_like_any_other(tmp_path, name, prompt):
    content = json.dumps({"id": "acme.set", "prompts": [prompt]}).replace("{}", json.dumps(name)[1:-1])
    "".join(map(str, faults(tmp_path, content, "set.json"))).encode()


def test_prompts_may_stand_in_files_of_json_lines(tmp_path):
    written(
        tmp_path,
        '\n{"id": "b", "prompt": "B", "reference": "x"}\n{"id": "c", "prompt": "C", "reference": "x"}\n',
        "more/1.jsonl",
    )
    written(tmp_path, '{"id": "d", "prompt": "D", "assert": [{"contains": "x"}]}', "more/2.jsonl")
    source = read_prompt_set(
        written(
            tmp_path,
            set_of("{id: a, prompt: A, reference: x}", "file://more/*.jsonl", defaults={"tags": ["t"]}),
        )
    )
    assert [prompt.id for prompt in source.golden_set.prompts] == ["a", "b", "c", "d"]
    assert {prompt.tags for prompt in source.golden_set.prompts} == {("t",)}
    assert source.included == {(tmp_path / "more" / name).resolve() for name in ("1.jsonl", "2.jsonl")}


def test_faults_of_included_prompts_are_placed_in_their_own_file(tmp_path):
    lines = ['{"id": "a", "prompt": "A"}', '{"id": "b", "promt": "B"}', "5", '{"id": "d", "prompt": NaN}']
    written(tmp_path, "\n".join(lines), "more.jsonl")
    found = faults(tmp_path, set_of("file://more.jsonl"))
    assert [(Path(one.source).name, one.line) for one in found] == [
        ("more.jsonl", line) for line in (1, 2, 3, 4)
    ]
    assert {one.set_id for one in found} == {"acme.set"}


def test_more_prompts_come_from_json_lines_alone(tmp_path):
    written(tmp_path, "[]", "more.json")
    (found,) = faults(tmp_path, set_of("{id: a, prompt: A, reference: x}", "file://more.json"))
    assert "more.json is neither JSON Lines nor CSV" in found.reason


@pytest.mark.parametrize(
    ("content", "key", "meant", "line", "prompt_id"),
    [
        pytest.param(ONE + "descripton: x", "descripton", "description", 4, None, id="set"),
        pytest.param(ONE + "defaults: {asert: []}", "asert", "assert", 4, None, id="defaults"),
        pytest.param(ONE + "gate: {min_pas_rate: 1}", "min_pas_rate", "min_pass_rate", 4, None, id="gate"),
        pytest.param(
            set_of("{id: p1, prompt: Hi, asert: [{contains: x}]}"), "asert", "assert", 3, "p1", id="prompt"
        ),
        pytest.param(
            set_of("{id: p1, prompt: Hi, assertions: []}"), "assertions", "assert", 3, "p1", id="alias"
        ),
        pytest.param(
            set_of("{id: p1, messages: [{rol: user, role: user, content: x}], reference: x}"),
            "rol",
            "role",
            3,
            "p1",
            id="message",
        ),
        pytest.param(
            set_of("{id: p1, prompt: Hi, assert: [{type: exact, value: x, vaule: x}]}"),
            "vaule",
            "value",
            3,
            "p1",
            id="assertion",
        ),
    ],
)
def test_an_unknown_key_is_refused_with_its_place_and_what_may_be_meant(
    tmp_path, content, key, meant, line, prompt_id
):
    (found,) = faults(tmp_path, content)
    assert f"unknown key '{key}'" in found.reason
    assert f"'{meant}'" in found.reason or f"{meant}," in found.reason
    assert (found.source, found.line) == (str(tmp_path / "set.yaml"), line)
    assert (found.set_id, found.prompt_id) == ("acme.set", prompt_id)


@pytest.mark.parametrize(
    "assertion",
    ["{contians: x}", "{type: contians, value: x}", "contians", "{type: not-contians, value: x}", "{'': x}"],
)
def test_an_unknown_kind_of_assertion_is_refused_with_its_place(tmp_path, assertion):
    (found,) = faults(tmp_path, set_of(f"{{id: p1, prompt: Hi, assert: [{{contains: x}}, {assertion}]}}"))
    assert "unknown assertion kind" in found.reason
    assert (found.line, found.set_id, found.prompt_id) == (3, "acme.set", "p1")


@pytest.mark.parametrize(
    "assertion",
    [
        "5",
        "[contains, x]",
        "{contains: x, exact: y}",
        "{}",
        "~",
        "no",
        "{type: ~, value: x}",
        "{type: [exact], value: x}",
        "''",
    ],
)
def test_what_is_no_assertion_is_refused(tmp_path, assertion):
    (found,) = faults(tmp_path, set_of(f"{{id: p1, prompt: Hi, reference: x, assert: [{assertion}]}}"))
    assert (found.line, found.prompt_id) == (3, "p1")


def test_a_fault_in_an_assertion_of_the_defaults_is_placed_there(tmp_path):
    (found,) = faults(tmp_path, ONE + "defaults:\n  assert:\n    - contains: x\n    - contians: x\n")
    assert (found.line, found.set_id, found.prompt_id) == (7, "acme.set", None)


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0", "\u200b", "\ufeff", "\u2060 \u00ad"])
@pytest.mark.parametrize("kind", ["contains", "exact"])
def test_an_empty_needle_is_refused(tmp_path, kind, blank):
    content = set_of(f"{{id: p1, prompt: Hi, assert: [{{{kind}: {json.dumps(blank)}}}]}}")
    (found,) = faults(tmp_path, content)
    assert "empty" in found.reason
    assert (found.line, found.prompt_id) == (3, "p1")


@pytest.mark.parametrize(
    "parameters",
    [
        "value: ''",
        "value: //",
        "value: '##i'",
        "pattern: ''",
        "value: /x",
        "value: x",
        "value: /x/q",
        "value: '/(/'",
        "pattern: '('",
        "pattern: x, flags: q",
        "value: /x/, flags: i",
        "value: /x/, pattern: x",
        "flags: i",
        'value: "/\\bcat\\b/"',
    ],
)
def test_a_faulty_pattern_is_refused(tmp_path, parameters):
    (found,) = faults(tmp_path, set_of(f"{{id: p1, prompt: Hi, assert: [{{type: regex, {parameters}}}]}}"))
    assert (found.line, found.prompt_id) == (3, "p1")


@pytest.mark.parametrize(
    "value",
    ["no", "NO", "yes", "on", "Off", "012", "1_000", "12:30", "1.10", "0x1F", "[x]", "{x: y}", "{{x}}"],
)
@pytest.mark.parametrize("place", [*TEXT_PLACES, "id: p1\n    prompt: {}", "id: p1\n    reference: {}"])
def test_a_value_that_is_no_text_is_refused_with_the_advice_to_quote_it(tmp_path, place, value):
    content = f"id: acme.set\nprompts:\n  - {place.format(value)}"
    advised = [found.line for found in faults(tmp_path, content) if "quotes" in found.reason]
    assert advised == [content.count("\n") + 1]


@pytest.mark.parametrize("value", ["~", "null", "Null", ""])
@pytest.mark.parametrize("place", TEXT_PLACES)
def test_no_value_is_no_text(tmp_path, place, value):
    content = f"id: acme.set\nprompts:\n  - {place.format(value)}"
    told = [found.line for found in faults(tmp_path, content) if "no value" in found.reason]
    assert told == [content.count("\n") + 1]


@pytest.mark.parametrize("value", ["no", "012", "12:30", "1_000", "1.10", "~", "=", "2024-01-02", "1e3"])
def test_a_quoted_value_is_its_text(tmp_path, value):
    (prompt,) = loaded(
        tmp_path, set_of(f"{{id: '{value}', prompt: Hi, assert: [{{exact: '{value}'}}]}}")
    ).prompts
    assert (prompt.id, prompt.assertions) == (value, (Exact(value),))


def test_a_value_that_is_no_text_is_shown_as_it_was_written(tmp_path):
    (found,) = faults(tmp_path, set_of("{id: 007, prompt: Hi, reference: x}"))
    assert "found 007, which means the number 7" in found.reason


@pytest.mark.parametrize(
    "keys",
    [
        "prompt: Hi",
        "prompt: Hi, assert: []",
        "prompt: Hi, assert: ",
        "prompt: Hi, reference: ",
        "prompt: Hi, reference: ''",
        'prompt: Hi, reference: "\\u200b"',
        "prompt: '', reference: x",
        "prompt: ' ', reference: x",
        "reference: x",
        "messages: [], reference: x",
        "messages: [{role: user, content: ''}], reference: x",
        "prompt: Hi, messages: [{role: user, content: x}], reference: x",
        "messages: [{role: boss, content: x}], reference: x",
        "prompt: Hi, assert: [{type: contains, value: x, weight: 0}]",
        "prompt: Hi, assert: [{type: contains, value: x, weight: -1}]",
        "prompt: Hi, assert: [{type: contains, value: x, weight: .nan}]",
        "prompt: Hi, assert: [{type: contains, value: x, weight: .inf}]",
        "prompt: Hi, assert: contains",
        "prompt: Hi, assert: {contains: x}",
        "prompt: Hi, reference: x, must_pass: 1",
        "prompt: Hi, reference: x, tags: ci",
        "prompt: Hi, reference: x, vars: [a]",
    ],
)
def test_a_prompt_that_could_not_be_asked_or_graded_is_refused(tmp_path, keys):
    found = faults(tmp_path, set_of("{id: p0, prompt: Hi, reference: x}", f"{{id: p1, {keys}}}"))
    assert {(one.line, one.set_id, one.prompt_id) for one in found} == {(4, "acme.set", "p1")}


@pytest.mark.parametrize(
    "content",
    [
        "id: acme.set\nprompts: []\n",
        "id: acme.set\nprompts:\n",
        "id: acme.set\n",
        "prompts: []\n",
        "",
        "~",
        "[]",
        "x",
        "- id: p",
        "id: acme.set\nprompts: {p1: {prompt: Hi}}\n",
        "id: acme.set\nprompts: [Hi]\n",
        "id: acme.set\nprompts: [~]\n",
        "id: acme.set\nprompts: [[]]\n",
    ],
)
def test_a_set_without_prompts_is_refused(tmp_path, content):
    assert {one.source for one in faults(tmp_path, content)} == {str(tmp_path / "set.yaml")}


@pytest.mark.parametrize(
    "identifier",
    [
        "Acme",
        "acme set",
        "acme..set",
        ".acme",
        "acme.",
        "acme-set",
        "ä",
        "acme/set",
        "''",
        "a" * 201,
        '"acme\\n"',
    ],
)
def test_an_identifier_is_lowercase_segments_joined_by_dots(tmp_path, identifier):
    (found,) = faults(tmp_path, ONE.replace("acme.set", identifier))
    assert "the id" in found.reason
    assert found.line == 1


@pytest.mark.parametrize("identifier", ["acme", "acme.support_faq", "a.b.c.d", "_", '"007"', "2024.q1"])
def test_an_identifier_of_lowercase_segments_is_taken(tmp_path, identifier):
    assert loaded(tmp_path, ONE.replace("acme.set", identifier)).id == identifier.strip('"')


@pytest.mark.parametrize(
    "gate",
    [
        "min_pass_rate: 1.1",
        "min_pass_rate: -0.1",
        "max_error_share: .nan",
        "max_pass_rate_drop: '0.1'",
        "max_mean_score_drop: yes",
        "max_pass_rate_drop: ",
    ],
)
def test_a_gate_holds_shares(tmp_path, gate):
    (found,) = faults(tmp_path, ONE + f"gate:\n  {gate}\n")
    assert found.reason.startswith(gate.partition(":")[0])
    assert found.line == 5


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n", "tools"])
def test_what_the_evaluation_itself_sets_is_no_parameter(tmp_path, name):
    (found,) = faults(tmp_path, ONE + f"parameters: {{temperature: 0, {name}: 1}}\n")
    assert f"the evaluation itself sets {name}" in found.reason
    assert found.line == 4


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf", "1.0e+999"])
@pytest.mark.parametrize(
    "content",
    [
        ONE + "parameters: {temperature: NUMBER}\n",
        ONE + "parameters: {logit_bias: {a: [NUMBER]}}\n",
        set_of("{id: p1, prompt: Hi, assert: [{json_schema: {maximum: NUMBER}}]}"),
        set_of("{id: p1, prompt: Hi, assert: [{json_schema: {const: [NUMBER]}}]}"),
    ],
)
def test_a_number_that_is_not_finite_is_refused(tmp_path, content, number):
    assert faults(tmp_path, content.replace("NUMBER", number))


@pytest.mark.parametrize(
    "changes",
    [
        {"prompt": "\ud800"},
        {"reference": "\ud800"},
        {"vars": {"x": "\ud800"}},
        {"vars": {"\ud800": "x"}},
        {"tags": ["\ud800"]},
        {"id": "\ud800"},
        {"assert": [{"contains": "\ud800"}]},
        {"assert": [{"json_schema": {"const": "\ud800"}}]},
        {"assert": [{"json_schema": {"properties": {"\udc00": {}}}}]},
    ],
)
def test_half_a_character_is_refused(tmp_path, changes):
    prompt = {"id": "p1", "prompt": "Hi", "reference": "x", **changes}
    found = faults(tmp_path, json.dumps({"id": "acme.set", "prompts": [prompt]}), "set.json")
    "".join(map(str, found)).encode()


@pytest.mark.parametrize("depth", [100, 250, 490])
@pytest.mark.parametrize(
    "content",
    [
        '{"id": "acme.set", "prompts": [{"id": "p1", "prompt": "Hi", "reference": "x"}], "parameters": {"x": %s}}',
        '{"id": "acme.set", "prompts": [{"id": "p1", "prompt": "Hi", "assert": [{"json_schema": {"const": %s}}]}]}',
        '{"id": "acme.set", "prompts": [{"id": "p1", "prompt": "Hi", "reference": %s}]}',
    ],
    ids=["parameters", "schema", "text"],
)
def test_a_deep_value_is_refused_or_can_be_hashed(tmp_path, content, depth):
    path = written(tmp_path, content % ("[" * depth + "]" * depth), "set.json")
    try:
        golden_set = read_prompt_set(path).golden_set
    except DefinitionError:
        return
    assert set_hashes(golden_set).content


def test_two_prompts_of_one_id_are_refused_with_both_positions(tmp_path):
    prompt = "{{id: {}, prompt: Hi, reference: x}}".format
    (found,) = faults(tmp_path, set_of(prompt("a"), prompt("dup"), prompt("b"), prompt("dup")))
    assert "number 2 and 4" in found.reason
    assert (found.line, found.set_id, found.prompt_id) == (6, "acme.set", "dup")


def test_positions_count_faulty_prompts_too(tmp_path):
    prompt = "{{id: {}, prompt: Hi, reference: x}}".format
    found = faults(tmp_path, set_of("{id: faulty, prompt: Hi}", prompt("dup"), prompt("dup")))
    assert any("number 2 and 3" in one.reason for one in found)


def test_an_id_is_unique_across_the_files_of_a_set(tmp_path):
    written(tmp_path, '{"id": "dup", "prompt": "Hi", "reference": "x"}', "more.jsonl")
    (found,) = faults(tmp_path, set_of("{id: dup, prompt: Hi, reference: x}", "file://more.jsonl"))
    assert "number 1 and 2" in found.reason
    assert (Path(found.source).name, found.line) == ("more.jsonl", 1)


@pytest.mark.parametrize(
    ("first", "second"), [("a", "A"), ("7", "007"), ("caf\u00e9", "cafe\u0301"), ("a", "a.")]
)
def test_ids_are_compared_exactly(tmp_path, first, second):
    prompts = [{"id": one, "prompt": "Hi", "reference": "x"} for one in (first, second)]
    golden_set = loaded(tmp_path, json.dumps({"id": "acme.set", "prompts": prompts}), "set.json")
    assert [prompt.id for prompt in golden_set.prompts] == [first, second]


def test_one_text_may_be_asked_under_two_ids(tmp_path):
    golden_set = loaded(
        tmp_path,
        set_of("{id: a, prompt: Hi, assert: [{exact: x}]}", "{id: b, prompt: Hi, assert: [{exact: y}]}"),
    )
    assert [prompt.assertions for prompt in golden_set.prompts] == [(Exact("x"),), (Exact("y"),)]


@pytest.mark.parametrize(
    "text", ["{{other}}", "{{ other }}", "{{Name}}", "{{name|upper}}", "{{name.upper()}}", "{{names[0]}}"]
)
@pytest.mark.parametrize(
    ("of_prompt", "of_set"),
    [
        ({"prompt": "Hi %s"}, {}),
        ({"messages": [{"role": "user", "content": "Hi %s"}]}, {}),
        ({}, {"template": "Hi %s"}),
        ({}, {"messages": [{"role": "user", "content": "Hi %s"}]}),
        ({"prompt": "Hi"}, {"system_prompt": "Hi %s"}),
    ],
)
def test_a_placeholder_that_cannot_be_placed_is_refused(tmp_path, of_prompt, of_set, text):
    prompt = json.dumps({"id": "p1", "vars": {"name": "Ada"}, "reference": "x", **of_prompt})
    (found,) = faults(tmp_path, set_of(prompt, **of_set).replace("%s", text))
    assert text.strip("{} ") in found.reason
    assert (found.line, found.set_id, found.prompt_id) == (3, "acme.set", "p1")


@pytest.mark.parametrize(
    "text",
    [
        "{name}",
        "{{}}",
        "{{ }}",
        "{{{}}}",
        '{"a": {"b": 1}}',
        "%(name)s",
        "${name}",
        "{% if name %}",
        "{{1}}",
        "{{#if}}",
    ],
)
def test_other_braces_are_text(tmp_path, text):
    golden_set = loaded(tmp_path, set_of(json.dumps({"id": "p1", "prompt": text, "reference": "x"})))
    assert render(golden_set, golden_set.prompts[0]) == (Message("user", text),)


def test_what_a_variable_holds_is_not_looked_at_again(tmp_path):
    prompt = {"id": "p1", "prompt": "{{a}} {{b}}", "vars": {"a": "{{b}}", "b": "{{c}}"}, "reference": "x"}
    golden_set = loaded(tmp_path, set_of(json.dumps(prompt)))
    assert render(golden_set, golden_set.prompts[0])[0].content == "{{b}} {{c}}"


def test_all_faults_are_told_at_once(tmp_path):
    found = faults(
        tmp_path,
        set_of(
            "{id: a, promt: Hi}",
            "{id: b, prompt: Hi, assert: [{contains: ''}, {contians: x}]}",
            "Hi",
            "{id: 7, prompt: '{{x}}'}",
        ),
    )
    assert [(one.line, one.prompt_id) for one in found] == [
        (3, "a"),
        (4, "b"),
        (4, "b"),
        (5, None),
        (6, None),
    ]


@pytest.mark.parametrize("name", ["set.yaml", "set.json"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_every_text_is_read_back_as_it_was_written(folder, name, data):
    texts = {
        key: data.draw(TEXT, key)
        for key in ("prompt", "reference", "value", "needle", "tag", "system_prompt")
    }
    document = {
        "id": "acme.set",
        "system_prompt": texts["system_prompt"],
        "prompts": [
            {
                "id": data.draw(ID, "id"),
                "prompt": texts["prompt"],
                "reference": texts["reference"],
                "vars": {texts["tag"]: texts["value"]},
                "tags": [texts["tag"]],
                "assert": [{"contains": texts["needle"]}, {"type": "exact", "value": texts["needle"]}],
            }
        ],
    }
    content = yaml.safe_dump(document) if name == "set.yaml" else json.dumps(document, ensure_ascii=False)
    golden_set = loaded(folder, content, name)
    (prompt,) = golden_set.prompts
    assert golden_set.system_prompt == texts["system_prompt"]
    assert (prompt.id, prompt.prompt) == (document["prompts"][0]["id"], texts["prompt"])
    assert (prompt.reference, prompt.vars) == (texts["reference"], {texts["tag"]: texts["value"]})
    assert prompt.tags == (texts["tag"],)
    assert [assertion.value for assertion in prompt.assertions] == [texts["needle"]] * 2


@given(name=st.text(max_size=30), include=st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_name_of_a_file_is_a_file_or_a_fault(folder, name, include):
    prompt = f"file://{name}" if include else {"id": "p", "prompt": f"file://{name}", "reference": "x"}
    path = written(folder, json.dumps({"id": "acme.set", "prompts": [prompt]}), "named.json")
    with pytest.raises(DefinitionError):
        read_prompt_set(path)


def test_the_schema_for_editors_agrees_with_what_is_read():
    validator = Draft202012Validator(set_file_schema())
    validator.check_schema(validator.schema)
    assert validator.is_valid(yaml.safe_load(FULL))
    assert validator.is_valid(yaml.safe_load(set_of("file://more/*.jsonl")))


@pytest.mark.parametrize(
    "content",
    [
        ONE + "nmae: x",
        set_of("{id: p1, promt: Hi}"),
        set_of("{id: p1, prompt: Hi, assert: [contians]}"),
        set_of("{id: 7, prompt: Hi, reference: x}"),
        set_of("Hi"),
        "id: acme.set\nprompts: []",
        "id: acme.set",
        ONE + "gate: {min_pass_rate: 2}",
        set_of("{id: p1, prompt: Hi, assert: [{type: contians, value: x}]}"),
    ],
)
def test_the_schema_for_editors_marks_faults(content):
    assert not Draft202012Validator(set_file_schema()).is_valid(yaml.safe_load(content))


REFUSED_CASES = {
    "yaml-01-norway.yaml": ["found no, which means", "quotes"],
    "yaml-02-numbers.yaml": ["found 007, which means", "quotes"],
    "yaml-04-duplicate-key.yaml": [":7: ", "'assert' is given twice"],
    "yaml-05-duplicate-id.yaml": ["prompt p1", "given twice"],
    "yaml-06-template-braces.yaml": [":4: ", "in quotes"],
    "yaml-09-regex-b.yaml": ["prompt p1", "U+0008", "single quotes"],
    "yaml-12-alias-bomb.yaml": ["yaml-12-alias-bomb.yaml"],
    "yaml-13-unsafe-tag.yaml": [":2: ", "python/object/apply"],
    "yaml-14-empty-assertions.yaml": ["prompt p1", "prompt p2", "prompt p3", "nothing could be graded"],
    "yaml-16-merge-key.yaml": ["unknown key 'base'"],
    "yaml-17-unknown-assertion.yaml": ["prompt p1", "'contians'", "'vaule'"],
    "yaml-19-int-keys.yaml": [":3: ", "the key 1 "],
    "yaml-21-tilde-null.yaml": ["prompt p1", "no value", "quotes"],
    "yaml-23-tab-indent.yaml": [":3: ", "tabs"],
    "yaml-27-json-golden-dup.json": ["'assert' is given twice"],
    "yaml-28-json-golden-nan.json": ["NaN is not JSON"],
}
LOADED_CASES = {
    "yaml-03-dates.yaml": [
        Contains("2024-02-30"),
        Contains("2024-02-29"),
        Contains("2001-12-14t21:59:43.10-05:00"),
    ],
    "yaml-07-regex-three-ways.yaml": [Regex(r"/^\d+$/")] * 3,
    "yaml-20-bare-equals.yaml": [Exact("=")],
    "yaml-26-bom.yaml": [Exact("ok")],
}


def adapted(case: Path, folder: Path) -> Path:
    """A copy of a handed case in the names of this product: `assert`, and an id for the set."""
    content = case.read_bytes()
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    content = content.removeprefix(mark).replace(b"assertions", b"assert")
    head = b'{"id": "acme.case", ' if case.suffix == ".json" else b"id: acme.case\n"
    body = content.removeprefix(b"{") if case.suffix == ".json" else content
    return written(folder, mark + head + body, case.name)


@pytest.mark.parametrize("name", REFUSED_CASES)
def test_a_handed_case_that_is_faulty_is_refused_with_its_reason(tmp_path, shared_cases, name):
    with pytest.raises(DefinitionError) as refused:
        read_prompt_set(adapted(shared_cases / name, tmp_path))
    assert [part for part in [name, *REFUSED_CASES[name]] if part not in str(refused.value)] == []


@pytest.mark.parametrize("name", LOADED_CASES)
def test_a_handed_case_that_is_sound_is_read_as_written(tmp_path, shared_cases, name):
    (prompt,) = read_prompt_set(adapted(shared_cases / name, tmp_path)).golden_set.prompts
    assert definitions(prompt) == [assertion.definition() for assertion in LOADED_CASES[name]]


def test_every_value_of_the_handed_norway_and_number_cases_is_refused_once_the_ids_are_quoted(
    tmp_path, shared_cases
):
    for name, ids, count in (("yaml-01-norway.yaml", "no", 3), ("yaml-02-numbers.yaml", "007", 5)):
        content = adapted(shared_cases / name, tmp_path).read_text().replace(f"id: {ids}\n", f"id: '{ids}'\n")
        assert len(faults(tmp_path, content)) == count


def test_every_handed_case_of_a_set_is_used(shared_cases):
    handed = {case.name for case in shared_cases.glob("yaml-*")}
    assert handed == REFUSED_CASES.keys() | LOADED_CASES.keys()


def test_the_handed_pattern_means_the_same_in_all_its_spellings(tmp_path, shared_cases):
    (prompt,) = read_prompt_set(
        adapted(shared_cases / "yaml-07-regex-three-ways.yaml", tmp_path)
    ).golden_set.prompts
    verdicts = [
        [assertion.check(builders.answered(text)).passed for text in ("123", "x")]
        for assertion in prompt.assertions
    ]
    assert verdicts == [[True, False]] * 3
