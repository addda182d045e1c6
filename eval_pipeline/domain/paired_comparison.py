"""Comparing two results prompt by prompt: from their outcomes to their differences.

Not here: which prompts are paired (`pairing.py`), the statistics (`paired_statistics.py`), and what a
difference means (`regression.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import fsum

from eval_pipeline.domain.differences import Change, Differences, Flip, TagChange
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.paired_statistics import (
    MIN_PAIRS,
    PairedDifference,
    detectable_pass_rate_drop,
    exact_mcnemar,
    paired_difference,
)
from eval_pipeline.domain.pairing import Pairing, PromptOutcome, Side, changed_treatment

DEFAULT_CONFIDENCE = 0.95
"""Of intervals that are shown where no confidence was asked for."""
_SCORE_SLACK = 1e-9
"""Mean scores are sums of floats: a drop within this of the tolerance is at the tolerance."""
_IDS_KEPT = 1000


def differences(
    baseline: Side, current: Side, gate: Gate, tags: Mapping[str, Iterable[str]], confidence: float | None
) -> Differences:
    """What tells `current` from `baseline`.

    Args:
        baseline: The earlier one; graded by the same yardstick as the other.
        current: The later one.
        gate: The tolerances.
        tags: The prompt ids of every tag that the gate has tolerances for.
        confidence: Asked for, between 0 and 1: a drop is a regression only when the interval excludes 0
            as well. With too few pairs for an interval the tolerance alone decides.
    """
    pairing = Pairing.of(baseline, current)
    pass_rate, mean_score = _changes(
        pairing.pairs.values(), gate.max_pass_rate_drop, gate.max_mean_score_drop, confidence
    )
    flips = [flip for prompt_id, pair in pairing.pairs.items() if (flip := _flip(prompt_id, *pair))]
    flips.sort(key=lambda flip: not flip.worse)
    tag_changes = dict(_tag_changes(pairing, gate, tags, confidence))
    return Differences(
        shared=pairing.shared_count,
        measured=len(pairing.pairs),
        edited=len(pairing.edited),
        added=len(pairing.added),
        removed=len(pairing.removed),
        edited_ids=pairing.edited[:_IDS_KEPT],
        added_ids=pairing.added[:_IDS_KEPT],
        removed_ids=pairing.removed[:_IDS_KEPT],
        unmeasured=pairing.unmeasured[:_IDS_KEPT],
        enough_shared=pairing.enough and bool(pairing.pairs),
        changed_treatment=changed_treatment(baseline, current),
        pass_rate=pass_rate,
        mean_score=mean_score,
        tags={tag: change for tag, change in tag_changes.items() if change is not None},
        flipped_count=len(flips),
        flipped=tuple(flips[:_IDS_KEPT]),
        confidence=confidence or DEFAULT_CONFIDENCE,
        uncompared_tags=tuple(tag for tag, change in tag_changes.items() if change is None),
        advice=tuple(_advice(len(pairing.pairs), pass_rate, mean_score, confidence)),
    )


def _changes(
    pairs: Iterable[tuple[PromptOutcome, PromptOutcome]],
    max_pass_rate_drop: float,
    max_mean_score_drop: float,
    confidence: float | None,
) -> tuple[Change, Change] | tuple[None, None]:
    pairs = list(pairs)
    if not pairs:
        return None, None
    count = len(pairs)
    before, after = (_total(pair[side] for pair in pairs) / count for side in (0, 1))
    passes = paired_difference(
        [float(after.pass_share - before.pass_share) for before, after in pairs],
        confidence or DEFAULT_CONFIDENCE,
    )
    scores = paired_difference(
        [after.mean_score - before.mean_score for before, after in pairs], confidence or DEFAULT_CONFIDENCE
    )
    assert passes is not None and scores is not None  # noqa: PT018 - there are pairs
    score_before, score_after = (fsum(pair[side].mean_score for pair in pairs) / count for side in (0, 1))
    graded = [outcome.graded for pair in pairs for outcome in pair]
    once = max(graded) == 1
    mcnemar = _mcnemar(pairs) if once and count >= MIN_PAIRS else None
    return (
        _change(
            float(before),
            float(after),
            float(after - before),
            max_pass_rate_drop,
            before - after > Fraction(str(max_pass_rate_drop)),
            passes,
            confidence,
            detectable_pass_rate_drop(
                passes, float(before), sum(graded) / len(graded), confidence or DEFAULT_CONFIDENCE
            ),
            mcnemar,
        ),
        _change(
            score_before,
            score_after,
            scores.mean,
            max_mean_score_drop,
            -scores.mean > max_mean_score_drop + _SCORE_SLACK,
            scores,
            confidence,
            scores.detectable_drop,
        ),
    )


def _total(outcomes: Iterable[PromptOutcome]) -> Fraction:
    """The sum of pass shares, exactly: of few different values, each taken as often as it occurs."""
    counted = Counter((outcome.passed, outcome.graded) for outcome in outcomes)
    return sum((Fraction(passed, graded) * times for (passed, graded), times in counted.items()), Fraction(0))


def _mcnemar(pairs: Iterable[tuple[PromptOutcome, PromptOutcome]]) -> float:
    flips = Counter((before.passed, after.passed) for before, after in pairs)
    return exact_mcnemar(lost=flips[1, 0], gained=flips[0, 1])


def _change(
    baseline: float,
    current: float,
    delta: float,
    tolerance: float,
    beyond: bool,
    statistics: PairedDifference,
    confidence: float | None,
    detectable_drop: float | None,
    mcnemar: float | None = None,
) -> Change:
    interval = statistics.interval
    excludes_zero = interval is None or interval[1] < 0
    return Change(
        baseline=baseline,
        current=current,
        delta=delta,
        tolerance=tolerance,
        beyond_tolerance=beyond,
        regressed=beyond and (confidence is None or excludes_zero),
        standard_error=statistics.standard_error,
        interval=interval,
        detectable_drop=detectable_drop,
        p_value=statistics.p_value if mcnemar is None else mcnemar,
        test=None if statistics.p_value is None else "paired t" if mcnemar is None else "exact McNemar",
    )


def _tag_changes(
    pairing: Pairing, gate: Gate, tags: Mapping[str, Iterable[str]], confidence: float | None
) -> Iterable[tuple[str, TagChange | None]]:
    """The change of every tag with tolerances of its own; none where it has no pair."""
    for tag, own in gate.tags.items():
        if own.max_pass_rate_drop is None and own.max_mean_score_drop is None:
            continue
        pairs = [pairing.pairs[prompt_id] for prompt_id in tags.get(tag, ()) if prompt_id in pairing.pairs]
        pass_rate, mean_score = _changes(
            pairs,
            gate.max_pass_rate_drop if own.max_pass_rate_drop is None else own.max_pass_rate_drop,
            gate.max_mean_score_drop if own.max_mean_score_drop is None else own.max_mean_score_drop,
            confidence,
        )
        measured = pass_rate is not None and mean_score is not None
        yield (
            tag,
            TagChange(shared=len(pairs), pass_rate=pass_rate, mean_score=mean_score) if measured else None,
        )


def _flip(prompt_id: str, before: PromptOutcome, after: PromptOutcome) -> Flip | None:
    if (before.status == "pass") == (after.status == "pass"):
        return None
    return Flip(
        prompt_id=prompt_id,
        before=before.status.value,
        after=after.status.value,
        score_before=before.mean_score,
        score_after=after.mean_score,
    )


def _advice(
    pairs: int, pass_rate: Change | None, mean_score: Change | None, confidence: float | None
) -> Iterable[str]:
    if 0 < pairs < MIN_PAIRS:
        yield f"too few pairs ({pairs}) for an interval or a p-value: at least {MIN_PAIRS} are needed"
        if confidence is not None:
            yield "without an interval the tolerance alone decides"
    if (
        pairs >= MIN_PAIRS
        and pass_rate is not None
        and pass_rate.detectable_drop is None
        and pass_rate.baseline
    ):
        yield f"not even a fall of the pass rate to 0 would show on these {pairs} prompts"
    for name, change in (("pass rate", pass_rate), ("mean score", mean_score)):
        if change is None or change.detectable_drop is None or change.detectable_drop <= change.tolerance:
            continue
        yield (
            f"the tolerance of the {name} ({change.tolerance:g}) is below the smallest drop that these"
            f" {pairs} prompts can show ({change.detectable_drop:.3f}): use more prompts or --repeats"
        )
