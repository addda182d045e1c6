"""Every kind of assertion that sets may name, and how a declared assertion is read.

To add a kind: a small class in the file of its family, and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eval_pipeline.domain.assertions.base import Assertion
from eval_pipeline.domain.assertions.structure import JsonSchema
from eval_pipeline.domain.assertions.text import Contains, Exact, Regex
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.validation import closest

ASSERTION_KINDS: Mapping[str, type[Assertion]] = MappingProxyType(
    {
        assertion.kind: assertion
        for assertion in (
            Exact,
            Contains,
            Regex,
            JsonSchema,
        )
    }
)


def read_assertion(declared: object) -> Assertion:
    """The assertion that a set declares.

    Args:
        declared: The short form `{kind: value}`, the long form `{type: kind, value: ..., weight: ...}`,
            or the bare name of a kind without parameters. Hyphens in names count as underscores.

    Raises:
        DefinitionError: It is none of these, names no known kind, or its parameters are faulty.
    """
    if isinstance(declared, str):
        return _kind(declared)()
    if not isinstance(declared, Mapping) or not all(isinstance(key, str) for key in declared):
        raise DefinitionError(f"an assertion is written 'kind: value', found {declared!r:.80}")
    if "type" in declared:
        parameters = {key: value for key, value in declared.items() if key != "type"}
        return _kind(declared["type"])(**parameters)
    if len(declared) != 1:
        raise DefinitionError(
            "an assertion with more than one key needs 'type'; found the keys " + ", ".join(sorted(declared))
        )
    ((name, value),) = declared.items()
    return _kind(name)(value)


def _kind(name: object) -> type[Assertion]:
    if not isinstance(name, str):
        raise DefinitionError(f"the kind of an assertion is a name, found {name!r:.80}")
    kind = ASSERTION_KINDS.get(name.replace("-", "_"))
    if kind is None:
        raise DefinitionError(f"unknown assertion kind '{name}'; {closest(name, ASSERTION_KINDS)}")
    return kind
