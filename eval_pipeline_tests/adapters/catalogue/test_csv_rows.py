"""CSV as people and spreadsheets write it: read exactly, or refused with the line that is at fault."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from eval_pipeline.adapters.catalogue.csv_rows import CsvTable, read_csv
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.text import is_blank

HEAD = "id,prompt\n"
WRITABLE = st.characters(codec="utf-8", exclude_characters="\0")
CELL = st.one_of(
    st.text(WRITABLE, max_size=30),
    st.text(st.sampled_from("a,;\t\"'\n\r é\u2028\u0085\ufeff0=ﷺ😀\\"), max_size=12),
    st.integers(0, 999).map(lambda number: f"{number:05}"),
)
in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


def table(folder: Path, content: bytes | str, delimiter: str = ",") -> CsvTable:
    """The table in a file of this content."""
    path = folder / "rows.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_csv(path, delimiter)


def rows(folder: Path, content: bytes | str, delimiter: str = ",") -> list[tuple[str, ...]]:
    return [tuple(row.values()) for _, row in table(folder, content, delimiter).rows]


def faults(folder: Path, content: bytes | str, delimiter: str = ",") -> Sequence[Fault]:
    """What is wrong with a file of this content; every fault names the file."""
    with pytest.raises(DefinitionError) as refused:
        table(folder, content, delimiter)
    assert {fault.source for fault in refused.value.faults} == {str(folder / "rows.csv")}
    return refused.value.faults


def case(shared_cases: Path, name: str) -> CsvTable:
    return read_csv(shared_cases / f"{name}.csv")


def case_fault(shared_cases: Path, name: str) -> Fault:
    with pytest.raises(DefinitionError) as refused:
        case(shared_cases, name)
    (fault,) = refused.value.faults
    assert fault.source == str(shared_cases / f"{name}.csv")
    return fault


def written(cells: Sequence[Sequence[str]], **dialect: object) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, **dialect).writerows(cells)
    return stream.getvalue()


# The handed cases


@pytest.mark.parametrize(
    ("name", "columns", "first"),
    [
        ("csv-01-bom-utf8", "id prompt assertion expected", ["q1", "Say ok", "exact", "ok"]),
        ("csv-02-bom-quoted-header", "prompt assertion expected", ["Say ok, please", "exact", "ok"]),
        ("csv-03-crlf", "id prompt assertion expected", ["q1", "Capital of Peru?", "exact", "Lima"]),
        ("csv-04-cr-only", "id prompt assertion expected", ["q1", "Capital of Peru?", "exact", "Lima"]),
        (
            "csv-06-quoted-crlf-in-lf-file",
            "id prompt assertion expected",
            ["q1", "line a\r\nline b", "contains", "line b"],
        ),
        (
            "csv-17-quoted-json",
            "id prompt assertion expected",
            ["q1", "Give JSON", "json-schema", '{"type": "object", "required": ["a"]}'],
        ),
        (
            "csv-18-emoji-rtl",
            "id prompt assertion expected",
            ["q1", "Greet 👋🏽 in Arabic", "contains", "مرحبا"],
        ),
        (
            "csv-31-contains-any-quoted-comma",
            "id prompt assertion expected",
            ["q1", "Name a city", "contains-any", '"Paris, France",Lima'],
        ),
        (
            "csv-33-space-after-delimiter",
            "id prompt assertion expected",
            ["q1", "Say a, b", "contains", "a, b"],
        ),
        (
            "csv-38-line-separator",
            "id prompt assertion expected",
            ["q1", "first\u2028second\u0085third", "contains", "second"],
        ),
    ],
)
def test_a_file_of_the_cases_is_read_cell_by_cell(
    shared_cases: Path, name: str, columns: str, first: list[str]
) -> None:
    read = case(shared_cases, name)
    assert read.columns == tuple(columns.split())
    line, row = read.rows[0]
    assert (line, list(row.values())) == (2, first)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("csv-01-bom-utf8", 1),
        ("csv-02-bom-quoted-header", 1),
        ("csv-03-crlf", 2),
        ("csv-04-cr-only", 2),
        ("csv-06-quoted-crlf-in-lf-file", 2),
        ("csv-14-blank-lines", 2),
        ("csv-18-emoji-rtl", 2),
        ("csv-23-huge-cell", 1),
        ("csv-28-same-prompt-two-expectations", 2),
        ("csv-29-ids-leading-zero", 2),
        ("csv-31-contains-any-quoted-comma", 3),
        ("csv-33-space-after-delimiter", 1),
        ("csv-34-null-words", 4),
        ("csv-37-zero-values", 2),
        ("csv-38-line-separator", 2),
    ],
)
def test_a_file_of_the_cases_has_the_rows_that_a_reader_sees(
    shared_cases: Path, name: str, count: int
) -> None:
    assert len(case(shared_cases, name).rows) == count


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("csv-07-semicolon-decimal-comma", 1, "one column found.*separated by ';'"),
        ("csv-09-ragged-short", 3, "2 cells where there are 4 columns .*'q2'"),
        ("csv-13-headers-collide-after-trim", 1, "two columns have one name: 'prompt' and 'Prompt'"),
        ("csv-16-unquoted-json", 2, "not CSV|5 cells where there are 4 columns"),
        ("csv-20-nul-byte", 2, r"U\+0000"),
        ("csv-21-latin1", None, "not UTF-8: byte [0-9]+ is 0xF9"),
        ("csv-22-utf16le-bom", None, "not UTF-8: byte 0 is 0xFF"),
        ("csv-24-header-only", 1, "no rows"),
        ("csv-35-backslash-quote", 2, "not CSV: a quote is out of place"),
    ],
)
def test_a_faulty_file_of_the_cases_is_refused_with_its_line(
    shared_cases: Path, name: str, line: int | None, reason: str
) -> None:
    fault = case_fault(shared_cases, name)
    assert fault.line == line
    with pytest.raises(DefinitionError, match=reason):
        case(shared_cases, name)


def test_with_the_delimiter_declared_a_decimal_comma_stays_the_text_that_it_is(tmp_path, shared_cases):
    content = (shared_cases / "csv-07-semicolon-decimal-comma.csv").read_bytes()
    assert rows(tmp_path, content, ";") == [
        ("q1", "Half of five?", "numeric", "2,5", "0,01"),
        ("q2", "List a, b, c", "contains", "a, b", ""),
    ]


def test_composed_and_decomposed_accents_stay_as_they_are_written(shared_cases):
    expected = [row["expected"] for _, row in case(shared_cases, "csv-19-nfc-nfd").rows]
    assert expected == ["café", "cafe\u0301"]


def test_a_cell_beyond_the_limit_of_the_csv_module_is_read_whole(shared_cases):
    ((_, row),) = case(shared_cases, "csv-23-huge-cell").rows
    assert len(row["prompt"]) == 140_400


def test_a_column_that_is_missing_is_told_with_those_that_there_are(shared_cases):
    with pytest.raises(
        DefinitionError,
        match=r"misnamed-column\.csv:1: the column 'expected' is missing;"
        " found 'id', 'prompt', 'assertion', 'gold'",
    ):
        case(shared_cases, "csv-26-misnamed-column").require("expected")


def test_ids_keep_their_leading_zeros(shared_cases):
    assert [row["id"] for _, row in case(shared_cases, "csv-29-ids-leading-zero").rows] == ["007", "7"]


def test_words_that_others_take_for_missing_are_texts(shared_cases):
    expected = [row["expected"] for _, row in case(shared_cases, "csv-34-null-words").rows]
    assert expected == ["null", "NA", "None", "NaN"]


def test_zeros_are_texts_and_empty_cells_are_empty(shared_cases):
    cells = [list(row.values()) for _, row in case(shared_cases, "csv-37-zero-values").rows]
    assert cells == [
        ["q1", "Say zero", "exact", "0", "", ""],
        ["q2", "Count errors", "numeric", "0", "0", "0"],
    ]


# What is written is read


@in_one_folder
@given(
    cells=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8),
    delimiter=st.sampled_from(",;\t|"),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
)
@example(cells=[("007", '"', "\r")], delimiter=",", ends="\n")
@example(cells=[(" blank", "\ufeff", "\u2028")], delimiter=";", ends="\r")
def test_what_a_writer_quotes_is_read_cell_by_cell(
    tmp_path: Path, cells: list[tuple[str, ...]], delimiter: str, ends: str
) -> None:
    text = written(
        [("c1", "c2", "c3"), *cells], delimiter=delimiter, lineterminator=ends, quoting=csv.QUOTE_ALL
    )
    visible = [row for row in cells if not all(map(is_blank, row))]
    if visible:
        assert rows(tmp_path, text, delimiter) == visible
    else:
        assert "no rows" in faults(tmp_path, text, delimiter)[0].reason


@in_one_folder
@given(cells=st.lists(st.tuples(st.just("q"), CELL, CELL), min_size=1, max_size=8))
def test_what_a_writer_leaves_unquoted_loses_only_blanks_before_it(
    tmp_path: Path, cells: list[tuple[str, ...]]
) -> None:
    needs_quotes = set(',"\n\r')
    expected = [
        tuple(cell if needs_quotes & set(cell) else cell.lstrip(" ") for cell in row) for row in cells
    ]
    assert rows(tmp_path, written([("c1", "c2", "c3"), *cells])) == expected


@in_one_folder
@given(cells=st.lists(st.lists(st.text(WRITABLE, max_size=8), max_size=6), max_size=6))
def test_a_ragged_file_is_never_read_with_rows_missing(tmp_path: Path, cells: list[list[str]]) -> None:
    text = written([("c1", "c2"), *cells], quoting=csv.QUOTE_ALL)
    visible = [tuple(row) for row in cells if not all(map(is_blank, row))]
    if any(len(row) != 2 for row in visible) or not visible:
        assert len(faults(tmp_path, text)) == max(1, sum(len(row) != 2 for row in visible))
    else:
        assert rows(tmp_path, text) == visible


@in_one_folder
@given(content=st.one_of(st.binary(max_size=60), st.text(st.sampled_from('a,"\n\r \\;'), max_size=40)))
def test_whatever_a_file_holds_it_is_a_table_or_a_fault(tmp_path: Path, content: bytes | str) -> None:
    try:
        read = table(tmp_path, content)
    except DefinitionError:
        assert faults(tmp_path, content)
    else:
        assert read.rows
        assert all(row.keys() == set(read.columns) for _, row in read.rows)
        assert len(set(read.columns)) == len(read.columns)


@in_one_folder
@given(
    cells=st.lists(st.tuples(CELL, st.text(WRITABLE, min_size=1)), min_size=1, max_size=6),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_each_row_knows_the_line_in_which_it_begins(
    tmp_path: Path, cells: list[tuple[str, str]], ends: str
) -> None:
    lines, expected = written([("c1", "c2")], lineterminator=ends), []
    for row in cells:
        if not all(map(is_blank, row)):
            expected.append(len(io.StringIO(lines, newline="").readlines()) + 1)
        lines += written([row], lineterminator=ends, quoting=csv.QUOTE_ALL)
    if expected:
        assert [line for line, _ in table(tmp_path, lines).rows] == expected


# Lines


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_over_cells_with_line_ends_in_them(tmp_path, end):
    content = end.join(["id,prompt", 'q1,"one', "two", 'three"', "", "q2,plain", ""])
    assert [line for line, _ in table(tmp_path, content).rows] == [2, 6]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_fault_below_a_cell_with_line_ends_names_its_own_line(tmp_path, end):
    content = end.join(["id,prompt", 'q1,"one', 'two"', "q2", "q3,a,b", ""])
    assert [fault.line for fault in faults(tmp_path, content)] == [4, 5]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_character_that_cannot_be_stored_is_found_in_its_line_whatever_ends_lines(tmp_path, end):
    content = end.join(["id,prompt", "q1,a", "q2,b\0", "q3,c"])
    assert [fault.line for fault in faults(tmp_path, content)] == [3]


def test_a_quote_that_is_never_closed_is_told_where_its_row_begins(tmp_path):
    (fault,) = faults(tmp_path, HEAD + 'q1,a\nq2,"open\nq3,b\nq4,c\n')
    assert (fault.line, "not CSV" in fault.reason) == (3, True)


def test_every_ragged_row_is_told_with_its_id(tmp_path):
    found = faults(tmp_path, "id,prompt,expected\n1,Hi,Hello\n2,Only two\n3,a,b,c\n")
    assert [(fault.line, fault.reason.split(";")[0]) for fault in found] == [
        (3, "2 cells where there are 3 columns (first cell: '2')"),
        (4, "4 cells where there are 3 columns (first cell: '3')"),
    ]


def test_the_line_of_the_columns_is_where_they_stand(tmp_path):
    content = "\n\nid,prompt\nq1,Hi\n"
    with pytest.raises(DefinitionError) as refused:
        table(tmp_path, content).require("question")
    assert refused.value.faults[0].line == 3


# Columns


@pytest.mark.parametrize(
    "header",
    ["prompt,expected,prompt", "prompt,expected, Prompt ", 'prompt,expected,"PROMPT"', "a,a,prompt", "x,y,X"],
)
def test_two_columns_of_one_name_are_refused(tmp_path, header):
    (fault,) = faults(tmp_path, f"{header}\nHi,Hello,Bye\n")
    assert "two columns have one name" in fault.reason
    assert fault.line == 1


@pytest.mark.parametrize("header", ["id,,prompt", "id,prompt, ", "id,\u200b,prompt"])
def test_a_column_without_a_name_is_refused(tmp_path, header):
    (fault,) = faults(tmp_path, f"{header}\n1,2,3\n")
    assert "a column has no name" in fault.reason


def test_names_of_columns_lose_blanks_around_them_and_cells_keep_theirs_in_quotes(tmp_path):
    read = table(tmp_path, 'id , "prompt "\nq1," Hi "\n')
    assert read.columns == ("id", "prompt")
    assert read.rows == ((2, {"id": "q1", "prompt": " Hi "}),)


@pytest.mark.parametrize(("delimiter", "other"), [(",", ";"), (",", "\t"), (",", "|"), (";", ",")])
def test_another_delimiter_is_guessed_in_the_advice_and_never_in_the_reading(tmp_path, delimiter, other):
    (fault,) = faults(tmp_path, other.join(["id", "prompt"]) + f"\nq1{other}Hi\n", delimiter)
    assert f"separated by {other!r}" in fault.reason


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("other", [";", "\t", "|"])
def test_another_delimiter_is_told_before_its_quotes_seem_out_of_place(tmp_path, other, end):
    content = end.join(["", f"id{other}prompt", f'q1{other}"a{other}b, c"', ""])
    (fault,) = faults(tmp_path, content)
    assert (fault.line, f"separated by {other!r}" in fault.reason) == (2, True)


def test_one_column_alone_is_a_table(tmp_path):
    assert rows(tmp_path, "prompt\nHi\n\nHo\n") == [("Hi",), ("Ho",)]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "\r", " "])
def test_what_cannot_separate_cells_is_refused(tmp_path, delimiter):
    with pytest.raises(DefinitionError, match="a delimiter is one character"):
        table(tmp_path, "id,prompt\nq1,Hi\n", delimiter)


# Bytes


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("header", [b"id,prompt", b'"id","prompt"'])
def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path, mark, header):
    assert table(tmp_path, mark + header + b"\nq1,Hi\n").columns == ("id", "prompt")


def test_a_byte_that_is_no_utf_8_is_named_by_its_place(tmp_path):
    (fault,) = faults(tmp_path, "id,prompt\nq1,blåbær\n".encode("latin-1"))
    assert "not UTF-8: byte 15 is 0xE5" in fault.reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_of_unicode_are_refused(tmp_path, encoding):
    (fault,) = faults(tmp_path, "id,prompt\nq1,Hi\n".encode(encoding))
    assert "not UTF-8" in fault.reason or "U+0000" in fault.reason


@pytest.mark.parametrize("content", ["", "\n\n", " , \n", "\ufeff"])
def test_a_file_without_columns_is_empty(tmp_path, content):
    (fault,) = faults(tmp_path, content)
    assert "is empty" in fault.reason


@pytest.mark.parametrize("content", [HEAD, HEAD + "\n  \n", HEAD + ",\n , \n\u200b,\n"])
def test_a_file_without_rows_measures_nothing_and_is_refused(tmp_path, content):
    (fault,) = faults(tmp_path, content)
    assert "no rows" in fault.reason


def test_a_row_of_blanks_is_no_row_even_where_it_is_ragged(tmp_path):
    assert rows(tmp_path, HEAD + "\n   \n,,,,\nq1,Hi\n") == [("q1", "Hi")]


@pytest.mark.parametrize(
    "row",
    [
        'q1,"a"b',
        'q1,"a" b',
        'q1,"Say \\"ok\\", loudly"',
        pytest.param('q1,5" pipe', id="a quote within a cell that is not quoted"),
        pytest.param('q1,say "hello"', id="quotes around a word of a cell that is not quoted"),
    ],
)
def test_quotes_out_of_place_are_refused(tmp_path, row):
    (fault,) = faults(tmp_path, f"{HEAD}{row}\n")
    assert fault.line == 2


def test_quotes_out_of_place_never_shift_cells(tmp_path):
    (fault,) = faults(tmp_path, 'id,prompt,reference\nq1,say "a, b"\n')
    assert fault.line == 2


def test_a_cell_of_a_million_characters_is_read(tmp_path):
    long = "lorem, ipsum\n" * 80_000
    assert rows(tmp_path, written([("id", "prompt"), ("q1", long)])) == [("q1", long)]


@pytest.mark.parametrize("name", ["nowhere.csv", "", "a\0b"])
def test_a_file_that_cannot_be_read_is_told(tmp_path, name):
    with pytest.raises(DefinitionError, match=r"cannot be read|no name of a file"):
        read_csv(tmp_path / name)
