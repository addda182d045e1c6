"""The files that a configuration of promptfoo refers to.

Text and data only: scripts are never run, and nothing is fetched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eval_pipeline.adapters.catalogue.text_files import read_text
from eval_pipeline.adapters.promptfoo.entries import Entry, read_entry, read_entry_lines
from eval_pipeline.adapters.promptfoo.findings import NoCounterpart
from eval_pipeline.domain.errors import DefinitionError

FILE = "file://"
DATA = (".yaml", ".yml", ".json")
_SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".sh", ".go")
_PATTERN = set("*?[]{}")


@dataclass(frozen=True, slots=True)
class Files:
    """What references are relative to.

    Attributes:
        folder: The folder of the configuration.
    """

    folder: Path

    def matching(self, reference: str) -> list[Path]:
        """The files that a reference with or without `file://` names, in the order of their names.

        Raises:
            NoCounterpart: There are none, or it is a script or lies elsewhere.
        """
        name = reference.removeprefix(FILE)
        if "://" in name:
            raise NoCounterpart(f"{name.partition('://')[0]}:// is not fetched")
        path = self.folder / name
        bare = path.with_name(path.name.partition(":")[0])
        if path.suffix in _SCRIPTS or bare.suffix in _SCRIPTS:
            raise NoCounterpart("a script is not run")
        if _is_file(path):
            return [path]
        found = sorted(self._globbed(name)) if is_pattern(name) else []
        if not found:
            raise NoCounterpart(f"there is no file {name}")
        return found

    def entries(self, reference: str) -> Iterator[Entry]:
        """The documents of the data files that a reference names.

        Raises:
            NoCounterpart: There are none, or they cannot be read as data.
        """
        for path in self.matching(reference):
            try:
                if path.suffix == ".jsonl":
                    yield from read_entry_lines(path)
                elif path.suffix in DATA:
                    yield read_entry(path)
                else:
                    raise NoCounterpart(f"{path.name} is neither YAML nor JSON")
            except DefinitionError as error:
                raise NoCounterpart(str(error)) from None

    def text(self, reference: str) -> str:
        """What promptfoo makes a text of: a text file without blanks around it, YAML as JSON.

        Raises:
            NoCounterpart: There is no such file, or it is no text.
        """
        (path, *more) = self.matching(reference)
        if more:
            raise NoCounterpart("several files stand where one text is wanted")
        try:
            if path.suffix in (".yaml", ".yml"):
                return json.dumps(read_entry(path).data, ensure_ascii=False, separators=(",", ":"))
            return read_text(path).strip()
        except DefinitionError as error:
            raise NoCounterpart(str(error)) from None

    def _globbed(self, name: str) -> Iterator[Path]:
        folder, pattern = (Path("/"), name.lstrip("/")) if name.startswith("/") else (self.folder, name)
        try:
            yield from (path for path in folder.glob(pattern) if _is_file(path))
        except (ValueError, LookupError, OSError, NotImplementedError):
            return  # what pathlib raises for patterns that are none


def is_pattern(name: str) -> bool:
    """Whether promptfoo takes a name for a pattern of names."""
    return not _PATTERN.isdisjoint(name)


def literal(text: str) -> str:
    """`text`, unless our sets would take it for the name of a file.

    Raises:
        NoCounterpart: They would.
    """
    if text.startswith(FILE):
        raise NoCounterpart(f"it begins with {FILE}, which names a file in a set")
    return text


def included(entry: Entry, files: Files) -> Iterator[Entry]:
    """The entries that an entry stands for: those of the files that it names, or itself; lists are unpacked.

    Raises:
        NoCounterpart: A file cannot be read as data.
    """
    if entry.text is not None and entry.text.startswith(FILE):
        for document in files.entries(entry.text):
            yield from document.members
    else:
        yield entry


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
