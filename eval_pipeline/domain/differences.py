"""By how much two results differ: rates, scores, and which prompts flipped.

Holds ids, counts and rates, and no text, so that it can be stored beside a result. Not here: how it is
computed (`paired_comparison.py`), and what it means (`regression.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Flip(_Kept):
    """A prompt that passed on one side only."""

    prompt_id: str
    before: str
    after: str
    score_before: float
    score_after: float

    @property
    def worse(self) -> bool:
        """Whether it passed before and does not now."""
        return self.before == "pass"


class Change(_Kept):
    """How one measure changed over the shared prompts that both sides measured.

    Attributes:
        baseline, current: The measure before and after, between 0 and 1.
        delta: After minus before.
        tolerance: The largest drop that is no regression.
        beyond_tolerance: Whether the drop is larger, decided exactly.
        regressed: Whether it also stands up to the confidence asked for, if one was.
        standard_error, interval: See `PairedDifference`.
        detectable_drop: The smallest true drop that a comparison like this one would mostly find; see
            `PairedDifference` and `detectable_pass_rate_drop`.
        p_value, test: Two-sided, and by which test; none with too few pairs.
    """

    baseline: float
    current: float
    delta: float
    tolerance: float
    beyond_tolerance: bool
    regressed: bool
    standard_error: float | None
    interval: tuple[float, float] | None
    detectable_drop: float | None
    p_value: float | None
    test: Literal["exact McNemar", "paired t"] | None


class TagChange(_Kept):
    """How both measures changed over the shared prompts of one tag that has tolerances of its own."""

    shared: int
    pass_rate: Change
    mean_score: Change


class Differences(_Kept):
    """Everything that tells two results apart. Holds ids, counts and rates, and no text.

    Attributes:
        shared: Prompts in both with unchanged inputs.
        measured: Of these, the prompts that both sides measured; the denominator of every rate.
        edited, added, removed: Other prompts, see `Pairing`; counts.
        edited_ids, added_ids, removed_ids: Ids of these, the first of them.
        unmeasured: Ids of shared prompts that one side could not measure, the first of them.
        enough_shared: Whether enough prompts are shared for a verdict.
        changed_treatment: What differs in how the prompts were asked.
        pass_rate, mean_score: None where no shared prompt was measured on both sides.
        tags: Changes of tags with tolerances of their own.
        uncompared_tags: Such tags of whose prompts none was measured on both sides.
        flipped_count, flipped: All prompts that flipped, and the first of them, the worse ones first.
        confidence: Of the intervals.
        advice: What a reader should know about what these numbers can and cannot tell.
    """

    shared: int
    measured: int
    edited: int
    added: int
    removed: int
    edited_ids: tuple[str, ...]
    added_ids: tuple[str, ...]
    removed_ids: tuple[str, ...]
    unmeasured: tuple[str, ...]
    enough_shared: bool
    changed_treatment: tuple[str, ...]
    pass_rate: Change | None
    mean_score: Change | None
    tags: Mapping[str, TagChange]
    uncompared_tags: tuple[str, ...]
    flipped_count: int
    flipped: tuple[Flip, ...]
    confidence: float
    advice: tuple[str, ...]

    def regressions(self) -> list[str]:
        """Every measure that regressed, as sentences for people."""
        return [
            f"{name.replace('_', ' ')}{scope} fell from {change.baseline:.4g} to {change.current:.4g},"
            f" by more than {change.tolerance:g}"
            for name, scope, change in self._changes()
            if change.regressed
        ]

    def within_noise(self) -> bool:
        """Whether a measure fell beyond its tolerance, but does not stand up to the confidence asked for."""
        return any(change.beyond_tolerance and not change.regressed for _, _, change in self._changes())

    def _changes(self) -> Iterator[tuple[str, str, Change]]:
        """Every change with the name of its measure and, for people, of what it is a change."""
        scopes = [("", self.pass_rate, self.mean_score)]
        scopes += [(f" of tag '{tag}'", each.pass_rate, each.mean_score) for tag, each in self.tags.items()]
        for scope, pass_rate, mean_score in scopes:
            for name, change in (("pass_rate", pass_rate), ("mean_score", mean_score)):
                if change is not None:
                    yield name, scope, change
