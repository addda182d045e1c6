"""The floors under the accuracy of assertions on labelled data; `benchmarks/assertion_accuracy.py` prints the figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import ifeval, labelled
from benchmarks.assertion_accuracy import (
    ACCURACY_OF_SENTIMENT,
    EXACT_KINDS_OF_INSTRUCTIONS,
    F1_OF_TOXICITY,
    GRADE_DIFFERENCE,
    GRAMMAR_PAIRS_TOLD_APART,
    PHONE_NUMBERS_FOUND,
    SCHEMA_CASES,
    SPELLINGS_TOLD_APART,
)
from benchmarks.ifeval_instructions import ALMOST, EXPRESSED, NOT_COVERED
from benchmarks.labelled import Ratings
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import read_assertion
from eval_pipeline.domain.detectors import PersonalDataType
from eval_pipeline_tests.adapters.detectors.test_grammar import CLEAN, WRONG_AND_RIGHT
from eval_pipeline_tests.domain.assertions.test_gsm8k import ANSWER_LINE, NOT_MEASURABLE, solutions
from eval_pipeline_tests.domain.assertions.test_json_schema import suite, suite_registry


@pytest.mark.timeout(300)  # a thousand comments, sentence by sentence
def test_toxic_comments_are_told_from_others(shared_data: Path) -> None:
    ratings = labelled.toxicity(shared_data)
    assert ratings.total == 1000
    assert ratings.f1 >= F1_OF_TOXICITY


@pytest.mark.parametrize("text", labelled.HARMLESS)
def test_harmless_texts_with_words_like_toxic_ones_pass(text: str) -> None:
    assert labelled.status(read_assertion("not_toxic"), text) is Status.PASS


def test_positive_reviews_are_told_from_negative_ones(shared_data: Path) -> None:
    ratings = labelled.sentiment(shared_data)
    assert ratings.total == 1000
    assert ratings.accuracy >= ACCURACY_OF_SENTIMENT


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("not good", "not_positive_sentiment"),
        ("This is not good.", "not_positive_sentiment"),
        ("no problem", {"type": "positive_sentiment", "threshold": 0.0}),
        ("No problem, it works.", {"type": "positive_sentiment", "threshold": 0.0}),
    ],
)
def test_a_negation_turns_the_mood(text: str, kind: object) -> None:
    assert labelled.status(read_assertion(kind), text) is Status.PASS


def test_labelled_personal_data_is_found_and_nothing_else(shared_data: Path) -> None:
    found = labelled.personal_data(shared_data)
    phone = found[PersonalDataType.PHONE]
    assert phone.found >= PHONE_NUMBERS_FOUND * phone.labelled
    others = [counts for type_, counts in found.items() if type_ is not PersonalDataType.PHONE]
    assert [counts.found for counts in others] == [counts.labelled for counts in others]
    assert sum(counts.unlabelled for counts in found.values()) == 0


def test_recorded_grades_are_met_and_an_empty_text_has_none(shared_data: Path) -> None:
    empty, *differences = labelled.grade_differences(shared_data)
    assert empty is None
    assert len(differences) == 4
    assert all(difference is not None and difference <= GRADE_DIFFERENCE for difference in differences)


@pytest.mark.parametrize("kind", labelled.SPELLING_KINDS)
def test_the_spellings_of_two_nations_are_told_apart(kind: str, shared_data: Path) -> None:
    told_apart, total = labelled.spelling_told_apart(shared_data, kind)
    assert total == 1818
    assert told_apart >= SPELLINGS_TOLD_APART * total


@pytest.mark.parametrize(
    "word", ["size", "prize", "wise", "exercise", "advertise", "surprise", "fall", "tire", "program"]
)
def test_words_of_both_nations_pass(word: str) -> None:
    for kind in labelled.SPELLING_KINDS:
        assert labelled.status(read_assertion(kind), word) is Status.PASS


def test_faults_of_grammar_are_told_from_good_text() -> None:
    assert len(WRONG_AND_RIGHT) >= GRAMMAR_PAIRS_TOLD_APART
    assert labelled.grammar(WRONG_AND_RIGHT, CLEAN) == (len(WRONG_AND_RIGHT), len(CLEAN))


def test_right_solutions_are_told_from_wrong_ones(shared_data: Path) -> None:
    ratings = labelled.number_equals(solutions(shared_data), ANSWER_LINE)
    assert ratings.total == 2638
    assert ratings.true_positives == 286 + 458
    assert ratings.not_measured == len(NOT_MEASURABLE)
    assert ratings.false_positives == ratings.false_negatives == 0


def test_the_official_suite_of_json_schema_is_met(shared_data: Path) -> None:
    groups = (group for _, group in suite(shared_data))
    agreeing, total = labelled.json_schema(groups, suite_registry(shared_data))
    assert total == 1299
    assert agreeing >= SCHEMA_CASES


@pytest.fixture(scope="module")
def instructions(shared_data: Path) -> Sequence[ifeval.Instruction]:
    return list(ifeval.instructions(shared_data))


@pytest.mark.parametrize("outcome", ["strict", "loose"])
def test_instructions_in_our_assertions_have_the_recorded_outcomes(
    outcome: ifeval.Outcome, instructions: Sequence[ifeval.Instruction]
) -> None:
    found = ifeval.agreements(instructions, EXPRESSED, outcome)
    assert len(found) >= EXACT_KINDS_OF_INSTRUCTIONS
    assert {kind: agreement.differ for kind, agreement in found.items() if agreement.differ} == {}
    assert sum(agreement.unstable for agreement in found.values()) == 2
    assert all(agreement.agree for agreement in found.values())


def test_the_prompt_that_was_edited_after_its_answer_is_reported(
    instructions: Sequence[ifeval.Instruction],
) -> None:
    found = ifeval.agreements(instructions, EXPRESSED, "strict")
    assert {key for agreement in found.values() for key in agreement.unmatched} == {2785}


def test_every_kind_of_instruction_is_accounted_for(instructions: Sequence[ifeval.Instruction]) -> None:
    kinds = {instruction.kind for instruction in instructions}
    assert kinds == EXPRESSED.keys() | ALMOST.keys() | NOT_COVERED.keys()


def test_what_is_not_measured_counts_as_wrong() -> None:
    ratings = Ratings.of([(True, True), (False, False), (True, False), (True, None)])
    assert (ratings.total, ratings.accuracy, ratings.f1) == (4, 0.5, 0.5)


def test_an_answer_is_loosened_by_its_first_and_last_line_and_by_asterisks() -> None:
    assert list(ifeval.loosened("Sure:\n*yes*\nBye")) == [
        "Sure:\n*yes*\nBye",
        "*yes*\nBye",
        "Sure:\n*yes*",
        "*yes*",
        "Sure:\nyes\nBye",
        "yes\nBye",
        "Sure:\nyes",
        "yes",
    ]


@pytest.mark.parametrize(
    ("texts", "followed"),
    [(["a b"], True), (["a"], False), (["a", "b a"], True), (["c"], True), ([" "], False)],
)
def test_an_instruction_is_met_when_all_assertions_of_one_way_pass(texts: list[str], followed: bool) -> None:
    ways = [[{"contains": "a"}, {"contains": "b"}], [{"exact": "c"}]]
    assert ifeval.is_followed(ways, texts) is followed
