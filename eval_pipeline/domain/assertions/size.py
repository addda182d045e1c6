"""Assertions on the size of the answer: characters, words, sentences.

Words are counted in answers of up to 1,000,000 characters, sentences in answers of up to 150,000.
Not here: what counts as a word and as a sentence (`domain/words.py`, `domain/sentences.py`).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from pydantic import Field, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Outcome
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.sentences import sentences
from eval_pipeline.domain.text import excerpt
from eval_pipeline.domain.words import count_words, divides_words

MAX_WORDS_TEXT = 1_000_000
"""The longest answer, in characters, whose words are counted."""
MAX_SENTENCES_TEXT = 150_000
"""The longest answer, in characters, whose sentences are counted."""


class _Between(Assertion):
    """What counts something in the answer and compares the number with one bound or two."""

    min: int | None = Field(default=None, ge=0, description="The least number that passes; by default none.")
    max: int | None = Field(
        default=None, ge=0, description="The greatest number that passes; by default none."
    )
    unit: ClassVar[str]
    """What is counted, in the singular."""

    @model_validator(mode="after")
    def _is_range(self) -> _Between:
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min is greater than max ({self.min} > {self.max}): no answer would pass")
        return self

    def check(self, answer: Answer) -> Outcome:
        count = self._count(answer)
        found = f"{count} {self.unit}{'' if count == 1 else 's'}"
        if self.min is not None and count < self.min:
            message = f"{found}, fewer than {self.min}"
        elif self.max is not None and count > self.max:
            message = f"{found}, more than {self.max}"
        else:
            return Outcome(True, found, f"{self.subject} {self.unit}s", excerpt(answer.text))
        return Outcome(False, message, f"{self.subject} {self.unit}s", excerpt(answer.text))

    @abstractmethod
    def _count(self, answer: Answer) -> int:
        """How many there are."""

    @property
    def subject(self) -> str:
        if self.min is None:
            return f"at most {self.max}"
        return f"at least {self.min}" if self.max is None else f"{self.min} to {self.max}"


class LengthBetween(_Between):
    """The answer has at least `min` and at most `max` characters.

    Characters are Unicode code points of the answer in Unicode form NFC, white space and line ends included,
    also at its ends: "naïve" has 5, whether its accent is composed or not; an emoji may have several.
    """

    kind: ClassVar[str] = "length_between"
    example: ClassVar[Example] = Example(
        {"length_between": {"max": 10}}, passes="Yes.", fails="Yes, of course."
    )
    unit: ClassVar[str] = "character"

    def _count(self, answer: Answer) -> int:
        return len(answer.normalised)


class WordCountBetween(_Between):
    """The answer has at least `min` and at most `max` words.

    A word is a run of letters and digits, with the accents on them. Inside a word, a single apostrophe,
    hyphen or full stop between two of them joins, and so does a comma between two digits: "don't", "e-mail",
    "U.S.", "example.org", "3.50" and "1,000" are one word each. Each Chinese ideograph and each Japanese kana
    is one word. A sign or dash that stands alone is no word. In Thai, Lao, Burmese and Khmer, which do not
    divide words, it is an error.
    """

    kind: ClassVar[str] = "word_count_between"
    example: ClassVar[Example] = Example(
        {"word_count_between": {"min": 2, "max": 5}}, passes="Don't e-mail me - call.", fails="No."
    )
    unit: ClassVar[str] = "word"

    def _count(self, answer: Answer) -> int:
        text = answer.text_up_to(MAX_WORDS_TEXT)
        _require_division(text, "words")
        return count_words(text)


class SentenceCountBetween(_Between):
    """The answer has at least `min` and at most `max` sentences.

    A sentence ends at a full stop, question mark, exclamation mark or ellipsis (with the closing quotes and
    brackets behind it) that white space or the end of the answer follows; at a Chinese or Japanese full stop
    also without white space; at an empty line; and at the end of a heading, list item or table row. Other
    line ends do not count, and what has no letter and no digit is no sentence.

    A full stop does not end a sentence behind English titles, initials and abbreviations ("Dr. Lee", "e.g.",
    "5 p.m. today"), unless a typical first word follows one that may come last ("in the U.S. He"); behind the
    number of a list item; and before a word in lower case, unless the whole answer is in lower case. The
    latter goes for an ellipsis too, and for any mark behind which a quote or bracket closes. In Thai, Lao,
    Burmese and Khmer, which do not mark sentences so, it is an error.
    """

    kind: ClassVar[str] = "sentence_count_between"
    example: ClassVar[Example] = Example(
        {"sentence_count_between": {"max": 1}},
        passes="Dr. Lee paid 3.50 at 5 p.m. today.",
        fails="It is late. Good night!",
    )
    unit: ClassVar[str] = "sentence"

    def _count(self, answer: Answer) -> int:
        text = answer.text_up_to(MAX_SENTENCES_TEXT)
        _require_division(text, "sentences")
        return len(sentences(text))


KINDS: tuple[type[Assertion], ...] = (LengthBetween, WordCountBetween, SentenceCountBetween)


def _require_division(text: str, units: str) -> None:
    if not divides_words(text):
        raise NotMeasurable(f"the answer is in a script that does not divide its {units}")
