"""The reference of assertion kinds, made of what the kinds say of themselves.

Not here: the rules, which are the docstrings of the kinds.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from types import ModuleType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from eval_pipeline.domain.assertions import Assertion, AssertionKinds, Sample
from eval_pipeline.domain.assertions.registry import FAMILIES

_INTRODUCTION = """\
# Assertions

Every kind of assertion, with its rule, its parameters, and answers that pass and fail. This page is generated:
`eval-pipeline assertions reference` prints it, with the kinds of your own project at the end.

In a set file an assertion is `kind: value`, or `{type: kind, value: ..., weight: ...}` with all parameters by name; a kind
whose parameters all have defaults may stand by its name, and one without `value` takes a mapping: `word_count_between: {min: 3}`.
In the cell of a CSV file: `contains: Monday`. In an evaluation class each kind is a method: `check.contains("Monday")`. In
Python each is a class. Hyphens count as underscores. Every kind has `weight` (1): its share in the score of the prompt; 0
still decides pass or fail.

What cannot be told is an `error`, neither pass nor fail: an answer without text, one longer than the family examines, one in a
language that a detector does not know.
"""
_LONGEST_EXAMPLE = 400


def assertion_reference(kinds: AssertionKinds) -> str:
    """The reference as Markdown: the families of the package, and then the other kinds of `kinds`."""
    parts = [_INTRODUCTION, _contents()]
    shipped: set[type[Assertion]] = set()
    for family in FAMILIES:
        parts.append(_family(family))
        shipped.update(family.KINDS)
    own = [kind for kind in kinds.values() if kind not in shipped]
    if own:
        parts.append("## Kinds of this project\n\n" + "\n".join(map(kind_reference, own)))
    return "\n".join(parts)


def _contents() -> str:
    lines = ["| the assertion is on | kinds |", "|---|---|"]
    for family in FAMILIES:
        links = ", ".join(f"[`{kind.kind}`](#{kind.kind})" for kind in family.KINDS)
        lines.append(f"| {_subject(family)} | {links} |")
    return "\n".join([*lines, ""])


def _family(family: ModuleType) -> str:
    """A family: its subject, what its module says of all of them, and the kinds."""
    subject = _subject(family)
    _, _, more = inspect.cleandoc(family.__doc__ or "").partition("\n")
    said = more.partition("Not here:")[0].strip()
    body = f"{said}\n\n" if said else ""
    return f"## {subject[:1].upper()}{subject[1:]}\n\n{body}" + "\n".join(map(kind_reference, family.KINDS))


def _subject(family: ModuleType) -> str:
    """What the assertions of a family are on, as the first line of its module says."""
    first = inspect.cleandoc(family.__doc__ or "").partition("\n")[0]
    return first.removeprefix("Assertions on ").removesuffix(".")


def kind_reference(kind: type[Assertion]) -> str:
    """One kind as Markdown: name, rule, parameters, examples."""
    lines = [f"### `{kind.kind}`", "", inspect.cleandoc(kind.__doc__ or ""), ""]
    if kind.detectors:
        lines += ["Asks the detectors: " + ", ".join(sorted(kind.detectors)) + ".", ""]
    parameters = [(name, field) for name, field in kind.model_fields.items() if name != "weight"]
    if parameters:
        lines += ["| parameter | type | default | meaning |", "|---|---|---|---|"]
        lines += [_parameter(name, field) for name, field in parameters]
        lines.append("")
    if kind.example is not None:
        lines += [
            f"`{_inline(kind.example.declared)}` · in Python `{kind.__name__}`",
            "",
            f"- passes: {_sample(kind.example.passes)}",
            f"- fails: {_sample(kind.example.fails)}",
            "",
        ]
    return "\n".join(lines)


def _parameter(name: str, field: FieldInfo) -> str:
    default = "required" if field.is_required() else _default(field)
    meaning = " ".join((field.description or "").split())
    return f"| `{name}` | {_type(field.annotation)} | {default} | {meaning} |"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    return "none" if value is None else f"`{json.dumps(value)}`"


def _type(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return " or ".join(
            dict.fromkeys(_type(argument) for argument in arguments if argument is not type(None))
        )
    if origin is Literal:
        return ", ".join(f"`{argument}`" for argument in arguments)
    if origin is Annotated:
        return _type(arguments[0])
    if origin is list:
        member = _type(arguments[0])
        return f"list of {member}" if "`" in member else f"list of {member}s"
    names = {str: "text", int: "integer", float: "number", bool: "truth value", Any: "any value"}
    return names.get(annotation, "mapping" if (origin or annotation) is dict else str(annotation))


def _sample(shown: str | Sample) -> str:
    if isinstance(shown, str):
        return _code(shown)
    parts: Iterator[str] = (
        f"{name.replace('_', ' ')} {_code(_inline(value))}"
        for name, value in (
            ("text", shown.text),
            ("calls of tools", list(shown.tool_calls) or None),
            ("latency_ms", shown.latency_ms),
            ("cost_usd", shown.cost_usd),
            ("input_tokens", shown.usage.input_tokens),
            ("output_tokens", shown.usage.output_tokens),
        )
        if value is not None
    )
    return ", ".join(parts)


def _inline(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _code(text: str) -> str:
    """Text as code within a line; line ends are shown."""
    shown = text if len(text) <= _LONGEST_EXAMPLE else f"{text[:_LONGEST_EXAMPLE]}…"
    shown = shown.replace("\r", "␍").replace("\n", "⏎")
    fence = "``" if "`" in shown else "`"
    padding = " " if "`" in shown else ""
    return f"{fence}{padding}{shown}{padding}{fence}"
