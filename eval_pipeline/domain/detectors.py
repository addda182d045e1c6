"""Detectors: what finds sentiment, insults, personal data or faults of language in a text.

These are ports: an assertion says what is acceptable, a detector what is there. Each is loaded when the
first assertion needs it, and may be replaced by an installed package. Not here: the detectors themselves,
which live in `adapters/detectors/`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn, Protocol

from eval_pipeline.domain.errors import NotMeasurable


class DetectorName(StrEnum):
    """The detectors there are: also the names of their entry points in `eval_pipeline.detectors`."""

    LANGUAGE = "language"
    SENTIMENT = "sentiment"
    TOXICITY = "toxicity"
    PERSONAL_DATA = "personal_data"
    GRAMMAR = "grammar"
    SPELLING = "spelling"
    READABILITY = "readability"


class PersonalDataType(StrEnum):
    """Kinds of personal data that can be told from other text by more than their shape."""

    EMAIL = "email"
    PHONE = "phone"
    CARD = "card"
    IBAN = "iban"
    IP_ADDRESS = "ip_address"
    US_SSN = "us_ssn"


class Spelling(StrEnum):
    """A national convention of English spelling."""

    BRITISH = "british"
    AMERICAN = "american"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: from the character `start` up to, and without, the character `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PersonalData:
    """One finding of personal data. It does not hold the value, so that no reason can repeat it."""

    type: PersonalDataType
    span: Span


@dataclass(frozen=True, slots=True)
class LanguageFault:
    """One fault of grammar or spelling.

    Attributes:
        span: Where.
        message: What is wrong, in one sentence.
        suggestion: What to write instead; empty where there is no proposal.
    """

    span: Span
    message: str
    suggestion: str = ""


class Detector(Protocol):
    """What all detectors have."""

    @property
    def identity(self) -> str:
        """Name and version of what detects, such as `vaderSentiment 3.3.2`; known without loading anything.

        A part of the yardstick: it changes whenever the same text could be judged differently.
        """

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages it knows, as ISO 639-1 codes; none when it does not depend on the language."""


class LanguageDetector(Detector, Protocol):
    """Tells what language a text is in."""

    def language_of(self, text: str) -> str | None:
        """The ISO 639-1 code of the text's language; none when the text is too short or too mixed to tell."""


class SentimentDetector(Detector, Protocol):
    """Tells how positive a text is."""

    def sentiment(self, text: str) -> float:
        """From -1, wholly negative, over 0, neutral, to 1, wholly positive."""


class ToxicityDetector(Detector, Protocol):
    """Tells how likely a text insults, threatens or demeans."""

    def toxicity(self, text: str) -> float:
        """The probability, from 0 to 1, of the most toxic part of the text."""


class PersonalDataDetector(Detector, Protocol):
    """Finds personal data."""

    def personal_data(self, text: str, types: Collection[PersonalDataType]) -> Sequence[PersonalData]:
        """All findings of the given types, in the order of the text; none overlap."""


class GrammarDetector(Detector, Protocol):
    """Finds faults of grammar."""

    def grammar_faults(self, text: str) -> Sequence[LanguageFault]:
        """All faults, in the order of the text."""


class SpellingDetector(Detector, Protocol):
    """Tells the national conventions of spelling apart."""

    def foreign_spellings(self, text: str, wanted: Spelling, *, oxford: bool) -> Sequence[LanguageFault]:
        """The words that are spelt by another convention only, in the order of the text.

        Args:
            text: The text.
            wanted: The convention to keep to.
            oxford: Whether British spelling allows -ize, as Oxford's does.
        """


class ReadabilityDetector(Detector, Protocol):
    """Tells how hard a text is to read."""

    def grade_level(self, text: str) -> float:
        """The school grade, by the American count, that the text needs; may be below 0.

        Raises:
            NotMeasurable: The text has no words.
        """


class Detectors(Protocol):
    """The detectors at hand. Each is loaded when it is first asked for something.

    Raises (all properties):
        NotMeasurable: What the detector needs is not installed; the message says what to install.
    """

    @property
    def language(self) -> LanguageDetector:
        """What tells languages apart."""

    @property
    def sentiment(self) -> SentimentDetector:
        """What tells how positive a text is."""

    @property
    def toxicity(self) -> ToxicityDetector:
        """What tells how toxic a text is."""

    @property
    def personal_data(self) -> PersonalDataDetector:
        """What finds personal data."""

    @property
    def grammar(self) -> GrammarDetector:
        """What finds faults of grammar."""

    @property
    def spelling(self) -> SpellingDetector:
        """What tells conventions of spelling apart."""

    @property
    def readability(self) -> ReadabilityDetector:
        """What tells how hard a text is to read."""

    def identity(self, name: DetectorName) -> str:
        """The identity of a detector; says so when it is not installed."""

    def why_missing(self, name: DetectorName) -> str | None:
        """What to install so that a detector works; none when it is at hand."""


class NoDetectors:
    """No detectors, for graders and tests that need none."""

    def _missing(self) -> NoReturn:
        raise NotMeasurable("no detectors are at hand")

    language = sentiment = toxicity = personal_data = property(_missing)
    grammar = spelling = readability = property(_missing)

    def identity(self, name: DetectorName) -> str:
        """See `Detectors.identity`."""
        return f"{name} not installed"

    def why_missing(self, name: DetectorName) -> str | None:
        """See `Detectors.why_missing`."""
        return f"the detector '{name}' is not at hand"


def check_language(text: str, detector: Detector, detectors: Detectors) -> None:
    """Refuses a text in a language that `detector` does not know.

    Raises:
        NotMeasurable: The text is in another language.
    """
    if detector.languages is None:
        return
    found = detectors.language.language_of(text)
    if found is not None and found not in detector.languages:
        known = ", ".join(sorted(detector.languages))
        raise NotMeasurable(
            f"the answer is in another language ({found}) than {detector.identity} knows ({known})"
        )
