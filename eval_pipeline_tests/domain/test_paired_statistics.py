from __future__ import annotations

import json
import math
from dataclasses import asdict
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from eval_pipeline.domain.paired_statistics import (
    MIN_PAIRS,
    POWER,
    PairedDifference,
    exact_mcnemar,
    paired_difference,
)

CONFIDENCES = [0.5, 0.8, 0.9, 0.95, 0.99]
# Multiples of 1/64 are exact in binary, so that no rounding hides between the two sides of an assertion.
shares = st.integers(-64, 64).map(lambda part: part / 64)
enough_differences = st.lists(shares, min_size=MIN_PAIRS, max_size=60)
confidences = st.sampled_from(CONFIDENCES)


def measured(differences: list[float], confidence: float = 0.95) -> PairedDifference:
    found = paired_difference(differences, confidence)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def reference(shared_data: Path) -> dict[str, Any]:
    """Results of scipy and statsmodels on published answers."""
    return json.loads((shared_data / "stats" / "reference_stats.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def retrieval_tables(reference: dict[str, Any]) -> list[dict[str, Any]]:
    """The comparisons whose every question is a hit or a miss; the baseline comes first in each table."""
    tables = [each for each in reference["retrieval_regression"].values() if "exact_p" in each]
    assert len(tables) >= 2
    return tables


def test_the_exact_test_agrees_with_statsmodels_on_published_answers(
    reference: dict[str, Any], retrieval_tables: list[dict[str, Any]]
) -> None:
    for comparison in [*reference["gsm8k"]["mcnemar"].values(), *retrieval_tables]:
        _, only_first, only_second, _ = comparison["table_both_onlyfirst_onlysecond_neither"]
        assert exact_mcnemar(only_first, only_second) == pytest.approx(comparison["exact_p"], rel=1e-6)


def test_means_and_the_paired_t_test_agree_with_scipy_on_published_rankings(
    retrieval_tables: list[dict[str, Any]],
) -> None:
    for comparison in retrieval_tables:
        both, lost, gained, neither = comparison["table_both_onlyfirst_onlysecond_neither"]
        found = measured([0.0] * (both + neither) + [-1.0] * lost + [1.0] * gained)
        assert found.pairs == comparison["n"]
        assert found.mean == pytest.approx(comparison["delta"], rel=1e-6)
        assert found.p_value == pytest.approx(comparison["paired_t_p"], rel=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(MIN_PAIRS, 300), confidences)
def test_error_interval_and_p_value_agree_with_scipy(seed: int, pairs: int, confidence: float) -> None:
    random = np.random.default_rng(seed)
    before, after = random.uniform(size=(2, pairs))
    expected = stats.ttest_rel(after, before)
    interval = expected.confidence_interval(confidence)
    found = measured(list(map(float, after - before)), confidence)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    assert found.interval == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-12)
    assert found.standard_error == pytest.approx(stats.sem(after - before), rel=1e-6)


@given(st.integers(0, 400), st.integers(0, 400))
@example(0, 1)
@example(1, 0)
@example(500, 500)
@example(0, 1000)
def test_the_exact_test_agrees_with_the_binomial_test(lost: int, gained: int) -> None:
    if lost + gained:
        expected = stats.binomtest(lost, lost + gained).pvalue
        assert exact_mcnemar(lost, gained) == pytest.approx(expected, rel=1e-6)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_exact_test_does_not_care_which_side_came_first(lost: int, gained: int) -> None:
    assert exact_mcnemar(lost, gained) == exact_mcnemar(gained, lost)
    assert 0 <= exact_mcnemar(lost, gained) <= 1


def test_where_nothing_flips_the_exact_test_says_1() -> None:
    assert exact_mcnemar(0, 0) == 1.0


@given(enough_differences, confidences)
def test_the_sides_exchanged_give_the_mirror_image(differences: list[float], confidence: float) -> None:
    found, mirrored = measured(differences, confidence), measured([-each for each in differences], confidence)
    assert mirrored.mean == -found.mean
    assert mirrored.interval == (-found.interval[1], -found.interval[0])
    assert (mirrored.standard_error, mirrored.p_value) == (found.standard_error, found.p_value)
    assert mirrored.detectable_drop == found.detectable_drop


@given(enough_differences.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
def test_the_order_of_pairs_changes_no_number(orders: tuple[list[float], list[float]]) -> None:
    one, other = map(measured, orders)
    assert one == other


@given(enough_differences, st.sampled_from([1 / 8, 1 / 2, 4.0]))
def test_another_unit_scales_every_number_but_the_p_value(differences: list[float], unit: float) -> None:
    found, scaled = measured(differences), measured([each * unit for each in differences])
    for name in ("mean", "standard_error", "detectable_drop"):
        assert getattr(scaled, name) == getattr(found, name) * unit
    assert scaled.interval == tuple(end * unit for end in found.interval)
    assert scaled.p_value == found.p_value


@given(enough_differences, confidences)
def test_the_interval_is_centred_on_the_mean(differences: list[float], confidence: float) -> None:
    found = measured(differences, confidence)
    low, high = found.interval
    assert low <= found.mean <= high
    assert (low + high) / 2 == pytest.approx(found.mean, abs=1e-12)


@given(enough_differences, confidences)
def test_the_interval_excludes_0_exactly_when_the_p_value_is_below_its_error(
    differences: list[float], confidence: float
) -> None:
    found = measured(differences, confidence)
    low, high = found.interval
    if abs(found.p_value - (1 - confidence)) > 1e-9:
        assert (low > 0 or high < 0) == (found.p_value < 1 - confidence)


@given(enough_differences)
def test_more_confidence_makes_the_interval_wider_and_the_detectable_drop_larger(
    differences: list[float],
) -> None:
    found = [measured(differences, confidence) for confidence in CONFIDENCES]
    widths = [each.interval[1] - each.interval[0] for each in found]
    drops = [each.detectable_drop for each in found]
    assert widths == sorted(widths)
    assert drops == sorted(drops)
    if found[0].standard_error:
        assert len(set(widths)) == len(set(drops)) == len(CONFIDENCES)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("pairs", [MIN_PAIRS, 30, 500])
def test_the_detectable_drop_is_found_as_often_as_promised(pairs: int, confidence: float) -> None:
    found = measured([-1.0, 1.0] * (pairs // 2), confidence)
    quantile = stats.t.ppf((1 + confidence) / 2, pairs - 1)
    power = 1 - stats.nct.cdf(quantile, pairs - 1, found.detectable_drop / found.standard_error)
    assert power == pytest.approx(POWER, abs=0.03)


@given(st.lists(shares, min_size=2, max_size=MIN_PAIRS - 1))
def test_with_too_few_pairs_only_the_mean_and_its_error_are_given(differences: list[float]) -> None:
    found = measured(differences)
    assert found.mean == pytest.approx(float(np.mean(differences)), abs=1e-12)
    assert found.standard_error == pytest.approx(float(stats.sem(differences)), abs=1e-12)
    assert (found.interval, found.p_value, found.detectable_drop) == (None, None, None)


@given(shares)
def test_one_pair_has_a_mean_and_no_error(difference: float) -> None:
    assert measured([difference]) == PairedDifference(1, difference, None, None, None, None)


def test_no_pair_has_no_statistics() -> None:
    assert paired_difference([], 0.95) is None


@given(st.integers(MIN_PAIRS, 200), confidences)
def test_where_nothing_differs_the_p_value_is_1_and_the_interval_is_0(pairs: int, confidence: float) -> None:
    assert measured([0.0] * pairs, confidence) == PairedDifference(pairs, 0.0, 0.0, (0.0, 0.0), 1.0, 0.0)


@given(shares.filter(bool), st.integers(MIN_PAIRS, 200), confidences)
def test_where_all_differ_alike_there_is_no_doubt(difference: float, pairs: int, confidence: float) -> None:
    found = measured([difference] * pairs, confidence)
    assert found == PairedDifference(pairs, difference, 0.0, (difference, difference), 0.0, 0.0)


@given(st.floats(-1, 1).filter(lambda each: abs(each) > 1e-6), st.integers(MIN_PAIRS, 200))
def test_rounding_in_the_mean_raises_no_doubt_where_all_differ_alike(difference: float, pairs: int) -> None:
    found = measured([difference] * pairs)
    assert found.p_value < 1e-12
    assert found.interval == pytest.approx((difference, difference), abs=1e-12)


@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.floats(0, 1, exclude_min=True, exclude_max=True)
)
@example([-1.0] * MIN_PAIRS, math.nextafter(1, 0))
@example([-1.0, 0.0] * MIN_PAIRS, math.nextafter(1, 0))
@example([-1.0, 0.0] * MIN_PAIRS, math.nextafter(0, 1))
def test_every_number_is_finite_at_every_confidence(differences: list[float], confidence: float) -> None:
    found = asdict(measured(differences, confidence))
    low, high = found.pop("interval") or (0.0, 0.0)
    assert all(each is None or math.isfinite(each) for each in [low, high, *found.values()])


def test_a_hundred_thousand_pairs_lose_no_precision() -> None:
    found = measured([0.1] * 99_999 + [-0.1])
    assert found.mean == pytest.approx(0.1 - 0.2 / 100_000, rel=1e-12)
    assert found.p_value == 0.0
    flips = list(starmap(exact_mcnemar, [(50_000, 50_000), (50_000, 49_000)]))
    assert flips[0] == 1.0
    assert flips[1] == pytest.approx(stats.binomtest(49_000, 99_000).pvalue, rel=1e-6)
