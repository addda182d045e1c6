"""Assertions on the language of the answer: mood, grammar, readability, repetition, spelling.

Answers of up to 20,000 characters are examined, for repetition of up to 200,000; longer ones
are not measurable. The detectors know English only; what is clearly in another language is not measurable.
Not here: how faults are found (`adapters/detectors/`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Negated, Outcome
from eval_pipeline.domain.detectors import DetectorName, LanguageFault, Spelling, check_language
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.text import excerpt
from eval_pipeline.domain.words import divides_words, words

MAX_TEXT = 20_000
"""The longest answer, in characters, that a detector of language is asked about."""
MAX_WORDS_TEXT = 200_000
"""The longest answer, in characters, that is searched for repetition."""
_FAULTS_SHOWN = 3
_FEWEST_WORDS = 8
_RUN = 4
"""How many words in a row make a repetition."""


class PositiveSentiment(Assertion):
    """The mood of the answer is positive: its sentiment, from -1 over 0 to 1, is at least `threshold`.

    Sentiment is the mean over the sentences, each rated by its words and by what turns or strengthens them:
    "not good" is not positive. A sentence without any such word is neutral and counts as 0. English only.
    """

    kind: ClassVar[str] = "positive_sentiment"
    detectors: ClassVar[frozenset[DetectorName]] = frozenset({DetectorName.SENTIMENT, DetectorName.LANGUAGE})
    example: ClassVar[Example | None] = Example(
        "positive_sentiment",
        passes="Thank you, we are happy to help!",
        fails="This is a terrible and useless answer.",
    )
    threshold: float = Field(
        default=0.05,
        ge=-1,
        le=1,
        allow_inf_nan=False,
        description="The least sentiment, from -1 to 1, that counts as positive.",
    )

    def check(self, answer: Answer) -> Outcome:
        text = answer.text_up_to(MAX_TEXT)
        detector = answer.detectors.sentiment
        check_language(text, detector, answer.detectors)
        sentiment = detector.sentiment(text)
        return Outcome(
            sentiment >= self.threshold,
            f"sentiment {sentiment:.3f}",
            f"sentiment of at least {self.threshold:g}",
            excerpt(answer.text),
        )


class NotPositiveSentiment(Negated, PositiveSentiment):
    """The mood of the answer is not positive: its sentiment, rated as for `positive_sentiment`, is below
    `threshold`. A neutral answer passes. English only.
    """  # noqa: D205

    kind: ClassVar[str] = "not_positive_sentiment"
    example: ClassVar[Example | None] = Example(
        "not_positive_sentiment",
        passes="This is a terrible and useless answer.",
        fails="Thank you, we are happy to help!",
    )


class NoRepetition(Assertion):
    """The answer does not repeat itself: of its runs of four words in a row, at most the share `value` has
    occurred before in the answer.

    Every word but the last three begins a run, so that runs overlap. Upper and lower case count as the same,
    and punctuation does not count. An answer of fewer than 8 words passes. A share of exactly `value`
    passes. Words are those of `word_count_between`; any language that divides its words.
    """  # noqa: D205

    kind: ClassVar[str] = "no_repetition"
    example: ClassVar[Example | None] = Example(
        "no_repetition",
        passes="Turn it off, wait ten seconds, and turn it on again.",
        fails="Please try again later. Please try again later. Please try again later.",
    )
    value: float = Field(
        default=0.3,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="The greatest share, from 0 to 1, of runs of four words that repeat an earlier one.",
    )

    def check(self, answer: Answer) -> Outcome:
        text = answer.text_up_to(MAX_WORDS_TEXT)
        if not divides_words(text):
            raise NotMeasurable("the answer is in a script that does not divide its words")
        found = [word.casefold() for word in words(text)]
        expected = f"at most {self.value:g} of the runs of {_RUN} words repeat an earlier one"
        if len(found) < _FEWEST_WORDS:
            return Outcome(True, f"fewer than {_FEWEST_WORDS} words", expected, excerpt(answer.text))
        runs = list(zip(*(found[start:] for start in range(_RUN)), strict=False))
        repeated = len(runs) - len(set(runs))
        passed = Fraction(repeated, len(runs)) <= Fraction(repr(self.value))
        return Outcome(
            passed, f"{repeated} of {len(runs)} runs repeat an earlier one", expected, excerpt(answer.text)
        )


class ReadabilityLevel(Assertion):
    """The answer can be read at the school grade `value` (US grades): its grade by the formula of Flesch and
    Kincaid is not above it.

    The grade is 0.39 words per sentence + 11.8 syllables per word - 15.59; very easy texts have a grade
    below 0. Sentences of one or two words do not count as sentences unless there are no others. Full stops
    in numbers, addresses and common abbreviations do not end a sentence; list items and headings do. An
    answer without words is an error. English only.
    """  # noqa: D205

    kind: ClassVar[str] = "readability_level"
    detectors: ClassVar[frozenset[DetectorName]] = frozenset(
        {DetectorName.READABILITY, DetectorName.LANGUAGE}
    )
    example: ClassVar[Example | None] = Example(
        {"readability_level": 6},
        passes="The cat sat on the mat. It was warm there.",
        fails="Organisational responsibilities necessitate considerable administrative deliberation.",
    )
    value: float = Field(
        ge=-20, le=100, allow_inf_nan=False, description="The highest US school grade that passes."
    )

    def check(self, answer: Answer) -> Outcome:
        text = answer.text_up_to(MAX_TEXT)
        detector = answer.detectors.readability
        check_language(text, detector, answer.detectors)
        grade = detector.grade_level(text)
        return Outcome(
            grade <= self.value, f"grade {grade:.2f}", f"grade {self.value:g} or below", excerpt(answer.text)
        )

    @property
    def subject(self) -> str:
        return f"{self.value:g}"


class _Faultless(Assertion):
    """What has at most so many faults of one kind."""

    def check(self, answer: Answer) -> Outcome:
        text = answer.text_up_to(MAX_TEXT)
        faults = self._faults(text, answer)
        return Outcome(
            len(faults) <= self._allowed,
            _shown(faults, text) or f"no fault of {self._what}",
            f"at most {self._allowed} faults of {self._what}"
            if self._allowed
            else f"no fault of {self._what}",
            excerpt(answer.text),
        )

    _what: ClassVar[str]

    @property
    def _allowed(self) -> int:
        return 0

    @abstractmethod
    def _faults(self, text: str, answer: Answer) -> Sequence[LanguageFault]:
        """All of them in `text`."""


class GrammarCorrect(_Faultless):
    """The answer has no fault of grammar, or at most `max_faults`.

    A fault is: a verb that does not agree with its pronoun ("he go", "they was") or, where this is certain,
    with its noun ("The results is"); the wrong one of a and an; a doubled word ("the the"); a wrong form of
    a verb ("did not went", "has went", "should of"); a doubled comparison ("more better"); then for than,
    their for there, its for it's, teh for the. Nothing else is: misspelt words, names, style, capitals and
    punctuation are not looked at, nor are code, addresses, and text in other scripts. The reason names the
    first faults with position (characters of the answer in Unicode form NFC, from 0) and proposal. English
    only.
    """

    kind: ClassVar[str] = "grammar_correct"
    detectors: ClassVar[frozenset[DetectorName]] = frozenset({DetectorName.GRAMMAR, DetectorName.LANGUAGE})
    example: ClassVar[Example | None] = Example(
        "grammar_correct", passes="He goes to school.", fails="He go to school."
    )
    max_faults: int = Field(default=0, ge=0, description="The greatest number of faults that passes.")
    _what: ClassVar[str] = "grammar"

    @property
    def _allowed(self) -> int:
        return self.max_faults

    def _faults(self, text: str, answer: Answer) -> Sequence[LanguageFault]:
        detector = answer.detectors.grammar
        check_language(text, detector, answer.detectors)
        return detector.grammar_faults(text)


class _Spelt(_Faultless):
    """What is spelt by one convention."""

    detectors: ClassVar[frozenset[DetectorName]] = frozenset({DetectorName.SPELLING, DetectorName.LANGUAGE})
    wanted: ClassVar[Spelling]

    def _faults(self, text: str, answer: Answer) -> Sequence[LanguageFault]:
        detector = answer.detectors.spelling
        check_language(text, detector, answer.detectors)
        return detector.foreign_spellings(text, self.wanted, oxford=self._oxford)

    @property
    def _oxford(self) -> bool:
        return False


class BritishSpelling(_Spelt):
    """No word of the answer is spelt in the American way only, as color, center, traveled or organize.

    Words are looked up in a list, so that size, prize and the like never fail; nor do words that British
    English has too, such as program, meter, tire, license. With `oxford`, -ize and its forms pass as -ise
    does, but analyze does not. A capitalised word within a sentence, or beside another capitalised word, is
    taken for a name and passes, as does what is in code and addresses. English only.
    """

    kind: ClassVar[str] = "british_spelling"
    example: ClassVar[Example | None] = Example(
        "british_spelling", passes="The colour of the organisation.", fails="The color of the organization."
    )
    wanted: ClassVar[Spelling] = Spelling.BRITISH
    _what: ClassVar[str] = "British spelling"
    oxford: bool = Field(
        default=False,
        description="Whether -ize is right too, as in Oxford's spelling: organize, realization.",
    )

    @property
    def _oxford(self) -> bool:
        return self.oxford

    @property
    def subject(self) -> str:
        return "oxford" if self.oxford else ""


class AmericanSpelling(_Spelt):
    """No word of the answer is spelt in the British way only, as colour, centre, travelled or organise.

    Words are looked up in a list, so that exercise, wise and the like never fail; nor do words that American
    English has too, such as dialogue, axe, archaeology. A capitalised word within a sentence, or beside
    another capitalised word, is taken for a name and passes, as does what is in code and addresses. English
    only.
    """

    kind: ClassVar[str] = "american_spelling"
    example: ClassVar[Example | None] = Example(
        "american_spelling", passes="The color of the organization.", fails="The colour of the organisation."
    )
    wanted: ClassVar[Spelling] = Spelling.AMERICAN
    _what: ClassVar[str] = "American spelling"


KINDS: tuple[type[Assertion], ...] = (
    PositiveSentiment,
    NotPositiveSentiment,
    NoRepetition,
    ReadabilityLevel,
    GrammarCorrect,
    BritishSpelling,
    AmericanSpelling,
)


def _shown(faults: Sequence[LanguageFault], text: str) -> str:
    """The first faults, each with what stands there, where, why and what to write instead."""
    shown = [
        f"{text[fault.span.start : fault.span.end]!r} at {fault.span.start}: {fault.message}"
        + (f" Write {fault.suggestion!r}." if fault.suggestion else "")
        for fault in faults[:_FAULTS_SHOWN]
    ]
    more = len(faults) - len(shown)
    return "; ".join([*shown, *([f"and {more} more"] if more else [])])
