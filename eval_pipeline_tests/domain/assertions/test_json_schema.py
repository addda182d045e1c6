from __future__ import annotations

import contextlib
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from jsonschema_specifications import REGISTRY
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from eval_pipeline.domain.assertions import JsonSchema, Outcome
from eval_pipeline.domain.assertions.documents import MAX_JSON
from eval_pipeline.domain.assertions.json_schema import bounded
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.responses import TRUNCATED, Reply
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text, json_values

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DIFFERS_BY_DESIGN = [
    ("vocabulary.json", "no validation: invalid number, but it still validates")  # a metaschema of its own
]
CHECKED_ON_PURPOSE = "format.json"
PAGE = Path(__file__).parents[3] / "docs" / "json-schema.md"
ROW = re.compile(r"^\| `(?P<file>[\w.]+)` \| (?P<refused>\d+) \| (?P<different>\d+) \|", re.MULTILINE)

# Every keyword and place in which a schema can have a pattern; the subject is a property's name or value.
PLACES_OF_PATTERNS: dict[str, Any] = {
    "pattern": lambda pattern, subject: ({"pattern": pattern}, subject),
    "propertyNames": lambda pattern, subject: ({"propertyNames": {"pattern": pattern}}, {subject: 1}),
    "additionalProperties": lambda pattern, subject: (
        {"patternProperties": {pattern: {}}, "additionalProperties": False},
        {subject: 1},
    ),
    "unevaluatedProperties": lambda pattern, subject: (
        {"patternProperties": {pattern: {}}, "unevaluatedProperties": False},
        {subject: 1},
    ),
    "unevaluatedProperties before a reference": lambda pattern, subject: (
        {
            "$defs": {"named": {"patternProperties": {pattern: {}}}},
            "properties": {"o": {"unevaluatedProperties": False, "$ref": "#/$defs/named"}},
        },
        {"o": {subject: 1}},
    ),
    "below a reference to the whole": lambda pattern, subject: (
        {"$schema": DIALECT, "properties": {"child": {"$ref": "#"}, "name": {"pattern": pattern}}},
        {"child": {"name": subject}},
    ),
    "below a schema that names its dialect": lambda pattern, subject: (
        {"properties": {"name": {"$id": "urn:name", "$schema": DIALECT, "pattern": pattern}}},
        {"name": subject},
    ),
    "in an older draft": lambda pattern, subject: (
        {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": pattern},
        subject,
    ),
}  # fmt: skip
in_every_place = pytest.mark.parametrize("place", PLACES_OF_PATTERNS.values(), ids=PLACES_OF_PATTERNS)


def checked(schema: Any, answer: str, **reply: Any) -> Outcome:
    return JsonSchema(schema).check(answered(reply=Reply(answer, finish_reason="stop", **reply)))


def valid(schema: Any, instance: object) -> bool:
    return checked(schema, json.dumps(instance)).passed


def case(folder: Path, name: str) -> str:
    return (folder / name).read_bytes().decode()


def test_without_formats_and_with_its_own_schemas_at_hand_the_suite_is_met(shared_data: Path) -> None:
    from jsonschema import Draft202012Validator, validators

    registry = suite_registry(shared_data)
    count, different = 0, []
    for file, group in suite(shared_data):
        draft = validators.validator_for(group["schema"], default=Draft202012Validator)
        validator = bounded(draft)(group["schema"], registry=registry)
        for each in group["tests"]:
            count += 1
            if validator.is_valid(each["data"]) != each["valid"]:
                different.append((file, each["description"]))
    assert count == 1299
    assert different == DIFFERS_BY_DESIGN


def test_the_page_counts_where_verdicts_differ_from_the_suite(shared_data: Path) -> None:
    refused: Counter[str] = Counter()
    different: Counter[str] = Counter()
    count = 0
    for file, group in suite(shared_data):
        count += len(group["tests"])
        try:
            assertion = JsonSchema(group["schema"])
        except DefinitionError:
            refused[file] += len(group["tests"])
        else:
            different[file] += len(disagreements(assertion, group))
    page = PAGE.read_text(encoding="utf-8")
    rows = {row["file"]: (int(row["refused"]), int(row["different"])) for row in ROW.finditer(page)}
    files = sorted(+(refused + different))
    assert rows == {file: (refused[file], different[file]) for file in files}
    total = refused.total() + different.total()
    for figure in (
        f"{count} required cases",
        f"agrees with {count - 1}",
        f"{count - total} cases agree",
        f"{total} do not",
    ):
        assert figure in " ".join(page.split())


def test_formats_are_checked_where_the_suite_leaves_the_choice(shared_data: Path) -> None:
    for file, group in suite(shared_data):
        if file == CHECKED_ON_PURPOSE:
            *_, bad = group["tests"]
            assert disagreements(JsonSchema(group["schema"]), group) == [bad["description"]]


def disagreements(assertion: JsonSchema, group: dict[str, Any]) -> list[str]:
    verdicts = [assertion.check(answered(json.dumps(each["data"]))).passed for each in group["tests"]]
    return [
        each["description"]
        for each, passed in zip(group["tests"], verdicts, strict=True)
        if passed != each["valid"]
    ]


def suite(shared_data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, content in suite_files(shared_data):
        *folders, file = name.split("/")
        if folders == ["tests", "draft2020-12"]:
            yield from ((file, group) for group in content)


def suite_registry(shared_data: Path) -> Registry[Any]:
    """The schemas that the suite refers to, where it refers to them."""
    schemas = {
        name.replace("remotes/", "http://localhost:1234/"): content
        for name, content in suite_files(shared_data)
        if name.startswith("remotes/")
    }
    return REGISTRY.with_resources(
        (place, Resource.from_contents(schema, default_specification=DRAFT202012))
        for place, schema in schemas.items()
    )


def suite_files(shared_data: Path) -> Iterator[tuple[str, Any]]:
    with tarfile.open(shared_data / "json_schema" / "draft2020-12.tar.gz") as archive:
        for member in archive:
            if member.name.endswith(".json"):
                yield member.name, json.load(archive.extractfile(member))


@pytest.mark.parametrize(
    ("draft", "schema", "good", "bad"),
    [
        ("http://json-schema.org/draft-03/schema#", {"properties": {"a": {"required": True}}}, {"a": 1}, {}),
        ("http://json-schema.org/draft-04/schema#", {"minimum": 1, "exclusiveMinimum": True}, 2, 1),
        ("http://json-schema.org/draft-06/schema#", {"contains": {"const": 1}}, [1], [2]),
        ("http://json-schema.org/draft-07/schema#", {"dependencies": {"a": ["b"]}}, {"b": 1}, {"a": 1}),
        ("http://json-schema.org/draft-07/schema", {"if": {"const": 1}, "then": False}, 2, 1),
        (
            "https://json-schema.org/draft/2019-09/schema",
            {"items": {"$recursiveRef": "#"}, "type": "array"},
            [[[]]],
            [[1]],
        ),
        ("https://json-schema.org/draft/2020-12/schema", {"prefixItems": [{"const": 1}]}, [1], [2]),
    ],
)
def test_every_draft_is_understood_when_the_schema_names_it(
    draft: str, schema: Any, good: Any, bad: Any
) -> None:
    assert valid({"$schema": draft, **schema}, good)
    assert not valid({"$schema": draft, **schema}, bad)


@pytest.mark.parametrize("draft", ["https://schemas.example.invalid/mine", "draft-07", "", 7, None])
def test_an_unknown_draft_is_refused(draft: object) -> None:
    with pytest.raises(DefinitionError, match="draft"):
        JsonSchema({"$schema": draft})


WHERE_SCHEMAS_NEST: list[Any] = [
    lambda schema: schema,
    lambda schema: {"properties": {"a": schema}},
    lambda schema: {"patternProperties": {"^a": schema}},
    lambda schema: {"items": schema},
    lambda schema: {"prefixItems": [{}, schema]},
    lambda schema: {"anyOf": [{}, {"not": schema}]},
    lambda schema: {"if": {}, "else": schema},
    lambda schema: {"$defs": {"unused": schema}},
    lambda schema: {"dependentSchemas": {"a": {"allOf": [schema]}}},
    lambda schema: {"contains": {"additionalProperties": schema}},
]


@pytest.mark.parametrize("nested", WHERE_SCHEMAS_NEST)
@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        ({"requried": ["a"]}, "unknown keyword 'requried'.*'required'"),
        ({"type": "strnig"}, "strnig"),
        ({"format": "datetime"}, "unknown format 'datetime'.*'date-time'"),
        ({"required": "a"}, "array"),
        ({"minimum": "1"}, "number"),
        ({"pattern": "("}, r"\("),
        ({"patternProperties": {"[": {}}}, r"\["),
        ({"$ref": "https://schemas.example.invalid/city.json"}, "nothing outside it is read"),
        ({"$ref": "file:///etc/hostname"}, "nothing outside it is read"),
        ({"$ref": "other.json"}, "nothing outside it is read"),
        ({"$ref": "#/$defs/nope"}, "leads nowhere"),
        ({"$dynamicRef": "#nope"}, "leads nowhere"),
    ],
)
def test_a_fault_is_refused_at_any_depth_of_a_schema(nested: Any, faulty: Any, reason: str) -> None:
    with pytest.raises(DefinitionError, match=rf"(?s)schema is faulty.*{reason}"):
        JsonSchema(nested(faulty))


@pytest.mark.parametrize(
    "name",
    [
        "schema-02-file-ref.json",
        "schema-12-typo-keyword.json",
        "schema-13-typo-type.json",
        "schema-18-recursive.json",
    ],
)
def test_a_schema_that_means_less_than_it_seems_to_is_refused(name: str, shared_cases: Path) -> None:
    with pytest.raises(DefinitionError, match="schema is faulty"):
        JsonSchema(case(shared_cases, name))


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    ],
)
def test_a_schema_that_only_refers_to_itself_is_refused(schema: Any) -> None:
    with pytest.raises(DefinitionError, match="without end"):
        JsonSchema(schema)


def test_a_schema_that_refers_to_itself_on_some_answers_only_is_not_measurable_there() -> None:
    schema = {"properties": {"a": {"$ref": "#/properties/a"}}}
    assert valid(schema, {"b": 1})
    with pytest.raises(NotMeasurable):
        valid(schema, {"a": 1})


@pytest.mark.parametrize(
    "schema", ["", "{", "[]", "true", '{"type": "object", "type": "array"}', True, None, 5, ["a"]]
)
def test_what_is_no_schema_is_refused(schema: object) -> None:
    with pytest.raises(DefinitionError, match="schema"):
        JsonSchema(schema)


def test_a_schema_may_be_given_as_text() -> None:
    assert JsonSchema('{"type": "object"}').value == {"type": "object"}


@pytest.mark.parametrize("keyword", ["const", "default", "enum", "examples"])
def test_data_within_a_schema_is_no_schema(keyword: str) -> None:
    data = {"requried": 1, "$ref": "x.json", "format": "nope", "patternProperties": {"(": 1}}
    schema = {keyword: [data] if keyword in ("enum", "examples") else data, "unevaluatedProperties": {}}
    assert valid(schema, data)


@pytest.mark.parametrize("name", ["$ref", "requried", "format", "pattern", "$schema", "$id"])
def test_a_property_may_be_called_like_a_keyword(name: str) -> None:
    schema = {"properties": {name: {"type": "integer"}}}
    assert valid(schema, {name: 1})
    assert not valid(schema, {name: "1"})


def test_notes_of_ones_own_start_with_x() -> None:
    assert valid({"x-note": {"requried": 1}, "$comment": "why", "title": "Person"}, 1)


def test_references_within_the_schema_are_followed() -> None:
    tree = {
        "$ref": "#/$defs/node",
        "$defs": {"node": {"required": ["n"], "properties": {"c": {"items": {"$ref": "#/$defs/node"}}}}},
    }
    assert valid(tree, {"n": 1, "c": [{"n": 2}]})
    assert not valid(tree, {"n": 1, "c": [{"n": 2, "c": [{}]}]})


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2026-02-28", "2026-02-30"),
        ("date-time", "2026-01-02T03:04:05Z", "soon"),
        ("time", "03:04:05Z", "3 o'clock"),
        ("duration", "P1DT2H", "two days"),
        ("email", "jo@example.org", "jo@"),
        ("idn-email", "jø@example.org", "jø"),
        ("hostname", "example.org", "-example.org"),
        ("idn-hostname", "blåbær.example", "〮a"),
        ("ipv4", "192.0.2.44", "999.300.1.1"),
        ("ipv6", "2001:db8::1", "2001:db8::g"),
        ("uri", "https://example.org/a?b=c", "/a b"),
        ("uri-reference", "/a?b=c", "\\a"),
        ("uri-template", "/a/{b}", "/a/{b"),
        ("iri", "https://example.org/å", "å b"),
        ("iri-reference", "/å", "\\å"),
        ("json-pointer", "/a/0", "a/0"),
        ("relative-json-pointer", "1/a", "/a"),
        ("regex", "^a+$", "^(a"),
        ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "7"),
    ],
)
def test_every_format_is_checked(name: str, good: str, bad: str) -> None:
    assert valid({"format": name}, good)
    assert not valid({"format": name}, bad)
    assert valid({"format": name}, 7)


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("date", "2026-02-28"),
        ("date-time", "2026-01-02T03:04:05Z"),
        ("time", "03:04:05Z"),
        ("duration", "P1D"),
        ("email", "jo@example.org"),
        ("idn-email", "jo@example.org"),
        ("hostname", "example.org"),
        ("idn-hostname", "example.org"),
        ("ipv4", "192.0.2.44"),
        ("ipv6", "2001:db8::1"),
        ("uri", "https://example.org/a"),
        ("uri-reference", "/a"),
        ("iri", "https://example.org/a"),
        ("iri-reference", "/a"),
        ("relative-json-pointer", "1"),
        ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
    ],
)
def test_no_format_lets_a_final_line_end_pass(name: str, good: str) -> None:
    assert not valid({"format": name}, f"{good}\n")


def test_a_value_of_another_format_fails(shared_cases: Path) -> None:
    assert not checked(case(shared_cases, "schema-10-format-uuid.json"), '{"id": "abc"}').passed


@in_every_place
def test_a_pattern_is_matched_wherever_it_stands(place: Any) -> None:
    assert valid(*place("^ok$", "ok"))
    assert not valid(*place("^ok$", "no"))


@in_every_place
def test_a_dollar_in_a_schema_is_the_very_end(place: Any) -> None:
    assert not valid(*place("^ok$", "ok\n"))


@in_every_place
@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        (r"^\p{L}+$", "é", "1"),
        (r"^\p{Lu}$", "É", "é"),
        (r"^\u00e9$", "é", "e"),
        ("^[^]$", "é", "éé"),
        ("a|[]", "a", "b"),
        (r"^\p{Letter}+$", "é", "1"),
        (r"^[\p{Lowercase_Letter}\p{digit}]$", "é", "É"),
        (r"^\P{gc=Letter}$", "1", "a"),
        (r"^\p{General_Category=Uppercase_Letter}$", "É", "é"),
        (r"^\p{Script=Greek}$", "λ", "l"),
        (r"^\p{scx=Greek}$", "λ", "l"),
        (r"^\\p\{L\}$", r"\p{L}", "a"),
    ],
)
def test_a_pattern_of_ecma_262_keeps_its_meaning(place: Any, pattern: str, good: str, bad: str) -> None:
    assert valid(*place(pattern, good))
    assert not valid(*place(pattern, bad))


@in_every_place
@pytest.mark.timeout(2)
@pytest.mark.parametrize(("pattern", "subject"), [("^(a|aa)+$", "a" * 40 + "b"), ("^(x+x+)+y$", "x" * 40)])
def test_a_pattern_that_backtracks_without_end_is_given_up_or_decided_in_time(
    place: Any, pattern: str, subject: str
) -> None:
    with contextlib.suppress(NotMeasurable):
        assert not valid(*place(pattern, subject))


@in_every_place
def test_a_lone_surrogate_in_an_answer_can_be_matched(place: Any) -> None:
    assert not valid(*place("^ok$", "\ud83d"))


@pytest.mark.timeout(3)
def test_many_objects_are_compared_for_uniqueness_in_time() -> None:
    items: list[object] = [{"id": number, "tags": [number]} for number in range(3000)]
    assert valid({"uniqueItems": True}, items)
    assert not valid({"uniqueItems": True}, [*items, {"tags": [0.0], "id": 0}])
    assert valid({"uniqueItems": True}, [*items, {"tags": [False], "id": 0}])


@given(any_text)
def test_under_the_empty_schema_exactly_json_passes(answer: str) -> None:
    try:
        read_json(answer)
        is_json = True
    except JsonFault:
        is_json = False
    assert checked({}, answer).passed == is_json


@given(json_values(texts=any_text))
@example("\ud83d")
@example({"a\ud83d": "\ud83d"})
def test_any_json_gets_a_verdict_or_is_not_measurable(instance: object) -> None:
    schema = {
        "type": ["object", "array", "number"],
        "patternProperties": {"^a": {"format": "email", "pattern": "b"}},
        "propertyNames": {"pattern": "c"},
        "items": {"multipleOf": 0.1, "minimum": 1, "format": "date-time"},
        "uniqueItems": True,
        "unevaluatedProperties": False,
    }
    with contextlib.suppress(NotMeasurable):
        assert valid(schema, instance) in (True, False)


@pytest.mark.parametrize(
    ("name", "schema", "passed"),
    [
        ("json-01-nan.txt", {}, False),
        ("json-02-infinity.txt", {}, False),
        ("json-08-single-quotes.txt", {}, False),
        ("json-09-bom.txt", {"required": ["a"]}, True),
        ("json-10-scalar.txt", {}, True),
        ("json-10-scalar.txt", {"type": "object", "required": ["a"]}, False),
        ("json-15-lone-surrogate.txt", {"properties": {"s": {"type": "string"}}}, True),
        ("json-16-nul-escape.txt", {"properties": {"s": {"maxLength": 3, "minLength": 3}}}, True),
        ("json-17-six-digit-escape.txt", {"required": ["temp"]}, True),
        ("json-18-big-int-53bit.txt", {"properties": {"id": {"const": 9007199254740993}}}, True),
        ("json-18-big-int-53bit.txt", {"properties": {"id": {"const": 9007199254740992}}}, False),
        ("json-19-comments.txt", {}, False),
        ("json-20-truncated.txt", {}, False),
        ("json-21-two-objects.txt", {}, False),
        ("json-23-empty-object.txt", {"type": "object"}, True),
        ("json-23-empty-object.txt", {"type": "array"}, False),
        ("json-23-empty-object.txt", {"required": ["a"]}, False),
        ("json-25-falsy-values.txt", {"required": ["n", "s", "b", "l"]}, True),
        ("json-26-empty.txt", {}, False),
        ("json-27-false.txt", {"type": "boolean"}, True),
        ("json-28-null.txt", {"type": "null"}, True),
        ("json-28-null.txt", {"type": "object"}, False),
        ("json-29-key-with-dot.txt", {"required": ["user.name", ""]}, True),
    ],
)
def test_an_answer_gets_its_verdict(name: str, schema: Any, passed: bool, shared_cases: Path) -> None:
    outcome = checked(schema, case(shared_cases, name))
    assert outcome.passed == passed
    assert outcome.message.encode()


def test_a_number_that_is_none_never_satisfies_a_range(shared_cases: Path) -> None:
    schema = case(shared_cases, "schema-16-min-max.json")
    assert checked(schema, '{"ratio": 0.5}').passed
    for ratio in ("NaN", "Infinity", "-Infinity", "2"):
        assert not checked(schema, f'{{"ratio": {ratio}}}').passed


def test_a_number_of_four_hundred_digits_is_compared_exactly(shared_cases: Path) -> None:
    answer = case(shared_cases, "json-12-int-400-digits.txt")
    assert checked({"properties": {"n": {"multipleOf": 0.5}}}, answer).passed
    assert not checked({"properties": {"n": {"multipleOf": 7}}}, answer).passed


@pytest.mark.parametrize(
    ("factor", "number", "is_multiple"),
    [(0.01, 19.99, True), (0.01, 4.35, True), (0.1, 0.3, True), (0.01, 0.005, False), (3, 7, False)],
)
def test_multiples_are_told_by_the_digits_as_written(factor: float, number: float, is_multiple: bool) -> None:
    assert valid({"multipleOf": factor}, number) is is_multiple


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^[({[]\d+[\])}]$", "[1]"),
        (r"^[a[]b]$", "ab]"),
        (r"^[[]x]$", "[x]"),
        (r"^[\[]]$", "[]"),
        (r"^[^[]+$", "ab"),
        (r"^\[]$", "[]"),
        (r"^\\u0041$", "\\u0041"),
        (r"^\u0041$", "A"),
        (r"^\ud83d\ude00$", "\U0001f600"),
        (r"^[^]$", "\n"),
    ],
)
def test_brackets_and_escapes_mean_what_ecmascript_means(pattern: str, text: str) -> None:
    assert valid({"pattern": pattern}, text)
    assert not valid({"pattern": pattern}, "")


def test_an_answer_too_deep_for_a_recursive_schema_is_not_measurable() -> None:
    with pytest.raises(NotMeasurable, match="deep"):
        checked({"items": {"$ref": "#"}}, "[" * 500 + "]" * 500)


def test_an_answer_too_long_to_be_read_is_not_measurable() -> None:
    with pytest.raises(NotMeasurable, match="too long"):
        checked({}, "1" + " " * MAX_JSON)


def test_an_answer_that_was_cut_off_says_so() -> None:
    assert "token limit" in checked({}, '{"items": ["a"', flags=(TRUNCATED,)).message
    assert "token limit" not in checked({}, '{"items": ["a"').message


@pytest.mark.parametrize("text", [None, ""])
def test_an_answer_of_tool_calls_alone_has_no_json_to_measure(text: str | None) -> None:
    with pytest.raises(NotMeasurable, match="no text"):
        checked({}, text, tool_calls=({"function": {"name": "lookup"}},))


@pytest.mark.parametrize("around", ["```json\n{}\n```", "Here you go: {}", "{} Hope this helps!"])
def test_json_within_other_text_is_not_json(around: str) -> None:
    assert "not JSON" in checked({}, around).message


def test_a_fail_names_the_place_and_at_most_three_reasons() -> None:
    schema = {"items": {"properties": {"n": {"type": "integer"}}}}
    message = checked(schema, json.dumps([{"n": "x"}] * 5)).message
    assert message.startswith("at $[0].n: 'x' is not of type 'integer'; at $[1].n")
    assert message.count("not of type") == 3
    assert message.endswith("and more")


def test_items_with_lone_surrogates_are_told_apart_and_found_equal() -> None:
    schema = {"type": "array", "uniqueItems": True}
    assert checked(schema, '[{"\\ud800": null}, {"\\ud801": null}, "\\\\ud800"]').passed
    assert not checked(schema, '[{"\\ud800": 1}, {"\\ud800": 1.0}]').passed
