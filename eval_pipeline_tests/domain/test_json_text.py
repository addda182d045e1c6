from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.json_text import MAX_DEPTH, JsonFault, read_json
from eval_pipeline_tests.domain.strategies import any_text, frames_left, json_values

nearly_json = st.text('[]{}",:\\ \n\ufeff019.eE+-truefalsnINiyu\ud800\x00', max_size=40)


@given(json_values(texts=any_text), st.booleans(), st.sampled_from([None, 2]))
def test_valid_json_is_read_as_the_standard_library_reads_it(
    value: object, ascii_only: bool, indent: Any
) -> None:
    written = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert repr(read_json(written)) == repr(value)


@given(any_text | nearly_json | json_values().map(json.dumps).map(lambda written: written[:-1]))
def test_no_text_raises_anything_but_a_json_fault(written: str) -> None:
    with contextlib.suppress(JsonFault):
        read_json(written)


@given(any_text | nearly_json)
def test_what_is_read_can_be_written_as_json(written: str) -> None:
    with contextlib.suppress(JsonFault):
        json.dumps(read_json(written), allow_nan=False)


@pytest.mark.parametrize(
    "written",
    ["NaN", "Infinity", "-Infinity", '{"score": NaN}', "[1, [-Infinity]]", "nan", "1e999", "[-1e999]"],
)
def test_a_number_that_is_not_finite_is_no_json(written: str) -> None:
    with pytest.raises(JsonFault):
        read_json(written)


@pytest.mark.parametrize(
    "written",
    ["", " ", "01", "+1", ".5", "1.", "0x1", "'a'", "{a: 1}", "[1,]", '{"a": 1,}', '"\t"', "1 2", "{} {}", "True",
     "undefined", "// note\n1", "\u00a01", "```json\n1\n```", "Here it is: 1"],
)  # fmt: skip
def test_a_text_beyond_rfc_8259_is_refused(written: str) -> None:
    with pytest.raises(JsonFault):
        read_json(written)


@pytest.mark.parametrize(
    ("written", "value"), [("0", 0), ("false", False), ("null", None), ('""', ""), ("[]", [])]
)
def test_a_falsy_value_is_a_value(written: str, value: object) -> None:
    assert repr(read_json(f" {written}\n")) == repr(value)


@pytest.mark.parametrize("number", [2**53 + 1, -(2**63) - 1, 10**400])
def test_a_large_integer_stays_exact(number: int) -> None:
    assert read_json(str(number)) == number


@pytest.mark.parametrize("brackets", ["[]", '{"k":}'])
def test_nesting_is_bounded(brackets: str) -> None:
    opening, closing = brackets[:-1], brackets[-1]
    deepest = opening * (MAX_DEPTH - 1) + "[]" + closing * (MAX_DEPTH - 1)
    assert read_json(deepest)
    with pytest.raises(JsonFault, match="nested"):
        read_json(opening + deepest + closing)


@pytest.mark.parametrize("many", [["["] * 1000, ["{[\\"] * 1000, [[]] * 1000])
def test_brackets_that_do_not_nest_are_not_counted(many: list[Any]) -> None:
    assert read_json(json.dumps(many)) == many


@pytest.mark.parametrize("frames", [50, 250, 450])
def test_deep_nesting_is_a_json_fault_however_deep_the_caller_already_is(frames: int) -> None:
    def below(depth: int, act: Callable[[], object]) -> object:
        return below(depth - 1, act) if depth > 0 else act()

    def read() -> None:
        with contextlib.suppress(JsonFault):
            read_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)

    below(frames_left(frames), read)


@pytest.mark.parametrize(
    "written", ['{"a": 1, "a": 2}', '[{"b": {"a": 1, "a": 1}}]', '{"a": 1, "\\u0061": 2}']
)
def test_a_repeated_key_is_refused_where_keys_must_be_unique(written: str) -> None:
    with pytest.raises(JsonFault, match="'a' is given twice"):
        read_json(written, unique_keys=True)


def test_the_last_of_repeated_keys_counts_elsewhere() -> None:
    assert read_json('{"a": 1, "a": 2}') == {"a": 2}


def test_a_fault_says_where_it_is() -> None:
    with pytest.raises(JsonFault, match="line 2, column 6"):
        read_json('{\n"a": x}')


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("json-09-bom.txt", {"a": 1}),
        ("json-10-scalar.txt", 42),
        ("json-12-int-400-digits.txt", {"n": 10**400}),
        ("json-15-lone-surrogate.txt", {"s": "\ud83d"}),
        ("json-16-nul-escape.txt", {"s": "a\x00b"}),
        ("json-17-six-digit-escape.txt", {"temp": "21\x00b7C"}),
        ("json-18-big-int-53bit.txt", {"id": 9007199254740993}),
        ("json-23-empty-object.txt", {}),
        ("json-25-falsy-values.txt", {"n": 0, "s": "", "b": False, "l": []}),
        ("json-27-false.txt", False),
        ("json-28-null.txt", None),
        ("json-29-key-with-dot.txt", {"user.name": "x", "user": {"name": "y"}, "": 1}),
    ],
)
def test_an_answer_that_is_json_is_read(name: str, value: object, shared_cases: Path) -> None:
    assert repr(read_json((shared_cases / name).read_bytes().decode())) == repr(value)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("json-01-nan.txt", "NaN is not JSON"),
        ("json-02-infinity.txt", "Infinity is not JSON"),
        ("json-08-single-quotes.txt", "line 1, column 2"),
        ("json-11-int-4301-digits.txt", "too many digits"),
        ("json-13-deep-5000.txt", "nested deeper"),
        ("json-19-comments.txt", "line 1, column 9"),
        ("json-20-truncated.txt", "line 1"),
        ("json-21-two-objects.txt", "line 2, column 1"),
        ("json-26-empty.txt", "line 1, column 1"),
    ],
)
def test_an_answer_that_is_not_json_is_refused_with_a_reason(
    name: str, reason: str, shared_cases: Path
) -> None:
    with pytest.raises(JsonFault, match=reason):
        read_json((shared_cases / name).read_bytes().decode())
