"""British and American spelling told apart by lists of words.

The pairs are those of breame, with additions and exceptions of our own (`spelling_words.py`). A word is
foreign only when it is in a list, never because of its ending.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from eval_pipeline.adapters.detectors.prose import prose
from eval_pipeline.adapters.detectors.spelling_words import (
    GOOD_IN_AMERICAN,
    GOOD_IN_BRITISH,
    LISTS_VERSION,
    MORE_PAIRS,
    MORE_STEMS,
)
from eval_pipeline.domain.detectors import LanguageFault, Span, Spelling

_ENDINGS = ("e", "es", "ed", "ing", "ation", "ations", "er", "ers", "able")
"""What follows -is- and -iz- in the forms of a verb."""
_WORD = re.compile(r"(?<![\w@#$/\\.=])[A-Za-z]{2,30}+(?![\w@/\\=(]|\.\w|[\"']\s{0,2}:)")
_NEXT_CAPITAL = re.compile(r" [A-Z]")
_LOOK = 24


class SpellingByLists:
    """Words that are spelt so in the other convention only, found word by word."""

    languages = frozenset({"en"})

    @property
    def identity(self) -> str:
        """See `Detector.identity`."""
        return f"breame {version('breame')} (own lists {LISTS_VERSION})"

    def foreign_spellings(self, text: str, wanted: Spelling, *, oxford: bool) -> Sequence[LanguageFault]:
        """See `SpellingDetector.foreign_spellings`."""
        foreign = _foreign_to(wanted, oxford=oxford)
        shown = prose(text.lower() if text.isupper() and len(text.lower()) == len(text) else text)
        return [
            LanguageFault(
                Span(*word.span()), f"'{word.group()}' is not {wanted.capitalize()} spelling.", suggestion
            )
            for word in _WORD.finditer(shown)
            if (suggestion := foreign.get(word.group().lower())) and not _is_name(shown, word)
        ]


@dataclass(frozen=True, slots=True)
class _Pair:
    british: str
    american: str

    @property
    def differs_in_ize_only(self) -> bool:
        return self.american.replace("iz", "is") == self.british


@cache
def _foreign_to(wanted: Spelling, *, oxford: bool) -> Mapping[str, str]:
    """The words that are foreign to a convention, with their spelling in it."""
    if wanted is Spelling.AMERICAN:
        return {pair.british: pair.american for pair in _pairs() if pair.british not in GOOD_IN_AMERICAN}
    return {
        pair.american: pair.british
        for pair in _pairs()
        if pair.american not in GOOD_IN_BRITISH and not (oxford and pair.differs_in_ize_only)
    }


@cache
def _pairs() -> Sequence[_Pair]:
    from breame.data.spelling_constants import AMERICAN_ENGLISH_SPELLINGS, BRITISH_ENGLISH_SPELLINGS

    listed = {
        *BRITISH_ENGLISH_SPELLINGS.items(),
        *((british, american) for american, british in AMERICAN_ENGLISH_SPELLINGS.items()),
        *MORE_PAIRS.items(),
    }
    stems = {british[:-3] for british, american in listed if american == f"{british[:-3]}ize"} | set(
        MORE_STEMS
    )
    derived = {(f"{stem}is{ending}", f"{stem}iz{ending}") for stem in stems for ending in _ENDINGS}
    return [_Pair(british.lower(), american.lower()) for british, american in sorted(listed | derived)]


def _is_name(text: str, word: re.Match[str]) -> bool:
    """Whether capitals make a word look like a name: within a sentence, or beside another capital."""
    if not word.group()[0].isupper():
        return False
    before = text[max(0, word.start() - _LOOK) : word.start()].rstrip(" ")
    within = bool(before) and (before[-1].isalnum() or before[-1] in ",;&)'")
    return within or bool(_NEXT_CAPITAL.match(text, word.end())) or not word.group()[1:].islower()
