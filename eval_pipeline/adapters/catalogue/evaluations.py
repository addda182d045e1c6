"""Evaluations as classes: found in a project or in an installed package, with the rows of their CSV files.

Not here: what an evaluation is (`domain/evaluation.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from eval_pipeline.adapters.catalogue.csv_rows import read_csv
from eval_pipeline.adapters.catalogue.declared_classes import DeclaredClass, code_hash, declared_classes
from eval_pipeline.domain.assertions import AssertionKinds
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.evaluation import Evaluation, golden_prompt_set_of
from eval_pipeline.domain.golden_sets import GoldenPromptSet

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
    for name in ("id", "csv_path"):
        if not isinstance(getattr(evaluation, name, None), str):
            return DefinitionError([Fault(f"{evaluation.__name__} has no '{name}', which is a text", source)])
    known = {"source": source, "set_id": evaluation.id}
    path = Path(inspect.getfile(evaluation)).parent / evaluation.csv_path
    try:
        table = read_csv(path, evaluation.delimiter)
        if evaluation.prepare_prompt is Evaluation.prepare_prompt:
            table.require(evaluation.prompt_column)
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
