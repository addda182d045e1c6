"""Evaluations as classes: found in a project or in an installed package, with the rows of their CSV files.

Not here: what an evaluation is (`domain/evaluation.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import cast

from eval_pipeline.adapters.catalogue.csv_rows import CsvTable, read_csv
from eval_pipeline.adapters.catalogue.declared_classes import DeclaredClass, code_hash, declared_classes
from eval_pipeline.adapters.catalogue.text_files import file_fault
from eval_pipeline.domain.assertions import AssertionKinds
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.evaluation import ROW_COLUMNS, Evaluation, golden_prompt_set_of
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet

_ATTRIBUTES = (*Evaluation.__annotations__, "prepare_prompt", "evaluate_row")
EvaluationSet = tuple[GoldenPromptSet, str, bool]
"""The set of an evaluation, where it is declared, and whether this package ships it as an example."""


def evaluation_sets(project: Path, kinds: AssertionKinds) -> Iterator[EvaluationSet | DefinitionError]:
    """The set of every evaluation of the project and of packages; in the place of a faulty one, its faults.

    A project's are the classes over `Evaluation` in `evaluations/*.py`; packages contribute to the group
    `eval_pipeline.evaluations`.
    """
    for found in declared_classes(project / "evaluations", "eval_pipeline.evaluations", Evaluation):
        yield found if isinstance(found, DefinitionError) else _set_of(found, kinds)


def _set_of(found: DeclaredClass, kinds: AssertionKinds) -> EvaluationSet | DefinitionError:
    evaluation, source = cast("type[Evaluation]", found.declared), found.source
    if faults := [
        Fault(f"{evaluation.__name__}: {reason}", source) for reason in _attribute_faults(evaluation)
    ]:
        return DefinitionError(faults)
    known = {"source": source, "set_id": evaluation.id}
    path = Path(inspect.getfile(evaluation)).parent / evaluation.csv_path
    try:
        table = read_csv(path, evaluation.delimiter)
        if evaluation.prepare_prompt is Evaluation.prepare_prompt:
            table.require(evaluation.prompt_column)
        _refuse_other_letters(table)
    except DefinitionError as error:
        return error.located(**known)
    try:
        golden_set = golden_prompt_set_of(evaluation, table.rows, code_hash(evaluation, Evaluation), kinds)
    except DefinitionError as error:
        in_rows = [
            fault.located(source=str(path)) if fault.line is not None else fault for fault in error.faults
        ]
        return DefinitionError(in_rows).located(**known)
    return golden_set, source, found.example


def _attribute_faults(evaluation: type[Evaluation]) -> Iterator[str]:
    """What is wrong with the attributes of a class that a set does not check by itself."""
    types = {"prompt_column": str, "delimiter": str, "gate": Gate, "parameters": Mapping}
    for name in ("id", "csv_path"):
        if not isinstance(getattr(evaluation, name, None), str):
            yield f"has no '{name}', which is a text"
    for name, wanted in types.items():
        if not isinstance(value := getattr(evaluation, name), wanted):
            yield f"'{name}' is a {wanted.__name__}, found {value!r:.80}"
    for name in vars(evaluation):
        if not name.startswith("_") and not hasattr(Evaluation, name) and name not in ("id", "csv_path"):
            near = get_close_matches(name, _ATTRIBUTES, n=1, cutoff=0.85)
            if near:
                yield f"'{name}' looks like '{near[0]}': rename it, or give it another name"
    try:
        inspect.signature(evaluation.evaluate_row).bind(None, {}, None)
    except TypeError:
        yield "evaluate_row takes (self, row, check)"


def _refuse_other_letters(table: CsvTable) -> None:
    """A column of ours in capitals would be an ordinary one, and its meaning lost."""
    for column in table.columns:
        if column not in ROW_COLUMNS and column.casefold() in ROW_COLUMNS:
            raise file_fault(
                table.source,
                f"the column '{column}' looks like '{column.casefold()}': rename it, or give it another name",
                table.columns_line,
            )
