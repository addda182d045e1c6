"""The options by which commands compare a result with its baseline, and the status that follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from eval_pipeline.adapters.reports.baseline_file import read_baseline
from eval_pipeline.application.baseline import ComparisonRules
from eval_pipeline.application.full_result import FullResult
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.cli.output import Exit
from eval_pipeline.domain.baselines import Against
from eval_pipeline.domain.errors import UsageError

AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="accepted|previous|pinned|ID",
        help="The baseline. Otherwise the pinned result, if there is one, else the newest accepted one.",
    ),
]
BaselineOption = Annotated[
    Path | None, typer.Option("--baseline", metavar="FILE", help="An exported result as the baseline.")
]
MaxPassRateDrop = Annotated[
    float | None, typer.Option("--max-pass-rate-drop", help="Instead of the set's own tolerance: 0 to 1.")
]
MaxMeanScoreDrop = Annotated[
    float | None, typer.Option("--max-mean-score-drop", help="Instead of the set's own tolerance: 0 to 1.")
]
Confidence = Annotated[
    float | None,
    typer.Option("--confidence", help="A drop counts only if its interval excludes 0 too, such as 0.95."),
]
FailOnRegression = Annotated[
    bool, typer.Option("--fail-on-regression", help="The same as --fail-on regression.")
]


class FailOn(StrEnum):
    """Which gate ends a command with status 1."""

    REGRESSION = "regression"
    """A blocking check that fails."""
    ANY = "any"
    """Also a single prompt that did not pass."""


FailOnOption = Annotated[
    FailOn | None,
    typer.Option(
        "--fail-on",
        help="End with status 1 when a blocking check fails; with 'any' also when a single prompt does not pass.",
    ),
]


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What the command line says about baselines, as it was given.

    Attributes:
        against: How the baseline is chosen, or the id of a result.
        baseline: A file as the baseline.
        max_pass_rate_drop, max_mean_score_drop: Tolerances over those of the set.
        confidence: Asked for.
    """

    against: str | None
    baseline: Path | None
    max_pass_rate_drop: float | None
    max_mean_score_drop: float | None
    confidence: float | None


def gate_asked_for(fail_on: FailOn | None, fail_on_regression: bool) -> FailOn | None:
    """The gate that two options ask for together."""
    return fail_on or (FailOn.REGRESSION if fail_on_regression else None)


def comparing(
    options: ComparisonOptions,
    pairs: Iterable[tuple[str, str, str]],
    store: ResultStore,
) -> dict[str, Any]:
    """The options as run configuration, checked before anything is spent.

    Args:
        options: As they were given.
        pairs: Set, model key and grader of everything that is going to be compared.
        store: Where a result named by its id is looked up.

    Raises:
        DefinitionError: The file is no baseline of one of the pairs.
        UsageError: A value is out of range, or a named result does not exist or does not fit.
    """
    against, baseline = options.against, options.baseline
    chosen = against if against in set(Against) else None
    result_id = None
    if against is not None and chosen is None:
        if not (against.isascii() and against.isdigit()):
            raise UsageError(
                f"--against takes accepted, previous, pinned or the id of a result, not '{against}'"
            )
        result_id = int(against)
    if against is not None and baseline is not None:
        raise UsageError("--against and --baseline both name a baseline: leave one out")
    ComparisonRules(
        max_pass_rate_drop=options.max_pass_rate_drop,
        max_mean_score_drop=options.max_mean_score_drop,
        confidence=options.confidence,
    )
    for pair in pairs:
        if baseline is not None:
            read_baseline(baseline, *pair)
        if result_id is not None:
            _require_baseline(result_id, pair, store)
    return {
        "against": None if chosen is None else Against(chosen).name,
        "baseline_result": result_id,
        "baseline_file": None if baseline is None else str(baseline.resolve()),
        "max_pass_rate_drop": options.max_pass_rate_drop,
        "max_mean_score_drop": options.max_mean_score_drop,
        "confidence": options.confidence,
    }


def rules_of(config: Mapping[str, Any], pair: tuple[str, str, str]) -> ComparisonRules:
    """What `comparing` gives, as rules for one pair, its file read."""
    file = config["baseline_file"]
    return ComparisonRules(
        against=None if config["against"] is None else Against[config["against"]],
        result_id=config["baseline_result"],
        file=None if file is None else read_baseline(Path(file), *pair),
        max_pass_rate_drop=config["max_pass_rate_drop"],
        max_mean_score_drop=config["max_mean_score_drop"],
        confidence=config["confidence"],
    )


def _require_baseline(result_id: int, pair: tuple[str, str, str], store: ResultStore) -> None:
    result = store.result(result_id)
    if result is None:
        raise UsageError(f"there is no result {result_id} to compare with; see eval-pipeline results list")
    own = (result.set_id, result.model_key, result.grader)
    if own != pair:
        raise UsageError(
            f"result {result_id} is of {' · '.join(own)}, which is no baseline of {' · '.join(pair)}"
        )


def exit_status(full: FullResult, fail_on: FailOn | None) -> Exit:
    """The status that a result asks for."""
    result, report = full.result, full.standing.report
    if fail_on is not None and (report is None or not report.passed):
        return Exit.GATE_FAILED
    if fail_on is FailOn.ANY and result.summary.not_passed:
        return Exit.GATE_FAILED
    errors_allowed = result.partial and not result.summary.total.error_count
    return Exit.OK if result.complete or errors_allowed else Exit.INCOMPLETE


def first_that_applies(statuses: Iterable[Exit]) -> Exit:
    """Of several statuses the one that the command ends with."""
    found = set(statuses)
    return next(
        (status for status in (Exit.USAGE, Exit.GATE_FAILED, Exit.INCOMPLETE) if status in found), Exit.OK
    )
