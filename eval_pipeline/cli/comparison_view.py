"""A comparison for people: against what, by how much, which prompts, and where the result stands."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from rich.markup import escape

from eval_pipeline.cli.output import out
from eval_pipeline.domain.differences import Change, Differences
from eval_pipeline.domain.gates import CheckName, GateReport
from eval_pipeline.domain.regression import Comparison, Verdict
from eval_pipeline.domain.standing import ManualDecision, Standing
from eval_pipeline.domain.text import visible

_IDS_SHOWN = 20
_STYLES = {
    Verdict.FIRST: "cyan",
    Verdict.NO_REGRESSION: "green",
    Verdict.SNAPSHOT_CHANGED: "yellow",
    Verdict.REGRESSION: "red",
    Verdict.HELD_BACK: "red",
    Verdict.NOT_COMPARABLE: "yellow",
}


def print_report(report: GateReport) -> None:
    """The verdict of record: the comparison, and every check that failed."""
    comparison = report.comparison
    style = _STYLES[comparison.verdict]
    verdict = comparison.verdict.value.replace("_", " ")
    out.print(f"[bold]verdict    [/bold] [{style}]{verdict}[/{style}]  {escape(visible(comparison.reason))}")
    if comparison.against is not None:
        _line("against", _baseline(comparison))
    if comparison.differences is not None:
        print_differences(comparison.differences)
    if report.passed and report.not_accepted_because is not None:
        _line("accepted", f"no: {report.not_accepted_because}")
    for check in report.checks:
        if not check.passed:
            mark = "[red]fails[/red]" if check.blocks else "[yellow]warns[/yellow]"
            # The reason of this one stands in the verdict.
            reason = "" if check.name is CheckName.NO_REGRESSION else f": {escape(visible(check.reason))}"
            out.print(f"[bold]check      [/bold] {check.name.value} {mark}{reason}")


def print_differences(found: Differences) -> None:
    """By how much two results differ, and on which prompts."""
    _line(
        "shared",
        f"{found.shared} prompts, {found.measured} measured on both sides; {found.added} added,"
        f" {found.removed} removed, {found.edited} edited",
    )
    for name, change in (("pass rate", found.pass_rate), ("mean score", found.mean_score)):
        if change is not None:
            _print_change(f"Δ {name}", change, found.confidence)
    for tag, tagged in found.tags.items():
        _line("tag", f"{tag}, {tagged.shared} prompts")
        _print_change("Δ pass rate", tagged.pass_rate, found.confidence)
        _print_change("Δ mean score", tagged.mean_score, found.confidence)
    if found.changed_treatment:
        _line("changed", ", ".join(found.changed_treatment))
    _print_prompts(found)
    for advice in found.advice:
        _line("note", advice)


def _print_prompts(found: Differences) -> None:
    named = {
        "added": list(found.added_ids),
        "removed": list(found.removed_ids),
        "edited": list(found.edited_ids),
        "now fail": [flip.prompt_id for flip in found.flipped if flip.worse],
        "now pass": [flip.prompt_id for flip in found.flipped if not flip.worse],
        "unmeasured": list(found.unmeasured),
    }
    for name, ids in named.items():
        if ids:
            _line(name, _ids(ids))
    if found.flipped_count > len(found.flipped):
        _line("", f"{found.flipped_count} flipped in all")


def print_standing(standing: Standing, now: datetime) -> None:
    """A pin and an acceptance, wherever the result is shown."""
    for line in standing_lines(standing, now):
        out.print(f"[magenta]{escape(visible(line))}[/magenta]")


def standing_lines(standing: Standing, now: datetime) -> Iterable[str]:
    """What people decided about a result, one line each."""
    if standing.pin is not None:
        yield f"pinned as baseline {_by(standing.pin)}"
    if standing.withdrawal is not None:
        yield f"no longer accepted: withdrawn {_by(standing.withdrawal)}"
    acceptance = standing.acceptance
    if acceptance is None:
        return
    until = f" until {acceptance.until:%Y-%m-%d %H:%M}Z" if acceptance.until else ""
    expired = "" if standing.accepted_by_hand(now) else ", which is over: the acceptance has expired"
    yield f"accepted{until}{expired} {_by(acceptance)}"


def _by(decision: ManualDecision) -> str:
    reason = f": {decision.reason}" if decision.reason else ""
    return f"by {decision.decided_by} on {decision.decided_at:%Y-%m-%d %H:%M}Z{reason}"


def _baseline(comparison: Comparison) -> str:
    what = "a file" if comparison.baseline_id is None else f"result {comparison.baseline_id}"
    date = f" of {comparison.baseline_date:%Y-%m-%d %H:%M}Z" if comparison.baseline_date else ""
    generator = f" by {comparison.baseline_generator}" if comparison.baseline_generator else ""
    anew = "; its stored answers were graded anew" if comparison.regraded else ""
    how = {"result": "", "file": ""}.get(comparison.against or "", f"the {comparison.against} one, ")
    return f"{how}{what}{date}{generator}{anew}"


def _print_change(name: str, change: Change, confidence: float) -> None:
    delta = f"{change.baseline:.4g} → {change.current:.4g}, {change.delta:+.4f}"
    _line(name, f"{delta} (tolerance {change.tolerance:g})")
    statistics = []
    if change.standard_error is not None:
        statistics.append(f"± {change.standard_error:.4f} (standard error)")
    if change.interval is not None:
        low, high = change.interval
        statistics.append(f"{confidence:.4g} interval {low:+.4f} to {high:+.4f}")
    if change.p_value is not None:
        statistics.append(f"p {change.p_value:.3g} ({change.test})")
    if change.detectable_drop is not None:
        statistics.append(f"can show drops from {change.detectable_drop:.3f}")
    if statistics:
        _line("", ", ".join(statistics))


def _ids(ids: list[str]) -> str:
    more = f" and {len(ids) - _IDS_SHOWN} more" if len(ids) > _IDS_SHOWN else ""
    return ", ".join(ids[:_IDS_SHOWN]) + more


def _line(name: str, value: str) -> None:
    out.print(f"[bold]{name:<11}[/bold] {escape(visible(value))}", soft_wrap=True)
