"""Reading JSON strictly: RFC 8259 and nothing more, bounded, with one exception for every fault.

Python's own reader accepts NaN and Infinity, overflows long numbers to infinity, and raises three
unrelated exceptions on hostile input. Used for model answers and for declarations alike.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

MAX_DEPTH = 500
"""The deepest nesting of arrays and objects that is read."""


_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


class JsonFault(ValueError):
    """The text is not JSON, or is JSON beyond the bounds. The message says where and why."""


class JsonBeyondBounds(JsonFault):
    """The text may well be JSON, but is nested too deeply or has a number that is too large to be read."""


def read_json(text: str, *, unique_keys: bool = False, max_depth: int = MAX_DEPTH) -> Any:
    """The value that `text` denotes.

    Args:
        text: One JSON text; white space around it and a leading byte order mark are allowed.
        unique_keys: Refuse an object that names a key twice, instead of keeping the last one.
        max_depth: The deepest nesting of arrays and objects that is read.

    Raises:
        JsonBeyondBounds: `text` nests deeper than `max_depth`, or holds a number that is not finite as a
            double or has more than 4,300 digits.
        JsonFault: `text` is not JSON.
    """
    text = text.removeprefix("\ufeff")
    if _depth_exceeds(text, max_depth):
        raise JsonBeyondBounds(f"nested deeper than {max_depth} levels")
    try:
        return (_WITH_UNIQUE_KEYS if unique_keys else _DECODER).decode(text)
    except json.JSONDecodeError as error:
        raise JsonFault(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except JsonFault:
        raise
    except RecursionError:
        raise JsonBeyondBounds("nested too deeply to be read here") from None
    except ValueError:
        raise JsonBeyondBounds("a number has too many digits to be read") from None


def _depth_exceeds(text: str, limit: int) -> bool:
    """Whether brackets outside strings nest deeper than `limit`; exact for valid JSON."""
    if text.count("[") + text.count("{") <= limit:
        return False
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth > limit:
                return True
        elif token[0] in "]}":
            depth -= 1
    return False


def _refuse_constant(token: str) -> NoReturn:
    raise JsonFault(f"{token} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise JsonBeyondBounds(f"the number {digits[:40]} is too large to be read")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise JsonFault(f"the key {key!r} is given twice")
        found[key] = value
    return found


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
_WITH_UNIQUE_KEYS = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique
)
