"""The kinds of assertions there are: the package's, a project's own, and those of installed packages.

Not here: what a kind is (`domain/assertions/base.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from keyword import iskeyword
from pathlib import Path
from types import MappingProxyType
from typing import cast

from eval_pipeline.adapters.catalogue.declared_classes import code_hash, declared_classes
from eval_pipeline.adapters.catalogue.python_files import foreign_faults
from eval_pipeline.domain.assertions import ASSERTION_KINDS, Assertion, AssertionKinds
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.response_checks import ResponseChecks


def assertion_kinds(project: Path) -> tuple[AssertionKinds, list[Fault]]:
    """All kinds by name, with what is wrong with those that could not be taken.

    A project's own are the classes over `Assertion` in `assertions/*.py`; packages contribute to the group
    `eval_pipeline.assertions`.
    """
    kinds = dict(ASSERTION_KINDS)
    sources = dict.fromkeys(kinds, "eval_pipeline")
    faults: list[Fault] = []
    for found in declared_classes(project / "assertions", "eval_pipeline.assertions", Assertion):
        if isinstance(found, DefinitionError):
            faults += found.faults
            continue
        kind = cast("type[Assertion]", found.declared)
        name: object = getattr(kind, "kind", None)
        if (reason := name_fault(name, sources) or _hidden_parameter(kind)) is not None:
            faults.append(Fault(f"{kind.__name__}: {reason}", found.source))
            continue
        try:
            kind.model_rebuild()  # its parameters, which would be looked at when it is first used
        except Exception as error:  # noqa: BLE001 - the types of the parameters are somebody else's
            faults += foreign_faults(error, found.source).faults
            continue
        kind.source = code_hash(kind, Assertion)
        kinds[kind.kind], sources[kind.kind] = kind, found.source
    return MappingProxyType(kinds), faults


def name_fault(name: object, taken: Mapping[str, str]) -> str | None:
    """Why a kind cannot have a name; none when it can.

    Args:
        name: The name.
        taken: The names that are taken, each with where.
    """
    usable = isinstance(name, str) and name.isidentifier() and not iskeyword(name) and name[0] != "_"
    if not isinstance(name, str) or not usable or name != name.lower():
        return f"'kind' is a name in lowercase letters, digits and underscores, found {name!r:.80}"
    if name in taken:
        return f"the assertion kind '{name}' exists already, in {taken[name]}"
    if name in vars(ResponseChecks):
        return f"the name '{name}' is taken by the checks of evaluations"
    return None


def _hidden_parameter(kind: type[Assertion]) -> str | None:
    """Why a kind could not be used as it is; none when all its parameters can be given."""
    hidden = sorted({"type", "message"} & kind.model_fields.keys())
    return f"the parameter '{hidden[0]}' could never be given: rename it" if hidden else None
