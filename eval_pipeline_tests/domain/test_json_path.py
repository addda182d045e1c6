from __future__ import annotations

import json
from typing import Any

import jsonpath_rfc9535
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.json_path import PathFault, compile_path, values_at
from eval_pipeline_tests.domain.strategies import any_text, frames_left

DOCUMENT = {
    "user.name": "x",
    "user": {"name": "y", "": 1},
    "id": 9007199254740993,
    "list": [{"n": 1, "t": "a"}, {"n": True}, {"n": 1.0, "t": "abc"}, {"n": None}, {"n": [1]}, {"n": "1"}],
    "café": 0,
}


def found(path: str, value: Any = DOCUMENT) -> list[Any]:
    return values_at(compile_path(path), value)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$.user.name", ["y"]),
        ("$['user.name']", ["x"]),
        ("$['user']['']", [1]),
        ("$.café", [0]),
        ("$.nope", []),
        ("$.user[0]", []),
        ("$.list.n", []),
        ("$.list[0].n", [1]),
        ("$.list[-1].n", ["1"]),
        ("$.list[6]", []),
        ("$.list[-7]", []),
        ("$.list[1:3].n", [True, 1.0]),
        ("$.list[::-2].n", ["1", None, True]),
        ("$.list[::0]", []),
        ("$.list[*].t", ["a", "abc"]),
        ("$.list[0, 1, 0].n", [1, True, 1]),
        ("$..name", ["y"]),
        ("$..t", ["a", "abc"]),
        ("$.list[?@.n == 1].n", [1, 1.0]),
        ("$.list[?@.n == true].n", [True]),
        ("$.list[?@.n == null].n", [None]),
        ("$.list[?@.n == '1'].n", ["1"]),
        ("$.list[?@.n != 1].n", [True, None, [1], "1"]),
        ("$.list[?@.n >= 1].n", [1, 1.0]),
        ("$.list[?@.n < 1e0].n", []),
        ("$.list[?@.t > 'a'].t", ["abc"]),
        ("$.list[?@.t].n", [1, 1.0]),
        ("$.list[?!@.t].n", [True, None, [1], "1"]),
        ("$.list[?@.t && @.n > 0].n", [1, 1.0]),
        ("$.list[?(@.n == null || @.t == 'a')].n", [1, None]),
        ("$.list[?length(@.t) == 3].t", ["abc"]),
        ("$.list[?count(@.*) == 2].t", ["a", "abc"]),
        ("$.list[?value(@..t) == 'a'].n", [1]),
        ("$.list[?@.nope == @.gone].t", ["a", "abc"]),
        ("$[?@ == 9007199254740993]", [9007199254740993]),
        ("$[?@ == 9007199254740992]", []),
        ("$[?@ == 9007199254740992.0]", []),
        ("$.list[?@.n == $.list[4].n].n", [[1]]),
    ],
)
def test_a_path_leads_to_its_values(path: str, values: list[Any]) -> None:
    assert json.dumps(found(path)) == json.dumps(values)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "user",
        "$id",
        "$.",
        "$..",
        "$[",
        " $.a",
        "$.a ",
        "$[01]",
        "$[?@.a==$..b]",
        "$[?length(@.a)]",
        "$[?nope(@.a)]",
        "$[?match(@.a, '(a+)+')]",
        "$[?search(@.a, '(a+)+')]",
        "$[99999999999999999999]",
        "$[?@ == 1e999]",
        "$['\x00']",
        "\ud800",
        "$[?" + "(" * 600 + "@" + ")" * 600 + "]",
        "$" + "[?@" * 300 + "]" * 300,
        "$[?" + "!" * 1500 + "@]",
        "$" + ".a" * 1000,
    ],
)
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(PathFault):
        compile_path(path)


def test_the_reason_says_how_a_path_begins() -> None:
    with pytest.raises(PathFault, match=r"no JSONPath.*a path begins with \$"):
        compile_path("user.name")


names = st.sampled_from(["a", "b", ""])
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([0.5, 1.0, "a", "ab"]),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(names, values, max_size=3),
    max_leaves=10,
)
segments = st.sampled_from(
    [".a", "..b", "[*]", "[0]", "[-1]", "[1:]", "[::-1]", "..*", "['']", "[0,'a']"]
) | st.sampled_from(
    [
        "[?@.a]",
        "[?@.a == 1]",
        "[?@ < 2 || !@.b]",
        "[?count(@.*) > 1]",
        "[?length(@) == 2 && @ != 'ab']",
        "[?$.a == @.a]",
        "[?@[0] == 0.5]",
    ]
)


@given(documents, st.lists(segments, max_size=3).map(lambda parts: "$" + "".join(parts)))
def test_values_are_those_that_the_library_finds(document: Any, path: str) -> None:
    expected = jsonpath_rfc9535.find(path, document).values()
    assert json.dumps(found(path, document)) == json.dumps(expected)


@given(any_text | st.text(st.sampled_from("$.[]?@*'a1:,()!=<>&|")).map(lambda rest: "$" + rest))
def test_any_text_is_a_path_or_is_refused(text: str) -> None:
    try:
        path = compile_path(text)
    except PathFault:
        return
    assert isinstance(values_at(path, DOCUMENT), list)


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "path",
    [
        "$..*",
        "$..*..*..*",
        "$[*][*]",
        "$..[?count($..*) > 1]",
        "$..[?@ == $]",
        "$..[?@.a == @.b]",
        "$[?@[?@[?@]]]",
        "$..[::-1]",
    ],
)
@pytest.mark.parametrize(
    "document", ["[" * 499 + "]" * 499, "[" + "[]," * 60_000 + "1]", "[" + '{"a":{}},' * 20_000 + "1]"]
)
def test_a_path_through_a_hostile_document_ends_in_time(path: str, document: str) -> None:
    value = json.loads(document)
    try:
        assert isinstance(found(path, value), list)
    except PathFault as fault:
        assert "more than 100000 values" in str(fault)  # noqa: PT017


def test_a_name_in_a_long_list_costs_no_walk_through_the_list() -> None:
    assert found("$.list[200000]", {"list": list(range(300_000))}) == [200_000]


def test_a_deep_value_is_walked_whatever_the_stack() -> None:
    value = json.loads("[" * 300 + "1" + "]" * 300)

    def deeper(frames: int) -> list[Any]:
        return deeper(frames - 1) if frames else found("$..[?@ == 1]", value)

    assert deeper(frames_left(100)) == [1]


def test_filters_that_nest_too_deeply_for_the_stack_are_a_fault() -> None:
    path = compile_path("$" + "[?@" * 20 + "]" * 20)
    value = json.loads("[" * 30 + "]" * 30)

    def deeper(frames: int) -> list[Any]:
        return deeper(frames - 1) if frames else values_at(path, value)

    with pytest.raises(PathFault, match="nest too deeply"):
        deeper(frames_left(40))
