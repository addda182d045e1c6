"""Evaluations as classes: rows become prompts, and what the class records becomes a grading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import ASSERTION_KINDS
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.evaluation import (
    Evaluation,
    ResponseChecks,
    Row,
    golden_prompt_set_of,
    listed,
    row_id,
    truth,
)
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader, Grading
from eval_pipeline.domain.responses import Reply
from eval_pipeline.domain.set_hashes import prompt_document
from eval_pipeline_tests.builders import failed, response

ROW = {"id": "q1", "prompt": "Hi", "word": "yes"}


class Recorded(Evaluation):
    """Says whatever a test has it say."""

    id = "acme.recorded"
    csv_path = "rows.csv"
    says: Callable[[Row, ResponseChecks], Any]

    def evaluate_row(self, row: Row, check: ResponseChecks) -> None:
        type(self).says(row, check)


def evaluation_set(
    says: Callable[[Row, ResponseChecks], Any] = lambda row, check: check.contains(row["word"]),
    *rows: Row,
    source: str = "hash",
) -> GoldenPromptSet:
    evaluation = type("Recorded", (Recorded,), {"says": staticmethod(says)})
    numbered = list(enumerate(rows or (ROW,), start=2))
    return golden_prompt_set_of(evaluation, numbered, source, ASSERTION_KINDS)


def graded(says: Callable[[Row, ResponseChecks], Any], answer: str = "yes") -> Grading:
    (prompt,) = evaluation_set(says).prompts
    return DeterministicGrader().grade(prompt, response(answer, "q1"))


def test_a_row_passes_when_everything_recorded_holds():
    grading = graded(lambda row, check: (check.contains("yes"), check.not_contains("no")))
    assert (grading.status, grading.score, grading.reason) == (Status.PASS, 1.0, "all assertions hold")


def test_the_score_is_the_weighted_share_that_holds():
    grading = graded(lambda row, check: (check.contains("yes", weight=3), check.record("x", passed=False)))
    assert (grading.status, grading.score) == (Status.FAIL, 0.75)
    assert len(grading.assertions) == 2


def test_a_weight_of_0_decides_and_does_not_count():
    grading = graded(lambda row, check: (check.contains("yes"), check.contains("no", weight=0)))
    assert (grading.status, grading.score) == (Status.FAIL, 1.0)


def test_weights_far_apart_still_give_a_score():
    grading = graded(
        lambda row, check: (
            [check.record(str(n), passed=True, weight=1e308) for n in range(3)]
            and check.record("small", passed=True, weight=5e-324)
        )
    )
    assert grading.status in (Status.PASS, Status.ERROR)


def failing(error: BaseException) -> Callable[[Row, ResponseChecks], None]:
    def says(row: Row, check: ResponseChecks) -> None:
        check.contains("yes")
        check.contains("no")
        raise error

    return says


class Silent(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no luck"), "evaluate_row raised ValueError: no luck"),
        (KeyError("word"), "evaluate_row raised KeyError: 'word'"),
        (SystemExit(2), "evaluate_row raised SystemExit: 2"),
        (RecursionError("deep"), "evaluate_row raised RecursionError: deep"),
        (AssertionError(), "evaluate_row raised AssertionError: "),
        (ValueError("x" * 5000), "… (5000 characters)"),
        (Silent(), "evaluate_row raised Silent"),
    ],
)
def test_what_was_recorded_before_an_exception_stays_and_the_row_is_an_error(error, reason):
    grading = graded(failing(error))
    assert (grading.status, grading.score) == (Status.ERROR, None)
    assert [result.status for result in grading.assertions] == [Status.PASS, Status.FAIL, Status.ERROR]
    assert reason in grading.reason


def test_an_interruption_is_no_error_of_the_row():
    with pytest.raises(KeyboardInterrupt):
        graded(failing(KeyboardInterrupt()))


def test_other_rows_go_on():
    def says(row: Row, check: ResponseChecks) -> None:
        if row["id"] == "q1":
            raise ValueError("no luck")
        check.contains("yes")

    golden_set = evaluation_set(says, ROW, {**ROW, "id": "q2"})
    statuses = [
        DeterministicGrader().grade(each, response("yes", each.id)).status for each in golden_set.prompts
    ]
    assert statuses == [Status.ERROR, Status.PASS]


def test_recording_nothing_is_an_error_and_never_a_pass():
    grading = graded(lambda row, check: None)
    assert (grading.status, "nothing was recorded" in grading.reason) == (Status.ERROR, True)


def test_a_result_that_is_returned_is_not_taken_for_one():
    assert graded(lambda row, check: True).status is Status.ERROR


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(failed(prompt_id="q1"), id="failed"),
        pytest.param(response("", "q1"), id="empty"),
        pytest.param(response(" \u200b", "q1"), id="blank"),
        pytest.param(response("x", "q1", reply=Reply("x", finish_reason="content_filter")), id="filtered"),
    ],
)
def test_a_call_without_an_answer_is_an_error_before_any_check_is_asked(given):
    (prompt,) = evaluation_set(lambda row, check: check.not_contains("refund")).prompts
    grading = DeterministicGrader().grade(prompt, given)
    assert (grading.status, grading.assertions) == (Status.ERROR, ())


def test_a_row_keeps_its_data_and_hands_out_copies():
    def says(row: Row, check: ResponseChecks) -> None:
        row.pop("word")
        check.contains("yes")

    (prompt,) = evaluation_set(says).prompts
    for _ in range(2):
        assert DeterministicGrader().grade(prompt, response("yes", "q1")).status is Status.PASS
    assert prompt.evaluation.row == ROW


def test_the_snapshot_of_a_row_holds_its_cells_and_the_hash_of_the_code():
    (prompt,) = evaluation_set(source="abc").prompts
    document = prompt_document(prompt)
    assert document["evaluation"] == {"class": "Recorded", "source": "abc", "row": ROW}
    assert document["vars"] == {"prompt": "Hi"}


def test_other_code_is_another_expectation_and_the_same_question():
    first, second = evaluation_set(source="abc"), evaluation_set(source="abd")
    assert first.hashes.inputs == second.hashes.inputs
    assert first.hashes.expectations != second.hashes.expectations


@pytest.mark.parametrize(
    ("changed", "inputs", "expectations"),
    [
        ({"word": "no"}, True, False),
        ({"reference": "x"}, True, False),
        ({"extra": ""}, True, False),
        ({"prompt": "Ho"}, False, False),
        ({"id": "q2"}, False, False),
        ({}, True, True),
    ],
)
def test_a_changed_cell_changes_the_question_or_what_is_expected(changed, inputs, expectations):
    before = evaluation_set().hashes
    after = evaluation_set(lambda row, check: None, {**ROW, **changed}).hashes
    assert (after.inputs == before.inputs, after.expectations == before.expectations) == (
        inputs,
        expectations,
    )


def test_all_faulty_rows_are_told_at_once():
    rows = [ROW, {**ROW, "prompt": ""}, ROW, {**ROW, "id": "q2", "must_pass": "maybe"}]
    with pytest.raises(DefinitionError) as refused:
        evaluation_set(lambda row, check: None, *rows)
    assert [fault.line for fault in refused.value.faults] == [3, 4, 5]


def test_a_row_without_an_id_is_known_by_its_content_whatever_the_order_of_its_columns():
    assert row_id({"a": "1", "b": "2"}) == row_id({"b": "2", "a": "1"})
    assert row_id({"a": "1", "b": "2"}) != row_id({"a": "12", "b": ""})
    assert row_id({"id": "007", "a": "1"}) == "007"


def test_a_cell_of_tags_lists_them_once_each():
    assert listed(" a, b,,a ,") == ["a", "b"]
    assert listed("") == []


@pytest.mark.parametrize("cell", ["yes", "1", "tru", "None"])
def test_a_truth_value_is_true_or_false(cell):
    with pytest.raises(DefinitionError, match=f"the column 'must_pass' holds true or false, found '{cell}'"):
        truth(cell, "must_pass")
