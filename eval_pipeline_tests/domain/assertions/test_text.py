from __future__ import annotations

import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.domain.assertions import (
    Assertion,
    Contains,
    Exact,
    Regex,
    patterns,
    read_assertion,
    similarity,
    size,
    text,
)
from eval_pipeline.domain.assertions.base import Sample
from eval_pipeline.domain.assertions.text import (
    ContainsAll,
    ContainsAny,
    EndsWith,
    NotEmpty,
    OneOf,
    StartsWith,
)
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.responses import Reply
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text

ONE_TEXT = [Exact, Contains, StartsWith, EndsWith]
LISTS = [ContainsAny, ContainsAll, OneOf]
BLANKS = ["", " ", "\n", "\u00a0", "\u200b", "\ufeff"]
NEGATED = [kind for kind in text.KINDS if kind.kind.startswith("not_") and kind is not NotEmpty]
TOOL_CALL = {"function": {"name": "look_up", "arguments": "{}"}}

accented = st.text("aeo\u0301\u0308éö ", min_size=1).filter(
    lambda written: unicodedata.normalize("NFC", written).strip()
)


def holds(assertion: Assertion, answer: str) -> bool:
    return assertion.check(answered(answer)).passed


def case(name: str, shared_cases: Path) -> str:
    return (shared_cases / name).read_bytes().decode()


@pytest.mark.parametrize("kind", [*text.KINDS, *patterns.KINDS, *similarity.KINDS, *size.KINDS])
def test_every_example_is_true(kind: type[Assertion]) -> None:
    assert kind.example is not None
    assertion = read_assertion(kind.example.declared)
    assert type(assertion) is kind
    for sample, passed in ((kind.example.passes, True), (kind.example.fails, False)):
        response = (sample if isinstance(sample, Sample) else Sample(sample)).response()
        assert assertion.check(answered(reply=response.reply)).passed == passed


@pytest.mark.parametrize("answer", ["ok", " ok", "ok\n", "\r\n\tok \u00a0"])
@pytest.mark.parametrize("kind", ONE_TEXT)
def test_white_space_at_the_ends_is_ignored_on_both_sides(kind: type[Assertion], answer: str) -> None:
    assert holds(kind("ok"), answer)
    if kind is not Contains:
        assert holds(Exact(answer), "ok")
        assert holds(OneOf([answer]), "ok")


@pytest.mark.parametrize("answer", ["OK", "ok.", "o k", "ok ok", '"ok"'])
def test_exact_and_one_of_tell_every_other_difference(answer: str) -> None:
    assert not holds(Exact("ok"), answer)
    assert not holds(OneOf(["ok", "yes"]), answer)


@pytest.mark.parametrize(
    ("needle", "answer", "found"),
    [
        ("Oslo", "It is Oslo.", True),
        ("Oslo", "It is oslo.", False),
        ("10 km", "10  km", False),
        ("10 km", "10\u00a0km", False),
        (" yes", "yes", False),
        (" yes", "oh yes", True),
        ("a.c", "abc", False),
        ("0", "100", True),
        ("don't", "don’t", False),
    ],
)
def test_contains_looks_for_the_very_text(needle: str, answer: str, found: bool) -> None:
    assert holds(Contains(needle), answer) == found
    assert holds(ContainsAny([needle]), answer) == found
    assert holds(ContainsAll([needle]), answer) == found


@pytest.mark.parametrize(
    ("assertion", "answer", "passed"),
    [
        (StartsWith("Dear"), "\n Dear Ann", True),
        (StartsWith(" Dear"), "Dear Ann", True),
        (StartsWith("Dear "), "Dearest", False),
        (StartsWith("Dear"), "My Dear", False),
        (EndsWith("?"), "Yes? \r\n", True),
        (EndsWith("end\n"), "the end", True),
        (EndsWith(" end"), "weekend", False),
        (EndsWith("?"), "Yes?!", False),
    ],
)
def test_only_the_outer_white_space_of_a_beginning_or_end_is_ignored(
    assertion: Assertion, answer: str, passed: bool
) -> None:
    assert holds(assertion, answer) == passed


@pytest.mark.parametrize(
    ("answer", "any_of", "all_of", "one_of"),
    [
        ("a and b", True, True, False),
        ("only a", True, False, False),
        ("a", True, False, True),
        ("neither", False, False, False),
    ],
)
def test_lists_are_read_as_any_all_and_one(answer: str, any_of: bool, all_of: bool, one_of: bool) -> None:
    assert holds(ContainsAny(["a", "b"]), answer.replace("and", "&")) == any_of
    assert holds(ContainsAll(["a", "b"]), answer.replace("and", "&")) == all_of
    assert holds(OneOf(["a", "b"]), answer) == one_of


@given(accented, accented, st.booleans())
def test_a_verdict_does_not_depend_on_how_accents_are_composed(
    value: str, answer: str, ignore_case: bool
) -> None:
    forms = [
        (unicodedata.normalize(one, value), unicodedata.normalize(other, answer))
        for one in ("NFC", "NFD")
        for other in ("NFC", "NFD")
    ]
    for kind in ONE_TEXT:
        verdicts = {holds(kind(expected, ignore_case=ignore_case), shown) for expected, shown in forms}
        assert len(verdicts) == 1
    for kind in LISTS:
        assert (
            len({holds(kind([expected], ignore_case=ignore_case), shown) for expected, shown in forms}) == 1
        )


@pytest.mark.parametrize(
    ("value", "answer"),
    [("Straße", "STRASSE"), ("straße", "Strasse"), ("ΣΟΦΟΣ", "σοφος"), ("É", "e\u0301"), ("J\u030c", "ǰ")],
)
@pytest.mark.parametrize("kind", ONE_TEXT)
def test_case_is_ignored_by_full_folding_and_only_when_asked(
    kind: type[Assertion], value: str, answer: str
) -> None:
    assert holds(kind(value, ignore_case=True), answer)
    assert holds(kind(answer, ignore_case=True), value)
    assert not holds(kind(value), answer)


@pytest.mark.parametrize("kind", LISTS)
def test_lists_ignore_case_when_asked(kind: type[Assertion]) -> None:
    assert holds(kind(["STRASSE"], ignore_case=True), "Straße")
    assert not holds(kind(["STRASSE"]), "Straße")


@pytest.mark.parametrize("kind", ONE_TEXT)
@pytest.mark.parametrize("value", BLANKS)
def test_an_empty_needle_is_refused(kind: type[Assertion], value: str) -> None:
    with pytest.raises(DefinitionError, match="empty"):
        kind(value)


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("value", [[], *(["yes", blank] for blank in BLANKS)])
def test_a_list_that_is_empty_or_has_an_empty_needle_is_refused(kind: type[Assertion], value: Any) -> None:
    with pytest.raises(DefinitionError, match="empty"):
        kind(value)


@pytest.mark.parametrize("kind", LISTS)
def test_a_bare_text_is_no_list_and_the_reason_says_what_to_write(kind: type[Assertion]) -> None:
    with pytest.raises(
        DefinitionError, match=r"a list of texts is expected, found one text; write \['cat'\]"
    ):
        kind("cat")


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("value", [None, 5, {"a": 1}, ("a",), {"a"}])
def test_what_is_no_list_is_refused(kind: type[Assertion], value: object) -> None:
    with pytest.raises(DefinitionError, match="list"):
        kind(value)


@pytest.mark.parametrize("kind", [*ONE_TEXT, Regex])
@pytest.mark.parametrize("value", [False, 7, 1.1, ["a"], {"name": None}])
def test_a_needle_that_is_no_text_is_refused_with_the_advice_to_quote(
    kind: type[Assertion], value: object
) -> None:
    with pytest.raises(DefinitionError, match="in quotes"):
        kind(value)


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("value", [False, 7, 1.1, None, {"name": None}])
def test_a_list_with_what_is_no_text_is_refused_with_the_advice_to_quote(
    kind: type[Assertion], value: object
) -> None:
    with pytest.raises(DefinitionError, match="in quotes"):
        kind(["yes", value])


@pytest.mark.parametrize("kind", [*ONE_TEXT, *LISTS, Regex])
def test_an_assertion_without_its_value_is_refused(kind: type[Assertion]) -> None:
    with pytest.raises(DefinitionError, match="value"):
        kind()


@pytest.mark.parametrize(
    "assertion", [*(kind("yes") for kind in ONE_TEXT), *(kind(["yes"]) for kind in LISTS)]
)
def test_a_pass_and_a_fail_show_both_sides(assertion: Assertion) -> None:
    for answer in ("yes", "no"):
        outcome = assertion.check(answered(answer))
        assert "yes" in outcome.expected
        assert outcome.actual == answer
        assert outcome.message
    assert assertion.check(answered("yes")).message != assertion.check(answered("no")).message


def test_the_reason_of_a_list_names_what_is_missing() -> None:
    outcome = ContainsAll(["a", "b", "c"]).check(answered("b"))
    assert outcome.message == "'a', 'c' not found"
    long = ContainsAny([f"needle {number}" for number in range(100)]).check(answered("hay"))
    assert long.message.endswith("and 95 more found")


def test_a_long_answer_is_shown_shortened() -> None:
    outcome = Contains("no").check(answered("yes" * 10_000))
    assert len(outcome.actual) < 300
    assert "30000 characters" in outcome.actual


@pytest.mark.parametrize(
    "assertion", [Exact("yes"), Contains("yes"), OneOf(["yes"]), Regex("/yes/"), Regex("/^$/")]
)
@pytest.mark.parametrize("shown", [None, "", "\n"])
def test_an_answer_of_tool_calls_alone_has_no_text_to_measure(
    assertion: Assertion, shown: str | None
) -> None:
    with pytest.raises(NotMeasurable, match="no text"):
        assertion.check(answered(reply=Reply(shown, tool_calls=(TOOL_CALL,))))


@pytest.mark.parametrize("shown", [None, "", "\n"])
def test_an_answer_of_tool_calls_alone_is_empty(shown: str | None) -> None:
    assert not NotEmpty().check(answered(reply=Reply(shown, tool_calls=(TOOL_CALL,)))).passed


def test_a_call_that_failed_is_not_measurable_rather_than_empty() -> None:
    with pytest.raises(NotMeasurable, match="no answer"):
        NotEmpty().check(answered(reply=None))


@given(any_text)
@example("\ud83d")
def test_any_answer_gets_a_verdict_and_every_negation_the_opposite(answer: str) -> None:
    for negated in NEGATED:
        plain = negated.__mro__[2]
        value: Any = "yes" if plain in ONE_TEXT else ["yes", "no"]
        for ignore_case in (False, True):
            parameters = {"value": value, "ignore_case": ignore_case}
            assert holds(plain(**parameters), answer) != holds(negated(**parameters), answer)


def test_every_kind_that_compares_texts_has_a_negation() -> None:
    assert {kind.__mro__[2] for kind in NEGATED} == {*ONE_TEXT, *LISTS}


@given(any_text.filter(lambda written: bool(written.strip("\u200b\ufeff \n"))))
def test_a_text_contains_begins_and_ends_with_itself(written: str) -> None:
    for kind in ONE_TEXT:
        try:
            assertion = kind(written)
        except DefinitionError:
            continue  # invisible characters alone are no needle
        assert holds(assertion, written)


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [(Exact("ok"), True), (EndsWith("k"), True), (StartsWith("ok"), True), (OneOf(["ok"]), True)],
)
def test_a_final_line_end_is_ignored_by_every_kind_that_looks_at_an_end(
    assertion: Assertion, passed: bool, shared_cases: Path
) -> None:
    assert holds(assertion, case("text-21-trailing-newline.txt", shared_cases)) == passed


def test_blanks_quotes_and_dashes_of_other_kinds_differ(shared_cases: Path) -> None:
    answer = case("text-14-nbsp.txt", shared_cases)
    assert holds(Contains("text’s end – ok"), answer)
    for other in ('"quoted"', "text's", "end - ok"):
        assert not holds(Contains(other), answer)
    assert holds(Contains("10 km"), answer) != holds(Contains("10\u00a0km"), answer)


@pytest.mark.parametrize(("name", "shown"), [("text-24-none.txt", "None"), ("text-25-zero.txt", "0")])
def test_a_word_that_looks_like_no_value_is_an_answer(name: str, shown: str, shared_cases: Path) -> None:
    answer = case(name, shared_cases)
    assert holds(Exact(shown), answer)
    assert holds(NotEmpty(), answer)
    assert not holds(Exact("1"), answer)


def test_white_space_and_invisible_characters_are_no_text(shared_cases: Path) -> None:
    assert not holds(NotEmpty(), case("text-26-whitespace.txt", shared_cases))


def test_template_syntax_in_an_answer_is_text(shared_cases: Path) -> None:
    answer = case("text-27-template.txt", shared_cases)
    outcome = Contains("{% raw %} or {0} and {score} and %s").check(answered(answer))
    assert outcome.passed
    assert outcome.actual == answer


@pytest.mark.parametrize("unit", ["a", "ab", "é", "İ", "ß", "\u0000", "今", "a\u0301"])
def test_texts_of_a_million_characters_are_compared_within_a_second(unit: str) -> None:
    answer = (unit * 1_000_000)[:1_000_000]
    started = time.process_time()
    for assertion in (
        Contains(unit * 1000 + "x", ignore_case=True),
        Exact(answer, ignore_case=True),
        EndsWith("x" + unit * 1000),
        ContainsAny([unit * 50 + "x" + str(number) for number in range(5)]),
    ):
        holds(assertion, answer)
    assert time.process_time() - started < 2
