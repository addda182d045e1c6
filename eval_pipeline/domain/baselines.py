"""Which earlier results a result may be compared with.

Not here: how one is chosen among them, which is the store's, and what the comparison says
(`regression.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.results import EvaluationResult


class Against(StrEnum):
    """How a baseline is chosen among the results of its scope."""

    PINNED = "pinned"
    """The one that was pinned last, whatever its age."""
    ACCEPTED = "accepted"
    """The newest earlier one that passed its gates, or was accepted by hand."""
    PREVIOUS = "previous"
    """The newest earlier one, whatever came of it."""


@dataclass(frozen=True, slots=True)
class BaselineScope:
    """The results that can serve as baseline of one result.

    Attributes:
        set_id, grader, model_key: Those of the result.
        generator: What served it. A baseline has the same provider instance, outbound model and reported
            model; of an application that declares itself, the same provider instance and name.
        another_snapshot: Instead of the same reported model, any other one.
        run_date, result_id: Of the result; a baseline is earlier by both.
        run_id: Of the result; a baseline answers from another run.
    """

    set_id: str
    grader: str
    model_key: str
    generator: ServedBy
    another_snapshot: bool
    run_date: datetime
    result_id: int
    run_id: int

    @classmethod
    def of(
        cls, result: EvaluationResult, generator: ServedBy, *, another_snapshot: bool = False
    ) -> BaselineScope:
        """The scope of the baselines of `result`, which `generator` produced."""
        return cls(
            result.set_id,
            result.grader,
            result.model_key,
            generator,
            another_snapshot,
            result.run_date,
            result.id,
            result.run_id,
        )
