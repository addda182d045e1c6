from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.domain.words import count_words, divides_words, words
from eval_pipeline_tests.domain.strategies import any_text

word_like = st.text(
    st.sampled_from("aZ0é\u0301今カーदि'’.,- \n\u00a0\u200d\u200b_–😀\ufe0f№½\x00\ud83d"), max_size=30
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("don't stop", ["don't", "stop"]),
        ("- a - b", ["a", "b"]),
        ("e-mail", ["e-mail"]),
        ("naïve cafe\u0301", ["naïve", "cafe\u0301"]),
        ("3.50, 1,000.5 and -2", ["3.50", "1,000.5", "and", "2"]),
        ("one,two;three/four", ["one", "two", "three", "four"]),
        ("5 p.m. in the U.S.", ["5", "p.m", "in", "the", "U.S"]),
        ("www.example.org/a.b", ["www.example.org", "a.b"]),
        ("'quoted' dogs' rock 'n' roll", ["quoted", "dogs", "rock", "n", "roll"]),
        ("text’s co‐op", ["text’s", "co‐op"]),
        ("a--b a''b a..b a–b a—b", ["a", "b"] * 5),
        ("snake_case **bold** #1", ["snake", "case", "bold", "1"]),
        ("$3.50 or 50%", ["3.50", "or", "50"]),
        ("m² ½ 1️⃣", ["m²", "½", "1️⃣"]),
        ("👩‍👩‍👧‍👦 ☺️ © …", []),
        ("一\u00a0二\u3000three", ["一", "二", "three"]),
        ("今天天气很好。", list("今天天气很好")),
        ("データを iPhone手机 ｶﾞ", [*"データを", "iPhone", "手", "机", "ｶﾞ"]),
        ("데이터 좋다", ["데이터", "좋다"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),
        ("Привет, мир", ["Привет", "мир"]),
        ("a\ud83db\x00c", ["a", "b", "c"]),
    ],
)
def test_words_are_what_readers_count(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(("name", "count"), [("text-12-cjk.txt", 22), ("text-14-nbsp.txt", 7)])
def test_words_of_unusual_writing_are_counted_by_the_rule(name: str, count: int, shared_cases: Path) -> None:
    assert count_words((shared_cases / name).read_text()) == count


@given(any_text | word_like)
@example("a" * 10_000)
def test_counting_words_and_listing_them_agree(text: str) -> None:
    assert count_words(text) == len(words(text))


@given(word_like, st.sampled_from(" \n\t\u00a0\u3000"), word_like)
def test_white_space_of_any_kind_divides_words(left: str, blank: str, right: str) -> None:
    assert words(left + blank + right) == words(left) + words(right)


@given(word_like)
def test_every_word_is_written_in_the_text_and_is_one_word(text: str) -> None:
    shown = text.encode("utf-8", "replace").decode()
    for word in words(shown):
        assert word in shown
        assert words(word) == [word]


@pytest.mark.parametrize(
    ("text", "divided"),
    [("Hello", True), ("今天天气", True), ("สวัสดีครับ", False), ("ជំរាបសួរ", False), ("မင်္ဂလာပါ", False)],
)
def test_scripts_that_do_not_divide_words_are_known(text: str, divided: bool) -> None:
    assert divides_words(text) == divided


@pytest.mark.parametrize(
    "unit", ["a.", "a ", "x", "1,", "\u0301", "a\u0301", "今", "a'", "é\u200d", "-", "\u200d"]
)
def test_words_of_a_long_text_are_counted_within_a_second(unit: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    started = time.process_time()
    count_words(text)
    assert time.process_time() - started < 1


@given(st.text(st.sampled_from("aZ09'.-, _\n(%"), max_size=60))
def test_the_words_of_plain_ascii_are_counted_as_they_are_listed(text: str) -> None:
    assert count_words(text) == len(words(text))


def test_a_million_characters_of_plain_ascii_are_counted() -> None:
    assert count_words("a-" * 500_000) == 1
    assert count_words("a " * 500_000) == 500_000
