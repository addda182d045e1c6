"""The order of models by measured quality, with everything that decided it.

Pure: the qualities are given. Not here: where they come from (`application/select_model.py`), and what a
model must meet before quality matters (`model_criteria.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal, get_args

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.model_criteria import Candidate, Criteria
from eval_pipeline.domain.quality import Quality

Preference = Literal["cost", "latency"]
"""What comes after priority where quality does not decide: the lowest cost, or the lowest latency."""

DEFAULT_MIN_PROMPTS = 10
"""Graded prompts on which a model must have been measured: a perfect score on one proves little."""

_DIGITS = 9
"""Scores are compared to so many decimals: what differs beyond is the rounding of their means."""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """An eligible model.

    Attributes:
        candidate: The model.
        quality: As measured, over the common sets where only those count; none when not measured.
        unscored_because: Why its quality does not take part in the order; none when it does.
    """

    candidate: Candidate
    quality: Quality | None
    unscored_because: str | None = None

    @property
    def score(self) -> float | None:
        """What it is ranked by; none when it is not scored."""
        return None if self.quality is None or self.unscored_because is not None else self.quality.score

    @property
    def scored(self) -> bool:
        """Whether its quality takes part in the order."""
        return self.score is not None


@dataclass(frozen=True, slots=True)
class RejectedModel:
    """A model that is not eligible.

    Attributes:
        candidate: The model.
        reason: Why not, for people.
        quality: None when it was not measured, or was rejected before quality mattered.
    """

    candidate: Candidate
    reason: str
    quality: Quality | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to the question for the best model.

    Attributes:
        ranked: The eligible models, best first.
        rejected: All others, by key.
        common_sets: The only sets that counted, where sets in common were asked for; none otherwise.
        notes: What decided, for people: ties and how they were broken, what is not scored and why.
    """

    ranked: tuple[RankedModel, ...]
    rejected: tuple[RejectedModel, ...]
    common_sets: tuple[str, ...] | None
    notes: tuple[str, ...]

    @property
    def chosen(self) -> Candidate | None:
        """The best model; none when no model is eligible."""
        return self.ranked[0].candidate if self.ranked else None


def rank(
    criteria: Criteria,
    candidates: Sequence[Candidate],
    qualities: Mapping[str, Quality],
    *,
    min_quality: float | None = None,
    common_sets: bool = False,
    prefer: Preference = "cost",
    min_prompts: int = DEFAULT_MIN_PROMPTS,
) -> Ranking:
    """Rank models: the scored ones by score, then the others in their base order.

    The base order, which also breaks ties of scores, is: higher priority; lower cost of input, then of
    output, or lower latency, what is unknown last; key.

    Args:
        criteria: What a model must meet before quality matters.
        candidates: The models, in any order.
        qualities: By model key; a model without one is not scored.
        min_quality: The least score of an eligible model; none makes models eligible that are not scored.
        common_sets: Whether only those sets count on which every scored model was measured.
        prefer: What comes after priority in the base order.
        min_prompts: A model measured on fewer graded prompts is not scored.

    Raises:
        UsageError: An argument is out of its range, or two candidates share a key.
    """
    _require_sensible(candidates, min_quality, prefer, min_prompts)
    eligible, rejected = [], []
    for candidate in candidates:
        if reasons := criteria.refusals(candidate):
            rejected.append(RejectedModel(candidate, "; ".join(reasons)))
        else:
            eligible.append(_measured(candidate, qualities.get(candidate.key), min_prompts))
    shared = _shared_sets(eligible) if common_sets else None
    if shared is not None:
        eligible = [_over(model, shared, min_prompts) for model in eligible]
    ranked = []
    for model in eligible:
        if (reason := _too_low(model, min_quality)) is not None:
            rejected.append(RejectedModel(model.candidate, reason, model.quality))
        else:
            ranked.append(model)
    ranked.sort(key=lambda model: (_standing(model), _base_order(model.candidate, prefer)))
    return Ranking(
        ranked=tuple(ranked),
        rejected=tuple(sorted(rejected, key=lambda model: model.candidate.key)),
        common_sets=shared,
        notes=tuple(_notes(ranked, rejected, shared, prefer)),
    )


def _require_sensible(
    candidates: Sequence[Candidate], min_quality: float | None, prefer: str, min_prompts: int
) -> None:
    # Written so that NaN, which compares with nothing, is refused.
    if min_quality is not None and not 0 <= min_quality <= 1:
        raise UsageError(f"the minimum quality is a number from 0 to 1, found {min_quality}")
    if min_prompts < 0:
        raise UsageError(f"the least number of prompts is a number from 0 on, found {min_prompts}")
    if prefer not in get_args(Preference):
        raise UsageError(f"either cost or latency can be preferred, found {prefer!r}")
    for one, other in pairwise(sorted(candidate.key for candidate in candidates)):
        if one == other:
            raise UsageError(f"the model '{one}' is given twice")


def _measured(candidate: Candidate, quality: Quality | None, min_prompts: int, of: str = "") -> RankedModel:
    if quality is None:
        return RankedModel(candidate, None, "no result that counts")
    if quality.prompt_count < min_prompts:
        counted = f"{quality.prompt_count} graded prompt{'' if quality.prompt_count == 1 else 's'}{of}"
        return RankedModel(candidate, quality, f"measured on {counted}, at least {min_prompts} are needed")
    return RankedModel(candidate, quality)


def _shared_sets(models: Sequence[RankedModel]) -> tuple[str, ...]:
    """The sets that all scored models have. One that is not scored anyway takes none away from the others."""
    measured = [
        {measured.set_id for measured in model.quality.sets}
        for model in models
        if model.scored and model.quality is not None
    ]
    return tuple(sorted(set.intersection(*measured))) if measured else ()


def _over(model: RankedModel, set_ids: Collection[str], min_prompts: int) -> RankedModel:
    if not model.scored or model.quality is None:
        return model
    restricted = model.quality.over(set_ids)
    if restricted is None:
        return RankedModel(model.candidate, model.quality, "no set in common with all other measured models")
    return _measured(model.candidate, restricted, min_prompts, " of the common sets")


def _too_low(model: RankedModel, min_quality: float | None) -> str | None:
    if min_quality is None:
        return None
    if model.score is None:
        return (
            f"not scored ({model.unscored_because}), and a quality of at least {min_quality:g} is asked for"
        )
    if round(model.score, _DIGITS) < round(min_quality, _DIGITS):
        return f"score {model.score:.{_DIGITS}g} is below the minimum of {min_quality:.{_DIGITS}g}"
    return None


def _standing(model: RankedModel) -> tuple[int, float]:
    """Sorts by quality alone: equal for models between which quality does not decide."""
    return (1, 0.0) if model.score is None else (0, -round(model.score, _DIGITS))


def _base_order(candidate: Candidate, prefer: Preference) -> tuple[int, tuple[float, ...], str]:
    if prefer == "latency":
        latency = candidate.latency_ms
        preferred: tuple[float, ...] = (1,) if latency is None else (0, latency)
    else:
        price = candidate.price
        preferred = (1,) if price is None else (0, price.input, price.output)
    return -candidate.priority, preferred, candidate.key


def _notes(
    ranked: Sequence[RankedModel],
    rejected: Sequence[RejectedModel],
    shared: Sequence[str] | None,
    prefer: Preference,
) -> Iterator[str]:
    if not ranked:
        among = f"all {len(rejected)} were rejected" if rejected else "there are none to choose from"
        yield f"no model is eligible: {among}"
    if shared:
        yield f"only the sets that all scored models have count: {', '.join(shared)}"
    elif shared is not None:
        yield "no set is common to all scored models: none of them is scored"
    unscored = [f"{model.candidate.key} ({model.unscored_because})" for model in ranked if not model.scored]
    if unscored and len(unscored) == len(ranked):
        yield f"no model is scored: the order is the base order, by priority, then {prefer}, then key"
    if unscored:
        yield f"not scored: {', '.join(unscored)}"
    yield from _ties(ranked, prefer)


def _ties(ranked: Sequence[RankedModel], prefer: Preference) -> Iterator[str]:
    """For models between which quality does not decide, what did."""
    words = ("priority", prefer, "key")
    for _, group in groupby(ranked, _standing):
        tied = list(group)
        orders = [_base_order(model.candidate, prefer) for model in tied]
        # Keys differ, so every two neighbours have a first difference.
        deciding = {
            next(place for place in range(len(words)) if one[place] != other[place])
            for one, other in pairwise(orders)
        }
        if deciding:
            score = tied[0].score
            what = "not scored" if score is None else f"the same score of {score:.3f}"
            how = ", then ".join(words[place] for place in sorted(deciding))
            yield f"{', '.join(order[2] for order in orders)}: {what}; their order is by {how}"
