"""Assertions: expectations on a response. One family a file; `registry` lists all kinds."""

from eval_pipeline.domain.assertions.base import Assertion, Outcome
from eval_pipeline.domain.assertions.registry import ASSERTION_KINDS, read_assertion
from eval_pipeline.domain.assertions.structure import JsonSchema
from eval_pipeline.domain.assertions.text import Contains, Exact, Regex

__all__ = [
    "ASSERTION_KINDS",
    "Assertion",
    "Contains",
    "Exact",
    "JsonSchema",
    "Outcome",
    "Regex",
    "read_assertion",
]
