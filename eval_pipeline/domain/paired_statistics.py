"""Statistics of paired measurements: the same prompts before and after.

A prompt that was asked several times is one pair, its two sides being means over its repeats; that is
what makes the errors clustered by prompt. Not here: what a difference means (`regression.py`).

Sources: Student's paired t test and interval; McNemar's exact test, two-sided by doubling the smaller
tail (McNemar 1947; doubling as in `statsmodels.stats.contingency_tables.mcnemar`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

MIN_PAIRS = 10
"""With fewer pairs neither an interval nor a p-value is given: they would promise what they cannot hold."""
POWER = 0.8
"""The smallest detectable drop is one that is found this often."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """What a number of paired differences, after minus before, say together.

    Attributes:
        pairs: How many.
        mean: The mean difference.
        standard_error: Sample standard deviation ÷ √pairs; none with fewer than two pairs.
        interval: Of the mean, at the confidence asked for; none with fewer than `MIN_PAIRS` pairs.
        p_value: Two-sided, by the paired t test; none likewise. 1 where nothing differs.
        detectable_drop: The smallest true drop whose interval would exclude 0 in `POWER` of such
            comparisons, from the standard error; none likewise.
    """

    pairs: int
    mean: float
    standard_error: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    detectable_drop: float | None


def paired_difference(differences: Sequence[float], confidence: float) -> PairedDifference | None:
    """The statistics of `differences`, or none where there are none.

    Args:
        differences: One a pair; finite.
        confidence: Of the interval, between 0 and 1.
    """
    if not differences:
        return None
    count = len(differences)
    mean = math.fsum(differences) / count
    if count < 2:
        return PairedDifference(count, mean, None, None, None, None)
    variance = math.fsum((each - mean) ** 2 for each in differences) / (count - 1)
    error = math.sqrt(variance / count)
    if count < MIN_PAIRS:
        return PairedDifference(count, mean, error, None, None, None)
    # Half a second to import: not every run has something to compare with.
    from scipy.special import ndtri, stdtr, stdtrit

    degrees = count - 1
    quantile = -float(stdtrit(degrees, (1 - confidence) / 2))
    return PairedDifference(
        count,
        mean,
        error,
        (mean - quantile * error, mean + quantile * error),
        2 * float(stdtr(degrees, -abs(mean) / error)) if error else float(mean == 0),
        (quantile + float(ndtri(POWER))) * error,
    )


def detectable_pass_rate_drop(
    differences: PairedDifference, pass_rate: float, repeats: float, confidence: float
) -> float | None:
    """The smallest detectable drop of a pass rate, in place of that from the standard error alone.

    A drop adds prompts that pass before and fail after, and with them noise of its own, also where two runs
    agreed on every prompt. It is taken to lower every prompt's chance to pass in proportion; with c the
    proportion left, q the mean square of the chances and R the repeats, the variance of a pair's difference
    is then (c·m - c²·q + m - q) ÷ R + (1 - c)²·(q - m²), where m is the pass rate, and q follows from the
    variance that was observed, which is that of c = 1.

    Args:
        differences: Of the shares that pass, one a pair.
        pass_rate: Before, between 0 and 1.
        repeats: Responses a prompt and side.
        confidence: Of the interval that is to exclude 0.

    Returns:
        None with fewer than `MIN_PAIRS` pairs, and where not even a fall to 0 would be found.
    """
    if differences.pairs < MIN_PAIRS or differences.standard_error is None:
        return None
    from scipy.special import ndtri, stdtrit

    observed = differences.standard_error**2 * differences.pairs
    mean_square = min(max(pass_rate - repeats * observed / 2, pass_rate**2), pass_rate)
    quantiles = float(ndtri(POWER)) - float(stdtrit(differences.pairs - 1, (1 - confidence) / 2))

    def is_found(drop: float) -> bool:
        left = 1 - drop / pass_rate
        within = left * pass_rate - left**2 * mean_square + pass_rate - mean_square
        between = (1 - left) ** 2 * (mean_square - pass_rate**2)
        variance = max(within, 0.0) / repeats + max(between, 0.0)
        return drop >= quantiles * math.sqrt(variance / differences.pairs)

    if pass_rate == 0 or not is_found(pass_rate):
        return None
    low, high = 0.0, pass_rate
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


def exact_mcnemar(lost: int, gained: int) -> float:
    """The two-sided p-value of McNemar's exact test.

    Args:
        lost: Pairs that passed before and do not now.
        gained: Pairs that pass now and did not before.
    """
    from scipy.special import bdtr

    discordant = lost + gained
    return min(1.0, 2 * float(bdtr(min(lost, gained), discordant, 0.5))) if discordant else 1.0
