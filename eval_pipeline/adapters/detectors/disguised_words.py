"""Undoes what hides a rude word from a reader of plain words: `id1ot`, `f*ck`, `i d i o t`, `idiooot`.

A form is only read as a rude word if it then is one, so that product codes, formulas and initials stay
what they are. Not here: which words are rude.
"""

from __future__ import annotations

import re
import unicodedata

from eval_pipeline.adapters.detectors.hostile_words import RUDE, is_rude

_LOOKS_LIKE = str.maketrans("0134579@$!|€", "oieastgasiie")
_MASKS = frozenset("*#%&@$!|^")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_SPACED_LETTERS = re.compile(r"(?<!\w)(?:[^\W\d_][ .\-_*]){3,30}[^\W\d_](?!\w)")
_HASHTAG = re.compile(r"#(\w+)")
_CASE_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONG_RUN = re.compile(r"(\w)\1{2,}")
_HALF_HIDDEN = re.compile(r"[^\W_]\S*")
_QUOTES = "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
_EDGES = ".,;:?\"'()[]{}<>" + _QUOTES
_LONGEST = 24
"""In characters: no disguised word is longer."""
_RUDE_BY_LENGTH: dict[tuple[str, int], list[str]] = {}
for _word in sorted(RUDE):
    _RUDE_BY_LENGTH.setdefault((_word[0], len(_word)), []).append(_word)


def plainly(text: str) -> str:
    """`text` with every disguised rude word written plainly."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    text = _HASHTAG.sub(lambda hashtag: " " + _CASE_BOUNDARY.sub(" ", hashtag[1]), text)
    text = _SPACED_LETTERS.sub(_joined, text)
    return _HALF_HIDDEN.sub(_uncovered, text)


def _joined(letters: re.Match[str]) -> str:
    word = re.sub(r"[ .\-_*]", "", letters[0]).lower()
    found = [rude for rude in RUDE if len(rude) > 3 and word.endswith(rude)]
    return max(found, key=len) if found else letters[0]


def _uncovered(token: re.Match[str]) -> str:
    written = token[0]
    if len(written) > _LONGEST or written.isalpha():
        return _shortened(written) if len(written) <= _LONGEST else written
    word = written.lower().rstrip(_EDGES)
    for guess in (word.rstrip("!*_"), word):
        plain = guess.translate(_LOOKS_LIKE)
        if plain != guess and is_rude(plain):
            return plain
        if (unmasked := _unmasked(guess)) is not None:
            return unmasked
    return _shortened(written)


def _unmasked(word: str) -> str | None:
    hidden = sum(char in _MASKS for char in word)
    if not hidden or len(word) - hidden < 2:
        return None
    for rude in _RUDE_BY_LENGTH.get((word[0], len(word)), ()):
        if all(char == plain or char in _MASKS for char, plain in zip(word, rude, strict=True)):
            return rude
    return None


def _shortened(written: str) -> str:
    if _LONG_RUN.search(written) is None:
        return written
    for kept in (r"\1", r"\1\1"):
        word = _LONG_RUN.sub(kept, written)
        if is_rude(word.lower().rstrip(_EDGES + "!")):
            return word
    return written
