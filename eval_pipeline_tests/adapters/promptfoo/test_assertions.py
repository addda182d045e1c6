"""Each type of assertion: its counterpart, or why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_pipeline.adapters.promptfoo.assertions import COUNTERPARTS
from eval_pipeline.adapters.promptfoo.expectations import Reader
from eval_pipeline.adapters.promptfoo.files import Files
from eval_pipeline.adapters.promptfoo.findings import Findings
from eval_pipeline.adapters.promptfoo.json_schemas import DRAFT
from eval_pipeline.adapters.promptfoo.untranslated import TYPES
from eval_pipeline.adapters.promptfoo.variables import Variables
from eval_pipeline.domain.assertions import read_assertion
from eval_pipeline_tests.adapters.promptfoo.configurations import entry, entry_of_yaml

VARIABLES = Variables({"city": "Oslo"}, {"broken": "a mapping"})


def read(*declared: Any, folder: Path = Path()) -> tuple[list[Any], Findings]:
    findings = Findings()
    entries = [one if hasattr(one, "mapping") else entry(one) for one in declared]
    expected = Reader(VARIABLES, Files(folder), findings).expected(entries)
    written = [one.written for one in expected]
    for one in written:
        read_assertion(one)
    return written, findings


def why_not(declared: Any, folder: Path = Path()) -> str:
    written, findings = read(declared, folder=folder)
    assert written == []
    (finding,) = findings.left_out
    return finding.why


@pytest.mark.parametrize(
    ("declared", "ours"),
    [
        ({"type": "equals", "value": "Oslo"}, {"exact": "Oslo"}),
        ({"type": "equals", "value": 42}, {"exact": "42"}),
        ({"type": "equals", "value": {"a": 1}}, {"json_equals": {"a": 1}}),
        ({"type": "not-equals", "value": "Oslo"}, {"not_exact": "Oslo"}),
        ({"type": "contains", "value": "{{ city }}!"}, {"contains": "Oslo!"}),
        ({"type": "contains", "value": 0}, {"contains": "0"}),
        ({"type": "icontains", "value": "oslo"}, {"type": "contains", "value": "oslo", "ignore_case": True}),
        ({"type": "not-contains", "value": "x"}, {"not_contains": "x"}),
        ({"type": "contains-any", "value": ["a", 1]}, {"contains_any": ["a", "1"]}),
        ({"type": "contains-any", "value": 'a, "b, c",,d'}, {"contains_any": ["a", "b, c", "d"]}),
        ({"type": "not-contains-all", "value": ["a"]}, {"not_contains_all": ["a"]}),
        (
            {"type": "icontains-all", "value": ["a", "b"]},
            {"type": "contains_all", "value": ["a", "b"], "ignore_case": True},
        ),
        ({"type": "starts-with", "value": "Dear"}, {"starts_with": "Dear"}),
        ({"type": "ends-with", "value": "?"}, {"ends_with": "?"}),
        ({"type": "regex", "value": r"\d+"}, {"type": "regex", "pattern": r"\d+"}),
        ({"type": "not-regex", "value": "^x$"}, {"type": "not_regex", "pattern": "^x$", "flags": "D"}),
        ({"type": "is-json"}, "valid_json"),
        ({"type": "not-is-json"}, "not_valid_json"),
        (
            {"type": "is-json", "value": {"type": "object"}},
            {"json_schema": {"$schema": DRAFT, "type": "object"}},
        ),
        (
            {"type": "is-json", "value": '{"type": "{{kind}}object"}'},
            {"json_schema": {"$schema": DRAFT, "type": "object"}},
        ),
        ({"type": "is-xml"}, "valid_xml"),
        ({"type": "latency", "threshold": 500}, {"response_time_below": 500}),
        ({"type": "cost", "threshold": 0.01}, {"cost_below": 0.01}),
        ({"type": "is-refusal"}, "is_refusal"),
        ({"type": "not-is-refusal"}, "not_refusal"),
        ({"type": "contains", "value": "x", "weight": 2}, {"type": "contains", "value": "x", "weight": 2}),
        ({"type": "is-json", "weight": 0.5}, {"type": "valid_json", "weight": 0.5}),
    ],
)
def test_an_assertion_with_a_counterpart_is_translated(declared: dict[str, Any], ours: Any) -> None:
    written, findings = read(declared)
    assert written == [ours]
    assert findings.left_out == []


@pytest.mark.parametrize("kind", sorted(TYPES - {"assert-set"}))
def test_types_without_a_counterpart_say_why(kind: str) -> None:
    assert "unknown" not in why_not({"type": kind, "value": "x"})
    assert kind not in COUNTERPARTS


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ({"type": "contians", "value": "x"}, "unknown type"),
        ({"type": "trajectory:step-count"}, "traces"),
        ({"type": "contains", "value": ""}, "empty"),
        ({"type": "contains", "value": "  "}, "empty"),
        ({"type": "contains"}, "not a text"),
        ({"type": "contains", "value": ["x"]}, "not a text"),
        ({"type": "contains", "value": "{{ city | upper }}"}, "nothing is evaluated"),
        ({"type": "contains", "value": "{{ broken }}"}, "'broken' has no text here: a mapping"),
        ({"type": "contains", "value": "{{ env.KEY }}"}, "nothing is evaluated"),
        ({"type": "contains", "value": "file://check.py"}, "script"),
        ({"type": "contains", "value": "package:x"}, "script"),
        ({"type": "contains", "value": "x", "transform": "output.trim()"}, "script"),
        ({"type": "contains", "value": "x", "caseSensitive": False}, "the key 'caseSensitive' is not known"),
        ({"type": "contains", "value": "x", "weight": 0}, "weight of 0"),
        ({"type": "contains", "value": "x", "weight": -1}, "weight is not a number"),
        ({"type": "contains", "value": "x", "weight": "2"}, "weight is not a number"),
        ({"type": "contains-any", "value": []}, "empty list"),
        ({"type": "contains-any", "value": '"a'}, "not closed"),
        ({"type": "regex", "value": "(?i)x"}, "JavaScript refuses"),
        ({"type": "regex", "value": "a("}, "faulty"),
        ({"type": "is-json", "value": True}, "not a mapping"),
        ({"type": "is-json", "value": {"typ": "object"}}, "unknown keyword"),
        ({"type": "is-xml", "value": {"requiredElements": ["a"]}}, "xml_has_tag"),
        ({"type": "latency"}, "threshold"),
        ({"type": "latency", "threshold": "500"}, "not a number"),
        ({"type": "not-latency", "threshold": 500}, "no lower bound"),
        ({"type": "cost", "threshold": True}, "not a number"),
        ({"type": "assert-set", "threshold": 0.5, "assert": []}, "threshold"),
        ({"type": "not-assert-set", "assert": []}, "assert"),
        ({"value": "x"}, "with a type"),
        ("contains", "with a type"),
    ],
)
def test_an_assertion_that_would_mean_something_else_is_left_out(declared: Any, why: str) -> None:
    assert why in why_not(declared)


def test_a_date_without_quotes_is_no_text(tmp_path: Path) -> None:
    assert "not a text" in why_not(entry_of_yaml(tmp_path, "{type: contains, value: 2024-01-01}"))


@pytest.mark.parametrize(
    ("declared", "note"),
    [
        ({"type": "equals", "value": "x"}, "white space at both ends"),
        ({"type": "starts-with", "value": "x"}, "white space at the beginning"),
        ({"type": "icontains", "value": "straße"}, "folds more letters"),
        ({"type": "latency", "threshold": 5}, "at the threshold too"),
        ({"type": "is-refusal"}, "our rules"),
        ({"type": "contains", "value": "x", "provider": "openai:gpt-4o"}, "judging models only"),
        ({"type": "contains", "value": "x", "threshold": 0.5}, "no use of its threshold"),
    ],
)
def test_what_differs_in_detail_is_said(declared: dict[str, Any], note: str) -> None:
    _, findings = read(declared)
    assert note in "\n".join(map(str, findings.notes))


def test_a_set_of_assertions_shares_its_weight_among_its_members() -> None:
    written, _ = read(
        {
            "type": "assert-set",
            "weight": 3,
            "assert": [
                {"type": "contains", "value": "a"},
                {"type": "contains", "value": "b", "weight": 2},
            ],
        }
    )
    assert written == [{"contains": "a"}, {"type": "contains", "value": "b", "weight": 2}]


def test_values_come_from_text_and_data_files(tmp_path: Path) -> None:
    (tmp_path / "expected.txt").write_text(" Oslo\n", "utf-8")
    (tmp_path / "schema.yaml").write_text("type: object\n", "utf-8")
    (tmp_path / "expected.json").write_text('{"a": 1}', "utf-8")
    written, findings = read(
        {"type": "contains", "value": "file://expected.txt"},
        {"type": "is-json", "value": "file://schema.yaml"},
        {"type": "equals", "value": "file://expected.json"},
        {"type": "contains-any", "value": ["file://expected.txt", "x"]},
        folder=tmp_path,
    )
    assert findings.left_out == []
    assert written == [
        {"contains": "Oslo"},
        {"json_schema": {"$schema": DRAFT, "type": "object"}},
        {"json_equals": {"a": 1}},
        {"contains_any": ["Oslo", "x"]},
    ]
