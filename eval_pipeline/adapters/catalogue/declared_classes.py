"""Classes that a project's Python or an installed package declares: kinds of assertions, evaluations.

Not here: what is done with them.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eval_pipeline.adapters.catalogue.contributions import Contribution, contributions
from eval_pipeline.adapters.catalogue.python_files import foreign_faults, load_module, python_files
from eval_pipeline.domain.errors import DefinitionError, Fault


@dataclass(frozen=True, slots=True)
class DeclaredClass:
    """A class and where it comes from.

    Attributes:
        declared: The class; concrete, over the base that was asked for.
        source: The file or the entry point.
        example: Whether the package itself ships it.
    """

    declared: type
    source: str
    example: bool = False


def declared_classes(folder: Path, group: str, base: type) -> Iterator[DeclaredClass | DefinitionError]:
    """Every concrete class over `base`; in the place of what is faulty, its faults.

    Args:
        folder: A project's folder; its Python files are executed anew. Those whose name begins with an underscore
            are passed over.
        group: A group of entry points, each of which names a class, or a function that returns classes.
        base: The class that all are over.
    """
    for path in python_files(folder):
        try:
            found = _concrete(vars(load_module(path, folder.name)), base)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is somebody else's
            yield foreign_faults(error, str(path))
            continue
        if not found:
            needed = ", ".join(sorted(getattr(base, "__abstractmethods__", ())))
            reason = f"has no class over {base.__name__} with a method {needed}"
            yield DefinitionError([Fault(reason, str(path))])
        yield from (DeclaredClass(each, str(path)) for each in found)
    for contribution in contributions(group):
        yield from _contributed(contribution, base)


def _concrete(names: dict[str, object], base: type) -> list[type]:
    """The classes over `base` that a module itself defines, in the order of the file."""
    found = [
        value
        for value in names.values()
        if isinstance(value, type) and issubclass(value, base) and value.__module__ == names["__name__"]
    ]
    return [each for each in dict.fromkeys(found) if not inspect.isabstract(each)]


def _contributed(contribution: Contribution, base: type) -> Iterator[DeclaredClass | DefinitionError]:
    source = contribution.source
    try:
        loaded = contribution.entry_point.load()
        for each in [loaded] if isinstance(loaded, type) else loaded():
            if isinstance(each, type) and issubclass(each, base) and not inspect.isabstract(each):
                yield DeclaredClass(each, source, contribution.example)
            else:
                reason = f"{each!r:.80} is no class over {base.__name__} that can be used"
                yield DefinitionError([Fault(reason, source)])
    except (Exception, SystemExit) as error:  # noqa: BLE001 - likewise
        yield foreign_faults(error, source)


def code_hash(declared: type, base: type) -> str:
    """A hash over the files in which a class and what it is made of are written, `base` and its own bases aside.

    Whole files, because a class uses what stands beside it; what it imports from elsewhere is not seen.
    """
    made_of = [
        each for each in declared.__mro__ if each not in base.__mro__ and each.__module__ != "builtins"
    ]
    digest = hashlib.sha256()
    for name in dict.fromkeys(map(inspect.getfile, made_of)):
        digest.update(Path(name).read_bytes())
    return digest.hexdigest()
