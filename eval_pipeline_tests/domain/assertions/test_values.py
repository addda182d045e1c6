from __future__ import annotations

import contextlib
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertion_results import evaluated
from eval_pipeline.domain.assertions import Assertion, read_assertion
from eval_pipeline.domain.assertions.number_values import KINDS as NUMBER_KINDS
from eval_pipeline.domain.assertions.number_values import (
    GreaterThan,
    LessThan,
    NotNumberEquals,
    NumberEquals,
)
from eval_pipeline.domain.assertions.parts import MAX_TEXT
from eval_pipeline.domain.assertions.values import KINDS as VALUE_KINDS
from eval_pipeline.domain.assertions.values import Equals, IsFalse, IsTrue, NotEquals
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text, finite_floats, json_values

KINDS = (*VALUE_KINDS, *NUMBER_KINDS)
OF_A_PART: list[dict[str, Any]] = [
    {"type": "equals", "value": "a"},
    {"type": "not_equals", "value": "a"},
    {"type": "is_true"},
    {"type": "is_false"},
]
OF_A_NUMBER: list[dict[str, Any]] = [
    {"type": "number_equals", "value": 1},
    {"type": "not_number_equals", "value": 1},
    {"type": "greater_than", "value": 1},
    {"type": "less_than", "value": 1},
]


def judged(declared: Any, answer: str) -> bool:
    return read_assertion(declared).check(answered(answer)).passed


def at(path: str, value: Any, **more: Any) -> Assertion:
    return read_assertion({"type": "equals", "path": path, "value": value, **more})


@pytest.mark.parametrize(
    ("value", "found", "equal"),
    [
        ("Lima", '"Lima"', True),
        ("Lima", '"lima"', False),
        ("Lima", '" Lima"', False),
        ("caf\u00e9", '"cafe\u0301"', True),
        ("", '""', True),
        (1, "1", True),
        (1, "1.0", True),
        (1, '"1"', False),
        ("1", "1", False),
        (1, "true", False),
        (True, "true", True),
        (True, "1", False),
        (False, "0", False),
        (None, "null", True),
        (None, "false", False),
        (0.3, "0.3", True),
        (9007199254740993, "9007199254740992", False),
        ([1, {"a": 2}], '[1, {"a": 2.0}]', True),
    ],
)
def test_a_value_at_a_path_is_equal_as_json(value: Any, found: str, equal: bool) -> None:
    answer = answered(f'{{"a": {found}}}')
    assert at("$.a", value).check(answer).passed is equal
    assert NotEquals(value, path="$.a").check(answer).passed is not equal
    assert Equals(value, path="$.a").compare(json.loads(found)).passed is equal


@pytest.mark.parametrize(
    ("answer", "reason"),
    [('{"b": 1}', "nothing at $.a"), ("a: 1", "not JSON"), ("", "not JSON"), ("[1]", "nothing at $.a")],
)
def test_a_part_that_is_not_there_fails_and_says_why(answer: str, reason: str) -> None:
    outcome = at("$.a", 1).check(answered(answer))
    assert not outcome.passed
    assert reason in outcome.message
    assert NotEquals(1, path="$.a").check(answered(answer)).passed


def test_several_different_values_at_a_path_are_not_guessed() -> None:
    with pytest.raises(NotMeasurable, match=r"2 values at \$\.\.a, among them 1 and 2"):
        at("$..a", 1).check(answered('[{"a": 1}, {"a": 2}]'))
    with pytest.raises(NotMeasurable):
        at("$..a", 1).check(answered('[{"a": 1}, {"a": true}]'))
    assert at("$..a", 1).check(answered('[{"a": 1}, {"a": 1.0}]')).passed


def test_a_path_into_a_fenced_block_is_followed_where_asked_for() -> None:
    answer = answered('Here:\n```json\n{"a": 1}\n```')
    assert at("$.a", 1, extract="fenced").check(answer).passed
    assert not at("$.a", 1).check(answer).passed


@pytest.mark.parametrize(
    ("pattern", "more", "answer", "equal"),
    [
        ("/City: (\\w+)/", {}, "City: Lima", True),
        ("/city: (\\w+)/i", {}, "City: Lima", True),
        ("/Li../", {}, "In Lima.", True),
        ("/(City): (\\w+)/", {"group": 2}, "City: Lima", True),
        ("/City: (?<city>\\w+)/", {"group": "city"}, "City: Lima", True),
        ("/Li(ma)/", {"group": 0}, "Lima", True),
        ("/City: (\\w+)/", {}, "City: Lima, again City: Lima", True),
        ("/City: (\\w+)/", {}, "City: Oslo", False),
        ("/City: (\\w+)/", {}, "no city", False),
        ("/City: (.*)/", {}, "City: Lima ", False),
        ("/City(: (\\w+))?/", {"group": 2}, "City", False),
    ],
)
def test_the_text_that_a_pattern_finds_is_compared(
    pattern: str, more: dict[str, Any], answer: str, equal: bool
) -> None:
    declared = {"type": "equals", "pattern": pattern, "value": "Lima", **more}
    assert judged(declared, answer) is equal


def test_several_different_texts_of_a_pattern_are_not_guessed() -> None:
    assertion = read_assertion({"type": "equals", "pattern": "/City: (\\w+)/", "value": "Lima"})
    with pytest.raises(NotMeasurable, match="Lima and Oslo"):
        assertion.check(answered("City: Lima. City: Oslo."))


@pytest.mark.parametrize(
    ("found", "truth"),
    [("true", True), ("TRUE", True), ("Yes", True), (" yes ", True), ("false", False), ("No", False)],
)
def test_closed_spellings_of_true_and_false_are_known_in_text(found: str, truth: bool) -> None:
    answer = f"Open:{found}."
    assert judged({"is_true": {"pattern": "/Open:(.*)\\./"}}, answer) is truth
    assert judged({"is_false": {"pattern": "/Open:(.*)\\./"}}, answer) is not truth


@pytest.mark.parametrize(
    "found", ["1", "0", "y", "on", "not true", "nope", "", "truefalse", "\uff59\uff45\uff53"]
)
def test_other_words_are_neither_true_nor_false(found: str) -> None:
    for kind in ("is_true", "is_false"):
        with pytest.raises(NotMeasurable, match="neither true nor false"):
            judged({kind: {"pattern": "/Open:(.*)\\./"}}, f"Open:{found}.")


@pytest.mark.parametrize("found", ["1", "0", '"true"', '"no"', "null", "[]", "{}"])
def test_json_that_is_no_truth_value_is_neither_true_nor_false(found: str) -> None:
    for kind in ("is_true", "is_false"):
        with pytest.raises(NotMeasurable, match="neither true nor false"):
            judged({kind: {"path": "$.a"}}, f'{{"a": {found}}}')


def test_true_and_false_are_told_apart_at_a_path() -> None:
    assert judged({"is_true": {"path": "$.a"}}, '{"a": true}')
    assert not judged({"is_true": {"path": "$.a"}}, '{"a": false}')
    assert judged({"is_false": {"path": "$.a"}}, '{"a": false}')
    assert not judged({"is_true": {"path": "$.a"}}, "{}")


@pytest.mark.parametrize(
    ("declared", "answer", "passed"),
    [
        ({"number_equals": 1234}, "It costs $1,234.", True),
        ({"number_equals": 1234}, "It costs $1,235.", False),
        ({"number_equals": -5}, "It is \u22125 degrees.", True),
        ({"number_equals": 0.3}, "0.3", True),
        ({"number_equals": 0.3}, "0.30000000000000004", False),
        ({"number_equals": 12}, "12%", True),
        ({"type": "number_equals", "value": 0.12, "percent": "as_fraction"}, "12%", True),
        ({"type": "number_equals", "value": 0.3, "tolerance": 0.1}, "0.4", True),
        ({"type": "number_equals", "value": 0.3, "tolerance": 0.1}, "0.2", True),
        ({"type": "number_equals", "value": 0.3, "tolerance": 0.1}, "0.40000000000000001", False),
        ({"type": "number_equals", "value": 1234.5, "decimal": ","}, "1.234,5", True),
        ({"type": "number_equals", "value": 3, "pattern": "/Total: (.*)/"}, "1 and 2\nTotal: 3 pieces", True),
        ({"type": "number_equals", "value": 3, "pattern": "/Total: (.*)/"}, "3", False),
        ({"type": "number_equals", "value": 3, "pattern": "/Total: (.*)/"}, "Total: none", False),
        ({"type": "number_equals", "value": 1000, "pattern": "/= (\\S+)/"}, "= 1,000 and = 1000", True),
        ({"type": "number_equals", "value": 3, "path": "$.n"}, '{"n": 3.0, "m": 4}', True),
        ({"type": "number_equals", "value": 10**400, "path": "$.n"}, '{"n": 1' + "0" * 400 + "}", True),
        ({"type": "number_equals", "value": 10**400, "path": "$.n"}, '{"n": 1' + "0" * 399 + "1}", False),
        ({"number_equals": 5}, "no digits here", False),
        ({"number_equals": 5}, "", False),
        ({"greater_than": 3}, "3.01", True),
        ({"greater_than": 3}, "3", False),
        ({"greater_than": 3}, "none", False),
        ({"greater_than": 0.1}, "0.1", False),
        ({"less_than": 3}, "2.99", True),
        ({"less_than": 3}, "3.0", False),
        ({"type": "less_than", "value": 3, "path": "$.n"}, '{"n": -1e3}', True),
        ({"type": "less_than", "value": 3, "path": "$.n"}, "{}", False),
    ],
)
def test_a_number_is_compared_exactly(declared: Any, answer: str, passed: bool) -> None:
    assert judged(declared, answer) is passed


@pytest.mark.parametrize("declared", OF_A_NUMBER, ids=lambda declared: declared["type"])
@pytest.mark.parametrize("answer", ["1 or 2", "7,5", "1/2", "GPT-4", "5 million", "\u0665", "9" * 500])
def test_a_number_that_would_be_a_guess_is_not_measurable(declared: Any, answer: str) -> None:
    with pytest.raises(NotMeasurable):
        judged(declared, answer)


@pytest.mark.parametrize("declared", OF_A_NUMBER, ids=lambda declared: declared["type"])
@pytest.mark.parametrize("found", ['"1"', "true", "null", "[1]", '{"a": 1}'])
def test_json_that_is_no_number_is_not_measurable(declared: Any, found: str) -> None:
    with pytest.raises(NotMeasurable, match="a number is expected"):
        judged({**declared, "path": "$.n"}, f'{{"n": {found}}}')


def test_several_different_numbers_of_a_pattern_are_not_guessed() -> None:
    with pytest.raises(NotMeasurable, match="different values"):
        judged({"type": "number_equals", "value": 1, "pattern": "/= (\\d+)/"}, "= 1, = 2")


def test_a_fail_says_how_far_off_the_number_is() -> None:
    assert NumberEquals(10, tolerance=1).check(answered("12.5")).message == "12.5 is 2.5 away from 10"
    assert LessThan(3).check(answered("5")).message == "5 is not less than 3"


def test_a_computed_value_is_compared_without_an_answer() -> None:
    assert Equals("a").compare("a").passed
    assert Equals([1, 2]).compare((1, 2)).passed
    assert not NotEquals("a").compare("a").passed
    assert IsTrue().compare(found=True).passed
    assert not IsFalse().compare(found=True).passed
    assert GreaterThan(20).compare(21).passed
    assert not LessThan(20).compare(20).passed
    assert NumberEquals(0.5).compare(Fraction(1, 2)).passed
    assert NumberEquals(0.1).compare(Decimal("0.1")).passed
    assert not NumberEquals(0.3).compare(0.1 + 0.2).passed
    assert NumberEquals(0.3, tolerance=1e-9).compare(0.1 + 0.2).passed
    assert not NotNumberEquals(0.3, tolerance=1e-9).compare(0.1 + 0.2).passed


@pytest.mark.parametrize(
    "found", [None, True, "5", "", float("nan"), float("inf"), Decimal("NaN"), [], {}, object(), 1j]
)
def test_a_computed_value_that_is_no_finite_number_is_not_measurable(found: object) -> None:
    for assertion in (GreaterThan(1), LessThan(1), NumberEquals(1), NotNumberEquals(1)):
        with pytest.raises(NotMeasurable, match="a number is expected"):
            assertion.compare(found)


@pytest.mark.parametrize("found", [None, 1, 0, "true", "", [], float("nan"), object()])
def test_a_computed_value_that_is_no_truth_value_is_not_measurable(found: object) -> None:
    for assertion in (IsTrue(), IsFalse()):
        with pytest.raises(NotMeasurable, match="neither true nor false"):
            assertion.compare(found)


@pytest.mark.parametrize("found", [float("nan"), {1, 2}, b"a", object()])
def test_a_computed_value_that_is_no_json_is_not_measurable(found: object) -> None:
    for assertion in (Equals(1.0), NotEquals(1.0), Equals("a")):
        with pytest.raises(NotMeasurable, match="cannot be compared"):
            assertion.compare(found)


@pytest.mark.parametrize("declared", OF_A_PART, ids=lambda declared: declared["type"])
def test_a_declared_assertion_that_names_no_part_is_refused_with_advice(declared: Any) -> None:
    with pytest.raises(DefinitionError, match=r"path or pattern.*use exact"):
        read_assertion(declared)


def test_an_assertion_made_in_python_without_a_part_is_not_measurable_on_an_answer() -> None:
    for assertion in (Equals("a"), NotEquals("a"), IsTrue(), IsFalse()):
        with pytest.raises(NotMeasurable, match="path or pattern"):
            assertion.check(answered("a"))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"path": "$.a", "pattern": "/a/"}, "either path or pattern"),
        ({"path": "a"}, "no JSONPath"),
        ({"pattern": "a"}, "no delimiters"),
        ({"pattern": "/(/"}, "faulty"),
        ({"pattern": "//"}, "empty"),
        ({"pattern": "/(a)/", "group": 2}, "no group 2"),
        ({"pattern": "/(a)/", "group": -1}, "no group -1"),
        ({"pattern": "/(a)/", "group": "x"}, "no group 'x'"),
        ({"path": "$.a", "group": 1}, "group belongs to a pattern"),
        ({"pattern": "/a/", "extract": "fenced"}, "extract belongs to a path"),
        ({"path": "$.a", "pattern": None, "colour": 1}, "unknown key 'colour'"),
        ({"path": 1}, "path"),
        ({"pattern": "/a/", "group": True}, "group"),
    ],
)
@pytest.mark.parametrize("declared", [*OF_A_PART, *OF_A_NUMBER], ids=lambda declared: declared["type"])
def test_a_part_that_is_named_wrongly_is_refused(declared: Any, parameters: Any, reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason):
        read_assertion({**declared, **parameters})


@pytest.mark.parametrize("value", [1, True, None, [], {}])
def test_a_pattern_with_a_value_that_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(DefinitionError, match="in quotes"):
        Equals(value, pattern="/a/")


@pytest.mark.parametrize("kind", [NumberEquals, NotNumberEquals, GreaterThan, LessThan])
@pytest.mark.parametrize("value", ["1", "1,234", None, True, [1], float("nan"), float("inf")])
def test_a_bound_that_is_no_finite_number_is_refused(kind: Any, value: object) -> None:
    with pytest.raises(DefinitionError, match="number"):
        kind(value)


@pytest.mark.parametrize("tolerance", [-1, -0.001, float("nan"), "1", True, None])
def test_a_tolerance_that_is_no_distance_is_refused(tolerance: object) -> None:
    with pytest.raises(DefinitionError, match=r"tolerance|number"):
        NumberEquals(1, tolerance=tolerance)


@pytest.mark.parametrize("more", [{"decimal": ";"}, {"decimal": ""}, {"percent": True}, {"percent": "unit"}])
def test_an_unknown_way_to_read_numbers_is_refused(more: Any) -> None:
    with pytest.raises(DefinitionError, match=r"decimal|percent"):
        NumberEquals(1, **more)


@given(finite_floats, finite_floats, st.floats(0, 1e300))
def test_a_tolerance_reaches_as_far_as_its_decimal_digits(
    number: float, value: float, tolerance: float
) -> None:
    passed = NumberEquals(value, tolerance=tolerance).compare(number).passed
    assert NotNumberEquals(value, tolerance=tolerance).compare(number).passed is not passed
    assert passed is (abs(Fraction(repr(number)) - Fraction(repr(value))) <= Fraction(repr(tolerance)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_an_assertion_reads_back_from_its_definition(kind: Any) -> None:
    stored = json.loads(json.dumps(read_assertion(kind.example.declared).definition()))
    assert read_assertion(stored).definition() == stored


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "declared",
    [
        *({**each, "path": "$..*"} for each in OF_A_PART),
        *OF_A_NUMBER,
        {"type": "number_equals", "value": 1, "pattern": "/^(a|aa)+$/"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "hostile",
    [
        "[" * MAX_TEXT,
        "[" + "[]," * 60_000 + "1]",
        "1 " * (MAX_TEXT // 2),
        "1\n" * (MAX_TEXT // 2),
        "a" * (MAX_TEXT - 1) + "b",
        "\x00\ud800",
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_a_hostile_answer_is_done_in_time(declared: Any, hostile: str) -> None:
    assert evaluated(read_assertion(declared), answered(hostile)).status in ("pass", "fail", "error")


@pytest.mark.parametrize("declared", [*OF_A_PART, *OF_A_NUMBER], ids=lambda declared: declared["type"])
@pytest.mark.parametrize("part", [{"path": "$.a"}, {"pattern": "/a/"}], ids=str)
def test_an_answer_beyond_the_limit_is_not_measurable(declared: Any, part: Any) -> None:
    with pytest.raises(NotMeasurable, match="too long"):
        judged({**declared, **part}, "1" + " " * MAX_TEXT)


@given(any_text | json_values(texts=any_text).map(json.dumps), st.sampled_from([*OF_A_PART, *OF_A_NUMBER]))
def test_any_answer_gets_a_verdict_or_is_not_measurable(answer: str, declared: Any) -> None:
    for part in ({"path": "$.*"}, {"pattern": "/.+/"}):
        with contextlib.suppress(NotMeasurable):
            assert judged({**declared, **part}, answer) in (True, False)
