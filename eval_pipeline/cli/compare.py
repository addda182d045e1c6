"""`eval-pipeline compare`: two results side by side, or two models on one set."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.reports.result_json import differences_document
from eval_pipeline.application.compare import compare_results
from eval_pipeline.application.full_result import full_results
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.cli.comparison_options import Confidence
from eval_pipeline.cli.comparison_view import print_differences
from eval_pipeline.cli.output import out, print_json
from eval_pipeline.cli.result_view import print_line
from eval_pipeline.cli.results import stored_result
from eval_pipeline.domain.differences import Differences, Flip
from eval_pipeline.domain.errors import DefinitionError, UsageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.text import visible
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import GRADERS, load_catalogue, open_history, open_store

_FLIPS_SHOWN = 20
Side = Annotated[str, typer.Argument(help="The id of a result, or with --set a model key.")]


def compare(
    a: Side,
    b: Side,
    set_id: Annotated[
        str | None, typer.Option("--set", help="Compare the newest whole results of two models on this set.")
    ] = None,
    grader: Annotated[str, typer.Option("--grader", help="With --set: whose results.")] = "deterministic",
    confidence: Confidence = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """What tells B from A: rates, intervals, and every prompt that flipped, with both answers."""
    if confidence is not None and not 0 < confidence < 1:
        raise UsageError(f"a confidence is between 0 and 1, such as 0.95, found {confidence:g}")
    settings, now = Settings(), datetime.now(UTC)
    catalogue = load_catalogue(settings)
    store, history = open_store(settings, catalogue.project), open_history(settings, catalogue.project)
    before, after = (_result(catalogue, side, set_id, grader) for side in (a, b))
    declared = _declared(catalogue, after.set_id)
    by_name = {known.name: known for known in GRADERS}
    if after.grader not in by_name:
        raise UsageError(f"there is no grader '{after.grader}' any more")
    found, anew = compare_results(before, after, declared, by_name[after.grader], store, confidence)
    flips = [_answers(flip, before, after, store) for flip in found.flipped]
    if as_json:
        print_json(
            {
                "set": after.set_id,
                "grader": after.grader,
                "baseline_id": before.id,
                "result_id": after.id,
                "regraded": anew,
                **differences_document(found),
                "flipped": flips,
            }
        )
        return
    for full in full_results([before, after], store, history):
        print_line(full, now)
    out.print()
    if anew:
        out.print("graded by different yardsticks: the answers of both were graded anew", markup=False)
    print_differences(found)
    _print_flips(found, flips)


def _result(catalogue: Catalogue, side: str, set_id: str | None, grader: str) -> EvaluationResult:
    if set_id is None:
        if not (side.isascii() and side.isdigit()):
            raise UsageError(f"'{side}' is no id of a result; to compare two models, name a set with --set")
        return stored_result(catalogue.project, int(side))
    catalogue.model(side)
    store = open_store(Settings(), catalogue.project)
    run = store.latest_whole_run(set_id, side)
    result = store.latest_result_of_run(run.id, grader) if run is not None else None
    if result is None:
        raise UsageError(
            f"{set_id} · {side} has no result by '{grader}' over the whole set; see eval-pipeline results list"
        )
    return result


def _declared(catalogue: Catalogue, set_id: str) -> GoldenPromptSet | None:
    """The set as it is declared now; none where it is not, or not without faults."""
    try:
        return catalogue.golden_prompt_set(set_id)
    except (UsageError, DefinitionError):
        return None


def _answers(
    flip: Flip, before: EvaluationResult, after: EvaluationResult, store: ResultStore
) -> dict[str, Any]:
    """A flip with what was answered on both sides."""
    answers = {
        name: [
            response.reply.text if response.reply is not None else response.error
            for (_, _), response in sorted(store.responses(result.run_id, [flip.prompt_id]).items())
        ]
        for name, result in (("answers_before", before), ("answers_after", after))
    }
    return flip.model_dump() | answers


def _print_flips(found: Differences, flips: list[dict[str, Any]]) -> None:
    for flip in flips[:_FLIPS_SHOWN]:
        out.print(f"\n[bold]{flip['prompt_id']}[/bold]  {flip['before']} → {flip['after']}")
        _block("A", flip["answers_before"])
        _block("B", flip["answers_after"])
    if found.flipped_count > _FLIPS_SHOWN:
        out.print(f"\nand {found.flipped_count - _FLIPS_SHOWN} more that flipped: see --json", markup=False)


def _block(name: str, answers: Iterable[str | None]) -> None:
    for answer in answers:
        out.print(f"  [dim]{name}[/dim]")
        out.print(Padding(Text(visible(answer or "").strip("\n")), (0, 0, 0, 4)))
