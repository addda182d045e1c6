"""The measured quality of models, and the choice of one by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


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
    """STUB: to be completed."""

    sets: tuple[SetQuality, ...]
