"""The keys of a golden prompt set's file, and their JSON Schema for editors.

Not here: what the keys mean, and how a file becomes a set (`prompt_set_files.py`).
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator

from eval_pipeline.domain.assertions import ASSERTION_KINDS, AssertionKinds
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.model_catalogue import without_reserved

Assertions = Annotated[list[Any], WithJsonSchema({"type": "array"})]


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class MessageEntry(_Declared):
    """One message of a declared conversation."""

    role: str
    content: str


class PromptEntry(_Declared):
    """One prompt of a set file."""

    id: str
    prompt: str | None = None
    messages: list[MessageEntry] | None = None
    vars: dict[str, str] = Field(default_factory=dict)
    assertions: Assertions = Field(default_factory=list, alias="assert")
    reference: str | None = None
    must_pass: bool = False
    tags: list[str] = Field(default_factory=list)


class Defaults(_Declared):
    """What is added to every prompt of the set."""

    tags: list[str] = Field(default_factory=list)
    assertions: Assertions = Field(default_factory=list, alias="assert")


class PromptSetFile(_Declared):
    """A golden prompt set."""

    id: str
    name: str = ""
    description: str = ""
    owner: str | None = None
    models: list[str] = Field(default_factory=list)
    template: str | None = None
    messages: list[MessageEntry] | None = None
    system_prompt: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    defaults: Defaults = Field(default_factory=Defaults)
    gate: Gate = Field(default_factory=Gate)
    prompts: list[Any]

    @field_validator("parameters")
    @classmethod
    def _not_reserved(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        return without_reserved(parameters)


def set_file_schema(kinds: AssertionKinds = ASSERTION_KINDS) -> dict[str, Any]:
    """The JSON Schema of a set file, for editors."""
    schema, entry = PromptSetFile.model_json_schema(), PromptEntry.model_json_schema()
    definitions = schema.pop("$defs", {}) | entry.pop("$defs", {})
    definitions |= {"PromptEntry": entry, "Assertion": _assertion_schema(kinds)}
    for holder in ("PromptEntry", "Defaults"):
        definitions[holder]["properties"]["assert"]["items"] = {"$ref": "#/$defs/Assertion"}
    more_prompts = {"type": "string", "pattern": r"^file://.+\.(jsonl|csv|tsv)$"}
    schema["properties"]["prompts"] = {
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": [{"$ref": "#/$defs/PromptEntry"}, more_prompts]},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": definitions}


def _assertion_schema(kinds: AssertionKinds) -> dict[str, Any]:
    names = sorted({*kinds, *(kind.replace("_", "-") for kind in kinds)})
    short = {
        "type": "object",
        "properties": {name: {} for name in names},
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    long = [
        {**kind.model_json_schema(), "title": name, "description": inspect.cleandoc(kind.__doc__ or "")}
        for name, kind in sorted(kinds.items())
    ]
    for name, schema in zip(sorted(kinds), long, strict=True):
        schema["properties"]["type"] = {"enum": sorted({name, name.replace("_", "-")})}
        schema["required"] = ["type", *schema.get("required", ())]
    return {"anyOf": [{"enum": names}, short, *long]}
