from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from eval_pipeline.domain.json_equality import check_json, first_difference, json_equal
from eval_pipeline_tests.domain.strategies import frames_left, json_values


@given(json_values())
def test_a_value_equals_its_copy(value: Any) -> None:
    assert json_equal(value, json.loads(json.dumps(value)))


@given(json_values(), json_values())
def test_equality_has_no_direction(left: Any, right: Any) -> None:
    assert json_equal(left, right) == json_equal(right, left)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (0.1, Decimal("0.1"), True),
        (0.1 + 0.2, 0.3, False),
        (0.5, Fraction(1, 2), True),
        (-0.0, 0, True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        ("1", 1, False),
        ([1, 2], (1, 2), True),
        ({}, [], False),
        ("caf\u00e9", "cafe\u0301", True),
        ({"caf\u00e9": 1}, {"cafe\u0301": 1}, True),
        ([True], [1], False),
    ],
)
def test_values_are_equal_or_are_not(left: object, right: object, equal: bool) -> None:
    assert json_equal(left, right) is equal


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), Decimal("NaN"), {1, 2}, b"x", object(), {1: 2}]
)
def test_what_is_no_json_cannot_be_compared(value: Any) -> None:
    with pytest.raises(ValueError):
        json_equal(value, value)
    with pytest.raises(ValueError):
        check_json([value])


def test_deep_values_are_compared_whatever_the_stack() -> None:
    left, right = (json.loads("[" * 400 + digit + "]" * 400) for digit in "12")

    def deeper(frames: int) -> str | None:
        return deeper(frames - 1) if frames else first_difference(left, right)

    assert "expected 1, found 2" in str(deeper(frames_left(60))) or "characters" in str(
        deeper(frames_left(60))
    )
