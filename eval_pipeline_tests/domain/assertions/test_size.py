from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertions import Assertion, read_assertion
from eval_pipeline.domain.assertions.size import (
    KINDS,
    MAX_SENTENCES_TEXT,
    MAX_WORDS_TEXT,
    LengthBetween,
    SentenceCountBetween,
    WordCountBetween,
)
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.words import divides_words
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text


def holds(assertion: Assertion, answer: str) -> bool:
    return assertion.check(answered(answer)).passed


@pytest.mark.parametrize(
    ("kind", "answer", "size"),
    [
        (LengthBetween, "naïve", 5),
        (LengthBetween, "nai\u0308ve", 5),
        (LengthBetween, "ok\n", 3),
        (LengthBetween, "0", 1),
        (LengthBetween, "👩‍👩‍👧‍👦", 7),
        (WordCountBetween, "don't stop", 2),
        (WordCountBetween, "- a - b", 2),
        (WordCountBetween, "今天天气很好。", 6),
        (WordCountBetween, "...", 0),
        (SentenceCountBetween, "Dr. Lee paid 3.50 at 5 p.m. today.", 1),
        (SentenceCountBetween, "...", 0),
    ],
)
def test_both_bounds_count_alike(kind: Any, answer: str, size: int) -> None:
    assert holds(kind(min=size, max=size), answer)
    assert holds(kind(min=size), answer)
    assert holds(kind(max=size), answer)
    assert not holds(kind(min=size + 1), answer)
    assert size == 0 or not holds(kind(max=size - 1), answer)


@pytest.mark.parametrize(
    ("name", "length", "count"),
    [("text-12-cjk.txt", 24, 22), ("text-13-emoji-length.txt", 8, 1), ("text-14-nbsp.txt", 34, 7)],
)
def test_unusual_writing_has_the_size_that_the_rules_say(
    name: str, length: int, count: int, shared_cases: Path
) -> None:
    answer = (shared_cases / name).read_text()
    assert holds(LengthBetween(min=length, max=length), answer)
    assert holds(WordCountBetween(min=count, max=count), answer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({}, "give min, max or both"),
        ({"min": None, "max": None}, "give min, max or both"),
        ({"min": 3, "max": 2}, "min is greater than max"),
        ({"min": -1}, "greater than or equal to 0"),
        ({"max": -1}, "greater than or equal to 0"),
        ({"min": "3"}, "min"),
        ({"min": True}, "min"),
        ({"max": 2.5}, "max"),
        ({"value": 3}, "unknown key 'value'"),
    ],
)
def test_bounds_that_cannot_be_meant_are_refused(
    kind: type[Assertion], parameters: dict[str, Any], reason: str
) -> None:
    with pytest.raises(DefinitionError, match=reason):
        kind(**parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_of_nothing_is_a_bound(kind: Any) -> None:
    assert holds(kind(min=0), "One.")
    assert not holds(kind(max=0), "One.")


def test_the_short_form_takes_the_bounds() -> None:
    assertion = read_assertion({"word-count-between": {"min": 3, "max": 60}})
    assert assertion.label == "word_count_between 3 to 60"
    assert LengthBetween(min=3).label == "length_between at least 3"
    assert SentenceCountBetween(max=0).label == "sentence_count_between at most 0"


def test_a_short_answer_fails_and_says_how_long_it_is() -> None:
    outcome = WordCountBetween(min=3, max=60).check(answered("No."))
    assert outcome.message == "1 word, fewer than 3"
    assert outcome.expected == "3 to 60 words"
    assert WordCountBetween(max=1).check(answered("No way.")).message == "2 words, more than 1"
    assert WordCountBetween(max=2).check(answered("No way.")).message == "2 words"


@given(any_text.filter(divides_words), st.integers(0, 40))
def test_an_answer_meets_one_of_two_bounds_that_meet(answer: str, bound: int) -> None:
    for kind in KINDS:
        assert holds(kind(max=bound), answer) != holds(kind(min=bound + 1), answer)


@pytest.mark.parametrize("kind", [WordCountBetween, SentenceCountBetween])
def test_what_cannot_be_counted_is_not_measurable(kind: Any) -> None:
    with pytest.raises(NotMeasurable, match="does not divide"):
        holds(kind(min=1), "สวัสดีครับ")


@pytest.mark.parametrize(
    ("kind", "limit"), [(WordCountBetween, MAX_WORDS_TEXT), (SentenceCountBetween, MAX_SENTENCES_TEXT)]
)
def test_an_answer_that_is_too_long_is_not_measurable(kind: Any, limit: int) -> None:
    assert holds(kind(max=1), "a" * limit)
    with pytest.raises(NotMeasurable, match="too long"):
        holds(kind(max=1), "a" * (limit + 1))
