"""How good a model was measured to be, over the sets that it was measured on.

Not here: which results count (`application/select_model.py`), and the choice of a model by its quality
(`model_ranking.py`).
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from eval_pipeline.domain.errors import UsageError

_NORMAL_QUANTILE = 1.959963984540054
"""Of 0.975: 95% of a normal distribution lie within so many standard deviations of its mean."""


@dataclass(frozen=True, slots=True)
class GeneratorScope:
    """Which generators a read is about.

    Attributes:
        provider_instance: The provider instance that served.
        outbound_model: The model name that was sent.
        model_key: The configured model; none takes all that send the same name to the same instance.
        reported_model: The model name in the replies; none takes all snapshots.
    """

    provider_instance: str
    outbound_model: str
    model_key: str | None = None
    reported_model: str | None = None


@dataclass(frozen=True, slots=True)
class SetQuality:
    """How good a model was on one set, by its newest result there.

    Attributes:
        set_id: The set.
        result_id: The result.
        run_date: When the model was asked; aware, in UTC.
        prompt_count: Prompts graded.
        mean_score: Between 0 and 1.
        standard_error: Of the mean score; none with fewer than two prompts.
    """

    set_id: str
    result_id: int
    run_date: datetime
    prompt_count: int
    mean_score: float
    standard_error: float | None


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a model is: every set counts the same, however many prompts it has.

    Attributes:
        sets: At least one, each set once.

    Raises:
        UsageError: There is no set, or a set is given twice.
    """

    sets: tuple[SetQuality, ...]

    def __post_init__(self) -> None:
        if not self.sets or len({measured.set_id for measured in self.sets}) < len(self.sets):
            raise UsageError("a quality takes at least one set, and each set once")

    @property
    def score(self) -> float:
        """The mean of the sets' mean scores, between 0 and 1."""
        return math.fsum(measured.mean_score for measured in self.sets) / len(self.sets)

    @property
    def prompt_count(self) -> int:
        """Prompts graded, over all sets."""
        return sum(measured.prompt_count for measured in self.sets)

    @property
    def oldest(self) -> datetime:
        """The run date of the oldest result."""
        return min(measured.run_date for measured in self.sets)

    @property
    def newest(self) -> datetime:
        """The run date of the newest result."""
        return max(measured.run_date for measured in self.sets)

    @property
    def standard_error(self) -> float | None:
        """Of the score; none where that of any set is unknown."""
        errors = [measured.standard_error for measured in self.sets]
        known = [error for error in errors if error is not None]
        if len(known) < len(errors):
            return None
        return math.sqrt(math.fsum(error**2 for error in known)) / len(known)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the score, by the normal approximation and cut off at 0 and 1.

        None where the standard error is unknown.
        """
        error = self.standard_error
        if error is None:
            return None
        reach = _NORMAL_QUANTILE * error
        return max(0.0, self.score - reach), min(1.0, self.score + reach)

    def over(self, set_ids: Collection[str]) -> Quality | None:
        """The quality over those of `set_ids` that were measured; none when that is none of them."""
        kept = tuple(measured for measured in self.sets if measured.set_id in set_ids)
        return Quality(kept) if kept else None
