"""`eval-pipeline best-model`: choose a model by its measured quality."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from eval_pipeline.adapters.catalogue.candidates import candidates, sets_that_count
from eval_pipeline.application.select_model import MeasuredQuality, measured_latencies, select_by_quality
from eval_pipeline.cli.declarations import warn_of_faults
from eval_pipeline.cli.output import Exit, err, out, print_json, score
from eval_pipeline.domain.model_criteria import Candidate, Criteria
from eval_pipeline.domain.model_ranking import DEFAULT_MIN_PROMPTS, Preference, Ranking
from eval_pipeline.domain.quality import Quality, SetQuality
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue, open_history


def best_model(
    capability: Annotated[
        list[str] | None, typer.Option("--capability", help="Only models that declare it; may be repeated.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="Only models of this adapter kind; may be repeated for several."),
    ] = None,
    min_context: Annotated[
        int | None, typer.Option(min=0, help="Only models of at least this context length, in tokens.")
    ] = None,
    max_input_cost: Annotated[
        float | None, typer.Option(min=0, help="Only models of at most this price, in $ per million tokens.")
    ] = None,
    min_quality: Annotated[
        float | None, typer.Option(help="Only models that are scored, at least so high: from 0 to 1.")
    ] = None,
    common_sets: Annotated[
        bool, typer.Option("--common-sets", help="Count only sets that all scored models have.")
    ] = False,
    prefer: Annotated[
        Preference, typer.Option(help="What comes after priority where quality does not decide.")
    ] = "cost",
    max_age_days: Annotated[
        int, typer.Option(min=0, max=36500, help="Leave out results that are older.")
    ] = 90,
    min_prompts: Annotated[
        int, typer.Option(min=0, help="Models measured on fewer graded prompts are not scored.")
    ] = DEFAULT_MIN_PROMPTS,
    set_ids: Annotated[
        list[str] | None,
        typer.Option("--set", help="Count only this set, also an example; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Choose the best model by its results. Exit status 1: no model is eligible."""
    now = datetime.now(UTC)
    criteria = Criteria(capability or (), kind or (), min_context, max_input_cost)
    settings = Settings()
    catalogue = load_catalogue(settings)
    warn_of_faults(catalogue)
    counted = sets_that_count(catalogue, set_ids or ())
    if not counted:
        err.print("warning: the project has no set of its own by which to measure: see --set", markup=False)
    history = open_history(settings, catalogue.project)
    found = candidates(catalogue, counted)
    if prefer == "latency":
        found = candidates(catalogue, counted, measured_latencies(found, history))
    source = MeasuredQuality(history, counted, lambda: now, timedelta(days=max_age_days))
    ranking = select_by_quality(criteria, found, source, min_quality, common_sets, prefer, min_prompts)
    if as_json:
        asked = {
            "capabilities": list(criteria.capabilities),
            "adapter_kinds": list(criteria.adapter_kinds),
            "min_context": min_context,
            "max_input_cost": max_input_cost,
            "min_quality": min_quality,
            "prefer": prefer,
            "max_age_days": max_age_days,
            "min_prompts": min_prompts,
            "sets": counted,
        }
        print_json({"project": catalogue.project, "asked": asked, **_ranking_document(ranking)})
    else:
        _print_ranking(ranking, len(counted), now)
    if ranking.chosen is None:
        raise typer.Exit(Exit.GATE_FAILED)


def _print_ranking(ranking: Ranking, set_count: int, now: datetime) -> None:
    """The answer in the first line, for scripts; below it, what led to it."""
    out.print(f"{ranking.chosen.key if ranking.chosen else 'no model is eligible'}\n", markup=False)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("model", overflow="fold")
    table.add_column("score")
    for column in ("sets", "prompts", "age in days"):
        table.add_column(column, justify="right")
    table.add_column("why not", overflow="fold")
    for model in ranking.ranked:
        why = "" if model.unscored_because is None else f"not scored: {model.unscored_because}"
        table.add_row(escape(model.candidate.key), *_cells(model.quality, set_count, now), escape(why))
    for rejected in ranking.rejected:
        why = f"rejected: {rejected.reason}"
        table.add_row(escape(rejected.candidate.key), *_cells(rejected.quality, set_count, now), escape(why))
    out.print(table)
    for note in ranking.notes:
        out.print(f"note: {note}", markup=False)


def _cells(quality: Quality | None, set_count: int, now: datetime) -> tuple[str, str, str, str]:
    if quality is None:
        return "n/a", f"0 of {set_count}", "0", ""
    shown = score(quality.score)
    if quality.interval is not None:
        low, high = quality.interval
        shown += f" ({score(low)} to {score(high)})"
    # What another machine recorded may be dated a moment ahead.
    days = [max(timedelta(), now - moment).days for moment in (quality.newest, quality.oldest)]
    return (
        shown,
        f"{len(quality.sets)} of {set_count}",
        str(quality.prompt_count),
        " to ".join(str(age) for age in sorted(set(days))),
    )


def _ranking_document(ranking: Ranking) -> dict[str, Any]:
    return {
        "chosen": ranking.chosen.key if ranking.chosen else None,
        "ranked": [
            {
                **_candidate_document(model.candidate),
                "scored": model.scored,
                "unscored_because": model.unscored_because,
                "quality": quality_document(model.quality),
            }
            for model in ranking.ranked
        ],
        "rejected": [
            {
                **_candidate_document(model.candidate),
                "reason": model.reason,
                "quality": quality_document(model.quality),
            }
            for model in ranking.rejected
        ],
        "common_sets": None if ranking.common_sets is None else list(ranking.common_sets),
        "notes": list(ranking.notes),
    }


def _candidate_document(candidate: Candidate) -> dict[str, Any]:
    price = candidate.price
    return {
        "model_key": candidate.key,
        "provider_instance": candidate.provider_instance,
        "outbound_model": candidate.outbound_model,
        "adapter_kind": candidate.adapter_kind,
        "capabilities": list(candidate.capabilities),
        "context_length": candidate.context_length,
        "price": None if price is None else price.model_dump(),
        "priority": candidate.priority,
        "latency_ms": candidate.latency_ms,
    }


def quality_document(quality: Quality | None) -> dict[str, Any] | None:
    """A quality for machines."""
    if quality is None:
        return None
    return {
        "score": quality.score,
        "standard_error": quality.standard_error,
        "interval": quality.interval,
        "prompt_count": quality.prompt_count,
        "oldest": quality.oldest.isoformat(),
        "newest": quality.newest.isoformat(),
        "sets": [_set_document(of_set) for of_set in quality.sets],
    }


def _set_document(of_set: SetQuality) -> dict[str, Any]:
    return {**asdict(of_set), "run_date": of_set.run_date.isoformat()}
