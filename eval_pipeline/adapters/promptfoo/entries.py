"""Declarations as promptfoo reads them: values with their places.

promptfoo reads YAML with JavaScript's rules (YAML 1.2), which take `yes`, `012` and `12:30` for something else than
our own files do. Not here: what the keys mean.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rfc8785
import yaml

from eval_pipeline.adapters.catalogue.documents import read_document, read_json_lines
from eval_pipeline.adapters.catalogue.strict_yaml import read_yaml
from eval_pipeline.adapters.catalogue.text_files import read_text
from eval_pipeline.domain.validation import Place

_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE, _FALSE = {"true", "True", "TRUE"}, {"false", "False", "FALSE"}
_INTEGER = re.compile(r"[-+]?[0-9][0-9_]*")
_BASED = re.compile(r"([-+]?)0(?:b([01_]+)|o([0-7_]+)|x([0-9a-fA-F_]+))")
_FLOAT = re.compile(r"[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*"
)


class WrittenDate(str):
    """A date without quotes: an object to promptfoo, which prints it in a form of its own."""

    __slots__ = ()


Scalar = str | int | float | bool | None
Value = Scalar | list["Entry"] | dict[str, "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and where it stands.

    Attributes:
        source: The file.
        line: The line in which it begins, where known.
        value: A scalar, or entries by position or by key.
    """

    source: Path
    line: int | None
    value: Value

    @property
    def mapping(self) -> Mapping[str, Entry]:
        """The entries by key; none for anything but a mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def members(self) -> list[Entry]:
        """The entries of a list; the entry itself for anything else."""
        return self.value if isinstance(self.value, list) else [self]

    @property
    def text(self) -> str | None:
        """The value if it is a text."""
        return self.value if isinstance(self.value, str) else None

    def text_at(self, key: str) -> str:
        """The text under a key; empty if there is none."""
        found = self.mapping.get(key)
        return (found.text or "") if found is not None else ""

    @property
    def data(self) -> Any:
        """The value as plain data."""
        if isinstance(self.value, dict):
            return {key: entry.data for key, entry in self.value.items()}
        if isinstance(self.value, list):
            return [entry.data for entry in self.value]
        return str(self.value) if isinstance(self.value, str) else self.value

    def made(self, value: Any) -> Entry:
        """Plain data as entries that stand where this one does."""
        return _from_data(self.source, self.line, value)


def read_entry(path: Path) -> Entry:
    """The one document of a `.yaml`, `.yml` or `.json` file.

    Raises:
        DefinitionError: It cannot be read, or not without surprises.
    """
    if path.suffix == ".json":
        return _from_data(path, None, read_document(path).data)
    _, node = read_yaml(path, read_text(path))
    return Entry(path, 1, None) if node is None else _from_node(path, node)


def read_entry_lines(path: Path) -> Iterator[Entry]:
    """The documents of a `.jsonl` file.

    Raises:
        DefinitionError: A line is not JSON.
    """
    for document in read_json_lines(path):
        yield _from_data(path, document.first_line, document.data)


def printed(value: Scalar) -> str:
    """A scalar as JavaScript prints it: `1.0` as 1, truth values in lower case, nothing as an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value)
    try:
        number = float(value)
    except OverflowError:
        number = math.copysign(math.inf, value)
    if math.isfinite(number):
        return rfc8785.dumps(number).decode()
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def at(entry: Entry, place: Place) -> Entry | None:
    """The entry at `place` inside another, if there is one."""
    found: Entry | None = entry
    for step in place:
        if found is None:
            return None
        if isinstance(found.value, list):
            position = int(step) if str(step).isdecimal() else len(found.value)
            found = found.value[position] if position < len(found.value) else None
        else:
            found = found.mapping.get(str(step))
    return found


def _from_data(path: Path, line: int | None, data: Any) -> Entry:
    if isinstance(data, Mapping):
        return Entry(path, line, {str(key): _from_data(path, line, value) for key, value in data.items()})
    if isinstance(data, list):
        return Entry(path, line, [_from_data(path, line, value) for value in data])
    return data if isinstance(data, Entry) else Entry(path, line, data)


def _from_node(path: Path, node: yaml.Node) -> Entry:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):  # of two equal keys the first came from a merge
        return Entry(path, line, {key.value: _from_node(path, value) for key, value in node.value})
    if isinstance(node, yaml.SequenceNode):
        return Entry(path, line, [_from_node(path, value) for value in node.value])
    quoted = isinstance(node, yaml.ScalarNode) and bool(node.style)
    return Entry(path, line, node.value if quoted else _plain(node.value))


def _plain(written: str) -> Scalar:
    """What a scalar without quotes means in YAML 1.2 with JavaScript's dates."""
    if written in _NULL:
        return None
    if written in _TRUE or written in _FALSE:
        return written in _TRUE
    number = None if written.endswith("_") else _number(written)
    if number is not None:
        return number
    return WrittenDate(written) if _DATE.fullmatch(written) else written


def _number(written: str) -> int | float | None:
    """The number that a scalar without quotes is, if it is one."""
    if based := _BASED.fullmatch(written):
        sign, *digits = based.groups()
        base = next(base for base, found in zip((2, 8, 16), digits, strict=True) if found)
        return int(sign + next(filter(None, digits)).replace("_", ""), base)
    if _INTEGER.fullmatch(written):
        return int(written.replace("_", ""))
    if _FLOAT.fullmatch(written):
        return float(written.replace("_", ""))
    if special := _NOT_FINITE.fullmatch(written):
        return math.nan if written[-1] in "nN" else math.copysign(math.inf, -1 if special[1] == "-" else 1)
    return None
