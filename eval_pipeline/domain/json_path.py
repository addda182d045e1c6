"""JSONPath, as RFC 9535 has it: names places in a JSON value.

A library reads the path. It is followed by `json_path_walk.py`, because the library's own walk recurses, has no
bound on its work and reads whole numbers in filters as floating point. Not here: reading JSON (`json_text.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MAX_STEPS = 100_000
"""The most values that are looked at while a path is followed."""
MAX_PATH = 2_000
"""The longest path, in characters."""
REFUSED_FUNCTIONS = ("match", "search")
"""The functions of filters that match a pattern, which nothing would bound."""


class PathFault(ValueError):
    """A path is faulty, or could not be followed within its bounds. The message says why."""


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path that was found to be valid.

    Attributes:
        text: The path as written.
        query: The library's reading of it.
    """

    text: str
    query: Any


@lru_cache(maxsize=1024)
def compile_path(text: str) -> JsonPath:
    """The path in `text`. Those used last are kept.

    Raises:
        PathFault: It is no JSONPath by RFC 9535, is longer than 2,000 characters, or calls `match` or `search`.
    """
    from jsonpath_rfc9535 import JSONPathError

    if len(text) > MAX_PATH:
        raise PathFault(f"the JSONPath is too long: {len(text)} characters, and {MAX_PATH} is the most")
    try:
        query = _reader().compile(text)
    except JSONPathError as error:
        raise PathFault(
            f"{text!r:.80} is no JSONPath: {error}; a path begins with $, as in $.user.name"
        ) from None
    except RecursionError:
        raise PathFault(f"the JSONPath {text!r:.80} is nested too deeply") from None
    except (OverflowError, ValueError):
        raise PathFault(f"the JSONPath {text!r:.80} holds a number that is too large") from None
    return JsonPath(text, query)


def values_at(path: JsonPath, value: Any) -> list[Any]:
    """The values at `path` in a JSON value, in the order of the value.

    Raises:
        PathFault: More than 100,000 values would have to be looked at, or filters nest too deeply.
    """
    from eval_pipeline.domain.json_path_walk import PathTooCostly, Walk

    try:
        return Walk(value, MAX_STEPS).follow(path.query, value)
    except PathTooCostly as fault:
        raise PathFault(str(fault)) from None
    except RecursionError:
        raise PathFault(f"the filters of the JSONPath {path.text!r:.80} nest too deeply") from None


@lru_cache
def _reader() -> Any:
    from jsonpath_rfc9535 import JSONPathEnvironment

    reader = JSONPathEnvironment()
    for function in REFUSED_FUNCTIONS:
        del reader.function_extensions[function]
    return reader
