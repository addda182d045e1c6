"""What `evaluate_row` calls: every kind of assertion as a method, own records, and what they amount to."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertion_results import AssertionResult, Status
from eval_pipeline.domain.assertions import ASSERTION_KINDS, Answer, Assertion, Contains, Outcome
from eval_pipeline.domain.response_checks import ResponseChecks
from eval_pipeline.domain.text import are_storable
from eval_pipeline_tests.builders import answered, response


class Judged(Assertion):
    """Only a judge can tell."""

    kind: ClassVar[str] = "judged_by_somebody"
    judged: ClassVar[bool] = True
    value: str

    def check(self, answer: Answer) -> Outcome:
        raise AssertionError("nobody asks")


class Misnamed(Assertion):
    """Has parameters by the names of ours."""

    kind: ClassVar[str] = "misnamed"
    given: int = 0
    checked: int = 0

    def check(self, answer: Answer) -> Outcome:
        return Outcome(self.given == 3, f"given {self.given}", "3", str(self.given))


KINDS = MappingProxyType({**ASSERTION_KINDS, Judged.kind: Judged, Misnamed.kind: Misnamed})


def checks(text: str | None = "I am sorry about your parcel.", **changes: object) -> ResponseChecks:
    return ResponseChecks(answered(text, **changes), KINDS)


def only(check: ResponseChecks) -> AssertionResult:
    (result,) = check.results()
    return result


def test_every_kind_is_a_method_that_records_and_says_whether_it_holds():
    check = checks()
    assert check.contains("sorry") is True
    assert check.contains("glad") is False
    assert check.not_contains("glad") is True
    assert [(result.assertion, result.status) for result in check.results()] == [
        ("contains 'sorry'", Status.PASS),
        ("contains 'glad'", Status.FAIL),
        ("not_contains 'glad'", Status.PASS),
    ]


def test_the_methods_take_the_parameters_of_their_kinds():
    check = checks()
    assert check.contains(value="SORRY", ignore_case=True, weight=2.5)
    assert check.word_count_between(min=3, max=10)
    assert [result.weight for result in check.results()] == [2.5, 1.0]


def test_the_methods_are_listed_with_those_of_the_checks_themselves():
    assert {"contains", "word_count_between", "record", "that", "response"} <= set(dir(checks()))


def test_the_response_is_at_hand():
    check = checks("yes", cost_usd=0.25, latency_ms=40.0)
    assert (check.response.text, check.response.cost_usd, check.response.latency_ms) == ("yes", 0.25, 40.0)


def test_a_message_says_what_is_meant_before_what_was_found():
    check = checks()
    check.contains("glad", message="should be glad")
    assert only(check).message == "should be glad: 'glad' not found"


@pytest.mark.parametrize("name", ["contain", "not_contain", "_answer_text", "__wrapped__", "asserts"])
def test_a_check_that_is_not_there_is_told_with_what_may_be_meant(name):
    with pytest.raises(AttributeError, match=f"there is no check '{name}'"):
        getattr(checks(), name)


def test_a_misspelt_check_is_told_with_the_one_that_is_near():
    with pytest.raises(AttributeError, match="did you mean 'contains'"):
        checks().contain  # noqa: B018


@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        (lambda check: check.contains(""), "value is empty"),
        (lambda check: check.contains(), "the key 'value' is missing"),
        (lambda check: check.contains("a", "b"), "takes one value without a name"),
        (lambda check: check.contains("a", ignorecase=True), "did you mean 'ignore_case'"),
        (lambda check: check.contains(5), "a text is expected"),
        (lambda check: check.contains_any("cat"), "list"),
        (lambda check: check.contains_any([]), "contains_any"),
        (lambda check: check.contains("a", weight=-1), "weight"),
        (lambda check: check.word_count_between(min=5, max=3), "word_count_between"),
        (lambda check: check.greater_than(5), "value"),
        (lambda check: check.greater_than(5, "x"), "a number is expected"),
        (lambda check: check.greater_than(5, 3, 2), "takes one value without a name"),
        (lambda check: check.greater_than("no number", 3), ""),
        (lambda check: check.number_equals(5, 5, tolerence=1), "tolerence"),
    ],
)
def test_faulty_parameters_are_an_error_that_says_why_and_never_pass(
    faulty: Callable[[ResponseChecks], bool], reason: str
) -> None:
    check = checks()
    assert faulty(check) is False
    result = only(check)
    assert result.status is Status.ERROR
    assert reason in result.message


def test_a_parameter_may_have_any_name():
    check = checks()
    assert check.misnamed(given=3, checked=1)
    assert only(check).message == "given 3"


# Assertions as objects


def test_an_assertion_object_is_evaluated_on_the_response():
    check = checks()
    assert check.that(Contains("parcel"), message="names it")
    assert only(check) == AssertionResult(
        "contains 'parcel'",
        Status.PASS,
        "names it: 'parcel' found",
        "parcel",
        "I am sorry about your parcel.",
    )


def test_what_only_a_judge_can_tell_is_left_to_the_judge():
    check = checks()
    assert check.judged_by_somebody("polite?") is False
    assert check.results() == ()
    check.contains("sorry")
    assert [result.status for result in check.results()] == [Status.PASS]


# Computed values


@pytest.mark.parametrize(
    ("passes", "fails"),
    [
        (lambda check: check.greater_than(21, 20), lambda check: check.greater_than(20, 20)),
        (lambda check: check.greater_than(0, -1), lambda check: check.greater_than(-1, 0)),
        (lambda check: check.less_than(0, 0.5), lambda check: check.less_than(0, 0)),
        (lambda check: check.equals("paid", "paid"), lambda check: check.equals("paid", "open")),
        (lambda check: check.equals(0, 0), lambda check: check.equals(0, False)),
        (lambda check: check.equals(None, None), lambda check: check.equals(None, "None")),
        (lambda check: check.equals("a", value="a"), lambda check: check.equals("a", value="b")),
        (lambda check: check.equals({"a": [1]}, {"a": [1]}), lambda check: check.equals([1, 2], [2, 1])),
        (lambda check: check.not_equals(1, 2), lambda check: check.not_equals(2, 2)),
        (lambda check: check.is_true(True), lambda check: check.is_true(False)),
        (lambda check: check.is_false(False), lambda check: check.is_false(True)),
        (
            lambda check: check.number_equals(12.52, 12.5, tolerance=0.1),
            lambda check: check.number_equals(12.7, 12.5, tolerance=0.1),
        ),
    ],
)
def test_kinds_about_a_value_take_the_value_first(
    passes: Callable[[ResponseChecks], bool], fails: Callable[[ResponseChecks], bool]
) -> None:
    check = checks("the text of the answer is not looked at")
    assert passes(check) is True
    assert fails(check) is False
    assert [result.status for result in check.results()] == [Status.PASS, Status.FAIL]


@pytest.mark.parametrize("value", ["many", None, [1], object(), float("nan"), b"1", {1, 2}])
def test_a_computed_value_of_the_wrong_kind_is_an_error_or_a_fail_and_never_raises(value):
    check = checks()
    assert check.greater_than(value, 20) is False
    assert only(check).status in (Status.ERROR, Status.FAIL)


# Records of one's own


def test_a_record_is_a_result_like_any_other():
    check = checks()
    assert check.record("own rule", passed=True, message="found", expected="a", actual="b", weight=2) is True
    assert check.record("other", passed=False) is False
    assert check.results() == (
        AssertionResult("own rule", Status.PASS, "found", "a", "b", 2.0),
        AssertionResult("other", Status.FAIL, "", "", "", 1.0),
    )


@pytest.mark.parametrize("passed", ["false", "true", 1, 0, None, [], "pass"])
def test_what_is_no_truth_value_is_an_error_and_never_passes(passed):
    check = checks()
    assert check.record("own rule", passed=passed) is False
    result = only(check)
    assert (result.status, result.message) == (Status.ERROR, f"'passed' is a truth value, found {passed!r}")


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), True, "2", None, 1e308, 1_000_001])
def test_a_weight_beyond_those_of_assertions_is_an_error(weight):
    check = checks()
    assert check.record("own rule", passed=True, weight=weight) is False
    assert only(check).status is Status.ERROR


def test_what_is_given_to_a_record_becomes_text():
    check = checks()
    check.record(7, passed=True, message=ValueError("why"), expected=["x"] * 500, actual={"a": None})
    result = only(check)
    assert (result.assertion, result.message, result.actual) == ("7", "why", "{'a': None}")
    assert result.expected.endswith("… (2500 characters)")


@given(name=st.one_of(st.text(), st.none(), st.integers()), message=st.one_of(st.text(), st.binary()))
def test_everything_recorded_is_made_of_texts(name: object, message: object) -> None:
    check = checks()
    check.record(name, passed=True, message=message)
    result = only(check)
    assert {type(text) for text in (result.assertion, result.message, result.expected, result.actual)} == {
        str
    }
    assert are_storable(result.assertion) or not are_storable(name)


# What was recorded


def test_recording_nothing_is_an_error():
    result = only(checks())
    assert (result.status, result.message) == (
        Status.ERROR,
        "nothing was recorded: call the methods of check, such as check.is_true(...)",
    )


def test_weights_that_are_all_0_are_an_error():
    check = checks()
    check.contains("sorry", weight=0)
    check.record("x", passed=True, weight=0)
    *_, last = check.results()
    assert (last.status, "weights of all checks are 0" in last.message) == (Status.ERROR, True)


def test_asking_for_the_results_records_nothing():
    check = checks()
    check.results()
    check.contains("sorry")
    assert [result.status for result in check.results()] == [Status.PASS]


def test_two_checks_share_nothing():
    first, second = checks(), checks()
    first.contains("sorry")
    assert (
        only(second).message == "nothing was recorded: call the methods of check, such as check.is_true(...)"
    )
    assert len(first.results()) == 1


def test_an_answer_without_text_makes_checks_of_text_errors():
    calls = ({"id": "1", "function": {"name": "look", "arguments": "{}"}},)
    reply = response(None).reply
    check = checks(None, reply=type(reply)(None, tool_calls=calls))
    check.contains("x")
    check.tool_called("look")
    assert [result.status for result in check.results()] == [Status.ERROR, Status.PASS]
