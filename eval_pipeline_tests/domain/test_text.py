from __future__ import annotations

import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.text import excerpt, is_blank, is_storable, normalised, storable, without_surrogates
from eval_pipeline_tests.domain.strategies import any_text, text


@given(text)
def test_composed_and_decomposed_forms_become_the_same_text(written: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, written) for form in ("NFC", "NFD"))
    assert normalised(composed) == normalised(decomposed)


@pytest.mark.parametrize(
    "different", [("x²", "x2"), ("ﬁ", "fi"), ("10\u00a0km", "10 km"), ("don’t", "don't")]
)
def test_characters_that_only_look_alike_stay_different(different: tuple[str, str]) -> None:
    one, other = map(normalised, different)
    assert one != other


@pytest.mark.parametrize(
    "invisible", ["", " ", "\t\r\n", "\u00a0", "\u2003", "\u200b", "\u2060", "\ufeff", "\u00ad"]
)
def test_text_that_shows_nothing_is_blank(invisible: str) -> None:
    assert is_blank(invisible)
    assert is_blank(f" {invisible}\n")


@pytest.mark.parametrize("visible", ["0", "None", "false", ".", "\u200ba\u200b", "🙂", "今"])
def test_text_that_shows_anything_is_not_blank(visible: str) -> None:
    assert not is_blank(visible)


def test_an_answer_of_blanks_and_a_zero_width_space_is_blank(shared_cases: Path) -> None:
    assert is_blank((shared_cases / "text-26-whitespace.txt").read_text())


@given(any_text)
def test_storable_text_can_be_encoded_and_holds_no_nul(written: str) -> None:
    assert b"\x00" not in storable(written).encode()


@given(any_text)
def test_text_can_be_stored_exactly_when_nothing_would_be_replaced(written: str) -> None:
    assert is_storable(written) == (storable(written) == written)


@given(any_text)
def test_what_is_replaced_for_storing_leaves_a_mark_in_its_place(written: str) -> None:
    kept = storable(written)
    assert len(kept) == len(written)
    assert {new for old, new in zip(written, kept, strict=True) if new != old} <= {"\u2400", "\ufffd"}


@given(text)
def test_text_that_encodings_can_carry_keeps_every_character(written: str) -> None:
    assert without_surrogates(written) == written


@given(text)
def test_an_excerpt_of_a_long_text_names_its_full_length(written: str) -> None:
    long = written + "x" * 10
    assert excerpt(long, 5).startswith(f"{long[:5]}…")
    assert f"{len(long)} characters" in excerpt(long, 5)


def test_a_text_of_just_the_allowed_length_is_not_cut() -> None:
    assert excerpt("12345", 5) == "12345"
    assert excerpt("123456", 5) != "123456"


@given(st.text(st.sampled_from("ae\u0301\u0316\u0323\u05b0\uac00\u11a8x"), max_size=40), st.integers(1, 40))
def test_long_texts_are_normalised_as_the_standard_says(part: str, times: int) -> None:
    text = (part + "e") * times
    assert normalised(text) == unicodedata.normalize("NFC", text)


def test_a_long_run_of_marks_out_of_order_is_normalised_in_no_time() -> None:
    started = time.perf_counter()
    normalised("a" + "\u0301\u0316" * 250_000)
    assert time.perf_counter() - started < 1
