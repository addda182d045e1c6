"""What language a text is in, by py3langid, and only where there is little doubt.

An answer wrongly taken for another language is not graded, which is worse than an odd verdict on a text
that should not have been graded. So English is given the benefit of every doubt.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.metadata import version
from typing import Any

EXAMINED_LENGTH = 4_000
"""How many characters of a text are looked at, from its beginning."""
_RULES_VERSION = 1
"""Grows with every change of the rules below."""
_FEWEST_WORDS = 8
_FEWEST_DIFFERENT_WORDS = 6
_FEWEST_FOREIGN_LETTERS = 6
_SURE = 0.35
"""The share of one language among 140; closely related ones take from each other."""
_ENGLISH_RULED_OUT = 0.001
_FEWEST_ENGLISH_WORDS = 0.15
"""The share of words from `_ENGLISH_WORDS` from which on a text is at least partly English."""
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|</?\w[^<>]{0,200}>|\b(?:https?://|www\.)\S+|(?<!\w)[#@]?\w*[\d_@]\w*",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset({"en", "pcm"})
"""The second is Nigerian Pidgin, as which much English slang passes."""
_NO_LANGUAGE = "zxx"
_FREQUENT = """
    about after all and any are as because been but by can could did does each every for from get
    had has have he her his how if into is it its just like more most my not of one only other our
    out she should so some than that the their them then there these they this to too up was we were
    what when where which who will with would you your
"""
_ENGLISH_WORDS = frozenset(_FREQUENT.split())
"""Frequent words of English. Some exist elsewhere too, but no other language has many of them."""


class LanguageByStatistics:
    """Names a language only for text that is long enough and clearly in it.

    Needed are 8 words, 6 of them different, or more letters of another script than Latin ones, at least 6.
    Code in backticks, tags, addresses and words with digits are not counted.
    """

    languages = None

    @property
    def identity(self) -> str:
        """See `Detector.identity`."""
        return f"py3langid {version('py3langid')} (rules {_RULES_VERSION})"

    def language_of(self, text: str) -> str | None:
        """See `LanguageDetector.language_of`."""
        prose = _NOT_PROSE.sub(" ", unicodedata.normalize("NFKC", text[:EXAMINED_LENGTH]))
        words = _WORD.findall(prose.casefold())
        in_another_script = _is_in_another_script(prose)
        if not in_another_script and (
            len(words) < _FEWEST_WORDS or len(set(words)) < _FEWEST_DIFFERENT_WORDS
        ):
            return None
        shares: dict[str, float] = dict(_identifier().rank(prose))
        english = sum(shares.pop(code, 0.0) for code in _ENGLISH)
        shares.pop(_NO_LANGUAGE, None)
        likeliest = max(shares, key=shares.__getitem__)
        if in_another_script:
            return likeliest
        if english > 0.5:
            return "en"
        is_sure = shares[likeliest] >= _SURE and english < _ENGLISH_RULED_OUT
        return likeliest if is_sure and _english_words(words) < _FEWEST_ENGLISH_WORDS else None


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _is_in_another_script(text: str) -> bool:
    letters = [ord(char) for char in text if char.isalpha()]
    foreign = sum(code >= 0x370 and not 0x1E00 <= code <= 0x1EFF for code in letters)
    return foreign >= _FEWEST_FOREIGN_LETTERS and foreign > len(letters) / 2


def _english_words(words: list[str]) -> float:
    return sum(word in _ENGLISH_WORDS for word in words) / len(words)
