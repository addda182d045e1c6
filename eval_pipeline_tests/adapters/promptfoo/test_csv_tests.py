"""Tests as rows of a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_pipeline.adapters.promptfoo.csv_tests import assertion_of, read_csv_tests


@pytest.mark.parametrize(
    ("cell", "assertion"),
    [
        ("Paris", {"type": "equals", "value": "Paris"}),
        ("contains:Paris", {"type": "contains", "value": "Paris"}),
        ("not-icontains:a:b", {"type": "not-icontains", "value": "a:b"}),
        ("is-json", {"type": "is-json"}),
        ("latency(500)", {"type": "latency", "threshold": 500}),
        ("cost(0.25)", {"type": "cost", "threshold": 0.25}),
        ("latency", {"type": "latency", "threshold": 0.75}),
        ("contains-any:a, b", {"type": "contains-any", "value": ["a", "b"]}),
        ("similar(0.8):hello", {"type": "similar", "value": "hello"}),
        ("javascript: output.length", {"type": "javascript", "value": "output.length"}),
        ("fn:x", {"type": "javascript", "value": "x"}),
        ("grade:is polite", {"type": "llm-rubric", "value": "is polite"}),
        ("file://check.py", {"type": "python", "value": "file://check.py"}),
        ("starts-with:a\nb", {"type": "starts-with", "value": "a\nb"}),
        ("note: this", {"type": "equals", "value": "note: this"}),
    ],
)
def test_a_cell_means_an_assertion(cell: str, assertion: dict[str, Any]) -> None:
    assert assertion_of(cell) == assertion


def test_columns_with_underscores_have_a_meaning_and_the_others_are_variables(tmp_path: Path) -> None:
    path = tmp_path / "tests.csv"
    path.write_text(
        "question,__expected,__expected2,__description,__metric,__prefix,__threshold,__odd\n"
        "Why?,contains:so,,First,facts,Please: ,0.5,1\n"
        "How?,yes,no,,,,,\n",
        "utf-8",
    )
    first, second = read_csv_tests(path)
    assert first.line == 2
    assert first.data == {
        "vars": {"question": "Why?"},
        "assert": [{"type": "contains", "value": "so", "metric": "facts"}],
        "options": {"prefix": "Please: "},
        "description": "First",
        "threshold": "0.5",
        "__odd": "1",
    }
    assert second.data["assert"] == [{"type": "equals", "value": "yes"}, {"type": "equals", "value": "no"}]
