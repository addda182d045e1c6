"""CSV files, read strictly: RFC 4180 and nothing guessed; every fault with its line.

Not here: what the columns mean.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eval_pipeline.adapters.catalogue.text_files import check_text, file_fault, line_at, read_text
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.text import is_blank
from eval_pipeline.domain.validation import closest

_LONGEST_CELL = 100_000_000


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV file.

    Attributes:
        source: The file.
        columns: Their names, without blanks around them.
        columns_line: The line in which they stand.
        rows: The cells by column, each row with the line in which it begins. Cells stay as they are written.
    """

    source: Path
    columns: tuple[str, ...]
    columns_line: int
    rows: tuple[tuple[int, dict[str, str]], ...]

    def require(self, column: str) -> None:
        """Refuses the file if it lacks a column.

        Raises:
            DefinitionError: With the columns that there are.
        """
        if column not in self.columns:
            found = ", ".join(f"'{name}'" for name in self.columns)
            raise file_fault(
                self.source,
                f"the column '{column}' is missing; found {found}; {closest(column, self.columns)}",
                self.columns_line,
            )


def read_csv(path: Path, delimiter: str = ",") -> CsvTable:
    """The table in a UTF-8 CSV file.

    Rows end with LF, CRLF or CR; inside quotes, line ends are kept as they are. Blanks after a delimiter and
    rows without any text are passed over.

    Raises:
        DefinitionError: The file cannot be read, has no rows, names a column twice or not at all, or has rows
            with too few or too many cells, or quotes out of place.
    """
    if len(delimiter) != 1 or delimiter in '\r\n" ':
        raise DefinitionError(f"a delimiter is one character such as ',' or ';', found {delimiter!r}")
    text = read_text(path)
    _check_quotes(path, text, delimiter)
    records = list(_records(path, text, delimiter))
    if not records:
        raise file_fault(path, "is empty: it needs a line with the names of the columns")
    (line, header), *rows = records
    columns = _columns(path, line, header)
    if len(columns) == 1:
        _refuse_other_delimiter(path, columns[0], line)
    faults = [
        _ragged(path, line, cells, columns, delimiter) for line, cells in rows if len(cells) != len(columns)
    ]
    if faults:
        raise DefinitionError(faults)
    if not rows:
        raise file_fault(path, "has no rows below the names of the columns: nothing could be measured", line)
    return CsvTable(
        path, columns, line, tuple((line, dict(zip(columns, cells, strict=True))) for line, cells in rows)
    )


def _check_quotes(path: Path, text: str, delimiter: str) -> None:
    """Refuses quotes within cells that are not in quotes, which a reader would take as they are or not."""
    quoted, plain = r'"(?:[^"]|"")*+"', rf'[^"{re.escape(delimiter)}\r\n]*+'
    cell = re.compile(rf" *+(?:{quoted}|{plain})(?:{re.escape(delimiter)}|\r\n|\r|\n|\Z)")
    position = 0
    while position < len(text):
        found = cell.match(text, position)
        if found is None:
            header = re.match(r"\s*([^\r\n]*)", text)
            if header is not None and delimiter not in header[1]:
                _refuse_other_delimiter(path, header[1], line_at(text, header.start(1)))
            raise file_fault(
                path,
                "not CSV: a quote is out of place; a cell that holds one stands in quotes, with the quote doubled",
                line_at(text, position),
            )
        position = found.end()


def _refuse_other_delimiter(path: Path, header: str, line: int) -> None:
    """Refuses what is one column only because another character separates the cells."""
    if other := next((char for char in ";\t|," if char in header), None):
        raise file_fault(
            path, f"one column found, {header!r:.80}: its cells seem to be separated by {other!r}", line
        )


def _records(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, each with the line in which it begins."""
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    line = 1
    for cells in reader:
        for cell in cells:
            check_text(path, cell, line)
        if not all(map(is_blank, cells)):
            yield line, cells
        line = reader.line_num + 1


def _columns(path: Path, line: int, header: list[str]) -> tuple[str, ...]:
    names = tuple(name.strip() for name in header)
    seen: dict[str, str] = {}
    for name in names:
        if is_blank(name):
            raise file_fault(path, "a column has no name", line)
        if (same := seen.get(name.casefold())) is not None:
            raise file_fault(path, f"two columns have one name: '{same}' and '{name}'", line)
        seen[name.casefold()] = name
    return names


def _ragged(path: Path, line: int, cells: list[str], columns: tuple[str, ...], delimiter: str) -> Fault:
    first = f" (first cell: {cells[0]!r:.40})" if cells else ""
    return Fault(
        f"{len(cells)} cells where there are {len(columns)} columns{first}; a cell that holds"
        f" '{delimiter}', a quote or a line end stands in quotes",
        str(path),
        line,
    )
