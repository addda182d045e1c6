"""The assertions of promptfoo that have a counterpart here, and why the others have none.

A kind is translated only if it means the same; where ours differs in a detail, the import says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from eval_pipeline.adapters.promptfoo.comma_lists import comma_separated
from eval_pipeline.adapters.promptfoo.entries import Entry, WrittenDate, printed
from eval_pipeline.adapters.promptfoo.files import DATA, FILE, Files, literal
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.javascript_regex import to_pcre
from eval_pipeline.adapters.promptfoo.json_schemas import schema_of
from eval_pipeline.adapters.promptfoo.untranslated import reason
from eval_pipeline.adapters.promptfoo.variables import Variables
from eval_pipeline.domain.assertions import read_assertion
from eval_pipeline.domain.errors import DefinitionError

_NOT = "not-"


@dataclass(frozen=True, slots=True)
class Declared:
    """An assertion of promptfoo on one prompt.

    Attributes:
        entry: Its declaration.
        kind: Its type without `not-`.
        negated: Whether the type had it.
        variables: What its texts place.
        files: Where its files are.
        findings: Takes what differs.
    """

    entry: Entry
    kind: str
    negated: bool
    variables: Variables
    files: Files
    findings: Findings

    @property
    def value(self) -> Entry:
        """What is expected."""
        return self.entry.mapping.get("value", self.entry.made(None))

    @property
    def type(self) -> str:
        """The type as it is written."""
        return f"{_NOT}{self.kind}" if self.negated else self.kind

    def note(self, why: str) -> None:
        """Records a difference."""
        self.findings.note(self.entry, f"assertion {self.type}", why)

    def loaded(self) -> Entry:
        """The value, or what the file that it names holds."""
        reference = self.value.text
        if reference is None or not reference.startswith(FILE):
            return self.value
        if reference.endswith(DATA):
            (document,) = self.files.entries(reference)
            return document
        if not reference.endswith(".txt"):
            self.files.matching(reference)
            raise NoCounterpart("promptfoo reads values from .json, .yaml and .txt files only")
        return self.value.made(self.files.text(reference))

    def text(self, entry: Entry) -> str:
        """A value as the text that is looked for."""
        if isinstance(entry.value, list | dict | WrittenDate) or entry.value is None:
            raise NoCounterpart("its value is not a text")
        if entry.text is not None and entry.text.startswith("package:"):
            raise NoCounterpart("a script is not run")
        return literal(self.variables.fill(entry.text)) if entry.text is not None else printed(entry.value)

    def threshold(self) -> float | None:
        """The threshold, if one is declared."""
        declared = self.entry.mapping.get("threshold")
        if declared is None:
            return None
        if isinstance(declared.value, bool) or not isinstance(declared.value, int | float):
            raise NoCounterpart("its threshold is not a number")
        return declared.value


Counterpart = Callable[[Declared], dict[str, Any]]


def counterpart(
    entry: Entry, kind: str, variables: Variables, files: Files, findings: Findings
) -> dict[str, Any]:
    """The assertion of ours that means the same, in the long form without a weight.

    Args:
        entry: The assertion's declaration.
        kind: Its type.
        variables: What its texts place.
        files: Where its files are.
        findings: Takes what differs in detail.

    Raises:
        NoCounterpart: There is none.
    """
    negated = kind.startswith(_NOT)
    declared = Declared(entry, kind.removeprefix(_NOT), negated, variables, files, findings)
    translate = COUNTERPARTS.get(declared.kind)
    if translate is None:
        raise NoCounterpart(reason(declared.kind))
    translated = translate(declared)
    if negated:
        translated["type"] = _negation(translated["type"])
    try:
        read_assertion(translated)
    except DefinitionError as error:
        raise NoCounterpart("; ".join(fault.reason for fault in error.faults)) from None
    return translated


def _negation(kind: str) -> str:
    if kind in ("response_time_below", "cost_below"):
        raise NoCounterpart("there is no lower bound for it here")
    return "not_refusal" if kind == "is_refusal" else f"not_{kind}"


def _equals(declared: Declared) -> dict[str, Any]:
    expected = declared.loaded()
    if isinstance(expected.value, list | dict):
        return {"type": "json_equals", "value": expected.data}
    declared.note("exact ignores white space at both ends of the answer, equals does not")
    return {"type": "exact", "value": declared.text(expected)}


def _one_text(kind: str, declared: Declared, *, ignore_case: bool = False, ends: str = "") -> dict[str, Any]:
    value = declared.text(declared.loaded())
    if ends:
        declared.note(f"{kind} ignores white space at the {ends} of the answer, promptfoo does not")
    return {"type": kind, "value": value, **_case(declared, ignore_case, value)}


def _several(kind: str, declared: Declared, *, ignore_case: bool = False) -> dict[str, Any]:
    expected = declared.loaded()
    if isinstance(expected.value, list):
        texts = [declared.text(_from_file(declared, member)) for member in expected.value]
    else:
        texts = comma_separated(declared.text(expected))
    return {"type": kind, "value": texts, **_case(declared, ignore_case, *texts)}


def _from_file(declared: Declared, member: Entry) -> Entry:
    if member.text is not None and member.text.startswith(FILE):
        return member.made(declared.files.text(member.text))
    return member


def _case(declared: Declared, ignore_case: bool, *texts: str) -> dict[str, Any]:
    if ignore_case and any(text.casefold() != text.lower() for text in texts):
        declared.note("ignore_case folds more letters than JavaScript does, such as ß and ss")
    return {"ignore_case": True} if ignore_case else {}


def _regex(declared: Declared) -> dict[str, Any]:
    pattern = to_pcre(declared.text(declared.loaded()))
    return {
        "type": "regex",
        "pattern": pattern.pattern,
        **({"flags": pattern.flags} if pattern.flags else {}),
    }


def _json(declared: Declared) -> dict[str, Any]:
    expected = declared.loaded()
    if expected.value is None or expected.value == "":
        return {"type": "valid_json"}
    return {"type": "json_schema", "value": schema_of(expected, declared.variables)}


def _xml(declared: Declared) -> dict[str, Any]:
    if declared.value.value is not None:
        raise NoCounterpart("paths of required elements cannot be checked here; xml_has_tag checks a name")
    declared.note("valid_xml refuses a document type declaration, promptfoo only one with declarations in it")
    return {"type": "valid_xml"}


def _below(kind: str, declared: Declared) -> dict[str, Any]:
    threshold = declared.threshold()
    if threshold is None:
        raise NoCounterpart("without a threshold it only records a number, which every result does here")
    if not math.isfinite(threshold):
        raise NoCounterpart("its threshold is not a number")
    declared.note(f"{kind} is met below the threshold, promptfoo's at the threshold too")
    return {"type": kind, "value": threshold}


def _refusal(declared: Declared) -> dict[str, Any]:
    declared.note(
        "whether an answer is a refusal is decided by our rules, not by promptfoo's list of phrases"
    )
    return {"type": "is_refusal"}


COUNTERPARTS: Mapping[str, Counterpart] = {
    "equals": _equals,
    "contains": partial(_one_text, "contains"),
    "icontains": partial(_one_text, "contains", ignore_case=True),
    "starts-with": partial(_one_text, "starts_with", ends="beginning"),
    "ends-with": partial(_one_text, "ends_with", ends="end"),
    "contains-any": partial(_several, "contains_any"),
    "icontains-any": partial(_several, "contains_any", ignore_case=True),
    "contains-all": partial(_several, "contains_all"),
    "icontains-all": partial(_several, "contains_all", ignore_case=True),
    "regex": _regex,
    "is-json": _json,
    "is-xml": _xml,
    "latency": partial(_below, "response_time_below"),
    "cost": partial(_below, "cost_below"),
    "is-refusal": _refusal,
}
"""What makes an assertion of ours of each type that has a counterpart."""
