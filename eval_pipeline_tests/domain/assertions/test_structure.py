from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.domain.assertion_results import Status, evaluated
from eval_pipeline.domain.assertions import Outcome, read_assertion
from eval_pipeline.domain.assertions.documents import MAX_JSON
from eval_pipeline.domain.assertions.structure import KINDS, JsonEquals, JsonHasKey, NotValidJson, ValidJson
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.responses import TRUNCATED, Reply
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text, json_values

ONE_OF_EACH = [read_assertion(kind.example.declared) for kind in KINDS]
in_every_kind = pytest.mark.parametrize("assertion", ONE_OF_EACH, ids=lambda assertion: assertion.kind)


def case(folder: Path, name: str) -> str:
    return (folder / name).read_bytes().decode()


def judged(declared: Any, answer: str) -> Outcome:
    return read_assertion(declared).check(answered(answer))


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("json-01-nan.txt", False),
        ("json-02-infinity.txt", False),
        ("json-08-single-quotes.txt", False),
        ("json-09-bom.txt", True),
        ("json-10-scalar.txt", True),
        ("json-12-int-400-digits.txt", True),
        ("json-15-lone-surrogate.txt", True),
        ("json-16-nul-escape.txt", True),
        ("json-17-six-digit-escape.txt", True),
        ("json-18-big-int-53bit.txt", True),
        ("json-19-comments.txt", False),
        ("json-20-truncated.txt", False),
        ("json-21-two-objects.txt", False),
        ("json-23-empty-object.txt", True),
        ("json-25-falsy-values.txt", True),
        ("json-26-empty.txt", False),
        ("json-27-false.txt", True),
        ("json-28-null.txt", True),
        ("json-29-key-with-dot.txt", True),
    ],
)
def test_an_answer_is_json_or_is_not(name: str, valid: bool, shared_cases: Path) -> None:
    answer = answered(case(shared_cases, name))
    assert ValidJson().check(answer).passed is valid
    assert NotValidJson().check(answer).passed is not valid


@pytest.mark.parametrize("name", ["json-11-int-4301-digits.txt", "json-13-deep-5000.txt"])
@in_every_kind
def test_json_beyond_what_can_be_read_is_not_measurable(
    assertion: Any, name: str, shared_cases: Path
) -> None:
    with pytest.raises(NotMeasurable, match="cannot be read here"):
        assertion.check(answered(case(shared_cases, name)))


@given(any_text | json_values(texts=any_text).map(json.dumps))
@example('{"a": 1}')
def test_exactly_what_can_be_read_as_json_is_valid(answer: str) -> None:
    try:
        read_json(answer)
        is_json = True
    except JsonFault:
        is_json = False
    assert ValidJson().check(answered(answer)).passed is is_json
    assert NotValidJson().check(answered(answer)).passed is not is_json


@pytest.mark.parametrize(
    ("name", "key", "there"),
    [
        ("json-10-scalar.txt", "a", False),
        ("json-23-empty-object.txt", "a", False),
        ("json-25-falsy-values.txt", "n", True),
        ("json-25-falsy-values.txt", "s", True),
        ("json-25-falsy-values.txt", "b", True),
        ("json-25-falsy-values.txt", "l", True),
        ("json-28-null.txt", "a", False),
        ("json-29-key-with-dot.txt", "user.name", True),
        ("json-29-key-with-dot.txt", "user", True),
        ("json-29-key-with-dot.txt", "name", False),
        ("json-29-key-with-dot.txt", "$.user.name", True),
        ("json-29-key-with-dot.txt", "$['user.name']", True),
        ("json-29-key-with-dot.txt", "$['']", True),
        ("json-29-key-with-dot.txt", "$.name", False),
        ("json-29-key-with-dot.txt", "$..name", True),
        ("json-26-empty.txt", "a", False),
    ],
)
def test_a_key_or_a_place_is_there_or_is_not(name: str, key: str, there: bool, shared_cases: Path) -> None:
    answer = case(shared_cases, name)
    assert judged({"json_has_key": key}, answer).passed is there
    assert judged({"not_json_has_key": key}, answer).passed is not there


def test_a_key_that_is_present_with_null_is_there() -> None:
    assert JsonHasKey("a").check(answered('{"a": null}')).passed
    assert JsonHasKey("$.a").check(answered('{"a": null}')).passed


def test_the_reason_says_whether_a_key_or_a_path_was_looked_for() -> None:
    answer = answered('{"user.name": "x", "user": {"name": "y"}}')
    assert JsonHasKey("user.name").check(answer).message == "the top-level key 'user.name' is there"
    assert JsonHasKey("$.user.name").check(answer).message == "the JSONPath $.user.name leads to 1 value"


def test_a_key_of_what_is_no_object_fails_and_says_so() -> None:
    assert "a number, not an object" in JsonHasKey("a").check(answered("42")).message


def test_a_key_is_found_in_either_unicode_form() -> None:
    assert JsonHasKey("cafe\u0301").check(answered('{"caf\u00e9": 1}')).passed
    assert JsonHasKey("$.cafe\u0301").check(answered('{"caf\u00e9": 1}')).passed


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("", r"\$\[''\]"),
        (" ", r"\$\[''\]"),
        ("$id", r"\$\['\$id'\]"),
        ("$.", "no JSONPath"),
        ("$[?match(@.a, 'b')]", "'match' is not defined"),
    ],
)
def test_a_key_that_cannot_be_meant_is_refused_with_advice(value: str, advice: str) -> None:
    with pytest.raises(DefinitionError, match=advice):
        JsonHasKey(value)


def test_a_path_that_is_too_costly_is_not_measurable() -> None:
    with pytest.raises(NotMeasurable, match="more than 100000 values"):
        JsonHasKey("$..*..*").check(answered("[" * 499 + "]" * 499))


@pytest.mark.parametrize(
    ("expected", "answer", "equal"),
    [
        ({"a": 1, "b": [1, 2]}, '{"b": [1, 2], "a": 1}', True),
        ({"a": 1}, '{"a": 1.0}', True),
        ({"a": 1}, '{"a": true}', False),
        ({"a": 0}, '{"a": false}', False),
        ({"a": 1}, '{"a": "1"}', False),
        ({"a": None}, "{}", False),
        ({}, '{"a": null}', False),
        ([1, 2], "[2, 1]", False),
        ([1], "[1, 2]", False),
        ([], "{}", False),
        (None, "null", True),
        (None, "false", False),
        (False, "0", False),
        (0.1, "0.1", True),
        (0.3, "0.30000000000000004", False),
        (9007199254740993, "9007199254740993", True),
        (9007199254740993, "9007199254740992", False),
        (9007199254740993, "9007199254740992.0", False),
        (10**23, "1e23", True),
        ({"name": "cafe\u0301"}, '{"name": "caf\u00e9"}', True),
        ('{"a": 1}', '{"a": 1}', True),
        ('"Lima"', '"Lima"', True),
        ('"Lima"', "Lima", False),
        ("42", "42", True),
    ],
)
def test_json_is_equal_by_value(expected: Any, answer: str, equal: bool) -> None:
    assert judged({"json_equals": expected}, answer).passed is equal
    assert judged({"not_json_equals": expected}, answer).passed is not equal


@given(json_values())
def test_json_equals_itself_however_it_is_written(value: object) -> None:
    declared = json.dumps(value) if isinstance(value, str) else value
    written = json.dumps(value, indent=2, sort_keys=True)
    assert JsonEquals(declared).check(answered(written)).passed


@pytest.mark.parametrize(
    ("expected", "answer", "difference"),
    [
        ({"a": [{"b": 1}, {"b": 2}]}, '{"a": [{"b": 1}, {"b": 3}]}', "$.a[1].b: expected 2, found 3"),
        ({"a": 1, "b": 2}, '{"a": 1}', "$.b: expected 2, found nothing"),
        ({"a": 1}, '{"a": 1, "x y": null}', "$['x y']: expected nothing, found null"),
        ([[1, 2]], "[[1]]", "$[0]: expected an array of 2, found an array of 1"),
        ({"a": "x"}, '{"a": []}', '$.a: expected "x", found an array of 0'),
    ],
)
def test_the_reason_names_the_first_difference(expected: Any, answer: str, difference: str) -> None:
    assert judged({"json_equals": expected}, answer).message == difference


@pytest.mark.parametrize("value", ["Lima", "", "{'a': 1}", '{"a": 1, "a": 2}', "NaN"])
def test_a_text_that_is_not_json_is_refused_with_advice(value: str) -> None:
    with pytest.raises(DefinitionError, match="write it with its quotes"):
        JsonEquals(value)


@pytest.mark.parametrize("value", [float("nan"), {"a": float("inf")}, {1: "a"}, {"a": {1, 2}}, [b"x"]])
def test_what_json_cannot_express_is_refused(value: object) -> None:
    with pytest.raises(DefinitionError, match=r"no JSON value|no text"):
        JsonEquals(value)


@in_every_kind
def test_an_assertion_reads_back_from_its_definition(assertion: Any) -> None:
    stored = json.loads(json.dumps(assertion.definition()))
    assert read_assertion(stored).definition() == stored


@pytest.mark.parametrize("declared", ['"Lima"', "null", "[1]", '"42"'])
def test_expected_json_given_as_text_reads_back_as_the_same(declared: str) -> None:
    stored = json.loads(json.dumps(JsonEquals(declared).definition()))
    assert read_assertion(stored).definition() == stored
    assert read_assertion(stored).check(answered(declared)).passed


FENCES = [
    "```json\n{DOCUMENT}\n```",
    "```\n{DOCUMENT}\n```",
    "~~~ any words {of} info\n{DOCUMENT}\n~~~~",
    "Here you go:\n\n```json\n{DOCUMENT}\n```\nHope this helps!",
    "1. As asked:\n   ```json\n   {DOCUMENT}\n   ```",
    "````\n{DOCUMENT}\n````  ",
    "```json\r\n{DOCUMENT}\r\n```\r\n",
]


@pytest.mark.parametrize("fence", FENCES)
def test_one_fenced_block_is_accepted_where_asked_for(fence: str) -> None:
    answer = fence.replace("{DOCUMENT}", '{"a": 1}')
    assert judged({"type": "valid_json", "extract": "fenced"}, answer).passed
    assert judged({"type": "json_has_key", "value": "a", "extract": "fenced"}, answer).passed
    assert judged({"type": "json_equals", "value": {"a": 1}, "extract": "fenced"}, answer).passed
    assert judged({"type": "json_schema", "value": {"required": ["a"]}, "extract": "fenced"}, answer).passed
    assert not judged("valid_json", answer).passed


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"a": 1}', "no fenced blocks"),
        ('```\n{"a": 1}\n```\n```\n{"a": 1}\n```', "2 fenced blocks"),
        ('```json\n{"a": 1}', "not closed"),
        ('```json\n{"a": 1}\n``', "not closed"),
        ('```json\n{"a": 1}\n~~~', "not closed"),
        ('```json {"a": 1}```', "no fenced blocks"),
        ("", "no fenced blocks"),
        ("```\nnothing\n```", "the fenced block is not JSON"),
        ("```\n```", "the fenced block is not JSON"),
    ],
)
def test_without_one_single_block_there_is_no_document(answer: str, reason: str) -> None:
    outcome = judged({"type": "valid_json", "extract": "fenced"}, answer)
    assert not outcome.passed
    assert reason in outcome.message


@pytest.mark.parametrize("extract", ["strict", "fenced"])
def test_an_answer_that_was_cut_off_says_so(extract: str) -> None:
    reply = Reply('```json\n{"items": ["a"', finish_reason="length", flags=(TRUNCATED,))
    outcome = read_assertion({"type": "valid_json", "extract": extract}).check(answered(reply=reply))
    assert not outcome.passed
    assert "cut off at its token limit" in outcome.message


@pytest.mark.parametrize("extract", ["Fenced", "", None, True, "any"])
def test_an_unknown_way_to_extract_is_refused(extract: object) -> None:
    with pytest.raises(DefinitionError, match="extract"):
        ValidJson(extract=extract)


def test_a_negated_kind_has_the_opposite_verdict_and_a_negated_reason() -> None:
    outcome = judged({"not_json_schema": {"type": "object"}}, '{"a": 1}')
    assert not outcome.passed
    assert outcome.message.startswith("this must not hold, but does")
    assert outcome.expected == "not: JSON valid under the schema"


def test_handed_negated_assertions_get_their_verdicts(shared_cases: Path) -> None:
    names = {"not-json": "not-valid-json"}
    for each in json.loads(case(shared_cases, "misc-11-negated-assertions.json")):
        name = names.get(each["assertion"], each["assertion"])
        declared = {name: each["value"]} if "value" in each else name
        if each["right"] == "definition error":
            with pytest.raises(DefinitionError):
                read_assertion(declared)
            continue
        result = evaluated(read_assertion(declared), answered(each["answer"], error=None))
        if each["answer"] is None:
            assert result.status is Status.ERROR
        else:
            assert result.status == each["right"]


@in_every_kind
def test_an_answer_beyond_the_limit_is_not_measurable(assertion: Any) -> None:
    with pytest.raises(NotMeasurable, match="too long"):
        assertion.check(answered(" " * (MAX_JSON + 1)))


@in_every_kind
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "hostile",
    [
        "[" * MAX_JSON,
        '"' * MAX_JSON,
        '"' + "\\" * (MAX_JSON - 1),
        "1" * MAX_JSON,
        "[" + "[]," * (MAX_JSON // 3 - 2) + "1]",
        "[" + ("[" * 499 + "]" * 499 + ",") * 190 + "1]",
        "```\n" * (MAX_JSON // 4),
        "`" * MAX_JSON,
        "\u0344" * (MAX_JSON // 4),
        "\x00\ud800",
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_a_hostile_answer_gets_a_verdict(assertion: Any, hostile: str) -> None:
    assert evaluated(assertion, answered(hostile)).status in ("pass", "fail", "error")


@in_every_kind
@given(answer=any_text | st.sampled_from(["{", "[]", "```\n{}\n```"]))
def test_any_text_gets_a_verdict(assertion: Any, answer: str) -> None:
    assert evaluated(assertion, answered(answer)).status in ("pass", "fail")
