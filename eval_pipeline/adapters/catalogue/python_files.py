"""Python of a project, loaded file by file, whose every fault becomes a fault of the declaration."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import ModuleType

from eval_pipeline.domain.errors import DefinitionError, Fault


def python_files(folder: Path) -> list[Path]:
    """The Python files of a folder, in order, without those whose name begins with an underscore."""
    paths = sorted(folder.glob("*.py")) if folder.is_dir() else []
    return [path for path in paths if not path.name.startswith("_")]


def load_module(path: Path, purpose: str) -> ModuleType:
    """The module in the file at `path`, executed anew.

    Args:
        path: The file.
        purpose: Tells modules of equal names in different folders apart.

    Whatever its code raises is raised as it is.
    """
    module = ModuleType(f"eval_pipeline_project_{purpose}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    # Compiled here, because Python's own cache takes an edit within the same second for none.
    exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - the project's own code
    return module


def foreign_faults(error: BaseException, source: str) -> DefinitionError:
    """What somebody's Python raised, as faults of the declaration in `source`."""
    if isinstance(error, DefinitionError):
        return error.located(source=source)
    return DefinitionError(
        [Fault(f"raised {type(error).__name__}: {error}", source, _line_within(error, source))]
    )


def _line_within(error: BaseException, source: str) -> int | None:
    if isinstance(error, SyntaxError):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == source), None)
