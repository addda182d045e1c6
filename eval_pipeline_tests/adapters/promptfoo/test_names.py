"""Identifiers from what people call things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.adapters.promptfoo.names import Names, words
from eval_pipeline.domain.model_catalogue import is_key


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Opening hours, on Mondays!", "opening-hours-on-mondays"),
        ("Crème brûlée", "creme-brulee"),
        ("日本", "none"),
        ("a " * 100, "-".join("a" * 30)),
        ("a" * 100, "a" * 60),
    ],
)
def test_a_name_keeps_the_words_of_a_text(text: str, name: str) -> None:
    assert words(text, "-", "none") == name


@given(st.text())
def test_every_text_has_a_valid_name(text: str) -> None:
    assert is_key(words(text, "-", "none"))


@given(st.lists(st.sampled_from(["a", "a-2", "a-3", "b"])))
def test_names_are_given_out_once(wanted: list[str]) -> None:
    names = Names("-")
    given_out = [names.unused(name) for name in wanted]
    assert len(set(given_out)) == len(wanted)
