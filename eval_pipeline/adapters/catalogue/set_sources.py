"""Where golden prompt sets come from: the files and the Python of a project, and installed packages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.contributions import contributions
from eval_pipeline.adapters.catalogue.evaluations import evaluation_sets
from eval_pipeline.adapters.catalogue.prompt_set_files import read_csv_set, read_prompt_set
from eval_pipeline.adapters.catalogue.python_files import foreign_faults, load_module
from eval_pipeline.domain.assertions import AssertionKinds
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.golden_sets import GoldenPromptSet


@dataclass(frozen=True, slots=True)
class DeclaredSet:
    """A golden prompt set and where it comes from.

    Attributes:
        golden_set: The set.
        source: The file or the entry point.
        example: Whether the package itself ships it.
    """

    golden_set: GoldenPromptSet
    source: str
    example: bool = False


def declared_sets(project: Path, kinds: AssertionKinds) -> Iterator[DeclaredSet | DefinitionError]:
    """Every set of the project's folder and of packages; in the place of a faulty one, its faults."""
    included: set[Path] = set()
    inclusions_known = True
    folder = project / "prompts"
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in paths:
        if path.suffix in (".yaml", ".yml", ".json"):
            try:
                read = read_prompt_set(path, kinds)
            except DefinitionError as error:
                inclusions_known = inclusions_known and not _may_include(path)
                yield error
                continue
            included |= read.included
            yield DeclaredSet(read.golden_set, str(path))
        elif path.suffix == ".py":
            yield from _from_callable(partial(_python_sets, path), str(path))
    for path in paths:
        if inclusions_known and path.resolve() not in included:
            yield from _from_prompts_file(path, kinds)
    for contribution in contributions("eval_pipeline.golden_prompt_sets"):
        yield from _from_callable(contribution.declared, contribution.source, example=contribution.example)
    for found in evaluation_sets(project, kinds):
        yield found if isinstance(found, DefinitionError) else DeclaredSet(*found)


def _may_include(path: Path) -> bool:
    """Whether a faulty set file could have taken prompts from others, as far as can be seen."""
    try:
        return b"file://" in path.read_bytes()
    except OSError:
        return True


def _from_prompts_file(path: Path, kinds: AssertionKinds) -> Iterator[DeclaredSet | DefinitionError]:
    """What a file of prompts that no set includes amounts to: CSV is a set of its own, JSON Lines a mistake."""
    if path.suffix in (".csv", ".tsv"):
        try:
            yield DeclaredSet(read_csv_set(path, kinds).golden_set, str(path))
        except DefinitionError as error:
            yield error
    elif path.suffix == ".jsonl":
        yield DefinitionError(
            [Fault("no set takes its prompts from this file: name it under a set's 'prompts'", str(path))]
        )


def _from_callable(
    sets: Callable[[], Iterable[Any]], source: str, *, example: bool = False
) -> Iterator[DeclaredSet | DefinitionError]:
    """Sets built by somebody's Python, whose every fault becomes a fault of the declaration."""
    try:
        for golden_set in sets():
            if isinstance(golden_set, GoldenPromptSet):
                yield DeclaredSet(golden_set, source, example)
            else:
                reason = f"golden_prompt_sets() gave {golden_set!r:.80}, which is no GoldenPromptSet"
                yield DefinitionError([Fault(reason, source)])
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is somebody else's
        yield foreign_faults(error, source)


def _python_sets(path: Path) -> Iterable[Any]:
    function = getattr(load_module(path, "prompts"), "golden_prompt_sets", None)
    if function is None:
        raise DefinitionError("has no function golden_prompt_sets()")
    sets: Iterable[Any] = function()
    return sets
