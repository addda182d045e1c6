"""promptfoo's tests as rows of a CSV file, in the form of its YAML.

Columns that begin with two underscores have a meaning; every other column is a variable. An expectation is one text:
`contains: Paris`, `latency(500)`, or the text that the answer equals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.csv_rows import read_csv
from eval_pipeline.adapters.promptfoo.assertions import COUNTERPARTS
from eval_pipeline.adapters.promptfoo.comma_lists import comma_separated
from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.adapters.promptfoo.findings import NoCounterpart
from eval_pipeline.adapters.promptfoo.untranslated import TYPES
from eval_pipeline.domain.text import is_blank

_EXPECTED = "__expected"
_KEYS = {
    "__description": "description",
    "__metric": "metric",
    "__prefix": "prefix",
    "__suffix": "suffix",
    "__threshold": "threshold",
    "__providerOutput": "providerOutput",
}
_SCRIPTS = {"javascript": "javascript", "fn": "javascript", "eval": "javascript", "python": "python"}
_TYPE = re.compile(
    rf"(?P<type>(?:not-)?(?:{'|'.join(sorted(map(re.escape, TYPES | COUNTERPARTS.keys())))}))"
    r"(?:\((?P<threshold>[0-9]+(?:\.[0-9]+)?)\))?(?::(?P<value>[\s\S]*))?"
)
_WITH_THRESHOLD = ("cost", "latency")
_LISTS = ("contains-any", "contains-all", "icontains-any", "icontains-all")
_THRESHOLD = 0.75


def read_csv_tests(path: Path) -> Iterator[Entry]:
    """The tests in a CSV file.

    Raises:
        DefinitionError: The file is faulty.
    """
    for line, row in read_csv(path).rows:
        yield Entry(path, line, None).made(_test(row))


def _test(row: dict[str, str]) -> dict[str, Any]:
    test: dict[str, Any] = {"vars": {}, "assert": [], "options": {}}
    metric = row.get("__metric", "")
    for column, cell in row.items():
        if column.startswith(_EXPECTED):
            if not is_blank(cell):
                test["assert"].append(assertion_of(cell) | ({"metric": metric} if metric else {}))
        elif not column.startswith("__"):
            test["vars"][column] = cell
        elif column == "__metric" or is_blank(cell):
            continue
        elif column in ("__prefix", "__suffix"):
            test["options"][_KEYS[column]] = cell
        elif column == "__threshold":
            test["threshold"] = cell
        else:
            test[_KEYS.get(column, column)] = cell
    return test


def assertion_of(written: str) -> dict[str, Any]:
    """The assertion that a cell means, as promptfoo's YAML has it."""
    name, colon, rest = written.partition(":")
    if colon and name in _SCRIPTS:
        return {"type": _SCRIPTS[name], "value": rest.strip()}
    if colon and name == "grade":
        return {"type": "llm-rubric", "value": rest}
    if written.startswith("file://") and re.search(r"\.(py|js|ts)(:|$)", written):
        return {"type": "python" if ".py" in written else "javascript", "value": written}
    found = _TYPE.fullmatch(written)
    if found is None:
        return {"type": "equals", "value": written}
    base = found["type"].removeprefix("not-")
    threshold = {"threshold": _threshold(found["threshold"])} if base in _WITH_THRESHOLD else {}
    value = {} if found["value"] is None else {"value": _value(base, found["value"])}
    return {"type": found["type"], **value, **threshold}


def _threshold(written: str | None) -> float:
    number = float(written or 0) or _THRESHOLD
    return int(number) if number.is_integer() else number


def _value(base: str, written: str) -> Any:
    if base not in _LISTS:
        return written
    try:
        return comma_separated(written)
    except NoCounterpart:
        return written  # it is split once more when it is translated, and reported then
