"""`eval-pipeline run`: evaluate a set, in this process, as the same assets that the UI shows."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Annotated

import typer

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.reports.result_json import ResultsWriter
from eval_pipeline.application.full_result import FullResult, full_results, gradings_of_result
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.cli.comparison_options import (
    AgainstOption,
    BaselineOption,
    ComparisonOptions,
    Confidence,
    FailOn,
    FailOnOption,
    FailOnRegression,
    MaxMeanScoreDrop,
    MaxPassRateDrop,
    comparing,
    exit_status,
    first_that_applies,
    gate_asked_for,
)
from eval_pipeline.cli.declarations import warn_of_faults
from eval_pipeline.cli.output import Exit, dollars, err, out, print_json
from eval_pipeline.cli.progress import terminal_progress
from eval_pipeline.cli.result_view import print_full, print_gradings
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.results import cost_usd
from eval_pipeline.domain.runs import AskPlan, Selection
from eval_pipeline.domain.validation import closest
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import (
    GRADERS,
    database_url,
    load_catalogue,
    model_clients,
    open_history,
    open_store,
)

_CHARACTERS_PER_TOKEN = 4


def run(
    set_id: Annotated[str, typer.Argument(metavar="SET", help="The identifier of a golden prompt set.")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A model key; may be repeated. The set's own otherwise."),
    ] = None,
    grader: Annotated[str, typer.Option("--grader", help="Who grades.")] = "deterministic",
    prompt: Annotated[
        list[str] | None, typer.Option("--prompt", help="Only this prompt; may be repeated.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Only prompts with this tag; may be repeated.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many prompts.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How many times each prompt is asked.")] = 1,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only prompts that did not pass last time.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be asked and its estimated cost; ask nothing.")
    ] = False,
    against: AgainstOption = None,
    baseline: BaselineOption = None,
    max_pass_rate_drop: MaxPassRateDrop = None,
    max_mean_score_drop: MaxMeanScoreDrop = None,
    confidence: Confidence = None,
    fail_on_regression: FailOnRegression = False,
    fail_on: FailOnOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Ask a model every prompt of a set, grade the answers, store the result, and compare it."""
    names = [known.name for known in GRADERS]
    if grader not in names:
        raise UsageError(f"there is no grader '{grader}'; {closest(grader, names)}")
    if failed and prompt:
        raise UsageError("--failed chooses the prompts itself: leave --prompt out")
    settings = Settings()
    catalogue = load_catalogue(settings)
    golden_set = catalogue.golden_prompt_set(set_id)
    warn_of_faults(catalogue)
    model_keys = list(dict.fromkeys(model or catalogue.models_for(golden_set)))
    plans: list[tuple[AskPlan, Selection]] = []
    for key in model_keys:
        resolved = catalogue.model(key)
        prompt_ids = _not_passed(settings, catalogue, set_id, key, grader) if failed else prompt
        selection = Selection(prompt_ids, tag or (), limit)
        if failed and not prompt_ids:
            err.print(f"{set_id} · {key}: every prompt passed last time", markup=False)
            continue
        plans.append((AskPlan.of(golden_set, resolved, selection, repeats), selection))
    if dry_run:
        _show_plans([plan for plan, _ in plans], as_json)
        return
    options = ComparisonOptions(against, baseline, max_pass_rate_drop, max_mean_score_drop, confidence)
    gate = gate_asked_for(fail_on, fail_on_regression)
    if gate is not None and any(plan.partial for plan, _ in plans):
        err.print(
            "warning: a part of a set is never complete, so the gate that is asked for will fail",
            markup=False,
        )
    try:
        status = _evaluate(settings, catalogue, plans, grader, options, gate, as_json)
    except KeyboardInterrupt:
        err.print("interrupted; what had arrived is stored", markup=False)
        raise typer.Exit(Exit.INTERRUPTED) from None
    if status is not Exit.OK:
        raise typer.Exit(status)


def _not_passed(
    settings: Settings, catalogue: Catalogue, set_id: str, model_key: str, grader: str
) -> list[str]:
    """The prompts that did not pass when they were last graded, and are still in the set.

    A run over a part of the set says nothing of the others: what is newer goes over the newest whole one.
    """
    store, history = open_store(settings, catalogue.project), open_history(settings, catalogue.project)
    statuses: dict[str, Status] = {}
    results = history.results(set_id, model_key, grader)
    if not results:
        raise UsageError(f"{set_id} · {model_key} has no result yet: run it without --failed first")
    for result in results:
        for gradings in store.gradings(result.id):
            for grading in gradings:
                statuses.setdefault(grading.prompt_id, grading.status)
        if not result.partial:
            break
    prompts = catalogue.golden_prompt_set(set_id).prompts
    return [prompt.id for prompt in prompts if statuses.get(prompt.id) in {Status.FAIL, Status.ERROR}]


def _show_plans(plans: list[AskPlan], as_json: bool) -> None:
    from eval_pipeline.domain.responses import TokenUsage

    shown = []
    for plan in plans:
        characters = sum(len(message.content) for request in plan.requests for message in request.messages)
        most = plan.requests[0].parameters.get("max_tokens")
        usage = TokenUsage(
            characters // _CHARACTERS_PER_TOKEN, most * len(plan.requests) if isinstance(most, int) else None
        )
        shown.append(
            {
                "set": plan.golden_set.id,
                "model_key": plan.model.key,
                "provider_instance": plan.model.provider_key,
                "outbound_model": plan.model.outbound_model,
                "calls": len(plan.requests),
                "input_tokens": usage.input_tokens,
                "max_output_tokens": usage.output_tokens,
                "max_cost_usd": cost_usd(usage, plan.model.price),
            }
        )
    if as_json:
        print_json({"plans": shown})
        return
    for entry in shown:
        out.print(
            f"{entry['set']} · {entry['model_key']}: {entry['calls']} calls to {entry['provider_instance']} as"
            f" {entry['outbound_model']}, about {entry['input_tokens']} tokens in, at most"
            f" {entry['max_output_tokens'] or 'an unknown number of'} out, at most {dollars(entry['max_cost_usd'])}",  # type: ignore[arg-type]
            markup=False,
        )


def _evaluate(
    settings: Settings,
    catalogue: Catalogue,
    plans: list[tuple[AskPlan, Selection]],
    grader: str,
    options: ComparisonOptions,
    gate: FailOn | None,
    as_json: bool,
) -> Exit:
    for plan, _ in plans:
        model_clients(settings).validate(plan.model)
    with ThreadPoolExecutor(max_workers=1) as background:
        # The embedded database starts while Dagster is being imported.
        opening = background.submit(open_store, settings, catalogue.project)
        from eval_pipeline.cli.session import open_session

        store, history = opening.result(), open_history(settings, catalogue.project)
    pairs = [(plan.golden_set.id, plan.model.key, grader) for plan, _ in plans]
    config = comparing(options, pairs, store)
    statuses = []
    now = datetime.now(UTC)
    with (
        terminal_progress() as progress,
        open_session(settings, catalogue, database_url(settings), progress) as session,
        ResultsWriter(sys.stdout, catalogue.project, now) if as_json else nullcontext() as writer,
    ):
        for plan, selection in plans:
            outcome = session.evaluate(plan, grader, selection, config)
            result = store.result_of_orchestration(outcome.dagster_run_id, grader)
            if result is None:
                err.print(
                    f"error: {plan.golden_set.id} · {plan.model.key}: {outcome.failure or 'the run was stopped'}",
                    markup=False,
                )
                statuses.append(Exit.INCOMPLETE if gate is None else Exit.GATE_FAILED)
                continue
            [full] = full_results([result], store, history)
            show(full, store, writer, now)
            statuses.append(exit_status(full, gate))
    return first_that_applies(statuses)


def show(full: FullResult, store: ResultStore, writer: ResultsWriter | None, now: datetime) -> None:
    """Print a result that was just reached, or write it as JSON."""
    result = full.result
    if writer is not None:
        writer.write(full, gradings_of_result(result, store))
        return
    print_gradings(result, (grading for grading, _ in gradings_of_result(result, store)))
    print_full(full, now)
    out.print(f"\nall of it: eval-pipeline results show {result.id}\n", markup=False)
