"""`eval-pipeline models show`: one model, how good it was measured to be, and all scores that it produced."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from eval_pipeline.adapters.catalogue.candidates import sets_that_count
from eval_pipeline.adapters.reports.result_json import result_document
from eval_pipeline.application.full_result import full_results
from eval_pipeline.application.select_model import MeasuredQuality
from eval_pipeline.cli.best_model import quality_document
from eval_pipeline.cli.output import out, print_json, score
from eval_pipeline.cli.result_view import print_line
from eval_pipeline.domain.quality import GeneratorScope, Quality
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue, open_history, open_store


def show_model(
    key: Annotated[str, typer.Argument(metavar="MODEL", help="A model key.")],
    limit: Annotated[int, typer.Option(min=1, help="At most so many results, the newest.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """One model: how it is asked, its measured quality, and the scores that it produced."""
    settings, now = Settings(), datetime.now(UTC)
    catalogue = load_catalogue(settings)
    model = catalogue.model(key)
    store, history = open_store(settings, catalogue.project), open_history(settings, catalogue.project)
    source = MeasuredQuality(history, sets_that_count(catalogue, ()), lambda: now)
    quality = source.scoped_quality(GeneratorScope(model.provider_key, model.outbound_model, key))
    shown = full_results(history.results(model_key=key, limit=limit), store, history)
    declared = {
        "model": key,
        "provider_instance": model.provider_key,
        "kind": model.provider.kind,
        "outbound_model": model.outbound_model,
        "parameters": dict(model.parameters),
        "source": catalogue.model_source(key),
    }
    if as_json:
        results = [result_document(catalogue.project, full, now) for full in shown]
        print_json({**declared, "quality": quality_document(quality), "results": results})
        return
    out.print(f"[bold]{key}[/bold]  sent to {model.provider_key} as {model.outbound_model}")
    out.print(f"declared in {declared['source']}", markup=False, soft_wrap=True)
    out.print(_quality_line(quality), markup=False, soft_wrap=True)
    out.print()
    if not shown:
        out.print("no results yet", markup=False)
    for full in shown:
        print_line(full, now)


def _quality_line(quality: Quality | None) -> str:
    if quality is None:
        return "quality unknown: no verified, complete and recent result of a set that counts"
    interval = ""
    if quality.interval is not None:
        low, high = quality.interval
        interval = f" ({score(low)} to {score(high)})"
    return (
        f"quality {score(quality.score)}{interval} over {len(quality.sets)} sets and {quality.prompt_count} prompts,"
        f" asked {quality.oldest:%Y-%m-%d} to {quality.newest:%Y-%m-%d}"
    )
