"""What is read as it was written, and what is refused, with its place."""

from __future__ import annotations

import codecs
import json
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eval_pipeline.adapters.catalogue.documents import read_document, read_json_lines, read_text
from eval_pipeline.domain.errors import DefinitionError, Fault

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
YAML_PIECES = [
    *(
        "a",
        "key",
        ": ",
        ":",
        "- ",
        "-",
        "? ",
        "| ",
        "> ",
        "\n",
        "\n  ",
        "\n    ",
        "\t",
        " ",
        "\r\n",
        "\r",
        "\x0b",
    ),
    *(
        "\x0c",
        "\x1c",
        "\x85",
        "\u2028",
        "[",
        "]",
        "{",
        "}",
        "{{",
        ",",
        "'",
        '"',
        "\\",
        "\\x",
        "#",
        "&a ",
        "*a",
        "<<",
    ),
    *(
        "!",
        "!!int ",
        "!!float ",
        "!!bool ",
        "!!timestamp ",
        "!!binary ",
        "!!set ",
        "!!omap ",
        "!!python/none ",
        "---\n",
    ),
    *(
        "...",
        "%",
        "%YAML 1.1\n",
        "@",
        "`",
        "~",
        "=",
        "no",
        "0x",
        "0x_",
        "0b_",
        "012",
        "1:30",
        "1_000",
        "1e3",
        ".nan",
    ),
    *("-.inf", "2024-02-30", "\ufeff", "\x01", "é", "😀"),
]


def written(folder: Path, content: str | bytes, name: str = "a.yaml") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fault(folder: Path, content: str | bytes, name: str = "a.yaml") -> Fault:
    """The one fault for which `content` is refused."""
    path = written(folder, content, name)
    with pytest.raises(DefinitionError) as refused:
        list(read_json_lines(path)) if path.suffix == ".jsonl" else read_document(path)
    (only,) = refused.value.faults
    assert only.source == str(path)
    return only


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


@pytest.mark.parametrize(
    "text", ["2024-02-29", "2024-02-30", "2001-12-14t21:59:43.10-05:00", "=", "0o17", "1e3", "Nein", "y"]
)
def test_what_looks_like_a_date_or_a_sign_stays_text(tmp_path, text):
    assert read_document(written(tmp_path, f"value: {text}")).data == {"value": text}


@pytest.mark.parametrize(
    ("name", "content"), [("a.yaml", "a: é"), ("a.yml", "a: é"), ("a.json", '{"a": "é"}')]
)
def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path, name, content):
    assert read_document(written(tmp_path, codecs.BOM_UTF8 + content.encode(), name)).data == {"a": "é"}


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    path = written(tmp_path, codecs.BOM_UTF8 + b'{"a": 1}\n', "a.jsonl")
    assert [document.data for document in read_json_lines(path)] == [{"a": 1}]


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl"])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-32", "cp037"])
def test_bytes_that_are_not_utf8_are_refused(tmp_path, name, encoding):
    assert "not UTF-8" in fault(tmp_path, '{"a": "blåbær"}'.encode(encoding), name).reason


def test_utf16_without_a_mark_is_refused_for_its_zero_bytes(tmp_path):
    assert "U+0000" in fault(tmp_path, "a: b".encode("utf-16-le")).reason


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl"])
def test_the_character_zero_is_refused_with_its_line(tmp_path, name):
    found = fault(tmp_path, '{"a":\n"x\0y"}', name)
    assert "U+0000" in found.reason
    assert found.line == 2


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.yaml", 'a: b\nc: "x\\0y"\n', 2),
        ("a.yaml", 'a: b\n"\\x00": c\n', 2),
        ("a.json", '{"a": ["x\\u0000y"]}', None),
        ("a.json", '{"a": {"\\u0000": 1}}', None),
        ("a.json", '{"a": "\\ud83d"}', None),
        ("a.json", '{"\\ude00\\ud83d": 1}', None),
        ("a.jsonl", '{"a": 1}\n{"a": "\\ud83d"}', 2),
    ],
)
def test_an_escape_for_what_no_text_can_hold_is_refused(tmp_path, name, content, line):
    found = fault(tmp_path, content, name)
    assert "U+0000 or a lone surrogate" in found.reason
    assert found.line == line


@pytest.mark.parametrize("name", ["missing.yaml", "missing.json", "folder.yaml", "x" * 300 + ".yaml"])
def test_a_file_that_cannot_be_read_is_a_fault(tmp_path, name):
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(DefinitionError, match="cannot be read"):
        read_document(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        pytest.param("a:\n  - b\n\t- c\n", 3, id="tab"),
        pytest.param("a:\n  b: {{name}} says\n", 2, id="braces"),
        pytest.param("a:\n  b: {{name}}\n", 2, id="braces alone"),
        pytest.param("a:\n  b: `x`\n", 2, id="backtick"),
        pytest.param("a:\n  b: @user\n", 2, id="at"),
        pytest.param("a:\n  b: %x\n", 2, id="percent"),
        pytest.param('a:\n  b: "\\d"\n', 2, id="unknown escape"),
        pytest.param("a:\n  b: *unknown\n", 2, id="unknown alias"),
        pytest.param("a:\n  b: !local x\n", 2, id="local tag"),
        pytest.param("a: b: c\n", 1, id="two colons"),
        pytest.param("a: b\n---\na: c\n", 2, id="second document"),
    ],
)
def test_what_is_not_yaml_is_refused_with_its_line(tmp_path, content, line):
    assert fault(tmp_path, content).line == line


@pytest.mark.parametrize(
    "content", ["a: [", "a: [\n", "a: {\n\n", 'a: "b\n', "a: 'b\n\n\n", "a: |\n\tb", "? [\r\n"]
)
def test_a_file_that_ends_too_early_is_refused(tmp_path, content):
    assert "not YAML" in fault(tmp_path, content).reason


@pytest.mark.parametrize("value", ["{{name}}", "{{name}} says", "`x`", "@user", "%x", "*x", "& x"])
def test_a_value_that_needs_quotes_is_refused_with_that_advice(tmp_path, value):
    assert "in quotes" in fault(tmp_path, f"a:\n  b: {value}\n  c: d\n").reason


def test_indentation_by_tabs_is_refused_with_that_advice(tmp_path):
    assert "not with tabs" in fault(tmp_path, "a:\n\tb: c\n").reason


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"a": '),
        ("a.json", "{'a': 1}"),
        ("a.json", '{"a": 1,}'),
        ("a.json", '{"a": 1} {"b": 2}'),
        ("a.json", '{"a": NaN}'),
        ("a.json", '{"a": -Infinity}'),
        ("a.json", '{"a": 1e999}'),
        ("a.json", f'{{"a": {"1" * 5000}}}'),
        ("a.json", "// note\n{}"),
        ("a.json", ""),
        ("a.jsonl", '{"a": NaN}'),
        ("a.jsonl", '{"a":\n1}'),
    ],
)
def test_what_is_not_json_is_refused(tmp_path, name, content):
    assert "not JSON" in fault(tmp_path, content, name).reason


@pytest.mark.parametrize("opening", ["[", '{"a": ', "- ", "? ", "[{"])
@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.jsonl"])
@pytest.mark.parametrize("closing", ["", "]"])
def test_nesting_without_bound_is_refused(tmp_path, name, opening, closing):
    assert fault(tmp_path, opening * 100_000 + closing * 100_000, name).reason


def test_brackets_inside_a_text_are_no_nesting(tmp_path):
    deep = "[" * 1000
    assert read_document(written(tmp_path, json.dumps({"a": deep}), "a.json")).data == {"a": deep}
    assert read_document(written(tmp_path, yaml.safe_dump({"a": deep}))).data == {"a": deep}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("a: &a [*a]", id="list in itself"),
        pytest.param("a: &a {b: *a}", id="mapping in itself"),
        pytest.param("&a a: {b: [*a, &b [*b]]}", id="list in itself below"),
        pytest.param("a: &a\n  - &b [*a]\n  - *b", id="list in its own member"),
        pytest.param("a: &a {<<: *a}", id="mapping merged into itself"),
    ],
)
def test_an_alias_that_leads_back_into_itself_is_refused(tmp_path, content):
    assert "alias" in fault(tmp_path, content).reason


def test_aliases_that_multiply_are_refused(tmp_path):
    bomb = "a0: &a0 {x: y}\n" + "".join(
        f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]\n" for number in range(1, 7)
    )
    assert "aliases multiply" in fault(tmp_path, bomb).reason


def test_only_one_mapping_is_merged_at_a_time(tmp_path):
    content = "base: &base {a: x}\nother: &other {a: y}\nmerged: {<<: [*base, *other]}\n"
    assert "only one mapping" in fault(tmp_path, content).reason


def test_a_value_may_be_used_again_by_alias(tmp_path):
    uses = "  - *shared\n" * 500
    document = read_document(written(tmp_path, f"a: &shared {{type: contains, value: x}}\nb:\n{uses}"))
    assert document.data["b"] == [{"type": "contains", "value": "x"}] * 500


@pytest.mark.parametrize("key", ["1", "007", "on", "No", "~", "1.5", "1_000", ".inf", "12:30"])
def test_a_key_that_is_no_text_is_refused_by_name(tmp_path, key):
    found = fault(tmp_path, f"a: x\nb:\n  {key}: x\n")
    assert f"the key {key} " in found.reason
    assert "quotes" in found.reason
    assert found.line == 3


@pytest.mark.parametrize("key", ["[a, b]", "{a: b}", "? - a\n"])
def test_a_list_or_a_mapping_as_a_key_is_refused(tmp_path, key):
    assert "where a key is expected" in fault(tmp_path, f"{key}: x\n").reason


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.yaml", "a: 1\nb: 2\na: 3\n", 3),
        ("a.yaml", "b:\n  - a: 1\n    a: 1\n", 3),
        ("a.yaml", 'b: {a: 1,\n  "a": 2}\n', 2),
        ("a.json", '{"b": [{"a": 1,\n "a": 1}]}', None),
        ("a.jsonl", '{"a": 1}\n{"a": 1, "a": 2}\n', 2),
    ],
)
def test_a_key_given_twice_is_refused_by_name(tmp_path, name, content, line):
    found = fault(tmp_path, content, name)
    assert "the key 'a' is given twice" in found.reason
    assert found.line == line


@pytest.mark.parametrize("merge", ["{<<: *base, value: own}", "{value: own, <<: *base}"])
def test_a_merged_mapping_gives_way_to_what_is_written_beside_it(tmp_path, merge):
    base = "base: &base {type: contains, value: base}\nother: &other {type: exact, value: other}\n"
    document = read_document(written(tmp_path, f"{base}merged: {merge}"))
    assert document.data["merged"] == {"type": "contains", "value": "own"}


@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.getcwd []",
        "!!python/object/new:os.system [echo]",
        "!!python/tuple [a]",
        "!!python/none",
        "!local x",
        "!!binary aGk=",
        "!!set {a, b}",
        "!!omap [a: 1]",
        "!!pairs [a: 1]",
        "!!timestamp 2024-01-02",
        "!!timestamp 2024-02-30",
        "!!timestamp soon",
        "!!int many",
        "!!float some",
        "!!bool perhaps",
    ],
)
def test_a_tag_is_refused_with_its_line(tmp_path, value):
    assert fault(tmp_path, f"a: b\nc: {value}\n").line == 2


@pytest.mark.parametrize("number", ["1" * 5000, "0b_", "0x_", ":".join(["1"] * 300) + ".0"])
def test_a_number_that_cannot_be_read_is_refused_with_its_line(tmp_path, number):
    assert fault(tmp_path, f"a: b\nc: {number}\n").line == 2


def test_blank_lines_are_passed_over_and_lines_keep_their_numbers(tmp_path):
    path = written(tmp_path, '\n{"a": 1}\r\n  \n\n{"a": 2}', "a.jsonl")
    assert [(document.data["a"], document.line()) for document in read_json_lines(path)] == [(1, 2), (2, 5)]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\x7f"])
def test_only_a_line_feed_ends_a_line_of_json_lines(tmp_path, character):
    path = written(tmp_path, json.dumps({"a": f"x{character}y"}, ensure_ascii=character < " "), "a.jsonl")
    assert [document.data for document in read_json_lines(path)] == [{"a": f"x{character}y"}]


def test_a_faulty_line_is_named_after_the_lines_before_it(tmp_path):
    documents = read_json_lines(written(tmp_path, '{"a": 1}\n\n{"a": }\n', "a.jsonl"))
    assert next(documents).data == {"a": 1}
    with pytest.raises(DefinitionError, match=r"a\.jsonl:3: not JSON"):
        next(documents)


@pytest.mark.parametrize(
    ("place", "line"),
    [((), 1), (("id",), 1), (("prompts",), 3), (("prompts", 1), 4), (("prompts", 1, "vars", "q"), 6)],
)
def test_every_value_has_a_line(tmp_path, place, line):
    text = "id: x\nprompts:\n  - id: a\n  - id: b\n    vars:\n      q: when\n"
    assert read_document(written(tmp_path, text)).line(place) == line


def test_a_value_that_is_not_there_has_the_line_of_what_it_is_missing_from(tmp_path):
    document = read_document(written(tmp_path, "prompts:\n  - id: a\n  - id: b\n"))
    assert document.line(("prompts", 1, "vars", "q")) == 3
    assert document.line(("prompts", 7)) == 2


def test_a_part_keeps_its_lines(tmp_path):
    part = read_document(written(tmp_path, "prompts:\n  - id: a\n  - id: b\n    tags: [x]\n")).part(
        "prompts", 1
    )
    assert part.data == {"id": "b", "tags": ["x"]}
    assert (part.line(), part.line(("tags",))) == (3, 4)


@pytest.mark.parametrize("text", ["no", "012", "1_000", "12:30", "0x1F", "1.10", "~"])
def test_a_value_can_be_shown_as_it_was_written(tmp_path, text):
    assert read_document(written(tmp_path, f"a: [{text}]")).written(("a", 0)) == text


def test_a_mapping_has_no_text_to_show(tmp_path):
    assert read_document(written(tmp_path, "a: {b: c}")).written(("a",)) is None


@given(
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
        lambda member: st.lists(member, max_size=4) | st.dictionaries(TEXT, member, max_size=4),
        max_leaves=20,
    )
)
@settings(max_examples=150, deadline=None)
def test_what_a_library_writes_is_read_back_unchanged(folder, data):
    assert read_document(written(folder, json.dumps(data), "a.json")).data == data
    assert (
        read_document(written(folder, json.dumps(data, ensure_ascii=False).encode(), "a.json")).data == data
    )
    assert read_document(written(folder, yaml.safe_dump(data))).data == data


@given(
    text=st.text() | st.lists(st.sampled_from(YAML_PIECES), max_size=30).map("".join),
    suffix=st.sampled_from(["yaml", "json"]),
)
@example(text="a: [\n", suffix="yaml")
@settings(max_examples=600, deadline=None)
def test_any_text_is_a_document_or_a_fault(folder, text, suffix):
    path = written(folder, text, f"any.{suffix}")
    with suppress(DefinitionError):
        read_document(path)


@given(content=st.binary())
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_a_text_or_a_fault(folder, content):
    path = written(folder, content)
    try:
        text = read_text(path)
    except DefinitionError:
        return
    assert text.encode() == content.removeprefix(codecs.BOM_UTF8)
