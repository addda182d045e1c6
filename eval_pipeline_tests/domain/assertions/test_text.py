from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.domain.assertions import Assertion, Contains, Exact, Regex
from eval_pipeline.domain.assertions.pcre import MAX_SUBJECT
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.responses import Reply
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text

accented = st.text("aeo\u0301\u0308éö ", min_size=1).filter(
    lambda written: unicodedata.normalize("NFC", written).strip()
)


def holds(assertion: Assertion, answer: str) -> bool:
    return assertion.check(answered(answer)).passed


@pytest.mark.parametrize("answer", ["ok", " ok", "ok\n", "\r\n\tok \u00a0"])
def test_exact_ignores_white_space_at_both_ends_of_both_sides(answer: str) -> None:
    assert holds(Exact("ok"), answer)
    assert holds(Exact(answer), "ok")


@pytest.mark.parametrize("answer", ["OK", "ok.", "o k", "ok ok", '"ok"'])
def test_exact_tells_every_other_difference(answer: str) -> None:
    assert not holds(Exact("ok"), answer)


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
    ],
)
def test_contains_looks_for_the_very_text(needle: str, answer: str, found: bool) -> None:
    assert holds(Contains(needle), answer) == found


@given(accented, accented)
def test_a_verdict_does_not_depend_on_how_accents_are_composed(value: str, answer: str) -> None:
    forms = [
        (unicodedata.normalize(one, value), unicodedata.normalize(other, answer))
        for one in ("NFC", "NFD")
        for other in ("NFC", "NFD")
    ]
    assert len({holds(Contains(expected), text) for expected, text in forms}) == 1
    assert len({holds(Exact(expected), text) for expected, text in forms}) == 1


def test_a_pattern_with_accents_matches_either_form_of_them() -> None:
    composed, decomposed = "café", "cafe\u0301"
    for pattern in (composed, decomposed):
        assert all(holds(Regex(pattern=f"^{pattern}$"), answer) for answer in (composed, decomposed))


@pytest.mark.parametrize("kind", [Exact, Contains])
@pytest.mark.parametrize("value", ["", " ", "\n", "\u00a0", "\u200b", "\ufeff"])
def test_an_empty_needle_is_refused(kind: type[Assertion], value: str) -> None:
    with pytest.raises(DefinitionError, match="empty"):
        kind(value)


@pytest.mark.parametrize("kind", [Exact, Contains, Regex])
@pytest.mark.parametrize("value", [False, 7, 1.1, ["a"], {"name": None}])
def test_a_needle_that_is_no_text_is_refused_with_the_advice_to_quote(
    kind: type[Assertion], value: object
) -> None:
    with pytest.raises(DefinitionError, match="in quotes"):
        kind(value)


@pytest.mark.parametrize("kind", [Exact, Contains, Regex])
def test_an_assertion_without_its_value_is_refused(kind: type[Assertion]) -> None:
    with pytest.raises(DefinitionError, match="value"):
        kind()


@pytest.mark.parametrize(
    "parameters",
    [
        {"value": "/a/", "pattern": "a"},
        {"value": "/a/", "flags": "i"},
        {"flags": "i"},
        {"value": "a"},
        {"value": "/a"},
        {"value": "//"},
        {"value": "/(/"},
        {"value": "/a/z"},
        {"pattern": ""},
        {"pattern": "["},
        {"pattern": "a", "flags": "g"},
        {"pattern": "\bthe\b"},
    ],
)
def test_a_regex_that_cannot_be_meant_is_refused(parameters: dict[str, str]) -> None:
    with pytest.raises(DefinitionError, match="assertion regex"):
        Regex(**parameters)


def test_a_bare_pattern_means_the_same_as_a_delimited_one() -> None:
    assert holds(Regex("#^/A/b$#i"), "/a/B")
    assert holds(Regex(pattern="^/A/b$", flags="i"), "/a/B")
    assert not holds(Regex(pattern="^/A/b$"), "/a/B")


def test_a_pattern_without_groups_matches_anywhere() -> None:
    assert holds(Regex(r"/\d+/"), "The answer is 42")
    assert not holds(Regex(r"/\d+/"), "The answer is unknown")


@pytest.mark.parametrize("kind", [Exact("yes"), Contains("yes"), Regex("/yes/")])
def test_a_pass_and_a_fail_show_both_sides(kind: Assertion) -> None:
    for answer in ("yes", "no"):
        outcome = kind.check(answered(answer))
        assert "yes" in outcome.expected
        assert outcome.actual == answer
        assert outcome.message
    assert kind.check(answered("yes")).message != kind.check(answered("no")).message


def test_a_long_answer_is_shown_shortened() -> None:
    outcome = Contains("no").check(answered("yes" * 10_000))
    assert len(outcome.actual) < 300
    assert "30000 characters" in outcome.actual


@pytest.mark.parametrize("assertion", [Exact("yes"), Contains("yes"), Regex("/yes/"), Regex("/^$/")])
@pytest.mark.parametrize("text", [None, "", "\n"])
def test_an_answer_of_tool_calls_alone_has_no_text_to_measure(assertion: Assertion, text: str | None) -> None:
    with pytest.raises(NotMeasurable, match="no text"):
        assertion.check(answered(reply=Reply(text, tool_calls=({"function": {"name": "lookup"}},))))


@given(any_text)
@example("\ud83d")
def test_any_answer_gets_a_verdict(answer: str) -> None:
    for assertion in (Exact("yes"), Contains("yes"), Regex("/yes/iu")):
        assert holds(assertion, answer) in (True, False)


def test_a_pattern_is_matched_against_answers_up_to_the_bound() -> None:
    assert holds(Regex("/b$/"), "a" * (MAX_SUBJECT - 1) + "b")
    with pytest.raises(NotMeasurable, match="too long"):
        holds(Regex("/b$/"), "a" * MAX_SUBJECT + "b")


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [(Exact("ok"), True), (Regex("/^ok$/"), True), (Regex("/^ok$/D"), False), (Regex(r"/^ok\z/"), False)],
)
def test_a_final_line_end_is_ignored_by_exact_and_by_a_dollar(
    assertion: Assertion, passed: bool, shared_cases: Path
) -> None:
    assert holds(assertion, (shared_cases / "text-21-trailing-newline.txt").read_bytes().decode()) == passed


@pytest.mark.timeout(5)
def test_a_pattern_that_would_run_for_ever_is_not_measurable(shared_cases: Path) -> None:
    with pytest.raises(NotMeasurable, match="given up"):
        holds(Regex("/^(a|aa)+$/"), (shared_cases / "text-22-redos.txt").read_text())


@pytest.mark.parametrize(("name", "text"), [("text-24-none.txt", "None"), ("text-25-zero.txt", "0")])
def test_a_word_that_looks_like_no_value_is_an_answer(name: str, text: str, shared_cases: Path) -> None:
    answer = (shared_cases / name).read_text()
    assert holds(Exact(text), answer)
    assert not holds(Exact("1"), answer)


def test_template_syntax_in_an_answer_is_text(shared_cases: Path) -> None:
    answer = (shared_cases / "text-27-template.txt").read_text()
    outcome = Contains("{% raw %} or {0} and {score} and %s").check(answered(answer))
    assert outcome.passed
    assert outcome.actual == answer
