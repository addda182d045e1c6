"""Assertions on the structure of the answer: JSON.

The default is strict: the whole answer is one JSON text, by RFC 8259, white space around it allowed. An answer
that is not JSON fails; one of more than 200,000 characters, or beyond what is read, is not measurable.
Not here: XML (`xml_structure.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar

from pydantic import Field, field_validator, model_validator

from eval_pipeline.domain.assertions.base import Assertion, Example, Negated
from eval_pipeline.domain.assertions.documents import OnJson
from eval_pipeline.domain.assertions.json_schema import SchemaFault, schema_validator, violations
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.json_equality import check_json, first_difference, json_type
from eval_pipeline.domain.json_path import PathFault, compile_path, values_at
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.text import excerpt, is_blank, normalised

_REASONS_SHOWN = 3


class ValidJson(OnJson):
    """The answer is one JSON text by RFC 8259; white space around it is allowed.

    Any JSON value will do, `null` and a bare number too. Not JSON: comments, trailing commas, single quotes, NaN
    and Infinity, two values one after the other, words around the value. A key may occur twice; the last one counts.
    Not measurable: a number that is too large for a double, one of more than 4,300 digits, and more than 500 levels
    of nesting.
    """

    kind: ClassVar[str] = "valid_json"
    example: ClassVar[Example] = Example("valid_json", passes='{"city": "Lima"}', fails="{'city': 'Lima'}")

    def _judged(self, found: Any) -> tuple[bool, str]:
        return True, f"valid JSON: {json_type(found)}"

    @property
    def _expectation(self) -> str:
        return "JSON"


class JsonHasKey(OnJson):
    """The JSON in the answer has the key, or the place, in `value`; what stands there may be anything, even null.

    A `value` that begins with `$` is a JSONPath by RFC 9535 and passes if it leads to at least one value. Anything
    else is the name of a key of the outermost object, taken literally: `user.name` is a key with a dot in it. For
    a key that begins with `$`, or the empty key, write `$['$id']` or `$['']`. Fails when the answer is not JSON.
    The functions `match` and `search` are refused; a path that looks at more than 100,000 values is not measurable.
    """

    kind: ClassVar[str] = "json_has_key"
    example: ClassVar[Example] = Example(
        {"json_has_key": "$.user.name"}, passes='{"user": {"name": null}}', fails='{"user.name": "Ada"}'
    )

    value: str = Field(
        description="The literal name of a key of the outermost object; or, beginning with `$`, a JSONPath."
    )

    @field_validator("value")
    @classmethod
    def _is_key_or_path(cls, value: str) -> str:
        if is_blank(value):
            raise ValueError("value is empty; for the empty key write the JSONPath $['']")
        if value.startswith("$"):
            try:
                compile_path(normalised(value))
            except PathFault as fault:
                raise ValueError(f"{fault}; for a key with this very name write $[{value!r}]") from None
        return value

    def _judged(self, found: Any) -> tuple[bool, str]:
        sought = normalised(self.value)
        if not sought.startswith("$"):
            if not isinstance(found, Mapping):
                return False, f"no top-level key {sought!r}: the answer is {json_type(found)}, not an object"
            passed = sought in found
            return passed, f"the top-level key {sought!r} is {'there' if passed else 'not there'}"
        try:
            count = len(values_at(compile_path(sought), found))
        except PathFault as fault:
            raise NotMeasurable(str(fault)) from None
        return count > 0, f"the JSONPath {sought} leads to {count or 'no'} value{'' if count == 1 else 's'}"

    @property
    def _expectation(self) -> str:
        return self.value

    @property
    def subject(self) -> str:
        return repr(excerpt(self.value, 40))


class JsonSchema(OnJson):
    """The JSON in the answer is valid under the JSON Schema in `value`.

    Draft 2020-12, or the draft that `$schema` names. Formats are checked. A reference must lead to a place within
    the schema; an unknown keyword, type or format is refused when the set is loaded, and notes of your own start
    with `x-`. Fails when the answer is not JSON, and names at most three reasons with their places. Not measurable
    when a pattern of the schema cannot be decided within its bounds, or answer and schema nest too deeply.
    """

    kind: ClassVar[str] = "json_schema"
    example: ClassVar[Example] = Example(
        {"json_schema": {"type": "object", "required": ["city"]}},
        passes='{"city": "Lima"}',
        fails='{"town": "Lima"}',
    )

    value: dict[str, Any] = Field(description="The schema: a mapping, or JSON text.")

    @field_validator("value", mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        if isinstance(value, str):
            try:
                value = read_json(value, unique_keys=True)
            except JsonFault as fault:
                raise ValueError(f"the schema is not JSON: {fault}") from None
        if not isinstance(value, Mapping):
            raise ValueError(  # noqa: TRY004 - pydantic reports ValueErrors as faults
                f"a schema is a mapping, found {value!r:.80}"
            )
        return dict(value)

    @model_validator(mode="after")
    def _is_schema(self) -> JsonSchema:
        try:
            schema_validator(self._schema_text)
        except (ValueError, TypeError) as fault:
            raise ValueError(f"the schema is faulty: {fault}") from None
        return self

    def _judged(self, found: Any) -> tuple[bool, str]:
        try:
            reasons = violations(schema_validator(self._schema_text), found)
            faults = list(islice(reasons, _REASONS_SHOWN + 1))
        except SchemaFault as fault:
            raise NotMeasurable(str(fault)) from None
        shown = "; ".join(faults[:_REASONS_SHOWN]) + ("; and more" if len(faults) > _REASONS_SHOWN else "")
        return not faults, shown or "valid under the schema"

    @property
    def _schema_text(self) -> str:
        return json.dumps(self.value, sort_keys=True, allow_nan=False)

    @property
    def _expectation(self) -> str:
        return "JSON valid under the schema"


class JsonEquals(OnJson):
    """The JSON in the answer is the same value as `value`.

    The order of keys does not matter, the order of items in an array does. Numbers are compared by value, exactly:
    1 equals 1.0, and an integer of any length keeps all its digits. `true` is not 1, and a text is not a number.
    Fails when the answer is not JSON, and says where the first difference is.
    """

    kind: ClassVar[str] = "json_equals"
    example: ClassVar[Example] = Example(
        {"json_equals": {"city": "Lima", "stars": 4}},
        passes='{"stars": 4.0, "city": "Lima"}',
        fails='{"city": "Lima"}',
    )

    value: Any = Field(
        description="The value: a mapping, a list, a number, true, false or null; or JSON text. A text is always read"
        ' as JSON, so that the JSON text "Lima" is written with its quotes: \'"Lima"\'.'
    )

    @field_validator("value")
    @classmethod
    def _is_json(cls, value: object) -> object:
        if not isinstance(value, str):
            check_json(value)
            return value
        try:
            read = read_json(value, unique_keys=True)
        except JsonFault as fault:
            raise ValueError(
                f"the text in value is not JSON: {fault}; to expect a JSON text, write it with its quotes: '\"...\"'"
            ) from None
        return value if isinstance(read, str) else read  # so that it reads back as the same

    def _judged(self, found: Any) -> tuple[bool, str]:
        expected = read_json(self.value) if isinstance(self.value, str) else self.value
        difference = first_difference(expected, found)
        return difference is None, difference or "equals the expected JSON"

    @property
    def _expectation(self) -> str:
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)

    @property
    def subject(self) -> str:
        return excerpt(self._expectation, 40)


class NotValidJson(Negated, ValidJson):
    """The answer is not JSON, by the rule of `valid_json`."""

    kind: ClassVar[str] = "not_valid_json"
    example: ClassVar[Example] = Example(
        "not_valid_json", passes="The city is Lima.", fails='{"city": "Lima"}'
    )


class NotJsonHasKey(Negated, JsonHasKey):
    """The JSON in the answer lacks the key or the place in `value`, by the rule of `json_has_key`.

    An answer that is not JSON lacks it too; add `valid_json` where that matters.
    """

    kind: ClassVar[str] = "not_json_has_key"
    example: ClassVar[Example] = Example(
        {"not_json_has_key": "error"}, passes='{"city": "Lima"}', fails='{"error": null}'
    )


class NotJsonSchema(Negated, JsonSchema):
    """The answer is not valid under the schema in `value`, by the rule of `json_schema`.

    An answer that is not JSON is not valid either; add `valid_json` where that matters.
    """

    kind: ClassVar[str] = "not_json_schema"
    example: ClassVar[Example] = Example(
        {"not_json_schema": {"required": ["error"]}}, passes='{"city": "Lima"}', fails='{"error": "none"}'
    )


class NotJsonEquals(Negated, JsonEquals):
    """The JSON in the answer is another value than `value`, by the rule of `json_equals`.

    An answer that is not JSON is no equal value either; add `valid_json` where that matters.
    """

    kind: ClassVar[str] = "not_json_equals"
    example: ClassVar[Example] = Example({"not_json_equals": {}}, passes='{"city": "Lima"}', fails="{ }")


KINDS: tuple[type[Assertion], ...] = (
    ValidJson,
    NotValidJson,
    JsonHasKey,
    NotJsonHasKey,
    JsonSchema,
    NotJsonSchema,
    JsonEquals,
    NotJsonEquals,
)
