"""YAML without surprises: nothing a person wrote is lost, changed or executed on the way.

Refused are repeated keys, keys that are no text, tags, a second document, deep nesting, and aliases that
lead back into themselves or multiply without bound. Dates stay the text that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from eval_pipeline.adapters.catalogue.text_files import check_text, file_fault

MAX_DEPTH = 64
"""The deepest nesting of declarations."""
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


def read_yaml(path: Path, text: str) -> tuple[Any, yaml.Node | None]:
    """The data of the one document in `text`, and its nodes, which know where everything stands.

    Raises:
        DefinitionError: It is not YAML, or not of the plain kind that cannot surprise.
    """
    loader = None
    try:
        _check_events(path, text)
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, None
        _check_node(path, node)
        return loader.construct_document(node), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise file_fault(path, f"not YAML: {_problem(error)}{_hint(text, line)}", line) from None
    except yaml.YAMLError as error:
        raise file_fault(path, f"not YAML: {' '.join(str(error).split())}") from None
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
            raise file_fault(path, f"the tag {tag} is not allowed: only plain YAML is read", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                line = event.start_mark.line + 1 if event.start_mark is not None else None
                raise file_fault(path, f"nested deeper than {MAX_DEPTH} levels", line)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_node(path: Path, root: yaml.Node) -> None:
    """Refuses repeated keys, keys that are no text, and aliases that multiply without bound."""
    sizes: dict[int, int] = {}
    unfinished: set[int] = set()

    def size(node: yaml.Node) -> int:
        if id(node) in unfinished:
            raise file_fault(path, "an alias leads back into itself", node.start_mark.line + 1)
        if id(node) not in sizes:
            unfinished.add(id(node))
            sizes[id(node)] = 1 + sum(size(child) for child in _children(path, node))
            unfinished.discard(id(node))
        return sizes[id(node)]

    if size(root) > 10 * len(sizes) + _ALIAS_ALLOWANCE:
        raise file_fault(path, "its aliases multiply: written out, it would be far larger than it is", 1)


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
                    raise file_fault(
                        path, "only one mapping can be merged at a time", key.start_mark.line + 1
                    )
            else:
                _check_key(path, key, seen)
            yield value


def _check_key(path: Path, key: yaml.Node, seen: set[str]) -> None:
    line = key.start_mark.line + 1
    if not isinstance(key, yaml.ScalarNode):
        raise file_fault(
            path, "a mapping or a list stands where a key is expected; write the value in quotes", line
        )
    if key.tag != "tag:yaml.org,2002:str":
        raise file_fault(path, f"the key {key.value} is no text to YAML; write it in quotes", line)
    if key.value in seen:
        raise file_fault(path, f"the key '{key.value}' is given twice", line)
    check_text(path, key.value, line)
    seen.add(key.value)


def _check_scalar(path: Path, node: yaml.ScalarNode) -> None:
    line = node.start_mark.line + 1
    check_text(path, node.value, line)
    if node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
        try:
            _NUMBERS.construct_object(node)
        except (ValueError, ArithmeticError, LookupError):
            reason = f"{node.value!r:.80} is no number that can be read; write text in quotes"
            raise file_fault(path, reason, line) from None
