"""Patterns of JavaScript under PCRE2: the same answers match, or the pattern is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.adapters.promptfoo.findings import NoCounterpart
from eval_pipeline.adapters.promptfoo.javascript_regex import to_pcre
from eval_pipeline.domain.assertions.pcre import compile_pattern


def matches(pattern: str, text: str) -> bool:
    translated = to_pcre(pattern)
    return compile_pattern(translated.pattern, translated.flags).matches(text)


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        (r"^\d{4}$", "2024", "2024\n"),
        (r"a.b", "a-b", "a\rb"),
        (r"a.b", "a\u0085b", "a\u2028b"),
        (r"a\sb", "a\u00a0b", "a\u0085b"),
        (r"a\sb", "a\ufeffb", "a-b"),
        (r"a\Sb", "a-b", "a\u202fb"),
        (r"[\s,]x", "\u00a0x", "-x"),
        (r"^[^\s]+$", "a-b", "a\u00a0b"),
        (r"a[\s\S]b", "a\u00a0b", "ab"),
        (r"\u00e9", "é", "u00e9"),
        (r"\x41", "A", "x41"),
        (r"a\vb", "a\x0bb", "a\nb"),
        (r"[\b]", "\x08", "b"),
        (r"x{,2}y", "x{,2}y", "xxy"),
        (r"a{", "a{", "a"),
        (r"[[:a]", ":", "b"),
        (r"[\w-.]", "-", ","),
        (r"[a-\d]", "-", "b"),
        (r"a[^]b", "a\nb", "ab"),
        (r"a|[]", "a", "b"),
        (r"(?<word>a)(?=b)(?!c)(?:b)", "ab", "ac"),
        (r"^/yes/i$", "/yes/i", "yes"),
        (r"\w", "a", "é"),
        (r"\d", "5", "٣"),
    ],
)
def test_a_pattern_matches_what_it_matches_in_javascript(pattern: str, matching: str, other: str) -> None:
    assert matches(pattern, matching)
    assert not matches(pattern, other)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"(?i)yes", "refuses"),
        (r"(?P<x>a)", "refuses"),
        (r"(?>a)", "refuses"),
        (r"(*UTF)a", "refuses"),
        (r"a++", "repeats a repetition"),
        (r"a{2}+", "repeats a repetition"),
        (r"(?<=a)+", "repeats a look behind"),
        (r"(a)\1", "back-reference"),
        (r"(?<x>a)\k<x>", "back-reference"),
        (r"\p{L}", "as the letter p"),
        (r"\Astart", "as the letter A"),
        (r"\u{1F600}", "as the letter u"),
        (r"\ud83d\ude00", "surrogate"),
        (r"[\S]", "in brackets"),
        ("😀+", "two characters"),
        ("[😀]", "two characters"),
        ("[a", "not closed"),
        ("a\\", "backslash"),
    ],
)
def test_a_pattern_without_the_same_meaning_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(NoCounterpart, match=why):
        to_pcre(pattern)


@given(st.text())
def test_any_text_is_a_pattern_or_refused(pattern: str) -> None:
    try:
        to_pcre(pattern)
    except NoCounterpart:
        return


@given(st.text(alphabet="ab1 -_,:=/é", min_size=1))
def test_plain_texts_stay_as_they_are(pattern: str) -> None:
    assert to_pcre(pattern).pattern == pattern
