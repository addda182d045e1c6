"""Results for spreadsheets: every text stays text, every number a number, and rows keep their data."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.adapters.reports.result_csv import write_csv
from eval_pipeline.application.full_result import FullResult, full_results, gradings_of_result
from eval_pipeline.domain.assertion_results import AssertionResult, Status
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse, ServedBy
from eval_pipeline.domain.standing import Standing
from eval_pipeline.domain.text import storable
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, prompt, response
from eval_pipeline_tests.evaluated import World, set_of
from eval_pipeline_tests.fakes import InMemoryResultStore
from eval_pipeline_tests.stored import grading, result

COLUMNS = [
    "result_id",
    "set",
    "model_key",
    "prompt_id",
    "repeat",
    "status",
    "score",
    "reason",
    "error",
    "answer",
    "assertions",
    "served_by",
    "latency_ms",
    "cost_usd",
]
FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "  =1",
    "\u00a0=1",
    "\u3000=1",
    "\u200b=1",
    "\ufeff=1",
    "\x01=1",
    "＝1+1",
    "＋1+1",
    "－1+1",
    "＠SUM(A1)",
    "\ttext",
    "\rtext",
    "-",
    "=",
    "+44 20 7946",
    '=HYPERLINK("http://x","y")',
    "-2\n",
]
formula = pytest.mark.parametrize("text", FORMULAS)


def written(
    *graded: tuple[Grading, ModelResponse], row_data: Mapping[str, Mapping[str, str]] | None = None
) -> list[dict[str, str]]:
    """One result of these gradings as CSV, read back."""
    store = InMemoryResultStore()
    full = FullResult(result(store), None, Standing())
    stream = io.StringIO(newline="")
    write_csv(stream, full, graded or [(grading(), response())], row_data or {})
    stream.getvalue().encode()
    stream.seek(0)
    header, *rows = csv.reader(stream, strict=True)
    assert header[: len(COLUMNS)] == COLUMNS
    assert len(set(header)) == len(header)
    return [dict(zip(header, row, strict=True)) for row in rows]


def only(*graded: tuple[Grading, ModelResponse], **given: Any) -> dict[str, str]:
    (row,) = written(*graded, **given)
    return row


def is_harmless(cell: str) -> bool:
    """Whether a spreadsheet takes a cell for text or for a number."""
    first = next((char for char in cell if char.isprintable() and not char.isspace()), "")
    return first not in "=+-@＝＋－＠" or first == "" or is_number(cell)


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell == cell.strip()


def test_a_line_is_a_response_with_its_grading():
    given_response = response("yes, Monday", cost_usd=0.00125, latency_ms=12.5)
    assert only((grading(), given_response)) == {
        "result_id": "1",
        "set": "acme.set",
        "model_key": "tern",
        "prompt_id": "p1",
        "repeat": "0",
        "status": "pass",
        "score": "1.0",
        "reason": "all assertions hold",
        "error": "",
        "answer": "yes, Monday",
        "assertions": "pass  contains 'yes': all assertions hold",
        "served_by": only()["served_by"],
        "latency_ms": "12.5",
        "cost_usd": "0.00125",
    }


def test_what_served_a_response_is_named():
    named = only((grading(), response()))["served_by"]
    assert SERVED_BY.reported_model in named
    unknown = replace(response(), served_by=ServedBy())
    assert SERVED_BY.reported_model not in only((grading(), unknown))["served_by"]


def test_assertions_are_a_line_each():
    results = (
        AssertionResult("contains 'a'", Status.PASS, "'a' found"),
        AssertionResult("contains 'b'", Status.FAIL, "'b' not found"),
        AssertionResult("mine", Status.ERROR, "no luck"),
    )
    given_grading = replace(grading(), assertions=results)
    assert only((given_grading, response()))["assertions"].split("\n") == [
        "pass  contains 'a': 'a' found",
        "fail  contains 'b': 'b' not found",
        "error  mine: no luck",
    ]


def test_an_error_says_why_and_has_no_score():
    row = only((Grading("p1", 0, Status.ERROR, None, "HTTP 500"), failed()))
    assert (row["status"], row["score"], row["error"], row["answer"]) == ("error", "", "HTTP 500", "")
    assert (row["latency_ms"], row["cost_usd"]) == ("", "")


def test_a_score_of_0_and_a_cost_of_0_are_numbers():
    row = only((Grading("p1", 0, Status.FAIL, 0.0, "x"), response(cost_usd=0.0, latency_ms=0.0)))
    assert (row["score"], row["cost_usd"], row["latency_ms"], row["error"]) == ("0.0", "0.0", "0.0", "")


def test_what_was_not_measured_is_empty_and_no_word():
    row = only((Grading("p1", 0, Status.SKIPPED, None, "x"), response(None)))
    assert {row[name] for name in ("score", "error", "answer", "cost_usd")} == {""}


def test_every_repeat_has_a_line():
    graded = [(grading(repeat=number), response(repeat=number)) for number in range(3)]
    assert [row["repeat"] for row in written(*graded)] == ["0", "1", "2"]


# Data of rows


def test_the_data_of_rows_are_columns_of_their_own():
    rows = {"p1": {"prompt": "Hi", "status": "open"}, "p2": {"prompt": "Ho", "extra": ""}}
    graded = [(grading(prompt_id), response("x", prompt_id)) for prompt_id in ("p2", "p1", "p3")]
    found = written(*graded, row_data=rows)
    names = ("row_prompt", "row_status", "row_extra", "status")
    assert [[row[name] for name in names] for row in found] == [
        ["Ho", "", "", "pass"],
        ["Hi", "open", "", "pass"],
        ["", "", "", "pass"],
    ]


def test_variables_of_prompts_are_data_of_rows():
    world = World()
    asked = golden_set(
        prompt("p1", prompt=None, vars={"city": "=Lima"}),
        prompt("p2", prompt=None, vars={"city": "Rome"}),
        template="Where is {{city}}?",
    )
    graded = world.result(1, asked)
    (full,) = full_results([graded], world.store, world.history)
    stream = io.StringIO(newline="")
    rows = world.store.row_data(asked.id, asked.content_hash)
    write_csv(stream, full, gradings_of_result(graded, world.store), rows)
    stream.seek(0)
    assert [(row["prompt_id"], row["status"], row["row_city"]) for row in csv.DictReader(stream)] == [
        ("p1", "pass", "'=Lima"),
        ("p2", "fail", "Rome"),
    ]


def test_a_result_of_many_prompts_is_written_line_by_line():
    world = World()
    graded = world.result(6, set_of(30), repeats=2)
    (full,) = full_results([graded], world.store, world.history)
    stream = io.StringIO(newline="")
    write_csv(stream, full, gradings_of_result(graded, world.store), {})
    stream.seek(0)
    statuses = [row["status"] for row in csv.DictReader(stream)]
    assert (len(statuses), statuses.count("pass")) == (60, 12)


# Formulas


@formula
def test_a_formula_stays_text_in_every_column(text):
    given_grading = Grading(text, 0, Status.ERROR, None, text, (AssertionResult(text, Status.PASS, text),))
    served_by = ServedBy(text, text, text)
    row = only(
        (given_grading, replace(response(text, text), served_by=served_by)), row_data={text: {text: text}}
    )
    assert [name for name, cell in row.items() if not is_harmless(cell)] == []
    for column in ("prompt_id", "reason", "error", "answer"):
        assert row[column] == f"'{storable(text)}"


@formula
def test_the_name_of_a_column_is_no_formula(text):
    (name,) = only(row_data={"p1": {text: "x"}}).keys() - set(COLUMNS)
    assert is_harmless(name)


@formula
def test_a_declared_application_is_no_formula(text):
    served_by = ServedBy("shop", None, None, text, text)
    assert is_harmless(only((grading(), replace(response(), served_by=served_by)))["served_by"])


@pytest.mark.parametrize("text", ["-1", "+1", "-1.5", "1e5", "-1.5e-10", "0", "007", "12", "-0"])
def test_a_number_stays_a_number(text):
    assert only((grading(), response(text)))["answer"] == text


@pytest.mark.parametrize(
    "text", ["a=1", "1=1", "yes, Monday", "'quoted'", '"', "a\tb", "a - b", "−1", "#", "x@y.example", ""]
)
def test_text_that_is_no_formula_is_written_as_it_is(text):
    assert only((grading(), response(text)))["answer"] == text


@pytest.mark.parametrize(
    "text",
    ["two\nlines", "a\r\nb", 'say "hi"', "a,b;c", "👋🏽 مرحبا ☮️", "\u2028\u0085", "x" * 40_000, "\\", "a\rb"],
)
def test_a_text_comes_back_character_by_character(text):
    row = only((grading(), response(text)), row_data={"p1": {"x": text}})
    assert (row["answer"], row["row_x"]) == (text, text)


@pytest.mark.parametrize(("text", "shown"), [("a\0b", "a␀b"), ("a\ud800b", "a\ufffdb"), ("\0", "␀")])
def test_what_no_file_can_hold_is_shown(text, shown):
    given_grading = replace(grading(), reason=text)
    row = only((given_grading, response(text)), row_data={"p1": {"x": text}})
    assert (row["answer"], row["reason"], row["row_x"]) == (shown, shown, shown)


@given(text=st.text())
@example(text="\ud800=1")
@example(text="\0=1")
def test_any_text_is_one_harmless_cell(text: str) -> None:
    cell = only((grading(), response(text)))["answer"]
    assert is_harmless(cell)
    assert cell in (storable(text), f"'{storable(text)}")
