"""Results as CSV, for people with a spreadsheet: one line a response, with the data of its row.

What a spreadsheet would run as a formula is written so that it stays text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from eval_pipeline.application.full_result import FullResult
from eval_pipeline.domain.assertion_results import AssertionResult, Status
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.provenance import generator_name
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.text import storable

_FORMULA_STARTS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_COLUMNS = (
    "result_id",
    "set",
    "model_key",
    "prompt_id",
    "repeat",
    "status",
    "score",
    "reason",
    "error",
    "answer",
    "assertions",
    "served_by",
    "latency_ms",
    "cost_usd",
)


def write_csv(
    stream: TextIO,
    full: FullResult,
    graded: Iterable[tuple[Grading, ModelResponse]],
    row_data: Mapping[str, Mapping[str, str]],
) -> None:
    """Write one result.

    Args:
        stream: Where to write; opened with `newline=""`.
        full: The result.
        graded: Its gradings, each with its response.
        row_data: By prompt id, the variables of the prompt or the cells of its row; each becomes a column
            `row_<name>`.
    """
    names = list(dict.fromkeys(name for row in row_data.values() for name in row))
    writer = csv.writer(stream)
    writer.writerow(map(_cell, [*_COLUMNS, *(f"row_{name}" for name in names)]))
    result = full.result
    for grading, response in graded:
        row = row_data.get(grading.prompt_id, {})
        values = (result.id, result.set_id, result.model_key, *_values(grading, response))
        writer.writerow(map(_cell, [*values, *(row.get(name) for name in names)]))


def _values(grading: Grading, response: ModelResponse) -> Sequence[object]:
    failed = grading.status is Status.ERROR
    return (
        grading.prompt_id,
        grading.repeat,
        grading.status.value,
        grading.score,
        grading.reason,
        grading.reason if failed else None,
        response.reply.text if response.reply is not None else None,
        "\n".join(map(_line, grading.assertions)),
        generator_name(response.served_by),
        response.latency_ms,
        response.cost_usd,
    )


def _line(result: AssertionResult) -> str:
    return f"{result.status.value}  {result.assertion}: {result.message}"


def _cell(value: object) -> str:
    """A cell that every spreadsheet takes for what it is: a text, or a number, never a formula."""
    if value is None:
        return ""
    text = storable(str(value))
    return f"'{text}" if _is_formula(text) and not _NUMBER.fullmatch(text) else text


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet could run `text`: what cannot be seen at its start may be passed over."""
    first = next((char for char in text if char.isprintable() and not char.isspace()), "")
    return first in _FORMULA_STARTS or text.startswith(("\t", "\r"))
