"""Turns the errors of pydantic into faults that name a place and say what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

Place = tuple[str | int, ...]


def reasons(
    error: ValidationError,
    declared: type[BaseModel],
    written: Callable[[Place], str | None] = lambda _place: None,
) -> Iterator[tuple[Place, str]]:
    """Each error's place in the declaration, as keys and positions, and its reason.

    Args:
        error: What pydantic found.
        declared: The model that was validated against.
        written: Gives the source text of the scalar at a place, where there is one.
    """
    for details in error.errors(include_url=False):
        yield details["loc"], _reason(details, declared, written(details["loc"]))


def closest(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest of `known`, or all of them when none is near."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1)
    return f"did you mean '{near[0]}'?" if near else "known are: " + ", ".join(names)


def _not_text(value: Any, written: str | None) -> str:
    if value is None:
        return "a text is expected, found no value; write it in quotes"
    if isinstance(value, dict | list):
        return "a text is expected, found a mapping or a list; write it in quotes (an unquoted {{ opens a mapping)"
    shown = f"{written}, which means {_kind(value)} {value}" if written else f"{_kind(value)} {value}"
    return f"a text is expected, found {shown}; write it in quotes"


def _reason(details: ErrorDetails, declared: type[BaseModel], written: str | None) -> str:
    *_, key = details["loc"] or ("",)
    match details["type"]:
        case "extra_forbidden":
            return f"unknown key '{key}'; {closest(str(key), _keys(declared, details['loc']))}"
        case "missing":
            return f"the key '{key}' is missing"
        case "string_type":
            return f"{key}: {_not_text(details['input'], written)}"
        case "value_error":
            return str(details["ctx"]["error"])
        case _:
            message = details["msg"]
            return f"{key}: {message[:1].lower()}{message[1:]}, found {details['input']!r:.80}"


def _keys(declared: type[BaseModel], place: Place) -> set[str]:
    """The keys of the model that `place` leads into."""
    for step in place[:-1]:
        field = declared.model_fields.get(str(step))
        nested = _model_in(field.annotation) if field else None
        declared = nested or declared
    return {field.alias or name for name, field in declared.model_fields.items()}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        if found := _model_in(argument):
            return found
    return None


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "the truth value"
    if isinstance(value, int | float):
        return "the number"
    return f"a {type(value).__name__}"
