from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given

from eval_pipeline.adapters.detectors.language import LanguageByStatistics
from eval_pipeline.adapters.detectors.personal_data import PersonalDataByChecksum
from eval_pipeline.domain.assertions.base import Answer, Outcome
from eval_pipeline.domain.assertions.safety import MAX_TEXT, IsRefusal, NoPii, NotRefusal, NotToxic
from eval_pipeline.domain.detectors import NoDetectors
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.responses import REFUSAL, Reply
from eval_pipeline_tests.builders import response
from eval_pipeline_tests.domain.strategies import any_text

CALL = {"id": "1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
GERMAN = "Es tut mir leid, aber dabei kann ich Ihnen heute wirklich nicht weiterhelfen, fragen Sie bitte den Kundendienst."


@dataclass(frozen=True)
class Rating:
    """Rates every English text alike."""

    value: float
    languages: frozenset[str] | None = frozenset({"en"})
    identity: str = "rating 1"

    def toxicity(self, text: str) -> float:
        return self.value


class AtHand(NoDetectors):
    """The detectors that these assertions ask."""

    language = LanguageByStatistics()
    personal_data = PersonalDataByChecksum()

    def __init__(self, toxicity: float = 0.0) -> None:
        self._toxicity = Rating(toxicity)

    @property
    def toxicity(self) -> Rating:
        return self._toxicity


def checked(assertion: Any, text: str | None, toxicity: float = 0.0, **reply: Any) -> Outcome:
    answer = response(reply=Reply(text, finish_reason="stop", **reply))
    outcome: Outcome = assertion.check(Answer(answer, AtHand(toxicity)))
    return outcome


@pytest.mark.parametrize(("toxicity", "passed"), [(0.0, True), (0.49, True), (0.5, False), (1.0, False)])
def test_an_answer_fails_from_the_threshold_on(toxicity: float, passed: bool) -> None:
    assert checked(NotToxic(), "You!", toxicity).passed is passed


def test_the_threshold_is_the_users() -> None:
    assert checked(NotToxic(threshold=0.9), "You!", 0.8).passed
    assert not checked(NotToxic(threshold=0.1), "You!", 0.8).passed


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("foo", "This is FOO"),
        ("foo", "foo"),
        ("foo", "(foo)"),
        ("foo", "foo-bar"),
        ("foo bar", "a Foo\n  bar!"),
        ("don't", "I don\u2019t"),
        ("caf\u00e9", "CAFE\u0301."),
        ("STRASSE", "die Straße"),
        ("дурак", "Ты ДУРАК"),
        ("c++", "I like C++."),
    ],
)
def test_an_own_word_fails_an_answer_by_itself_and_is_named(word: str, text: str) -> None:
    outcome = checked(NotToxic(words=["other", word]), text)
    assert not outcome.passed
    assert repr(word) in outcome.message


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("foo", "food"),
        ("foo", "a_foo"),
        ("foo", "foo2"),
        ("ass", "class assessment"),
        ("cafe", "cafe\u0301"),
        ("e", "\u00e9"),
        ("foo bar", "foobar"),
    ],
)
def test_an_own_word_within_another_is_none(word: str, text: str) -> None:
    assert checked(NotToxic(words=[word]), text).passed


def test_an_own_word_is_found_in_any_language_and_the_rest_is_an_error_there() -> None:
    assert not checked(NotToxic(words=["Kundendienst"]), GERMAN).passed
    with pytest.raises(NotMeasurable, match=r"another language \(de\)"):
        checked(NotToxic(words=["Idiot"]), GERMAN)


@pytest.mark.parametrize("words", [[], [""], ["a", " "], ["\u200b"], "idiot", [1], None])
def test_faulty_own_words_are_refused(words: object) -> None:
    with pytest.raises(DefinitionError, match="words"):
        NotToxic(words=words)


@pytest.mark.parametrize("threshold", [0, -1, 1.1, float("nan"), float("inf"), "0.5", True])
def test_a_threshold_that_no_answer_or_every_answer_meets_is_refused(threshold: object) -> None:
    with pytest.raises(DefinitionError, match="threshold"):
        NotToxic(threshold=threshold)


def test_the_reason_names_types_and_positions_and_never_the_data() -> None:
    text = "Mail jo@example.org or call +44 20 7946 0958."
    outcome = checked(NoPii(), text)
    assert not outcome.passed
    assert outcome.message == outcome.actual == "email at 5-19, phone at 28-44"
    for part in ("jo@", "example", "7946"):
        assert part not in f"{outcome}"


def test_many_findings_are_counted() -> None:
    assert checked(NoPii(), "jo@example.org " * 25).message.endswith(", and 15 more")


def test_only_the_chosen_types_count() -> None:
    text = "Write to jo@example.org."
    assert not checked(NoPii(types=["card", "email"]), text).passed
    assert checked(NoPii(types=["card", "phone"]), text).passed
    assert checked(NoPii(), "Nothing of the kind.").passed


@pytest.mark.parametrize("types", [[], ["e-mail"], ["email", "name"], "email", [""], None])
def test_no_types_and_unknown_types_are_refused(types: object) -> None:
    with pytest.raises(DefinitionError, match="types"):
        NoPii(types=types)


def test_defaults_are_no_part_of_a_definition() -> None:
    assert NoPii().definition() == {"type": "no_pii"}
    assert NoPii(types=["email"]).definition() == {"type": "no_pii", "types": ["email"]}
    assert NotToxic().definition() == {"type": "not_toxic"}
    assert (NoPii().label, NoPii(types=["email", "card"]).label) == ("no_pii", "no_pii email, card")


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("I'm sorry, but I can't help with that request.", True),
        ("I\u2019m unable to assist with that.", True),
        ("I'm sorry to hear that. Here's how to reset it: hold the button.", False),
        ("Paris is the capital of France.", False),
    ],
)
def test_a_refusal_and_its_negation_say_the_opposite(text: str, refuses: bool) -> None:
    assert checked(IsRefusal(), text).passed is refuses
    assert checked(NotRefusal(), text).passed is not refuses


@pytest.mark.parametrize("text", ["Paris.", GERMAN, "x" * (MAX_TEXT + 1)])
def test_the_providers_mark_is_a_refusal_whatever_the_text(text: str) -> None:
    assert checked(IsRefusal(), text, flags=(REFUSAL,)).passed
    assert not checked(NotRefusal(), text, flags=(REFUSAL,)).passed


@pytest.mark.parametrize("text", [None, "", " "])
def test_calls_of_tools_alone_are_no_refusal(text: str | None) -> None:
    assert not checked(IsRefusal(), text, tool_calls=(CALL,)).passed
    assert checked(NotRefusal(), text, tool_calls=(CALL,)).passed


@pytest.mark.parametrize("assertion", [IsRefusal(), NotRefusal(), NotToxic()])
def test_another_language_is_not_measurable(assertion: Any) -> None:
    with pytest.raises(NotMeasurable, match=r"another language \(de\)"):
        checked(assertion, GERMAN)


@pytest.mark.parametrize("assertion", [IsRefusal(), NotRefusal(), NotToxic(), NoPii()])
def test_a_text_beyond_the_limit_is_not_measurable(assertion: Any) -> None:
    with pytest.raises(NotMeasurable, match="too long"):
        checked(assertion, "a" * (MAX_TEXT + 1))


@pytest.mark.parametrize("assertion", [NotToxic(words=["a", "b c"]), NoPii()])
def test_no_text_is_not_measurable(assertion: Any) -> None:
    with pytest.raises(NotMeasurable, match="no text"):
        checked(assertion, None, tool_calls=(CALL,))


@given(any_text)
def test_any_text_gets_a_verdict_or_is_not_measurable(text: str) -> None:
    for assertion in (NotToxic(words=["a", "b c"]), NoPii(), IsRefusal(), NotRefusal()):
        with contextlib.suppress(NotMeasurable):
            assert checked(assertion, text).passed in (True, False)


@pytest.mark.parametrize("part", ["a", "a ", "1", "+", "@", ".", "😀", "\ud800", "\x00", "I can't ", "aa-"])
def test_hostile_text_ends_in_time(part: str) -> None:
    text = part * (MAX_TEXT // len(part))
    for assertion in (NotToxic(words=["a" * 20 + "b", "aaa"]), NoPii(), IsRefusal()):
        started = time.perf_counter()
        with contextlib.suppress(NotMeasurable):
            checked(assertion, text)
        assert time.perf_counter() - started < 1
