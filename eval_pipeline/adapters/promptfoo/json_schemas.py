"""JSON Schemas of promptfoo, which reads them as draft 7 unless they say otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.strict_yaml import read_yaml
from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.adapters.promptfoo.findings import NoCounterpart
from eval_pipeline.adapters.promptfoo.variables import Variables
from eval_pipeline.domain.errors import DefinitionError

DRAFT = "http://json-schema.org/draft-07/schema#"


def schema_of(declared: Entry, variables: Variables) -> dict[str, Any]:
    """The schema that an entry holds as data, or as a text of JSON or YAML, with its draft named.

    Raises:
        NoCounterpart: It is no schema that is a mapping.
    """
    schema = declared.data if declared.text is None else _read(declared.source, variables.fill(declared.text))
    if not isinstance(schema, Mapping):
        raise NoCounterpart("its schema is not a mapping")
    return dict(schema) if "$schema" in schema else {"$schema": DRAFT, **schema}


def _read(source: Path, text: str) -> Any:
    try:
        return read_yaml(source, text)[0]
    except DefinitionError as error:
        raise NoCounterpart(f"its schema cannot be read: {error.faults[0].reason}") from None
