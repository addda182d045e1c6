from __future__ import annotations

import statistics
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.quality import Quality, SetQuality

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def of_set(set_id: str = "acme.faq", **changes: Any) -> SetQuality:
    defaults = {
        "result_id": 7,
        "run_date": NOON,
        "prompt_count": 20,
        "mean_score": 0.8,
        "standard_error": 0.05,
    }
    return SetQuality(set_id, **{**defaults, **changes})


set_ids = st.sampled_from(["acme.a", "acme.b", "acme.c", "acme.d"])
set_qualities = st.builds(
    of_set,
    set_ids,
    prompt_count=st.integers(1, 1000),
    mean_score=st.floats(0, 1),
    standard_error=st.none() | st.floats(0, 0.5),
    run_date=st.timedeltas(timedelta(), timedelta(days=80)).map(lambda age: NOON - age),
)
qualities = st.lists(set_qualities, min_size=1, unique_by=lambda each: each.set_id).map(
    lambda each: Quality(tuple(each))
)


@given(qualities)
def test_the_score_is_the_mean_of_the_sets_scores(quality: Quality) -> None:
    exact = statistics.mean(Fraction(each.mean_score) for each in quality.sets)
    assert quality.score == pytest.approx(float(exact))
    assert 0 <= quality.score <= 1


@given(qualities.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each.sets))))
def test_the_order_of_sets_changes_no_number(given_quality: tuple[Quality, list[SetQuality]]) -> None:
    one, other = given_quality[0], Quality(tuple(given_quality[1]))
    assert one.score == other.score
    assert one.interval == other.interval
    assert (one.oldest, one.newest, one.prompt_count) == (other.oldest, other.newest, other.prompt_count)


@given(qualities)
def test_the_interval_holds_the_score_within_0_and_1_and_is_none_where_an_error_is(quality: Quality) -> None:
    unknown = any(each.standard_error is None for each in quality.sets)
    assert (quality.standard_error is None) == (quality.interval is None) == unknown
    if quality.interval is not None:
        low, high = quality.interval
        assert 0 <= low <= quality.score <= high <= 1


@given(qualities, st.sets(set_ids))
def test_restricting_to_sets_keeps_exactly_those_that_were_measured(quality: Quality, kept: set[str]) -> None:
    restricted = quality.over(kept)
    expected = [each for each in quality.sets if each.set_id in kept]
    assert (list(restricted.sets) if restricted else []) == expected


def test_a_large_set_counts_as_much_as_a_small_one() -> None:
    quality = Quality((of_set(mean_score=1.0, prompt_count=2), of_set("acme.b", mean_score=0.5)))
    assert (quality.score, quality.prompt_count) == (0.75, 22)


def test_errors_of_independent_sets_add_up_in_squares() -> None:
    quality = Quality((of_set(standard_error=0.03), of_set("acme.b", standard_error=0.04)))
    assert quality.standard_error == pytest.approx(0.025)
    assert quality.interval == pytest.approx((0.8 - 0.049, 0.8 + 0.049), abs=1e-4)


def test_an_error_of_0_is_an_error_and_not_an_unknown_one() -> None:
    quality = Quality((of_set(mean_score=0.0, standard_error=0.0),))
    assert (quality.score, quality.standard_error, quality.interval) == (0.0, 0.0, (0.0, 0.0))


def test_it_is_as_old_as_its_oldest_result_and_as_new_as_its_newest() -> None:
    earlier = NOON - timedelta(days=30)
    quality = Quality((of_set(), of_set("acme.b", run_date=earlier)))
    assert (quality.oldest, quality.newest) == (earlier, NOON)


@pytest.mark.parametrize("sets", [(), (of_set(), of_set(result_id=8))])
def test_no_set_and_a_set_given_twice_are_no_quality(sets: tuple[SetQuality, ...]) -> None:
    with pytest.raises(UsageError, match="each set once"):
        Quality(sets)
