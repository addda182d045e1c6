from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.canonical import canonical_json, content_hash
from eval_pipeline_tests.domain.strategies import (
    LARGEST_SAFE_INTEGER,
    finite_floats,
    json_values,
    names,
    safe_integers,
)

exact_in_json = json_values(safe_integers | finite_floats)


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_canonical_text_agrees_with_the_vectors_of_rfc_8785(name: str, shared_data: Path) -> None:
    with tarfile.open(shared_data / "json" / "jcs_testdata.tar.gz") as archive:
        given_text, wanted = (
            archive.extractfile(f"testdata/{folder}/{name}.json").read() for folder in ("input", "output")
        )
    assert canonical_json(json.loads(given_text)) == wanted


@given(st.dictionaries(names, exact_in_json))
def test_the_order_of_keys_changes_nothing(value: dict[str, Any]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@given(safe_integers)
def test_a_whole_number_is_the_same_whether_it_was_written_with_a_point(number: int) -> None:
    assert canonical_json(float(number)) == canonical_json(number)


@given(exact_in_json)
def test_reading_canonical_text_gives_the_value_back(value: object) -> None:
    assert json.loads(canonical_json(value), parse_int=float) == value


@given(st.integers(min_value=LARGEST_SAFE_INTEGER), st.sampled_from([1, -1]))
def test_integers_beyond_doubles_keep_their_last_digit(number: int, sign: int) -> None:
    assert canonical_json(sign * number) != canonical_json(sign * (number + 1))


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), (0, None), ("1", 1), ("", None), ([], {}), ([1], 1)]
)
def test_values_of_different_kinds_never_share_a_text(one: object, other: object) -> None:
    assert canonical_json({"value": one}) != canonical_json({"value": other})


@pytest.mark.parametrize("same", [("a", 1), MappingProxyType({"k": ("a",)})])
def test_any_mapping_and_sequence_is_taken(same: Any) -> None:
    plain = ["a", 1] if isinstance(same, tuple) else {"k": ["a"]}
    assert canonical_json(same) == canonical_json(plain)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    "place", [lambda value: value, lambda value: [value], lambda value: {"k": {"k": value}}]
)
def test_a_number_that_is_not_finite_is_refused_wherever_it_stands(place: Any, number: float) -> None:
    with pytest.raises(ValueError):
        canonical_json(place(number))


@pytest.mark.parametrize("value", ["\ud800", ["a\udfff"], {"\ud800": 1}])
def test_a_lone_surrogate_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        canonical_json(value)


def test_the_content_hash_is_the_sha_256_of_the_canonical_text() -> None:
    assert content_hash({"b": 1.0, "a": "é"}) == hashlib.sha256('{"a":"é","b":1}'.encode()).hexdigest()
