"""Scalars as JavaScript's YAML reads and prints them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from eval_pipeline.adapters.promptfoo.entries import WrittenDate, printed, read_entry
from eval_pipeline_tests.adapters.promptfoo.configurations import entry_of_yaml


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("True", "true"),
        ("012", "12"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("12:30", "12:30"),
        ("1_000", "1000"),
        ("1.0", "1"),
        ("1e3", "1000"),
        ("0.1", "0.1"),
        ("1e21", "1e+21"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
        ("-.inf", "-Infinity"),
        ("~", ""),
        ("'007'", "007"),
        ("'true'", "true"),
        ("'2024-01-01'", "2024-01-01"),
        ("=", "="),
    ],
)
def test_a_scalar_is_printed_as_promptfoo_prints_it(tmp_path: Path, written: str, shown: str) -> None:
    assert printed(entry_of_yaml(tmp_path, f"x: {written}").mapping["x"].value) == shown


def test_a_date_without_quotes_is_told_from_a_text(tmp_path: Path) -> None:
    found = entry_of_yaml(tmp_path, "a: 2024-01-01\nb: '2024-01-01'\n").mapping
    assert isinstance(found["a"].value, WrittenDate)
    assert not isinstance(found["b"].value, WrittenDate)


def test_not_a_number_is_printed() -> None:
    assert printed(math.nan) == "NaN"


def test_entries_know_their_lines_and_merges_lose_against_own_keys(tmp_path: Path) -> None:
    found = entry_of_yaml(tmp_path, "base: &base {a: 1, b: 2}\nown:\n  <<: *base\n  b: 3\n").mapping["own"]
    assert found.data == {"a": 1, "b": 3}
    assert found.mapping["b"].line == 4


def test_json_is_read_without_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text('{"a": [1, "x"]}', "utf-8")
    found = read_entry(path)
    assert found.data == {"a": [1, "x"]}
    assert found.mapping["a"].line is None
