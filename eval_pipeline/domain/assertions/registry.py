"""Every kind of assertion that comes with the package, and how a declared assertion is read.

To add a kind: a small class in the file of its family, listed in the family's `KINDS`. Kinds that only a
judge can decide are a family of their own, which comes with the judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eval_pipeline.domain.assertions import (
    behaviour,
    language,
    number_values,
    patterns,
    safety,
    similarity,
    size,
    structure,
    text,
    values,
    xml_structure,
)
from eval_pipeline.domain.assertions.base import Assertion
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.validation import closest

FAMILIES = (
    text,
    patterns,
    similarity,
    size,
    structure,
    xml_structure,
    values,
    number_values,
    language,
    safety,
    behaviour,
)
AssertionKinds = Mapping[str, type[Assertion]]
"""Kinds by name: those of the package, and what a project and installed packages add."""

ASSERTION_KINDS: AssertionKinds = MappingProxyType(
    {assertion.kind: assertion for family in FAMILIES for assertion in family.KINDS}
)


def read_assertion(declared: object, kinds: AssertionKinds = ASSERTION_KINDS) -> Assertion:
    """The assertion that a set declares.

    Args:
        declared: The short form `{kind: value}`, the long form `{type: kind, value: ..., weight: ...}`,
            or the bare name of a kind without parameters. Hyphens in names count as underscores. For a kind
            without `value`, the short form takes its parameters: `{word_count_between: {min: 3, max: 60}}`.
        kinds: The kinds there are.

    Raises:
        DefinitionError: It is none of these, names no known kind, or its parameters are faulty.
    """
    assertion = _read(declared, kinds)
    faults = [Fault(f"assertion {assertion.kind}: {fault}") for fault in assertion.declared_faults()]
    if faults:
        raise DefinitionError(faults)
    return assertion


def _read(declared: object, kinds: AssertionKinds) -> Assertion:
    if isinstance(declared, str):
        return kind_named(declared, kinds)()
    if not isinstance(declared, Mapping) or not all(isinstance(key, str) for key in declared):
        raise DefinitionError(f"an assertion is written 'kind: value', found {declared!r:.80}")
    if "type" in declared:
        parameters = {key: value for key, value in declared.items() if key != "type"}
        return kind_named(declared["type"], kinds)(**parameters)
    if len(declared) != 1:
        raise DefinitionError(
            "an assertion with more than one key is written {type: kind, value: ..., ...}; found the keys "
            + ", ".join(sorted(declared))
        )
    ((name, value),) = declared.items()
    kind = kind_named(name, kinds)
    if "value" not in kind.model_fields and isinstance(value, Mapping):
        return kind(**value)
    return kind(value)


def kind_named(name: object, kinds: AssertionKinds) -> type[Assertion]:
    """The kind of that name, hyphens counting as underscores.

    Raises:
        DefinitionError: There is none; the message says what may be meant.
    """
    if not isinstance(name, str):
        raise DefinitionError(f"the kind of an assertion is a name, found {name!r:.80}")
    kind = kinds.get(name.replace("-", "_"))
    if kind is None:
        raise DefinitionError(f"unknown assertion kind '{name:.80}'; {_meant(name, kinds)}")
    return kind


def _meant(name: str, kinds: AssertionKinds) -> str:
    before, colon, _ = name.partition(":")
    if colon and before.strip().replace("-", "_") in kinds:
        return f"write '{before.strip()}: ...', with a blank behind the colon"
    hint = closest(name[:80], kinds)
    return (
        hint
        if hint.startswith("did you mean")
        else "eval-pipeline assertions list shows those that there are"
    )
