from __future__ import annotations

import statistics
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.aggregates import Aggregate, EvaluationSummary, Latency, Summarizer
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import ModelResponse, Reply, TokenUsage
from eval_pipeline_tests.builders import SERVED_BY, failed, response
from eval_pipeline_tests.domain.compared import APPLICATION, grading

PASS, FAIL, ERROR, SKIPPED = Status.PASS, Status.FAIL, Status.ERROR, Status.SKIPPED


def summary(*gradings: Grading, responses: list[ModelResponse] | None = None) -> EvaluationSummary:
    """A summary of gradings; those that follow each other under one id are repeats of a prompt."""
    summarizer = Summarizer()
    for position, each in enumerate(gradings):
        summarizer.add(each, responses[position] if responses else response(), ())
    return summarizer.summary()


def of_prompts(*gradings: Grading) -> EvaluationSummary:
    """A summary of gradings, each of another prompt."""
    return summary(*(replace(each, prompt_id=f"p{position}") for position, each in enumerate(gradings)))


def of_repeats(*scores: list[float]) -> Aggregate:
    """The aggregate of prompts that were asked as often as there are scores."""
    return summary(
        *(
            grading(FAIL, score, f"p{position}", repeat)
            for position, own in enumerate(scores)
            for repeat, score in enumerate(own)
        )
    ).total


def of_statuses(**counts: int) -> EvaluationSummary:
    return of_prompts(*(grading(Status(name)) for name, count in counts.items() for _ in range(count)))


scores = st.floats(0, 1)
gradings = st.lists(
    st.builds(grading, st.just(FAIL), scores) | st.builds(grading, st.sampled_from([PASS, ERROR, SKIPPED])),
    max_size=30,
)


@given(gradings)
def test_the_counts_add_up(given_gradings: list[Grading]) -> None:
    total = summary(*given_gradings).total
    assert total.prompt_count == len(given_gradings)
    assert total.prompt_count == total.graded_count + total.error_count + total.skipped_count
    assert total.passed_count <= total.graded_count


@given(gradings)
def test_rates_lie_between_0_and_1_and_are_none_exactly_when_nothing_was_graded(
    given_gradings: list[Grading],
) -> None:
    total = summary(*given_gradings).total
    for rate in (total.pass_rate, total.mean_score):
        assert (rate is None) == (total.graded_count == 0)
        assert rate is None or 0 <= rate <= 1


@given(gradings)
def test_the_bounds_bracket_the_pass_rate_and_meet_it_without_errors(given_gradings: list[Grading]) -> None:
    total = summary(*given_gradings).total
    if total.pass_rate_bounds is None:
        assert total.graded_count + total.error_count == 0
        return
    low, high = total.pass_rate_bounds
    assert 0 <= low <= high <= 1
    assert total.pass_rate is None or low <= total.pass_rate <= high
    assert (low == high) == (total.error_count == 0)


@given(gradings.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
def test_the_order_of_gradings_changes_no_number(orders: tuple[list[Grading], list[Grading]]) -> None:
    one, other = (of_prompts(*order).total for order in orders)
    assert one == other


@given(st.lists(scores, min_size=2))
def test_mean_and_standard_error_agree_with_exact_arithmetic(given_scores: list[float]) -> None:
    total = of_prompts(*(grading(FAIL, score) for score in given_scores)).total
    exact = [Fraction(score) for score in given_scores]
    assert total.mean_score == pytest.approx(float(statistics.mean(exact)))
    variance = statistics.variance(exact) / len(exact)
    assert total.standard_error == pytest.approx(float(variance) ** 0.5, rel=1e-6, abs=1e-9)


@given(st.lists(st.lists(scores, min_size=1, max_size=5), min_size=2, max_size=20))
def test_with_repeats_the_standard_error_is_clustered_by_prompt(repeats: list[list[float]]) -> None:
    total, flat = of_repeats(*repeats), [score for own in repeats for score in own]
    mean = sum(map(Fraction, flat)) / len(flat)
    spread = sum((sum(map(Fraction, own)) - len(own) * mean) ** 2 for own in repeats)
    variance = spread * len(repeats) / (len(repeats) - 1) / len(flat) ** 2
    assert total.graded_count == len(flat)
    assert total.mean_score == pytest.approx(float(mean))
    assert total.standard_error == pytest.approx(float(variance) ** 0.5, rel=1e-6, abs=1e-9)


@given(st.lists(scores, min_size=2, max_size=50))
def test_with_prompts_asked_once_the_standard_error_is_that_of_independent_scores(
    given_scores: list[float],
) -> None:
    expected = np.std(given_scores, ddof=1) / len(given_scores) ** 0.5
    assert of_repeats(*([score] for score in given_scores)).standard_error == pytest.approx(
        float(expected), rel=1e-6, abs=1e-9
    )


@given(st.lists(scores, min_size=2, max_size=20), st.integers(2, 5))
def test_repeats_that_all_say_the_same_make_nothing_more_certain(
    given_scores: list[float], times: int
) -> None:
    once = of_repeats(*([score] for score in given_scores))
    often = of_repeats(*([score] * times for score in given_scores))
    assert often.standard_error == pytest.approx(once.standard_error, rel=1e-6, abs=1e-9)
    assert often.mean_score == pytest.approx(once.mean_score)


def test_repeats_of_one_prompt_alone_have_no_standard_error() -> None:
    assert of_repeats([0.1, 0.5, 0.9]).standard_error is None


def test_a_repeat_in_error_leaves_its_prompt_one_cluster() -> None:
    gradings = [grading(status, prompt_id="a") for status in (PASS, ERROR, FAIL)] + [
        grading(PASS, prompt_id="b")
    ]
    assert summary(*gradings).total.standard_error == of_repeats([1.0, 0.0], [1.0]).standard_error


def test_a_prompt_that_did_not_pass_in_several_repeats_is_named_once() -> None:
    statuses = [("a", FAIL), ("a", PASS), ("a", ERROR), ("b", PASS), ("b", FAIL)]
    found = summary(*(grading(status, prompt_id=prompt_id) for prompt_id, status in statuses))
    assert found.not_passed == ("a", "b")


def test_an_application_that_declares_itself_is_counted_as_a_generator() -> None:
    responses = [response(served_by=APPLICATION), response(served_by=APPLICATION)]
    found = summary(*[grading(PASS)] * 2, responses=responses)
    assert found.provenance.counts == ((APPLICATION, 2),)


def test_an_error_lowers_no_mean_and_raises_none_but_shows_in_the_counts_and_bounds() -> None:
    assert of_statuses(**{"pass": 1, "error": 1}).total == Aggregate(
        2, 1, 1, 1, 0, 1.0, (0.5, 1.0), 1.0, None
    )


def test_nothing_graded_is_no_rate_and_not_0() -> None:
    assert of_statuses(error=5).total == Aggregate(5, 0, 0, 5, 0, None, (0.0, 1.0), None, None)
    assert of_statuses(skipped=5).total == Aggregate(5, 0, 0, 0, 5, None, None, None, None)
    assert of_statuses().total == Aggregate(0, 0, 0, 0, 0, None, None, None, None)


def test_a_score_of_0_is_a_score() -> None:
    assert of_statuses(fail=2).total.mean_score == 0.0


def test_a_prompt_counts_once_under_each_of_its_tags() -> None:
    summarizer = Summarizer()
    summarizer.add(grading(PASS), response(), ["ci", "math", "ci"])
    summarizer.add(grading(FAIL), response(), ["ci"])
    breakdown = summarizer.summary().breakdown
    assert {tag: (each.prompt_count, each.pass_rate) for tag, each in breakdown.items()} == {
        "ci": (2, 0.5),
        "math": (1, 1.0),
    }


def test_what_did_not_pass_is_named_in_the_order_of_the_set() -> None:
    statuses = {"z": FAIL, "a": PASS, "b": SKIPPED, "m": ERROR, "c": FAIL}
    found = summary(*(grading(status, prompt_id=name) for name, status in statuses.items()))
    assert found.not_passed == ("z", "m", "c")


@pytest.mark.parametrize("allowed", range(101))
def test_a_share_of_errors_of_exactly_the_allowed_one_is_complete(allowed: int) -> None:
    gate = Gate(max_error_share=allowed / 100)
    assert (
        of_statuses(**{"pass": 100 - allowed, "error": allowed}).incomplete_because(gate, partial=False)
        is None
    )


@pytest.mark.parametrize("allowed", range(100))
def test_one_error_more_than_the_allowed_share_is_incomplete(allowed: int) -> None:
    gate = Gate(max_error_share=allowed / 100)
    found = of_statuses(**{"pass": 99 - allowed, "error": allowed + 1})
    assert f"{allowed + 1} of 100" in found.incomplete_because(gate, partial=False)


@pytest.mark.parametrize(("prompts", "complete"), [(1, False), (99, False), (100, True)])
def test_unless_the_set_says_otherwise_one_error_is_allowed_from_100_prompts_on(
    prompts: int, complete: bool
) -> None:
    found = of_statuses(**{"pass": prompts - 1, "error": 1})
    assert (found.incomplete_because(Gate(), partial=False) is None) == complete


def test_skipped_prompts_take_no_part_in_the_share_of_errors() -> None:
    assert of_statuses(**{"pass": 9, "error": 1, "skipped": 990}).incomplete_because(Gate(), partial=False)
    assert of_statuses(**{"pass": 1, "skipped": 9}).incomplete_because(Gate(), partial=False) is None


def test_a_result_of_nothing_measured_is_incomplete_whatever_the_gate_allows() -> None:
    lenient = Gate(max_error_share=1)
    assert of_statuses(skipped=5).incomplete_because(lenient, partial=False)
    assert of_statuses().incomplete_because(lenient, partial=False)


def test_a_part_of_the_set_is_incomplete_however_good() -> None:
    assert "part" in of_statuses(**{"pass": 5}).incomplete_because(Gate(), partial=True)


def test_only_answered_prompts_count_towards_the_generator() -> None:
    empty = response(reply=Reply("", finish_reason="length"))
    filtered = response(reply=Reply("Once", finish_reason="content_filter"))
    found = summary(*[grading(ERROR)] * 3, responses=[failed(), empty, filtered])
    assert found.provenance.counts == ((SERVED_BY, 1),)


@pytest.mark.parametrize(
    ("usages", "total"),
    [
        ([TokenUsage(10, 5), TokenUsage(1, 0)], TokenUsage(11, 5)),
        ([TokenUsage(0, 0)], TokenUsage(0, 0)),
        ([TokenUsage(), TokenUsage()], TokenUsage(None, None)),
        ([TokenUsage(10, 5), TokenUsage()], TokenUsage(None, None)),
        ([TokenUsage(), TokenUsage(10, None)], TokenUsage(None, None)),
    ],
)
def test_a_total_of_tokens_is_known_only_when_every_reply_was_counted(
    usages: list[TokenUsage], total: TokenUsage
) -> None:
    responses = [response(reply=Reply("yes", usage=usage)) for usage in usages]
    assert summary(*[grading(PASS)] * len(usages), responses=responses).usage == total


def test_a_failed_call_takes_nothing_from_the_total_of_tokens() -> None:
    responses = [response(), failed()]
    assert summary(grading(PASS), grading(ERROR), responses=responses).usage == TokenUsage(10, 5)


def test_flags_are_counted_per_response() -> None:
    responses = [
        response(reply=Reply("a", flags=flags)) for flags in [("truncated",), ("truncated", "refusal"), ()]
    ]
    assert summary(*[grading(PASS)] * 3, responses=responses).flags == {"refusal": 1, "truncated": 2}


@pytest.mark.parametrize("count", range(20, 401, 20))
def test_quantiles_of_the_latency_are_latencies_that_occurred(count: int) -> None:
    responses = [response(latency_ms=float(rank)) for rank in range(count, 0, -1)]
    found = summary(*[grading(PASS)] * count, responses=responses).latency
    assert found == Latency(p50=count / 2, p95=count * 19 / 20)


def test_a_latency_of_0_is_a_latency_and_a_failed_call_has_none() -> None:
    assert summary(grading(PASS), responses=[response(latency_ms=0.0)]).latency == Latency(0.0, 0.0)
    assert summary(grading(ERROR), responses=[failed()]).latency is None
