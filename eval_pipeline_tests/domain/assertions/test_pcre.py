from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.domain.assertions.pcre import PatternFault, compile_pattern, split_delimited
from eval_pipeline_tests.domain.strategies import any_text


def matches(written: str, text: str) -> bool:
    return compile_pattern(*split_delimited(written)).matches(text)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"/(?<year>\d{4})/", "in 2026"),
        (r"/^\h+$/", " \t\u00a0"),
        (r"/^a\Rb$/", "a\r\nb"),
        (r"/^a\Kb$/", "ab"),
        (r"/^\p{Lu}+$/", "ÅÉ"),
        (r"/^[[:alpha:]]+$/", "letters"),
        (r"/^\Q1+1\E$/", "1+1"),
        (r"/^\x{41}\x42$/", "AB"),
        (r"/^(\((?:[^()]|(?1))*\))$/", "(a(b)c)"),
        (r"/^a++b$/", "aab"),
        (r"/^(?>a+)b/", "aab"),
        (r"/(?<=a|bc)d/", "bcd"),
        (r"/ok\Z/", "ok\n"),
        (r"/^.$/", "🙂"),
        (r"/^é$/", "é"),
    ],
)
def test_patterns_mean_what_pcre_says(written: str, text: str) -> None:
    assert matches(written, text)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"/^[[:alpha:]]+$/", ":]"),
        (r"/^\x{41}$/", "x" * 41),
        (r"/ok\z/", "ok\n"),
        (r"/^\w$/", "é"),
        (r"/^\d$/", "٣"),
        (r"/^a.b$/", "a\nb"),
        (r"/^b$/", "a\nb"),
    ],
)
def test_patterns_mean_no_more_than_pcre_says(written: str, text: str) -> None:
    assert not matches(written, text)


@pytest.mark.parametrize(
    ("flag", "pattern", "text", "with_flag"),
    [
        ("i", "OSLO", "oslo", True),
        ("m", "^b$", "a\nb", True),
        ("s", "a.b", "a\nb", True),
        ("x", "a b # c", "ab", True),
        ("u", r"^\w\d$", "é٣", True),
        ("U", "(?>a*)a", "aa", True),
        ("n", r"(a)(?<x>b)\1", "abb", True),
        ("D", "^ok$", "ok\n", False),
        ("A", "b", "ab", False),
    ],
)
def test_a_flag_has_its_meaning(flag: str, pattern: str, text: str, with_flag: bool) -> None:
    assert compile_pattern(pattern, flag).matches(text) == with_flag
    assert compile_pattern(pattern, "").matches(text) != with_flag


def test_the_flag_j_allows_a_name_twice() -> None:
    assert compile_pattern("(?<x>a)|(?<x>b)", "J").matches("b")
    with pytest.raises(PatternFault):
        compile_pattern("(?<x>a)|(?<x>b)", "")


@pytest.mark.parametrize("flag", ["S", "X", "ii", "imsx", ""])
def test_flags_that_change_nothing_are_allowed(flag: str) -> None:
    assert compile_pattern("ok", flag).matches("ok")


@pytest.mark.parametrize("flags", ["z", "e", "g", "I", "i ", "iz", "1", "\n"])
def test_an_unknown_flag_is_refused_and_not_ignored(flags: str) -> None:
    with pytest.raises(PatternFault, match="unknown flag"):
        compile_pattern("ok", flags)


@pytest.mark.parametrize(
    ("written", "pattern", "flags"),
    [
        (r"/https?:\/\/x/i", r"https?:\/\/x", "i"),
        ("#^/a/b$#", "^/a/b$", ""),
        (r"~\d+~", r"\d+", ""),
        ("{a{2}}", "a{2}", ""),
        ("(a(b)c)ix", "a(b)c", "ix"),
        ("[[a-z]+]", "[a-z]+", ""),
        ("<a>D", "a", "D"),
        ("/a/ii", "a", "ii"),
        (r"%50\%%", r"50\%", ""),
        (r"/a\\/i", r"a\\", "i"),
        ("  /a/i\n", "a", "i"),
        ("//", "", ""),
    ],
)
def test_a_delimited_pattern_is_taken_apart_as_php_does(written: str, pattern: str, flags: str) -> None:
    assert split_delimited(written) == (pattern, flags)


@given(st.text().filter(lambda pattern: "\\" not in pattern and "/" not in pattern))
def test_every_pattern_without_the_delimiter_in_it_survives_being_delimited(pattern: str) -> None:
    assert split_delimited(f"/{pattern}/i") == (pattern, "i")


@given(st.text("ab/\\"))
def test_an_escaped_delimiter_never_ends_a_pattern(written: str) -> None:
    escaped = re.sub(r"[/\\]", r"\\\g<0>", written)
    assert split_delimited(f"/{escaped}/") == (escaped, "")


@pytest.mark.parametrize(
    "written", ["", " ", "abc", "1a1", r"\a\\", "éaé", "/abc", "(abc", "{a{2}", r"/abc\/"]
)
def test_a_pattern_without_proper_delimiters_is_refused(written: str) -> None:
    with pytest.raises(PatternFault, match=r"delimiters|closing"):
        split_delimited(written)


@pytest.mark.parametrize(
    "pattern", ["(", ")", "[a", "*a", "a{2,1}", "(?<n", r"\p{Nope}", "\\", "(?1)", "a\ud800"]
)
def test_a_faulty_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PatternFault):
        compile_pattern(pattern, "")


def test_an_empty_pattern_is_refused_because_it_matches_everything() -> None:
    with pytest.raises(PatternFault, match="empty"):
        compile_pattern("", "")


@pytest.mark.parametrize("character", [chr(code) for code in range(32) if chr(code) not in "\t\n\r"])
def test_a_control_character_that_quoting_left_in_a_pattern_is_refused(character: str) -> None:
    with pytest.raises(PatternFault, match=rf"U\+{ord(character):04X}.*single quotes"):
        compile_pattern(f"{character}the{character}", "")


@given(any_text)
def test_no_pattern_raises_anything_but_a_pattern_fault(pattern: str) -> None:
    with contextlib.suppress(PatternFault):
        compile_pattern(pattern, "").matches("any text")


@given(any_text)
@example("\ud83d")
def test_every_text_can_be_matched(text: str) -> None:
    assert compile_pattern("(?s)^.*$", "D").matches(text)


@pytest.mark.timeout(3)
@pytest.mark.parametrize(
    "pattern", ["^(a|aa)+$", "(a+)+$", "(a|a?)+$", "^(([a-z])+.)+[A-Z]$", "(.*)*x(.*)*y$"]
)
def test_a_pattern_that_backtracks_without_end_is_given_up_or_decided_in_time(pattern: str) -> None:
    with contextlib.suppress(PatternFault):
        assert not compile_pattern(pattern, "").matches("a" * 40 + "b")


@pytest.mark.timeout(3)
@pytest.mark.parametrize(
    ("pattern", "unit"),
    [
        ("^(a|b)*$", "ab"),
        (r"^(?:[a-z]|\n)*$", "line\n"),
        (r"^(?:\w+\s)+$", "word "),
        (r"^(\d+, ?)*$", "10, "),
    ],
)
@pytest.mark.parametrize("length", [1_000, 30_000, 200_000])
def test_an_ordinary_loop_is_decided_on_long_answers(pattern: str, unit: str, length: int) -> None:
    text = unit * (length // len(unit))
    assert compile_pattern(pattern, "").matches(text)
    assert not compile_pattern(pattern, "D").matches(f"{text}!")


ELSEWHERE_DIFFERENT = {
    "": "an empty pattern is refused here",
    "\t\n\x0b\r\x0c\x07": "control characters in a pattern are refused here",
    r"(?u)\b.\b": "(?u) is Python's own",
    r"(?u)\w": "(?u) is Python's own",
    r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)\119": "Python reads group 11 and a 9, PCRE an octal escape",
    r"((((((((((a))))))))))\41": "Python reads a missing group, PCRE an octal escape",
    r"(?i)((((((((((a))))))))))\41": "Python reads a missing group, PCRE an octal escape",
    r"((.)\1+)": "Python refuses a reference to an open group, PCRE lets it fail",
}


def test_patterns_that_mean_the_same_in_python_and_pcre_agree_with_the_tests_of_cpython(
    shared_data: Path,
) -> None:
    lines = (shared_data / "regex" / "cpython_re_tests.jsonl").read_text().splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["pattern"] not in ELSEWHERE_DIFFERENT]
    assert len(entries) > 390
    assert [entry for entry in entries if outcome(entry) != entry["outcome"]] == []


def outcome(entry: dict[str, Any]) -> str:
    try:
        return "succeed" if compile_pattern(entry["pattern"], "").matches(entry["string"]) else "fail"
    except PatternFault:
        return "syntax_error"
