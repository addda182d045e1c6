"""Evaluations as classes: prompts from the rows of a CSV file, checks in Python.

An evaluation becomes a golden prompt set like any other. Not here: reading CSV files and finding classes,
which is the catalogue's.
"""

from __future__ import annotations

import inspect
import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from eval_pipeline.domain.assertion_results import AssertionResult
from eval_pipeline.domain.assertions import Answer, AssertionKinds
from eval_pipeline.domain.canonical import content_hash
from eval_pipeline.domain.errors import DefinitionError, Fault, told
from eval_pipeline.domain.golden_sets import Gate, GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.response_checks import ResponseChecks
from eval_pipeline.domain.text import is_blank

__all__ = ["Evaluation", "Gate", "ResponseChecks", "Row", "RowEvaluation", "golden_prompt_set_of"]

Row = Mapping[str, str]
"""The cells of a row by the names of their columns."""
ROW_COLUMNS = ("id", "reference", "tags", "must_pass")
"""The columns that mean something by themselves; all others are the evaluation's own."""


class Evaluation(ABC):
    """A golden prompt set whose prompts come from CSV rows and whose checks are Python.

    Subclass it in a file of `evaluations/` in the project. An instance serves one row: what is kept on `self`
    does not reach another.

    Attributes:
        id: The identifier of the set.
        csv_path: The CSV file, relative to the file of the class.
        prompt_column: The column that `prepare_prompt` asks unless overridden.
        delimiter: What separates the cells.
        name, description, owner, models, system_prompt, parameters, gate: As in any golden prompt set.
    """

    id: ClassVar[str]
    csv_path: ClassVar[str]
    prompt_column: ClassVar[str] = "prompt"
    delimiter: ClassVar[str] = ","
    name: ClassVar[str] = ""
    description: ClassVar[str] = ""
    owner: ClassVar[str | None] = None
    models: ClassVar[Sequence[str]] = ()
    system_prompt: ClassVar[str | None] = None
    parameters: ClassVar[Mapping[str, Any]] = {}
    gate: ClassVar[Gate] = Gate()

    def prepare_prompt(self, row: Row) -> str:
        """The text that is asked for `row`; sent as it is, without placeholders."""
        return row[self.prompt_column]

    @abstractmethod
    def evaluate_row(self, row: Row, check: ResponseChecks) -> None:
        """Record what holds of the answer to `row`, by the methods of `check`.

        Recording nothing, or raising an exception, makes the row an error.
        """


@dataclass(frozen=True, slots=True)
class RowEvaluation:
    """What an evaluation expects of the answer to one row.

    Attributes:
        evaluation: The class.
        row: The row.
        source: The hash of the code that evaluates; another code is another expectation.
        kinds: The kinds of assertions that its checks offer.
    """

    evaluation: type[Evaluation]
    row: Row
    source: str
    kinds: AssertionKinds = field(repr=False)

    def results(self, answer: Answer) -> tuple[AssertionResult, ...]:
        """What the class says of an answer. Never raises."""
        check = ResponseChecks(answer, self.kinds)
        try:
            self.evaluation().evaluate_row(dict(self.row), check)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is somebody else's; other rows go on
            check.stopped(f"evaluate_row raised {told(error)}{self._where(error)}")
        return check.results()

    def _where(self, error: BaseException) -> str:
        """The line of the class in which an exception arose; for a missing column, those that there are."""
        file = inspect.getfile(self.evaluation)
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file
        ]
        place = f" ({Path(file).name}, line {lines[-1]})" if lines else ""
        known = f"; there are the columns {', '.join(self.row)}" if isinstance(error, KeyError) else ""
        return place + known

    def definition(self) -> dict[str, Any]:
        """The expectation as data: what tells it from another, and the row for readers."""
        return {"class": self.evaluation.__name__, "source": self.source, "row": dict(self.row)}


def golden_prompt_set_of(
    evaluation: type[Evaluation], rows: Sequence[tuple[int, Row]], source: str, kinds: AssertionKinds
) -> GoldenPromptSet:
    """The golden prompt set of an evaluation.

    Args:
        evaluation: The class.
        rows: The rows, each with the line of its file in which it begins.
        source: The hash of the code of the class.
        kinds: The kinds of assertions that its checks offer.

    Raises:
        DefinitionError: All faults found, with the lines of their rows.
    """
    faults: list[Fault] = []
    prompts: dict[str, GoldenPrompt] = {}
    lines: dict[str, int] = {}
    for line, row in rows:
        try:
            prompt = _prompt_of(evaluation, row, source, kinds)
        except DefinitionError as error:
            faults += error.located(line=line).faults
            continue
        if prompt.id in prompts:
            faults.append(_twice(prompt.id, "id" in row, lines[prompt.id], line))
        prompts[prompt.id], lines[prompt.id] = prompt, line
    if faults:
        raise DefinitionError(faults)
    try:
        return GoldenPromptSet(
            id=evaluation.id,
            prompts=list(prompts.values()),
            name=evaluation.name,
            description=evaluation.description,
            owner=evaluation.owner,
            models=evaluation.models,
            system_prompt=evaluation.system_prompt,
            parameters=evaluation.parameters,
            gate=evaluation.gate,
        )
    except DefinitionError as error:
        raise DefinitionError(
            fault.located(line=lines.get(fault.prompt_id or "")) for fault in error.faults
        ) from None


def _prompt_of(evaluation: type[Evaluation], row: Row, source: str, kinds: AssertionKinds) -> GoldenPrompt:
    prompt_id = row_id(row)
    text = _prepared(evaluation, row, prompt_id)
    return GoldenPrompt(
        id=prompt_id,
        prompt="{{prompt}}",  # placed, because what a row holds is never looked at for placeholders
        vars={"prompt": text},
        evaluation=RowEvaluation(evaluation, row, source, kinds),
        reference=row.get("reference") or None,
        tags=listed(row.get("tags", "")),
        must_pass=truth(row.get("must_pass", ""), "must_pass"),
    )


def _prepared(evaluation: type[Evaluation], row: Row, prompt_id: str) -> str:
    try:
        text: object = evaluation().prepare_prompt(dict(row))
    except KeyError as error:
        reason = f"prepare_prompt needs the column {error}; there are: {', '.join(row)}"
        raise DefinitionError([Fault(reason, prompt_id=prompt_id)]) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is somebody else's
        reason = f"prepare_prompt raised {told(error)}"
        raise DefinitionError([Fault(reason, prompt_id=prompt_id)]) from None
    if not isinstance(text, str) or is_blank(text):
        reason = f"prepare_prompt gave no text: {text!r:.80}"
        raise DefinitionError([Fault(reason, prompt_id=prompt_id)])
    return text


def row_id(row: Row) -> str:
    """The identity of a row: its column `id`, else its content."""
    return row["id"] if "id" in row else f"row-{content_hash(dict(row))[:12]}"


def listed(cell: str) -> list[str]:
    """The members of a cell that lists tags, separated by commas."""
    return list(dict.fromkeys(member.strip() for member in cell.split(",") if member.strip()))


def truth(cell: str, column: str) -> bool:
    """The truth value of a cell: `true` or `false`; an empty one is false.

    Raises:
        DefinitionError: It is neither.
    """
    values = {"true": True, "false": False, "": False}
    if (value := values.get(cell.strip().casefold())) is None:
        raise DefinitionError(f"the column '{column}' holds true or false, found {cell!r:.80}")
    return value


def _twice(prompt_id: str, given: bool, first: int, line: int) -> Fault:
    what = f"the id {prompt_id!r} is given twice" if given else "the row is there twice"
    advice = "" if given else "; give the rows ids if both are meant"
    return Fault(f"{what}, in the lines {first} and {line}{advice}", line=line, prompt_id=prompt_id)
