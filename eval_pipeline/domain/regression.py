"""What the difference between a result and its baseline means: the verdict.

A regression is a drop of the pass rate or of the mean score, over the shared prompts, by more than its
tolerance; exactly at the tolerance is none. Not here: the differences themselves (`differences.py`), and
what else a result has to keep to (`gates.py`).
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from eval_pipeline.domain.differences import Differences
from eval_pipeline.domain.pairing import MIN_SHARED


class Verdict(StrEnum):
    """What a comparison with a baseline says."""

    FIRST = "first"
    """There is no earlier result of this kind."""
    NO_REGRESSION = "no_regression"
    REGRESSION = "regression"
    SNAPSHOT_CHANGED = "snapshot_changed"
    """Another snapshot answers under the same name, and is not worse beyond the tolerance."""
    HELD_BACK = "held_back"
    """Another snapshot answers under the same name, and is worse beyond the tolerance."""
    NOT_COMPARABLE = "not_comparable"


class Comparison(BaseModel):
    """A result beside its baseline, with the verdict.

    Attributes:
        verdict, reason: What it says, and why, for people.
        against: How the baseline was chosen: `pinned`, `accepted`, `previous`, `result`, `file`; none
            without a baseline.
        baseline_id, baseline_date: The baseline; the id is none where it was read from a file of
            another database.
        baseline_generator: What produced the baseline, for people.
        generator_changed: What answers instead of what, for people: another snapshot than that of the
            baseline, or, where nothing can be a baseline, another provider or model than before. None where
            nothing is known to have changed.
        regraded: Whether the stored answers of the baseline were graded anew for this comparison.
        differences: None where there is nothing to compare with, or it cannot be compared.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Verdict
    reason: str
    against: str | None = None
    baseline_id: int | None = None
    baseline_date: datetime | None = None
    baseline_generator: str | None = None
    generator_changed: str | None = None
    regraded: bool = False
    differences: Differences | None = None


def verdict_on(found: Differences, *, snapshot_changed: bool) -> tuple[Verdict, str]:
    """The verdict on a result that differs like this from its baseline, and the reason.

    Args:
        found: The differences.
        snapshot_changed: Whether the baseline is of another snapshot behind the same name.
    """
    what = "another snapshot answers under the same name, and " if snapshot_changed else ""
    if (obstacle := _obstacle(found)) is not None:
        return Verdict.NOT_COMPARABLE, f"{what}{obstacle}"
    over = f"over {found.measured} shared prompts"
    treatment = f"; changed: {', '.join(found.changed_treatment)}" if found.changed_treatment else ""
    if regressions := found.regressions():
        reason = f"{what}{'; '.join(regressions)} ({over}){treatment}"
        if snapshot_changed:
            return Verdict.HELD_BACK, f"{reason}: held back until it is accepted"
        return Verdict.REGRESSION, reason
    verdict = Verdict.SNAPSHOT_CHANGED if snapshot_changed else Verdict.NO_REGRESSION
    if found.within_noise():
        noise = f"a drop beyond the tolerance does not stand up to a confidence of {found.confidence:g}"
        return verdict, f"{what}{noise} ({over}){treatment}"
    return verdict, f"{what}no rate fell beyond its tolerance ({over}){treatment}"


def _obstacle(found: Differences) -> str | None:
    """Why no verdict can be reached, or none."""
    if not found.enough_shared:
        return _too_little_shared(found)
    if found.uncompared_tags:
        tags = ", ".join(f"'{tag}'" for tag in found.uncompared_tags)
        return (
            f"tags with tolerances of their own could not be compared ({tags}): none of their prompts was"
            " measured on both sides"
        )
    return None


def _too_little_shared(found: Differences) -> str:
    counts = f"{found.added} added, {found.removed} removed, {found.edited} edited"
    if found.shared and not found.measured:
        return f"none of the {found.shared} shared prompts was measured on both sides"
    return f"only {found.shared} prompts are shared ({counts}): at least {float(MIN_SHARED):.0%} are needed"
