"""Assertions on the structure of the answer: JSON.

The default is strict: the whole answer is one JSON text, white space around it allowed. An answer
that is not JSON fails; one that is beyond what can be compared is not measurable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar

from pydantic import field_validator, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Outcome
from eval_pipeline.domain.assertions.json_schema import SchemaFault, schema_validator, violations
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.json_text import JsonFault, read_json
from eval_pipeline.domain.responses import TRUNCATED, ModelResponse
from eval_pipeline.domain.text import excerpt

MAX_JSON = 5_000_000
"""The longest answer, in characters, that is read as JSON."""
_REASONS_SHOWN = 3


class JsonSchema(Assertion):
    """The answer is JSON that is valid under the schema in `value`: a mapping, or JSON text."""

    kind: ClassVar[str] = "json_schema"
    value: dict[str, Any]

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

    def check(self, answer: Answer) -> Outcome:
        text = answer.text_up_to(MAX_JSON)
        try:
            instance = read_json(text)
        except JsonFault as fault:
            cut = "; it was cut off at its token limit" if _truncated(answer.response) else ""
            return self._outcome(text, f"the answer is not JSON: {fault}{cut}")
        try:
            found = list(
                islice(violations(schema_validator(self._schema_text), instance), _REASONS_SHOWN + 1)
            )
        except SchemaFault as fault:
            raise NotMeasurable(str(fault)) from None
        shown = "; ".join(found[:_REASONS_SHOWN])
        return self._outcome(text, shown + ("; and more" if len(found) > _REASONS_SHOWN else ""))

    @property
    def _schema_text(self) -> str:
        return json.dumps(self.value, sort_keys=True, allow_nan=False)

    def _outcome(self, answer: str, violation: str) -> Outcome:
        message = violation or "valid under the schema"
        return Outcome(not violation, message, "JSON valid under the schema", excerpt(answer))


KINDS: tuple[type[Assertion], ...] = (JsonSchema,)


def _truncated(response: ModelResponse) -> bool:
    return response.reply is not None and TRUNCATED in response.reply.flags
