"""Reading declarations: YAML, JSON and JSON Lines, strictly, and with places for error messages.

Strict means that nothing a person wrote is lost or changed on the way: a repeated key, a key that is
no text, a tag, a second document, or bytes that are not UTF-8 are faults. Dates stay the text that was
written. Not here: what the keys mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.text import is_storable
from eval_pipeline.domain.validation import Place

_MAX_DEPTH = 64
_ALIAS_ALLOWANCE = 10_000
_BaseLoader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BaseLoader):  # type: ignore[misc]
    """YAML 1.1 without its dates and its bare `=`: these stay text, as written."""


_NUMBERS = yaml.constructor.SafeConstructor()
_MERGE = "tag:yaml.org,2002:merge"
_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] not in ("timestamp", "value")
    ]
    for first, resolvers in _BaseLoader.yaml_implicit_resolvers.items()
}


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


def read_text(path: Path) -> str:
    """The text of a UTF-8 file; a byte order mark is dropped.

    Raises:
        DefinitionError: The file is missing or unreadable, is not UTF-8, or holds U+0000.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _fault(
            path, f"not UTF-8: byte {error.start} is 0x{error.object[error.start]:02X}; save it as UTF-8"
        ) from None
    except OSError as error:
        raise _fault(path, f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise _fault(path, "is no name of a file") from None
    if (position := text.find("\0")) >= 0:
        raise _fault(path, "holds the character U+0000", text.count("\n", 0, position) + 1)
    return text


def read_document(path: Path) -> Document:
    """The one document of a `.yaml`, `.yml` or `.json` file.

    Raises:
        DefinitionError: It cannot be read as strictly as this module demands.
    """
    text = read_text(path)
    if path.suffix == ".json":
        return Document(path, _json(path, text, None))
    return _yaml(path, text)


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
        data = read_json(text, unique_keys=True, max_depth=_MAX_DEPTH)
    except JsonFault as fault:
        raise _fault(path, f"not JSON: {fault}", line) from None
    if not any_text:
        _check_texts(path, data, line)
    return data


def _check_texts(path: Path, data: Any, line: int | None) -> None:
    """Refuses characters that JSON can write as escapes, but that can neither be sent nor stored."""
    if isinstance(data, str):
        _check_text(path, data, line)
    elif isinstance(data, dict):
        for key, value in data.items():
            _check_text(path, key, line)
            _check_texts(path, value, line)
    elif isinstance(data, list):
        for value in data:
            _check_texts(path, value, line)


def _check_text(path: Path, text: str, line: int | None) -> None:
    if not is_storable(text):
        raise _fault(path, f"the text {text!r:.80} holds U+0000 or a lone surrogate", line)


def _yaml(path: Path, text: str) -> Document:
    loader = None
    try:
        _check_events(path, text)
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return Document(path, None)
        _check_node(path, node)
        return Document(path, loader.construct_document(node), _node=node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise _fault(path, f"not YAML: {_problem(error)}{_hint(text, line)}", line) from None
    except yaml.YAMLError as error:
        raise _fault(path, f"not YAML: {' '.join(str(error).split())}") from None
    finally:
        if loader is not None:
            loader.dispose()


def _problem(error: yaml.MarkedYAMLError) -> str:
    return ", ".join(part for part in (error.context, error.problem) if part)


def _hint(text: str, line: int | None) -> str:
    lines = text.split("\n")
    written = lines[line - 1] if line is not None and line <= len(lines) else ""
    if "{{" in written or any(f": {char}" in written for char in "@`%*&"):
        return "; write the value in quotes"
    if "\t" in written:
        return "; indent with blanks, not with tabs"
    return ""


def _check_events(path: Path, text: str) -> None:
    """Refuses tags, and deep nesting before anything recurses into it."""
    depth = 0
    for event in yaml.parse(text, Loader=_BaseLoader):
        if tag := getattr(event, "tag", None):
            line = event.start_mark.line + 1 if event.start_mark is not None else None
            raise _fault(path, f"the tag {tag} is not allowed: only plain YAML is read", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                line = event.start_mark.line + 1 if event.start_mark is not None else None
                raise _fault(path, f"nested deeper than {_MAX_DEPTH} levels", line)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_node(path: Path, root: yaml.Node) -> None:
    """Refuses repeated keys, keys that are no text, and aliases that multiply without bound."""
    sizes: dict[int, int] = {}
    unfinished: set[int] = set()

    def size(node: yaml.Node) -> int:
        if id(node) in unfinished:
            raise _fault(path, "an alias leads back into itself", node.start_mark.line + 1)
        if id(node) not in sizes:
            unfinished.add(id(node))
            sizes[id(node)] = 1 + sum(size(child) for child in _children(path, node))
            unfinished.discard(id(node))
        return sizes[id(node)]

    if size(root) > 10 * len(sizes) + _ALIAS_ALLOWANCE:
        raise _fault(path, "its aliases multiply: written out, it would be far larger than it is", 1)


def _children(path: Path, node: yaml.Node) -> Iterator[yaml.Node]:
    """The nodes inside a node, once it has been checked itself."""
    if isinstance(node, yaml.ScalarNode):
        _check_scalar(path, node)
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.tag == _MERGE:
                if not isinstance(value, yaml.MappingNode):
                    raise _fault(path, "only one mapping can be merged at a time", key.start_mark.line + 1)
            else:
                _check_key(path, key, seen)
            yield value


def _check_key(path: Path, key: yaml.Node, seen: set[str]) -> None:
    line = key.start_mark.line + 1
    if not isinstance(key, yaml.ScalarNode):
        raise _fault(
            path, "a mapping or a list stands where a key is expected; write the value in quotes", line
        )
    if key.tag != "tag:yaml.org,2002:str":
        raise _fault(path, f"the key {key.value} is no text to YAML; write it in quotes", line)
    if key.value in seen:
        raise _fault(path, f"the key '{key.value}' is given twice", line)
    _check_text(path, key.value, line)
    seen.add(key.value)


def _check_scalar(path: Path, node: yaml.ScalarNode) -> None:
    line = node.start_mark.line + 1
    _check_text(path, node.value, line)
    if node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        try:
            _NUMBERS.construct_object(node)
        except (ValueError, ArithmeticError, LookupError):
            reason = f"{node.value!r:.80} is no number that can be read; write text in quotes"
            raise _fault(path, reason, line) from None


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


def _fault(path: Path, reason: str, line: int | None = None) -> DefinitionError:
    return DefinitionError([Fault(reason, str(path), line)])
