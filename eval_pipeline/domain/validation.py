"""Turns the errors of pydantic into faults that name a place and say what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from eval_pipeline.domain.text import without_keys

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
    if not names:
        return "there are none"
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
    key = next((step for step in reversed(details["loc"]) if isinstance(step, str)), "")
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
            if details["type"] in ("model_type", "dict_type", "model_attributes_type"):
                prefix = f"{key}: " if key else ""
                return f"{prefix}a mapping is expected, found {_shown(details['input'])}"
            message = details["msg"]
            return f"{key}: {message[:1].lower()}{message[1:]}, found {_shown(details['input'])}"


def _shown(value: Any) -> str:
    """A wrong value; of a mapping or a list only what it is, for a secret may be in it."""
    if isinstance(value, dict):
        return "a mapping with the keys " + ", ".join(map(str, value))
    return "a list" if isinstance(value, list) else without_keys(f"{value!r}")[:80]


def _keys(declared: type[BaseModel], place: Place) -> set[str]:
    """The keys of the model that `place` leads into."""
    annotation: Any = declared
    for step in place[:-1]:
        annotation = _inside(_plain(annotation), step)
    fields = getattr(_plain(annotation), "model_fields", {})
    return {field.alias or name for name, field in fields.items()}


def _plain(annotation: Any) -> Any:
    """A type without its annotations and without the possibility of none."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _plain(arguments[0])
    if origin in (Union, UnionType):
        others = [argument for argument in arguments if argument is not NoneType]
        return _plain(others[0]) if len(others) == 1 else annotation
    return annotation


def _inside(annotation: Any, step: str | int) -> Any:
    """The type of what a step leads to: a field, a member of a mapping or a list, or a variant by its tag."""
    if fields := getattr(annotation, "model_fields", None):
        return next((field.annotation for name, field in fields.items() if step in (name, field.alias)), None)
    if get_origin(annotation) in (dict, list):
        return get_args(annotation)[-1]
    return next((variant for variant in _variants(annotation) if step in _tags(variant)), None)


def _variants(annotation: Any) -> list[Any]:
    return [variant for variant in get_args(annotation) if hasattr(variant, "model_fields")]


def _tags(variant: type[BaseModel]) -> set[Any]:
    """The literal values that tell a variant from others."""
    return {
        tag
        for field in variant.model_fields.values()
        if get_origin(field.annotation) is Literal
        for tag in get_args(field.annotation)
    }


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "the truth value"
    if isinstance(value, int | float):
        return "the number"
    return f"a {type(value).__name__}"
