"""When two JSON values are the same, and where they first differ.

The order of keys does not matter, the order of items does; numbers are equal by value, exactly; a truth value is
no number; texts are compared in Unicode form NFC. Values computed in Python count as the JSON that they would be:
a tuple is an array.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from eval_pipeline.domain.exact_numbers import equal, is_number
from eval_pipeline.domain.json_text import read_json
from eval_pipeline.domain.text import excerpt, normalised

_SHOWN = 60
_TYPES = {
    type(None): "null",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    str: "a text",
    dict: "an object",
    list: "an array",
}
_Step = tuple[Any, Any, Any]
"""A place, as the place above and a step from there, then what is expected and what was found."""


def json_type(value: object) -> str:
    """What `value` is, in words, with an article.

    Raises:
        ValueError: It is no JSON value, as NaN is none.
    """
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is no finite number")
    if (known := _TYPES.get(type(value))) is not None:
        return known
    if is_number(value):
        return "a number"
    for kind, name in ((str, "a text"), (Mapping, "an object"), (list | tuple, "an array")):
        if isinstance(value, kind):
            return name
    raise ValueError(f"a {type(value).__name__} is no JSON value")


def json_text(value: object) -> str:
    """`value` for people: much like JSON, shortened."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + excerpt(value, _SHOWN) + '"'
        case Mapping():
            return f"an object of {len(value)}"
        case list() | tuple():
            return f"an array of {len(value)}"
        case _:
            return excerpt(str(value), _SHOWN)


def json_equal(expected: object, found: object) -> bool:
    """Whether two JSON values are the same.

    Raises:
        ValueError: One holds what is no JSON value, or a number that is not finite.
    """
    return first_difference(expected, found) is None


def check_json(value: object) -> None:
    """Refuses what JSON cannot express.

    Raises:
        ValueError: There is such a thing in `value`, or it nests too deeply.
    """
    try:
        read_json(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{excerpt(repr(value), _SHOWN)} is no JSON value: {error}") from None
    first_difference(value, value)


def first_difference(expected: object, found: object) -> str | None:
    """Where and how `found` first differs from `expected`; none when they are the same.

    Raises:
        ValueError: One holds what is no JSON value, or a number that is not finite.
    """
    waiting: list[_Step] = [(None, expected, found)]
    while waiting:
        place, left, right = waiting.pop()
        kind = json_type(left)
        if kind != json_type(right):
            return _differ(place, left, right)
        if kind == "an object":
            left, right = _with_normal_keys(left), _with_normal_keys(right)
            if left.keys() != right.keys():
                return _keys_differ(place, left, right)
            waiting.extend(((place, key), left[key], right[key]) for key in reversed(left))
        elif kind == "an array":
            if len(left) != len(right):
                return f"{_path(place)}: expected {json_text(left)}, found {json_text(right)}"
            pairs = enumerate(zip(left, right, strict=True))
            waiting.extend(reversed([((place, index), *pair) for index, pair in pairs]))
        elif not _same_scalar(left, right):
            return _differ(place, left, right)
    return None


def _with_normal_keys(members: Mapping[Any, Any]) -> dict[str, Any]:
    for key in members:
        if not isinstance(key, str):
            raise ValueError(f"the key {key!r:.80} is no text")  # noqa: TRY004 - one exception for the caller
    return {_normal(key): value for key, value in members.items()}


def _normal(text: str) -> str:
    return text if text.isascii() else normalised(text)


def _same_scalar(left: Any, right: Any) -> bool:
    if isinstance(left, str):
        return _normal(left) == _normal(right)
    if left is None or isinstance(left, bool):
        return bool(left == right)
    return equal(left, right)


def _differ(place: Any, expected: object, found: object) -> str:
    return f"{_path(place)}: expected {json_text(expected)}, found {json_text(found)}"


def _keys_differ(place: Any, expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    missing = next((key for key in expected if key not in found), None)
    if missing is not None:
        return f"{_path((place, missing))}: expected {json_text(expected[missing])}, found nothing"
    surplus = next(key for key in found if key not in expected)
    return f"{_path((place, surplus))}: expected nothing, found {json_text(found[surplus])}"


def _path(place: Any) -> str:
    return excerpt("$" + "".join(reversed([_written(step) for step in _steps(place)])))


def _steps(place: Any) -> Iterator[str | int]:
    while place is not None:
        place, step = place
        yield step


def _written(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() else f"[{step!r}]"
