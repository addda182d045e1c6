"""Assertions: expectations on a response. One family a file; `registry` lists all kinds."""

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Outcome, Sample
from eval_pipeline.domain.assertions.patterns import NotRegex, Regex
from eval_pipeline.domain.assertions.registry import ASSERTION_KINDS, AssertionKinds, read_assertion
from eval_pipeline.domain.assertions.structure import JsonSchema
from eval_pipeline.domain.assertions.text import Contains, Exact, NotContains

__all__ = [
    "ASSERTION_KINDS",
    "Answer",
    "Assertion",
    "AssertionKinds",
    "Contains",
    "Exact",
    "Example",
    "JsonSchema",
    "NotContains",
    "NotRegex",
    "Outcome",
    "Regex",
    "Sample",
    "read_assertion",
]
