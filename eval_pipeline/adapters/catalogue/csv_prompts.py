"""Golden prompts as rows of a CSV file without a class: one row, one prompt.

The columns `id`, `prompt`, `reference`, `tags`, `must_pass` and `assert`, `assert_2`, ... are those of a prompt
in a set file; every other column is a variable. Not here: how strictly CSV is read (`csv_rows.py`).
"""

from __future__ import annotations

import csv
import re
import types
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from eval_pipeline.adapters.catalogue.csv_rows import CsvTable, read_csv
from eval_pipeline.adapters.catalogue.documents import Document
from eval_pipeline.adapters.catalogue.strict_yaml import read_yaml
from eval_pipeline.adapters.catalogue.text_files import file_fault
from eval_pipeline.domain.assertions import AssertionKinds
from eval_pipeline.domain.assertions.registry import kind_named
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.evaluation import listed, row_id, truth
from eval_pipeline.domain.text import is_blank

_OWN_COLUMNS = ("id", "prompt", "reference", "tags", "must_pass", "assert")
_ASSERT = re.compile(r"assert(_[0-9]+)?")


def read_csv_prompts(path: Path, kinds: AssertionKinds) -> Iterator[Document]:
    """The prompts of a `.csv` file, or of a `.tsv` file with tabs, in the form of a set file's entries.

    Raises:
        DefinitionError: The file is faulty, or a cell is no assertion, with the line of the row.
    """
    table = read_csv(path, "\t" if path.suffix == ".tsv" else ",")
    _refuse_misspelt(table)
    faults: list[Fault] = []
    for line, row in table.rows:
        try:
            yield Document(path, _entry(row, kinds, path), line)
        except DefinitionError as error:
            faults += error.located(source=str(path), line=line, prompt_id=row_id(row)).faults
    if faults:
        raise DefinitionError(faults)


def _refuse_misspelt(table: CsvTable) -> None:
    """A misspelt column would be a variable that nobody asks for, and its expectations would be lost."""
    for column in table.columns:
        if column in _OWN_COLUMNS or _ASSERT.fullmatch(column):
            continue
        if near := get_close_matches(column.casefold(), _OWN_COLUMNS, n=1, cutoff=0.8):
            raise file_fault(
                table.source,
                f"the column '{column}' looks like '{near[0]}': rename it, or give it another name",
                table.columns_line,
            )


def _entry(row: dict[str, str], kinds: AssertionKinds, path: Path) -> dict[str, Any]:
    asserts = [cell for column, cell in row.items() if _ASSERT.fullmatch(column) and not is_blank(cell)]
    variables = {
        column: cell
        for column, cell in row.items()
        if column not in _OWN_COLUMNS and not _ASSERT.fullmatch(column)
    }
    return {
        "id": row_id(row),
        **({"prompt": row["prompt"]} if not is_blank(row.get("prompt", "")) else {}),
        "vars": variables,
        "assert": [read_cell(cell, kinds, path) for cell in asserts],
        **({"reference": row["reference"]} if not is_blank(row.get("reference", "")) else {}),
        "tags": listed(row.get("tags", "")),
        "must_pass": truth(row.get("must_pass", ""), "must_pass"),
    }


def read_cell(cell: str, kinds: AssertionKinds, path: Path) -> Any:
    """The assertion of a cell, as a set file writes it: `contains: Monday`, `not_refusal`, or `{type: ...}`.

    What follows the colon is the text itself, without quotes, where the kind takes a text; texts separated by
    commas where it takes a list; YAML otherwise.

    Raises:
        DefinitionError: It is none of these.
    """
    written = cell.strip()
    if written.startswith("{"):
        return _yaml(written, path)
    name, colon, value = (part.strip() for part in written.partition(":"))
    kind = kind_named(name, kinds)
    if not colon:
        return name
    field = kind.model_fields.get("value")
    accepted = _plain_types(field.annotation) if field is not None else set()
    if str in accepted:
        if len(value) > 1 and value[0] == value[-1] == '"':
            raise DefinitionError(
                f"{value:.80} stands in quotes, which would be part of the text: leave them out, or write"
                f" {{type: {name}, value: ...}}"
            )
        return {name: value}
    return {name: _members(value) if list in accepted else _yaml(value, path)}


def _members(written: str) -> list[str]:
    """The texts of a list: separated by commas, in quotes where one holds a comma; empty ones are passed over."""
    try:
        (members,) = csv.reader([written], strict=True, skipinitialspace=True)
    except csv.Error as error:
        raise DefinitionError(f"{written!r:.80} is no list of texts: {error}") from None
    return [member.strip() for member in members if not is_blank(member)]


def _yaml(written: str, path: Path) -> Any:
    try:
        return read_yaml(path, written)[0]
    except DefinitionError as error:
        raise DefinitionError(f"{written!r:.80} cannot be read: {error.faults[0].reason}") from None


def _plain_types(annotation: Any) -> set[Any]:
    """The plain types that a parameter accepts."""
    if get_origin(annotation) in (Union, types.UnionType):
        return {plain for argument in get_args(annotation) for plain in _plain_types(argument)}
    return {get_origin(annotation) or annotation}
