"""What counts as the same text, as no text, and as text that can be stored.

Not here: assertions on text, which live in `assertions/text.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_KEY_LIKE = re.compile(r"\b(sk|pk|rk|key|ghp|xox[abp])-[A-Za-z0-9_-]{6,}|(?<=Bearer )[A-Za-z0-9._~+/-]{6,}=*")
MASK = "***"
"""Stands in the place of a secret."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_EXCERPT_LENGTH = 200
_LONG_RUN = 50
_MARKS_BY_DECOMPOSITION = "\u0f73\u0f75\u0f81"


def normalised(text: str) -> str:
    """`text` in Unicode form NFC, so that composed and decomposed accents compare equal.

    Of a hundred and more combining marks in a row, each fifty are put in order by themselves.
    """
    return text if text.isascii() else "".join(unicodedata.normalize("NFC", piece) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """`text`, cut within long runs of combining marks: the time to put those in order is quadratic."""
    start = 0
    for cut in range(_LONG_RUN, len(text), _LONG_RUN):
        if all(map(_is_mark, text[cut - _LONG_RUN : cut + 1])):
            yield text[start:cut]
            start = cut
    yield text[start:]


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) > 0 or char in _MARKS_BY_DECOMPOSITION


def is_blank(text: str) -> bool:
    """Whether `text` shows nothing: only white space and invisible format characters (category Cf)."""
    return all(char.isspace() or unicodedata.category(char) == "Cf" for char in text)


def without_surrogates(text: str) -> str:
    """`text` with each lone surrogate, which no encoding can carry, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """JSON data with `change` applied to every text in it, keys included; tuples become lists."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(key): with_texts(member, change) for key, member in value.items()}
    return [with_texts(member, change) for member in value] if isinstance(value, list | tuple) else value


def storable(text: str) -> str:
    """`text` as PostgreSQL can hold it: U+0000 shown as U+2400 (␀), lone surrogates as U+FFFD."""
    return text if is_storable(text) else without_surrogates(text).replace("\x00", "\u2400")


def is_storable(text: str) -> bool:
    """Whether `text` has neither U+0000 nor a lone surrogate."""
    return "\x00" not in text and _SURROGATE.search(text) is None


def without_keys(text: str) -> str:
    """`text` with whatever looks like an API key masked."""
    return _KEY_LIKE.sub(MASK, text)


def are_storable(value: Any) -> bool:
    """Whether every text in JSON data is storable."""
    if isinstance(value, str):
        return is_storable(value)
    if isinstance(value, Mapping):
        return all(are_storable(key) and are_storable(member) for key, member in value.items())
    return all(map(are_storable, value)) if isinstance(value, list | tuple) else True


def visible(text: str) -> str:
    """`text` for a terminal: control characters but line ends and tabs shown, so that none takes effect."""
    return _CONTROL.sub("\ufffd", text)


def excerpt(text: str, length: int = _EXCERPT_LENGTH) -> str:
    """At most `length` characters of `text`; an ellipsis and the full length mark a cut."""
    if len(text) <= length:
        return text
    return f"{text[:length]}… ({len(text)} characters)"
