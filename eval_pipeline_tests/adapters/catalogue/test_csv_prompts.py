"""Golden prompts as rows of a CSV file: sets by themselves, and what set files include."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import Assertion
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.rendering import render
from eval_pipeline_tests.builders import response

FAQ = "prompts/acme.faq.csv"
SET = "id: acme.set\nprompts: ['file://rows.csv']\n"


def catalogue(folder: Path, files: Mapping[str, str | bytes]) -> Catalogue:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Catalogue.load(folder, {})


def csv_set(folder: Path, content: str | bytes) -> GoldenPromptSet:
    """The set that a CSV file of this content is."""
    return catalogue(folder, {FAQ: content}).golden_prompt_set("acme.faq")


def faults(folder: Path, content: str | bytes) -> Sequence[Fault]:
    """What is wrong with a CSV file of this content; every fault names file and set."""
    with pytest.raises(DefinitionError) as refused:
        csv_set(folder, content)
    told = refused.value.faults
    assert {(fault.source, fault.set_id) for fault in told} == {(str(folder / FAQ), "acme.faq")}
    return told


def with_cell(cell: str) -> str:
    """A CSV file of one prompt with this assertion."""
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([("id", "prompt", "assert"), ("q1", "Hi", cell)])
    return stream.getvalue()


def assertion(folder: Path, cell: str) -> dict[str, Any]:
    """The definition of the assertion in a cell."""
    (prompt,) = csv_set(folder, with_cell(cell)).prompts
    (found,) = prompt.assertions
    return found.definition()


def told_of(folder: Path, cell: str) -> str:
    """Why the assertion in a cell is refused."""
    (fault,) = faults(folder, with_cell(cell))
    assert (fault.line, fault.prompt_id) == (2, "q1")
    return fault.reason


def verdicts(golden_set: GoldenPromptSet, answer: str) -> list[Status]:
    grader = DeterministicGrader()
    return [grader.grade(prompt, response(answer, prompt.id)).status for prompt in golden_set.prompts]


def sent(golden_set: GoldenPromptSet, prompt: GoldenPrompt) -> str:
    (message,) = render(golden_set, prompt)
    return message.content


# Sets by themselves


def test_a_csv_file_is_a_set_under_its_name(tmp_path):
    golden_set = csv_set(
        tmp_path,
        "id,prompt,assert,assert_2,reference,tags,must_pass\n"
        'opening,When are you open?,contains: Monday,not_contains: Sunday,Monday,"hours, ci",true\n'
        "capital,Capital of France?,exact: Paris,,,,\n",
    )
    first, second = golden_set.prompts
    assert (golden_set.id, golden_set.name, golden_set.models) == ("acme.faq", "acme.faq", ())
    assert [each.definition() for each in first.assertions] == [
        {"type": "contains", "value": "Monday"},
        {"type": "not_contains", "value": "Sunday"},
    ]
    assert (first.reference, first.tags, first.must_pass, first.vars) == (
        "Monday",
        ("hours", "ci"),
        True,
        {},
    )
    assert (second.reference, second.tags, second.must_pass) == (None, (), False)


def test_a_tsv_file_is_separated_by_tabs(tmp_path):
    declared = catalogue(
        tmp_path, {"prompts/acme.tabs.tsv": "id\tprompt\tassert\nq1\tA, b\tcontains: x, y\n"}
    )
    (prompt,) = declared.golden_prompt_set("acme.tabs").prompts
    assert (prompt.prompt, prompt.assertions[0].definition()["value"]) == ("A, b", "x, y")


@pytest.mark.parametrize("name", ["Acme FAQ.csv", "acme-faq.csv", "acme[1].csv", ".csv", "acme..faq.csv"])
def test_a_name_that_is_no_identifier_is_told(tmp_path, name):
    declared = catalogue(tmp_path, {f"prompts/{name}": with_cell("contains: x")})
    if name == ".csv":  # a hidden file is nobody's set
        assert declared.sets.keys() == {"eval_pipeline.smoke"}
        return
    (fault,) = declared.faults
    assert "is not lowercase segments" in fault.reason
    assert fault.source == str(tmp_path / "prompts" / name)


def test_a_csv_file_and_a_set_file_of_one_identifier_are_refused(tmp_path):
    files = {FAQ: with_cell("contains: x"), "prompts/a.yaml": SET.replace("acme.set", "acme.faq")}
    files["prompts/rows.csv"] = with_cell("contains: x")
    with pytest.raises(DefinitionError, match="declared twice") as refused:
        catalogue(tmp_path, files).golden_prompt_set("acme.faq")
    assert "acme.faq.csv" in str(refused.value)


def test_a_faulty_csv_file_leaves_the_others_alone(tmp_path):
    files = {FAQ: with_cell("contains: x"), "prompts/acme.bad.csv": with_cell("contain: x")}
    declared = catalogue(tmp_path, files)
    assert "acme.faq" in declared.sets
    assert [fault.set_id for fault in declared.faults] == ["acme.bad"]


def test_a_faulty_set_file_leaves_csv_files_alone_that_it_could_not_have_included(tmp_path):
    declared = catalogue(
        tmp_path, {FAQ: with_cell("contains: x"), "prompts/a.yaml": "id: acme.a\nowners: x\n"}
    )
    assert "acme.faq" in declared.sets


# Included by a set file


def test_a_set_file_takes_prompts_from_csv_and_fills_its_template_with_their_columns(tmp_path):
    files = {
        "prompts/a.yaml": "id: acme.set\ntemplate: 'Capital of {{country}} in {{Year}}?'\n"
        "defaults: {tags: [geo], assert: [{not_contains: sorry}]}\nprompts: ['file://rows.csv']\n",
        "prompts/rows.csv": "id,country,Year,assert,tags\np,Peru,2024,contains: Lima,ci\nc,Chad,007,,\n",
    }
    declared = catalogue(tmp_path, files)
    golden_set = declared.golden_prompt_set("acme.set")
    first, second = golden_set.prompts
    assert [sent(golden_set, prompt) for prompt in (first, second)] == [
        "Capital of Peru in 2024?",
        "Capital of Chad in 007?",
    ]
    assert [len(first.assertions), len(second.assertions)] == [2, 1]
    assert (first.tags, second.tags) == (("geo", "ci"), ("geo",))
    assert declared.sets.keys() == {"acme.set", "eval_pipeline.smoke"}


def test_braces_in_a_cell_are_not_looked_at_for_placeholders(tmp_path):
    files = {
        "prompts/a.yaml": "id: acme.set\ntemplate: 'Q: {{question}}'\nprompts: ['file://rows.csv']\n",
        "prompts/rows.csv": "id,question,assert\nq1,{{id}} and {{nobody}},contains: x\n",
    }
    golden_set = catalogue(tmp_path, files).golden_prompt_set("acme.set")
    assert sent(golden_set, golden_set.prompts[0]) == "Q: {{id}} and {{nobody}}"


def test_a_fault_in_an_included_file_names_that_file_and_the_set(tmp_path):
    declared = catalogue(tmp_path, {"prompts/a.yaml": SET, "prompts/rows.csv": with_cell("contain: x")})
    (fault,) = declared.faults
    assert (fault.source, fault.line, fault.set_id, fault.prompt_id) == (
        str(tmp_path / "prompts" / "rows.csv"),
        2,
        "acme.set",
        "q1",
    )


def test_an_id_that_two_files_of_a_set_give_is_refused(tmp_path):
    files = {
        "prompts/a.yaml": "id: acme.set\nprompts: ['file://a*.csv']\n",
        "prompts/a1.csv": with_cell("contains: x"),
        "prompts/a2.csv": with_cell("contains: y"),
    }
    (fault,) = catalogue(tmp_path, files).faults
    assert "given twice, to the prompts number 1 and 2" in fault.reason
    assert fault.source == str(tmp_path / "prompts" / "a2.csv")


# Cells


@pytest.mark.parametrize(
    ("cell", "definition"),
    [
        ("contains: Monday", {"type": "contains", "value": "Monday"}),
        ("  contains :  Monday  ", {"type": "contains", "value": "Monday"}),
        ("contains:Monday", {"type": "contains", "value": "Monday"}),
        ("not-contains: x", {"type": "not_contains", "value": "x"}),
        ("contains: a: b, c", {"type": "contains", "value": "a: b, c"}),
        ("contains: 'Monday'", {"type": "contains", "value": "'Monday'"}),
        ("contains: {a: b}", {"type": "contains", "value": "{a: b}"}),
        ("contains: [a, b]", {"type": "contains", "value": "[a, b]"}),
        ("contains: # no comment", {"type": "contains", "value": "# no comment"}),
        ("contains: {{name}}", {"type": "contains", "value": "{{name}}"}),
        ("contains: two\nlines", {"type": "contains", "value": "two\nlines"}),
        ("contains: été 👋🏽", {"type": "contains", "value": "été 👋🏽"}),
        ("regex: /a:b,c{2}/i", {"type": "regex", "value": "/a:b,c{2}/i"}),
        ("valid_json", {"type": "valid_json"}),
        ("valid-json", {"type": "valid_json"}),
        (" not_empty ", {"type": "not_empty"}),
        (
            'json_schema: {"type": "object", "required": ["a"]}',
            {"type": "json_schema", "value": {"type": "object", "required": ["a"]}},
        ),
        ("word_count_between: {min: 3, max: 60}", {"type": "word_count_between", "min": 3, "max": 60}),
        ("{type: contains, value: Monday, weight: 2}", {"type": "contains", "value": "Monday", "weight": 2}),
        ('{"type": "contains", "value": "Monday"}', {"type": "contains", "value": "Monday"}),
        ("{contains: Monday}", {"type": "contains", "value": "Monday"}),
        ("response_time_below: 0.5", {"type": "response_time_below", "value": 0.5}),
        ("response_time_below: 500", {"type": "response_time_below", "value": 500}),
    ],
)
def test_a_cell_is_an_assertion(tmp_path, cell, definition):
    assert assertion(tmp_path, cell) == definition


@pytest.mark.parametrize(
    "word", ["null", "NA", "None", "NaN", "~", "0", "00", "no", "yes", "true", "1e3", "-"]
)
def test_a_word_that_means_something_elsewhere_is_a_text(tmp_path, word):
    assert assertion(tmp_path, f"exact: {word}") == {"type": "exact", "value": word}
    assert verdicts(csv_set(tmp_path, with_cell(f"exact: {word}")), word) == [Status.PASS]


@pytest.mark.parametrize(
    ("listed", "members"),
    [
        ("Paris, Lima", ["Paris", "Lima"]),
        ('"Paris, France",Lima', ["Paris, France", "Lima"]),
        ('Lima, "Paris, France"', ["Lima", "Paris, France"]),
        ("apple,,pear", ["apple", "pear"]),
        (",a, ,", ["a"]),
        ("one", ["one"]),
        ('say ""hi""', ['say ""hi""']),
        ('"say ""hi""", b', ['say "hi"', "b"]),
        ("null, 0, no", ["null", "0", "no"]),
        ('"two\nlines", b', ["two\nlines", "b"]),
    ],
)
def test_a_list_is_texts_separated_by_commas(tmp_path, listed, members):
    assert assertion(tmp_path, f"contains_any: {listed}") == {"type": "contains_any", "value": members}


@pytest.mark.parametrize("listed", [",", "", " , ,", '""', '"",""'])
def test_a_list_without_a_text_is_refused(tmp_path, listed):
    for kind in ("contains_any", "contains_all"):
        assert f"assertion {kind}" in told_of(tmp_path, f"{kind}: {listed}")


def test_a_list_whose_quotes_are_not_closed_is_refused(tmp_path):
    assert "is no list of texts" in told_of(tmp_path, 'contains_any: "Paris, Lima')


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("contain: x", "unknown assertion kind 'contain'; did you mean 'contains'?"),
        ("Contains: x", "unknown assertion kind 'Contains'; did you mean 'contains'?"),
        ("Monday", "unknown assertion kind 'Monday'"),
        (": x", "unknown assertion kind ''"),
        ("contains", "the key 'value' is missing"),
        ("contains:", "value is empty"),
        ("exact:", "value is empty"),
        ("valid_json: x", "assertion valid_json"),
        ("json_schema: not a mapping", "assertion json_schema"),
        ("json_schema: {a: b", "cannot be read: not YAML"),
        ("{type: contains, value: [", "cannot be read: not YAML"),
        ("{type: contains}", "the key 'value' is missing"),
        ("{value: x}", "unknown assertion kind 'value'"),
        ("{type: exact, value: 0}", "a text is expected, found the number 0; write it in quotes"),
        ("{type: contains, value: x, wieght: 2}", "unknown key 'wieght'; did you mean 'weight'?"),
        ("{type: contains, value: x, weight: -1}", "weight"),
        ("{type: contains, value: x, weight: 0}", "the weights of all assertions are 0"),
        ("response_time_below: fast", "assertion response_time_below"),
        ("regex: /(/", "assertion regex"),
    ],
)
def test_a_cell_that_is_no_assertion_is_refused_with_line_set_and_prompt(tmp_path, cell, reason):
    assert reason in told_of(tmp_path, cell)


def test_a_weight_of_0_counts_as_0_beside_another(tmp_path):
    content = 'id,prompt,assert,assert_2\nq1,Hi,contains: x,"{type: contains, value: y, weight: 0}"\n'
    (prompt,) = csv_set(tmp_path, content).prompts
    grading = DeterministicGrader().grade(prompt, response("x", "q1"))
    assert [each.weight for each in prompt.assertions] == [1, 0]
    assert (grading.status, grading.score) == (Status.FAIL, 1.0)


def test_every_faulty_cell_is_told_at_once(tmp_path):
    content = "id,prompt,assert\nq1,Hi,contain: x\nq2,Hi,contains: x\nq3,Hi,exact:\nq4,Hi,foo\n"
    assert sorted((fault.line, fault.prompt_id) for fault in faults(tmp_path, content)) == [
        (2, "q1"),
        (4, "q3"),
        (5, "q4"),
    ]


def test_columns_of_assertions_are_taken_in_the_order_of_the_file(tmp_path):
    content = "id,assert_10,prompt,assert_2,assert\nq1,contains: a,Hi,,contains: c\n"
    (prompt,) = csv_set(tmp_path, content).prompts
    assert [each.definition()["value"] for each in prompt.assertions] == ["a", "c"]


# Columns


@pytest.mark.parametrize(
    "column",
    ["Assert", "asserts", "assert2", "assert-2", "assertion", "promt", "Prompt", "ID", "refrence", "Tags"],
)
def test_a_column_that_looks_misspelt_is_refused(tmp_path, column):
    content = f"id_number,question,x,{column}\n1,2,3,4\n"
    (fault,) = faults(tmp_path, content)
    assert f"the column '{column}' looks like" in fault.reason
    assert fault.line == 1


def test_a_misspelt_column_is_found_in_its_line(tmp_path):
    (fault,) = faults(tmp_path, "\n\nid,promt,assert\nq1,Hi,contains: x\n")
    assert fault.line == 3


@pytest.mark.parametrize("column", ["question", "country", "label", "context", "difficulty"])
def test_any_other_column_is_a_variable(tmp_path, column):
    (prompt,) = csv_set(tmp_path, f"id,prompt,{column},assert\nq1,Hi,0,contains: x\n").prompts
    assert prompt.vars == {column: "0"}


def test_a_prompt_may_place_its_own_columns(tmp_path):
    golden_set = csv_set(tmp_path, "id,prompt,city,assert\nq1,Where is {{city}}?,{{id}},contains: x\n")
    assert sent(golden_set, golden_set.prompts[0]) == "Where is {{id}}?"


def test_a_placeholder_without_a_column_is_refused(tmp_path):
    (fault,) = faults(
        tmp_path, "id,prompt,city,assert\nq1,Hi,x,contains: x\nq2,Where is {{town}}?,x,exact: x\n"
    )
    assert (fault.line, fault.prompt_id) == (3, "q2")
    assert "no variable of that name" in fault.reason


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("id,prompt\nq1,Hi\n", 2),
        ("id,prompt,gold\nq1,Hi,ok\n", 2),
        ("id,prompt,assert,reference\nq1,Hi,contains: x,\nq2,Hi, , \n", 3),
    ],
)
def test_a_row_with_neither_assertion_nor_reference_is_refused(tmp_path, content, line):
    (fault,) = faults(tmp_path, content)
    assert fault.line == line
    assert "needs at least one assertion or a reference" in fault.reason


@pytest.mark.parametrize(
    "content", ["id,question,assert\nq1,Hi,contains: x\n", "id,prompt,assert\nq1, ,exact: x\n"]
)
def test_a_row_with_nothing_to_ask_is_refused(tmp_path, content):
    (fault,) = faults(tmp_path, content)
    assert (fault.line, fault.prompt_id) == (2, "q1")
    assert "nothing to ask" in fault.reason


def test_a_reference_alone_is_enough(tmp_path):
    (prompt,) = csv_set(tmp_path, "id,prompt,reference\nq1,Hi, Hello \n").prompts
    assert (prompt.reference, prompt.assertions) == ("Hello ", ())


@pytest.mark.parametrize(
    ("cell", "must_pass"),
    [("true", True), ("TRUE", True), (" True ", True), ("false", False), ("FALSE", False), ("", False)],
)
def test_a_truth_value_is_written_in_either_case(tmp_path, cell, must_pass):
    (prompt,) = csv_set(tmp_path, f"id,prompt,assert,must_pass\nq1,Hi,contains: x,{cell}\n").prompts
    assert prompt.must_pass is must_pass


@pytest.mark.parametrize("cell", ["yes", "1", "0", "x", "ja"])
def test_any_other_word_is_no_truth_value(tmp_path, cell):
    (fault,) = faults(tmp_path, f"id,prompt,assert,must_pass\nq1,Hi,contains: x,{cell}\n")
    assert (fault.line, fault.prompt_id) == (2, "q1")
    assert f"the column 'must_pass' holds true or false, found '{cell}'" in fault.reason


def test_tags_are_separated_by_commas_and_told_once(tmp_path):
    (prompt,) = csv_set(tmp_path, 'id,prompt,assert,tags\nq1,Hi,contains: x," a,b ,,a"\n').prompts
    assert prompt.tags == ("a", "b")


# Ids


def test_an_id_that_is_given_twice_names_both_prompts(tmp_path):
    content = "id,prompt,assert\ndup,2+2?,exact: 4\nx,Hi,exact: x\ndup,Colour of a clear sky?,exact: blue\n"
    (fault,) = faults(tmp_path, content)
    assert (fault.line, fault.prompt_id) == (4, "dup")
    assert "the prompts number 1 and 3" in fault.reason


def test_ids_are_compared_as_texts(tmp_path):
    golden_set = csv_set(tmp_path, "id,prompt,assert\n007,Hi,exact: a\n7,Hi,exact: b\n7.0,Hi,exact: c\n")
    assert [prompt.id for prompt in golden_set.prompts] == ["007", "7", "7.0"]


@pytest.mark.parametrize("cell", ["", '"  "', '" q1"', '"q1 "', '"q\n1"', "\u200b"])
def test_an_id_that_cannot_be_told_from_others_by_eye_is_refused(tmp_path, cell):
    (fault,) = faults(tmp_path, f"id,prompt,assert\n{cell},Hi,exact: a\n")
    assert fault.line == 2
    assert "the id" in fault.reason


def test_without_ids_a_row_is_known_by_its_content(tmp_path):
    before = csv_set(tmp_path, "prompt,assert\nHi,exact: a\nHo,exact: b\n")
    moved = csv_set(tmp_path, "assert,prompt\nexact: b,Ho\nexact: c,Hu\nexact: a,Hi\n")
    ids = [prompt.id for prompt in before.prompts]
    assert len(set(ids)) == 2
    assert [prompt.id for prompt in moved.prompts if prompt.prompt != "Hu"] == ids[::-1]


def test_without_ids_a_row_that_is_there_twice_is_refused(tmp_path):
    (fault,) = faults(tmp_path, "prompt,assert\nHi,exact: a\nHo,exact: a\nHi,exact: a\n")
    assert fault.line == 4
    assert "the prompts number 1 and 3" in fault.reason


# The handed cases, with the columns of ours


def adapted(shared_cases: Path, name: str) -> bytes:
    """A case whose columns `assertion` and `expected` are one cell of ours."""
    from eval_pipeline.adapters.catalogue.csv_rows import read_csv

    kept = ("id", "prompt", "reference")
    table = read_csv(shared_cases / f"{name}.csv")
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    columns = [column for column in table.columns if column in kept]
    writer.writerow([*columns, "assert"])
    for _, row in table.rows:
        writer.writerow([*(row[column] for column in columns), f"{row['assertion']}: {row['expected']}"])
    return stream.getvalue().encode()


def cases_set(folder: Path, shared_cases: Path, name: str) -> GoldenPromptSet:
    return csv_set(folder, adapted(shared_cases, name))


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        ("csv-01-bom-utf8", "ok", "pass"),
        ("csv-02-bom-quoted-header", "ok", "pass"),
        ("csv-03-crlf", "Lima", "pass fail"),
        ("csv-03-crlf", "N'Djamena", "fail pass"),
        ("csv-04-cr-only", "Bamako", "fail pass"),
        ("csv-06-quoted-crlf-in-lf-file", "line b", "pass fail"),
        ("csv-14-blank-lines", "hi", "fail pass"),
        ("csv-17-quoted-json", '{"a": 1}', "pass"),
        ("csv-17-quoted-json", "{}", "fail"),
        ("csv-18-emoji-rtl", "مرحبا peace ☮️", "pass pass"),
        ("csv-19-nfc-nfd", "café", "pass pass"),
        ("csv-19-nfc-nfd", "cafe\u0301", "pass pass"),
        ("csv-23-huge-cell", "Lorem, lorem.", "pass"),
        ("csv-28-same-prompt-two-expectations", "4", "pass fail"),
        ("csv-29-ids-leading-zero", "ok", "pass fail"),
        ("csv-33-space-after-delimiter", "a, b", "pass"),
        ("csv-34-null-words", "null", "pass fail fail fail"),
        ("csv-34-null-words", "NA", "fail pass fail fail"),
        ("csv-38-line-separator", "second", "pass fail"),
    ],
)
def test_a_case_grades_as_its_index_says(
    tmp_path: Path, shared_cases: Path, name: str, answer: str, expected: str
) -> None:
    assert verdicts(cases_set(tmp_path, shared_cases, name), answer) == expected.split()


def test_the_same_text_under_two_ids_is_two_prompts(tmp_path, shared_cases):
    graded = verdicts(cases_set(tmp_path, shared_cases, "csv-28-same-prompt-two-expectations"), "4")
    assert graded.count(Status.PASS) / len(graded) == 0.5


def test_the_case_of_one_id_twice_is_refused(tmp_path, shared_cases):
    (fault,) = faults(tmp_path, adapted(shared_cases, "csv-27-duplicate-ids"))
    assert (fault.prompt_id, fault.line) == ("dup", 3)


def test_the_case_of_lists_is_refused_for_its_comma_alone(tmp_path, shared_cases):
    content = adapted(shared_cases, "csv-31-contains-any-quoted-comma")
    (fault,) = faults(tmp_path, content)
    assert (fault.line, fault.prompt_id) == (4, "q3")
    without = content.decode().splitlines(keepends=True)[:-1]
    first, second = csv_set(tmp_path, "".join(without)).prompts
    assert values(first.assertions) == [["Paris, France", "Lima"]]
    assert values(second.assertions) == [["apple", "pear"]]


def values(assertions: Sequence[Assertion]) -> list[Any]:
    return [each.definition()["value"] for each in assertions]


def test_the_case_of_zeros_keeps_each_of_them(tmp_path):
    content = (
        "id,prompt,assert,assert_2\n"
        "q1,Say zero,exact: 0,\n"
        'q2,Count errors,"{type: number_equals, value: 0, tolerance: 0, weight: 0}",exact: 0\n'
    )
    golden_set = csv_set(tmp_path, content)
    assert verdicts(golden_set, "0") == [Status.PASS, Status.PASS]
    assert [each.weight for each in golden_set.prompts[1].assertions] == [0, 1]
    alone = 'id,prompt,assert\nq2,Count errors,"{type: number_equals, value: 0, weight: 0}"\n'
    assert "weights of all assertions are 0" in faults(tmp_path, alone)[0].reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("csv-07-semicolon-decimal-comma", "one column found"),
        ("csv-09-ragged-short", "2 cells"),
        ("csv-13-headers-collide-after-trim", "two columns have one name"),
        ("csv-16-unquoted-json", ""),
        ("csv-20-nul-byte", r"U+0000"),
        ("csv-21-latin1", "not UTF-8"),
        ("csv-22-utf16le-bom", "not UTF-8"),
        ("csv-24-header-only", "no rows"),
        ("csv-26-misnamed-column", "looks like"),
        ("csv-35-backslash-quote", "not CSV"),
    ],
)
def test_a_faulty_case_is_no_set(tmp_path: Path, shared_cases: Path, name: str, reason: str) -> None:
    content = (shared_cases / f"{name}.csv").read_bytes()
    assert reason in faults(tmp_path, content)[0].reason
