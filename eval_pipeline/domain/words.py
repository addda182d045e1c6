"""What counts as a word.

Not here: what is asked of the words (`assertions/size.py`), and which words mean the same.
"""

from __future__ import annotations

import re

import pcre2

from eval_pipeline.domain.text import without_surrogates

_UNDIVIDED = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aad\uaa60-\uaadf]")
"""Letters of scripts that are written without space between words: Thai, Lao, Burmese, Khmer, Tai."""

_LETTER_OR_DIGIT = r"[\p{L}\p{N}]"
_OF_ITS_OWN = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
# Soft hyphens, joiners and half-width sound marks stand inside words though they are no marks.
_MARKS = "[\\p{M}\u00ad\u200c\u200d\u2060\uff9e\uff9f]*+"
_RUN = rf"(?:[A-Za-z0-9]++{_MARKS}|(?!{_OF_ITS_OWN}){_LETTER_OR_DIGIT}{_MARKS})++"
_JOINT = "(?:['.\\-\u2019\u2010\u2011]|(?<=\\d),(?=\\d))"
_WORD = rf"{_RUN}(?:{_JOINT}{_RUN})*+|(?={_OF_ITS_OWN}){_LETTER_OR_DIGIT}{_MARKS}"
# Replacing is many times as fast as finding: nothing is made for each match.
_COUNTED = pcre2.compile(_WORD)
_COUNTED_IN_ASCII = pcre2.compile(r"[A-Za-z0-9]++(?:(?:['.\-]|(?<=\d),(?=\d))[A-Za-z0-9]++)*+", jit=True)
_SPACED = pcre2.compile(rf"[^\p{{L}}\p{{N}}]*+(?:({_WORD})|\z)")


def words(text: str) -> list[str]:
    """The words of `text`, as they are written.

    A word is a run of letters and digits with the accents and other marks on them. Inside a word, a single
    apostrophe (straight or curly), hyphen or full stop between two of them joins (don't, e-mail, U.S.,
    example.org, 3.50), and so does a comma between two digits (1,000). Each Chinese ideograph and Japanese
    kana is a word of its own. Everything else separates: white space, other signs, underscores, dashes.
    """
    spaced: str = _SPACED.sub(" $1", without_surrogates(text))
    return spaced.split()


def count_words(text: str) -> int:
    """The number of the words of `text`."""
    if text.isascii():
        _, count = _COUNTED_IN_ASCII.subn("", text)
    else:
        _, count = _COUNTED.subn("", without_surrogates(text))
    return int(count)


def divides_words(text: str) -> bool:
    """Whether the script of `text` divides words; Thai, Lao, Burmese and Khmer do not."""
    return text.isascii() or _UNDIVIDED.search(text) is None
