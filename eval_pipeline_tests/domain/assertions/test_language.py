from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_pipeline.adapters.detectors.grammar import HarperGrammar
from eval_pipeline.adapters.detectors.language import LanguageByStatistics
from eval_pipeline.adapters.detectors.readability import FleschKincaid
from eval_pipeline.adapters.detectors.sentiment import SentimentByVader
from eval_pipeline.adapters.detectors.spelling import SpellingByLists
from eval_pipeline.domain.assertions.base import Answer, Assertion, Outcome
from eval_pipeline.domain.assertions.language import (
    KINDS,
    MAX_WORDS_TEXT,
    AmericanSpelling,
    BritishSpelling,
    GrammarCorrect,
    NoRepetition,
    NotPositiveSentiment,
    PositiveSentiment,
    ReadabilityLevel,
)
from eval_pipeline.domain.assertions.registry import read_assertion
from eval_pipeline.domain.detectors import LanguageFault, NoDetectors, Span, Spelling
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline_tests.builders import answered, response
from eval_pipeline_tests.domain.strategies import any_text

NORWEGIAN = "Vi åpner butikken klokken ni hver morgen, og stenger den igjen klokken fem om ettermiddagen."
ENGLISH_ONLY = [
    PositiveSentiment(),
    NotPositiveSentiment(),
    ReadabilityLevel(8),
    GrammarCorrect(),
    BritishSpelling(),
    AmericanSpelling(),
]


class RealDetectors(NoDetectors):
    language = LanguageByStatistics()
    sentiment = SentimentByVader()
    grammar = HarperGrammar()
    spelling = SpellingByLists()
    readability = FleschKincaid()


@dataclass
class OneOpinion:
    """A detector that says the same of every text."""

    opinion: Any
    identity: str = "one opinion 1"
    languages: frozenset[str] | None = frozenset({"en"})

    def language_of(self, text: str) -> str | None:
        return self.opinion

    def sentiment(self, text: str) -> float:
        return self.opinion

    def grade_level(self, text: str) -> float:
        return self.opinion

    def grammar_faults(self, text: str) -> Sequence[LanguageFault]:
        return self.opinion

    def foreign_spellings(self, text: str, wanted: Spelling, *, oxford: bool) -> Sequence[LanguageFault]:
        return self.opinion


def judged(assertion: Assertion, text: str) -> Outcome:
    return assertion.check(Answer(response(text), RealDetectors()))


def passes(assertion: Assertion, text: str) -> bool:
    return judged(assertion, text).passed


def with_opinion(assertion: Assertion, opinion: Any, text: str = "Some text.") -> Outcome:
    class OneMind(NoDetectors):
        language = OneOpinion("en", languages=None)
        sentiment = grammar = spelling = readability = OneOpinion(opinion)

    return assertion.check(Answer(response(text), OneMind()))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_the_example_of_each_kind_is_true(kind: type[Assertion]) -> None:
    assert kind.example is not None
    assertion = read_assertion(kind.example.declared)
    assert isinstance(assertion, kind)
    assert passes(assertion, str(kind.example.passes))
    assert not passes(assertion, str(kind.example.fails))


@pytest.mark.parametrize("assertion", ENGLISH_ONLY, ids=lambda assertion: assertion.kind)
def test_another_language_is_not_measurable(assertion: Assertion) -> None:
    with pytest.raises(NotMeasurable, match="another language"):
        judged(assertion, NORWEGIAN)


@pytest.mark.parametrize("assertion", ENGLISH_ONLY, ids=lambda assertion: assertion.kind)
def test_a_missing_detector_is_not_measurable(assertion: Assertion) -> None:
    with pytest.raises(NotMeasurable, match="no detectors"):
        assertion.check(answered("Some text."))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_each_kind_names_the_detectors_it_asks(kind: type[Assertion]) -> None:
    assert kind is NoRepetition or len(kind.detectors) == 2


@pytest.mark.parametrize("assertion", [*ENGLISH_ONLY, NoRepetition()], ids=lambda assertion: assertion.kind)
@pytest.mark.parametrize("unit", ["a", ".", "(", "😀", "a ", "\ud800"])
def test_a_megabyte_of_anything_is_too_long_at_once(assertion: Assertion, unit: str) -> None:
    started = time.monotonic()
    with pytest.raises(NotMeasurable, match="too long"):
        judged(assertion, unit * (1_000_000 // len(unit)))
    assert time.monotonic() - started < 1


@pytest.mark.parametrize("unit", ["a", "a ", "\N{COMBINING ACUTE ACCENT}", "今", "word another "])
def test_repetition_is_examined_in_time(unit: str) -> None:
    started = time.monotonic()
    judged(NoRepetition(), (unit * MAX_WORDS_TEXT)[:MAX_WORDS_TEXT])
    assert time.monotonic() - started < 1


@given(any_text)
@settings(deadline=None)  # the first examples load the detectors
def test_any_answer_has_a_verdict_or_is_not_measurable(text: str) -> None:
    for assertion in [*ENGLISH_ONLY, NoRepetition()]:
        try:
            judged(assertion, text)
        except NotMeasurable:
            continue


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ({"type": "positive_sentiment", "threshold": 1.5}, "threshold"),
        ({"type": "positive_sentiment", "threshold": float("nan")}, "threshold"),
        ({"type": "positive_sentiment", "threshold": "0.5"}, "threshold"),
        ({"type": "positive_sentiment", "least": 0.5}, "least"),
        ({"no_repetition": 30}, "value"),
        ({"no_repetition": -0.1}, "value"),
        ({"readability_level": "six"}, "value"),
        ({"readability_level": float("inf")}, "value"),
        ("readability_level", "value"),
        ({"type": "grammar_correct", "max_faults": -1}, "max_faults"),
        ({"type": "grammar_correct", "max_faults": True}, "max_faults"),
        ({"type": "british_spelling", "oxford": "yes"}, "oxford"),
        ({"type": "american_spelling", "oxford": True}, "oxford"),
    ],
)
def test_a_faulty_parameter_is_refused_by_name(declared: object, reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason):
        read_assertion(declared)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_sentiment_passes_from_the_threshold_on_and_its_negation_below(mood: float, threshold: float) -> None:
    assert with_opinion(PositiveSentiment(threshold=threshold), mood).passed == (mood >= threshold)
    assert with_opinion(NotPositiveSentiment(threshold=threshold), mood).passed == (mood < threshold)


def test_not_good_is_not_positive() -> None:
    assert passes(PositiveSentiment(), "That was good.")
    assert not passes(PositiveSentiment(), "That was not good.")
    assert passes(NotPositiveSentiment(), "The office opens at nine.")


@given(st.floats(-5, 30), st.floats(-5, 30))
def test_a_grade_up_to_the_level_passes(grade: float, level: float) -> None:
    assert with_opinion(ReadabilityLevel(level), grade).passed == (grade <= level)


def test_nothing_computable_is_no_grade() -> None:
    with pytest.raises(NotMeasurable, match="computable"):
        judged(ReadabilityLevel(8), "... --- ***")


def test_the_label_names_the_grade() -> None:
    assert ReadabilityLevel(6).label == "readability_level 6"
    assert BritishSpelling(oxford=True).label == "british_spelling oxford"


@given(st.integers(0, 6), st.integers(0, 6))
def test_as_many_faults_as_allowed_pass(found: int, allowed: int) -> None:
    faults = [LanguageFault(Span(0, 4), "Wrong.", "Any")] * found
    assert with_opinion(GrammarCorrect(max_faults=allowed), faults).passed == (found <= allowed)


def test_the_first_faults_are_named_with_place_and_proposal() -> None:
    outcome = judged(GrammarCorrect(), "He go home. I ate a apple. They was late. She have it.")
    assert not outcome.passed
    assert "'go' at 3" in outcome.message
    assert "Write 'goes'." in outcome.message
    assert outcome.message.endswith("and 1 more")


def test_a_fault_without_proposal_is_named_too() -> None:
    outcome = with_opinion(GrammarCorrect(), [LanguageFault(Span(0, 4), "Wrong.")])
    assert outcome.message == "'Some' at 0: Wrong."


def test_british_spelling_is_strict_unless_oxford_is_wanted() -> None:
    assert not passes(BritishSpelling(), "We organize colours.")
    assert passes(BritishSpelling(oxford=True), "We organize colours.")
    assert not passes(BritishSpelling(oxford=True), "We analyze colours.")
    assert not passes(AmericanSpelling(), "We organise colors.")


def test_the_reason_names_the_word_and_its_other_spelling() -> None:
    outcome = judged(AmericanSpelling(), "My favourite colour.")
    assert "'favourite' at 3: 'favourite' is not American spelling. Write 'favorite'." in outcome.message


@pytest.mark.parametrize(
    ("text", "share", "passed"),
    [
        ("a b c d a b c", 0, True),  # seven words
        ("a b c d a b c d", 0, False),  # one of five runs
        ("a b c d a b c d", 0.2, True),
        ("a b c d a b c d", 0.19999, False),
        ("A b, c; d. a B c D!", 0.2, True),
        ("A b, c; d. a B c D!", 0.1, False),
        ("x x x x x x x x x x x x x", 0.9, True),  # nine of ten runs
        ("x x x x x x x x x x x x x", 0.89, False),
        ("one two three four five six seven eight nine", 0, True),
        ("", 0, True),
    ],
)
def test_repetition_is_the_share_of_runs_that_occurred_before(text: str, share: float, passed: bool) -> None:
    assert passes(NoRepetition(share), text) is passed


@pytest.mark.parametrize("repeated", range(1, 10))
def test_a_share_of_exactly_the_value_passes(repeated: int) -> None:
    same, different = ["x"] * (repeated + 4), [f"w{number}" for number in range(9 - repeated)]
    text = " ".join([*same, *different])  # ten runs
    assert passes(NoRepetition(repeated / 10), text)
    assert not passes(NoRepetition(repeated / 10 - 0.001), text)


def test_repetition_is_measured_in_any_language_that_divides_its_words() -> None:
    assert not passes(NoRepetition(), "Prøv igjen senere da. " * 5)
    assert not passes(NoRepetition(), "今天天气很好。" * 5)
    with pytest.raises(NotMeasurable, match="divide"):
        judged(NoRepetition(), "สวัสดีครับ")


def test_no_detector_is_asked_about_repetition() -> None:
    assert NoRepetition().check(answered("Short.")).passed
