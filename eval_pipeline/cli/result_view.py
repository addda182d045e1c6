"""A result for people: prompts with their verdicts, the rates with their counts, and what served."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from eval_pipeline.application.full_result import FullResult
from eval_pipeline.cli.comparison_view import print_report, print_standing, standing_lines
from eval_pipeline.cli.output import dollars, out, rate, score
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.differences import Change
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.provenance import GeneratorStatus, generator_name
from eval_pipeline.domain.responses import Message, ModelResponse
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.text import visible

_ROWS_SHOWN = 50
_STYLES = {Status.PASS: "green", Status.FAIL: "red", Status.ERROR: "yellow", Status.SKIPPED: "dim"}


def print_gradings(result: EvaluationResult, gradings: Iterable[Grading]) -> None:
    """A table, one line a prompt; of a large set, only of prompts that did not pass, and not all of them."""
    shown = gradings
    if result.summary.total.prompt_count > _ROWS_SHOWN:
        not_passed = (grading for grading in gradings if grading.status in {Status.FAIL, Status.ERROR})
        shown = islice(not_passed, _ROWS_SHOWN)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("status")
    table.add_column("score", justify="right")
    table.add_column("prompt", overflow="fold")
    table.add_column("reason", overflow="fold")
    for grading in shown:
        style = _STYLES[grading.status]
        table.add_row(
            f"[{style}]{grading.status.value}[/{style}]",
            "" if grading.score is None else f"{grading.score:.2f}",
            escape(grading.prompt_id),
            escape(visible(" ".join(grading.reason.split()))),
        )
    out.print(table)
    left_out = len(result.summary.not_passed) - _ROWS_SHOWN
    if left_out > 0:
        out.print(f"and {left_out} more that did not pass", markup=False)


def print_full(full: FullResult, now: datetime) -> None:
    """The aggregate, the verdict, and what people decided."""
    print_summary(full.result, full.run.repeats if full.run is not None else 1)
    if full.standing.report is not None:
        print_report(full.standing.report)
    print_standing(full.standing, now)


def print_lineage(full: FullResult) -> None:
    """Where a result comes from: its set, its yardstick, its runs and its forebears."""
    result, run = full.result, full.run
    _line("yardstick", ", ".join(f"{name} {_short(value)}" for name, value in result.yardstick.items()))
    if result.regraded_from is not None:
        _line("regraded", f"from result {result.regraded_from}; no model was asked")
    if run is None:
        return
    _line("set version", run.content_hash)
    _line("asked", f"run {run.id}, {run.started_at:%Y-%m-%d %H:%M:%S}Z")
    if run.orchestration_run_id is not None:
        _line("Dagster run", run.orchestration_run_id)


def print_summary(result: EvaluationResult, repeats: int) -> None:
    """The aggregate, with counts beside every rate; `repeats` is how many times each prompt was asked."""
    total, summary = result.summary.total, result.summary
    bounds = ""
    if total.error_count and total.pass_rate_bounds is not None:
        bounds = f", between {rate(total.pass_rate_bounds[0])} and {rate(total.pass_rate_bounds[1])} whatever the errors are"
    out.print()
    _line("result", f"{result.id}   {result.set_id} · {result.model_key} · {result.grader}")
    _line(
        "pass rate", f"{rate(total.pass_rate)}   {total.passed_count} of {total.graded_count} graded{bounds}"
    )
    spread = "" if total.standard_error is None else f"   ± {total.standard_error:.3f} (standard error)"
    _line("mean score", f"{score(total.mean_score)}{spread}")
    asked = f" responses, {repeats} to every prompt;" if repeats > 1 else "  "
    _line("prompts", f"{total.prompt_count}{asked} {total.error_count} errors, {total.skipped_count} skipped")
    _line("generator", generator_line(result))
    if summary.latency is not None:
        _line("latency", f"{summary.latency.p50:.0f} ms median, {summary.latency.p95:.0f} ms at 95 %")
    usage = summary.usage
    if usage.input_tokens is not None or usage.output_tokens is not None:
        _line(
            "tokens",
            f"{usage.input_tokens or 0} in, {usage.output_tokens or 0} out   {dollars(result.cost_usd)}",
        )
    for flag, count in summary.flags.items():
        _line("flag", f"{flag.replace('_', ' ')}: {count} responses")
    if result.incomplete_because is not None:
        out.print(f"[yellow]incomplete[/yellow]  {escape(result.incomplete_because)}")


def print_line(full: FullResult, now: datetime) -> None:
    """A result in two lines, for lists, and a line for every decision about it."""
    result, report = full.result, full.standing.report
    total = result.summary.total
    what = f"{result.set_id} · {result.model_key} · {result.grader}"
    out.print(f"[bold]{result.id:>6}[/bold]  {result.run_date:%Y-%m-%d %H:%M}Z  {escape(what)}")
    incomplete = "" if result.complete else "  [yellow]incomplete[/yellow]"
    found = report.comparison.differences if report else None
    verdict = f"  {report.comparison.verdict.value.replace('_', ' ')}" if report else ""
    verdict += "" if full.standing.approved(now) else ": not accepted"
    rates = (
        f"{rate(total.pass_rate)} ({total.passed_count}/{total.graded_count}){_delta(found.pass_rate if found else None)}"
        f"  mean {score(total.mean_score)}{_delta(found.mean_score if found else None)}"
    )
    out.print(
        f"        {rates}  {total.error_count} errors{incomplete}{verdict}  {escape(generator_line(result))}",
        soft_wrap=True,
    )
    for line in standing_lines(full.standing, now):
        out.print(f"        [magenta]{escape(visible(line))}[/magenta]", soft_wrap=True)


def print_exchange(grading: Grading, response: ModelResponse, messages: Iterable[Message]) -> None:
    """One prompt in full: what was asked, what came back, what was expected, what served."""
    style = _STYLES[grading.status]
    out.print(
        f"\n[bold]{escape(grading.prompt_id)}[/bold]  [{style}]{grading.status.value}[/{style}]  {escape(visible(grading.reason))}"
    )
    for message in messages:
        _block(message.role, message.content)
    if response.reply is not None and response.reply.reasoning:
        _block("reasoning", response.reply.reasoning)
    if response.reply is not None and response.reply.text is not None:
        _block("answer", response.reply.text)
    if response.error is not None:
        _block("error", response.error)
    for result in grading.assertions:
        mark = f"[{_STYLES[result.status]}]{result.status.value:<5}[/{_STYLES[result.status]}]"
        out.print(f"  {mark} {escape(result.assertion)}: {escape(visible(result.message))}")
    flags = f"   flags: {', '.join(response.reply.flags)}" if response.reply and response.reply.flags else ""
    out.print(f"  served by {visible(generator_name(response.served_by))}{flags}", markup=False)


def _delta(change: Change | None) -> str:
    """A change against the baseline, where there is one."""
    return "" if change is None else f" Δ {change.delta:+.3f}"


def generator_line(result: EvaluationResult) -> str:
    """What produced a result, in one line."""
    provenance = result.summary.provenance
    if provenance.status is GeneratorStatus.ONE:
        return provenance.summary()
    return f"{provenance.status.value.replace('_', ' ')}: {provenance.summary()}"


def _short(value: object) -> str:
    """A value of a yardstick: of a hash its beginning."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} {_short(member)}" for name, member in value.items()) + "}"
    return value[:12] if isinstance(value, str) and len(value) == 64 else str(value)


def _line(name: str, value: str) -> None:
    out.print(f"[bold]{name:<11}[/bold] {escape(value)}")


def _block(name: str, text: str) -> None:
    out.print(f"  [dim]{name}[/dim]")
    out.print(Padding(Text(visible(text).strip("\n")), (0, 0, 0, 4)))
