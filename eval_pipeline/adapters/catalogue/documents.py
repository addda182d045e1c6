"""Declarations as plain data with places: YAML, JSON and JSON Lines.

Not here: how strictly YAML is read (`strict_yaml.py`), and what the keys mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from eval_pipeline.adapters.catalogue.strict_yaml import MAX_DEPTH, read_yaml
from eval_pipeline.adapters.catalogue.text_files import check_text, file_fault, read_text
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.validation import Place


@dataclass(frozen=True, slots=True)
class Document:
    """A declaration as plain data.

    Attributes:
        source: The file.
        data: Mappings, lists, texts, numbers, truth values and none.
        first_line: Where the document begins in the file, counted from 1, where known.
    """

    source: Path
    data: Any
    first_line: int | None = None
    _node: yaml.Node | None = field(default=None, repr=False)

    def part(self, *place: str | int) -> Document:
        """The value at `place` as a document of its own."""
        data = self.data
        for step in place:
            data = data[step]
        node = _descend(self._node, place) if self._node is not None else None
        return Document(self.source, data, self.first_line, node)

    def line(self, place: Place = ()) -> int | None:
        """The line in which the value at `place` begins, or the nearest one known around it."""
        if self._node is None:
            return self.first_line
        return _descend(self._node, place).start_mark.line + 1

    def written(self, place: Place) -> str | None:
        """The text of the scalar at `place` as it stands in the file."""
        node = _descend(self._node, place) if self._node is not None else None
        return node.value if isinstance(node, yaml.ScalarNode) else None


def read_document(path: Path) -> Document:
    """The one document of a `.yaml`, `.yml` or `.json` file.

    Raises:
        DefinitionError: It cannot be read as strictly as this module demands.
    """
    text = read_text(path)
    if path.suffix == ".json":
        return Document(path, _json(path, text, None))
    data, node = read_yaml(path, text)
    return Document(path, data, _node=node)


def read_json_lines(path: Path, *, any_text: bool = False) -> Iterator[Document]:
    """The documents of a `.jsonl` file, one a line; blank lines are passed over.

    Args:
        path: The file.
        any_text: Take texts with U+0000 and lone surrogates, which models may have answered.

    Raises:
        DefinitionError: A line is not JSON.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield Document(path, _json(path, line, number, any_text=any_text), number)


def _json(path: Path, text: str, line: int | None, *, any_text: bool = False) -> Any:
    try:
        data = read_json(text, unique_keys=True, max_depth=MAX_DEPTH)
    except JsonFault as fault:
        raise file_fault(path, f"not JSON: {fault}", line) from None
    if not any_text:
        _check_texts(path, data, line)
    return data


def _check_texts(path: Path, data: Any, line: int | None) -> None:
    """Refuses characters that JSON can write as escapes, but that can neither be sent nor stored."""
    if isinstance(data, str):
        check_text(path, data, line)
    elif isinstance(data, dict):
        for key, value in data.items():
            check_text(path, key, line)
            _check_texts(path, value, line)
    elif isinstance(data, list):
        for value in data:
            _check_texts(path, value, line)


def _descend(node: yaml.Node, place: Place) -> yaml.Node:
    for step in place:
        child = _child(node, step)
        if child is not None:
            node = child
    return node


def _child(node: yaml.Node, step: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        child: yaml.Node = node.value[step]
        return child
    return None
