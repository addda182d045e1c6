"""Two results of one set side by side, whatever models they are of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval_pipeline.application.compare import compare_results
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline_tests.builders import SERVED_BY, golden_set, model, prompt
from eval_pipeline_tests.evaluated import APPLICATION, GRADER, NEWER, World, set_of

ANOTHER_MODEL = replace(SERVED_BY, provider_instance="us-east", outbound_model="heron-large")


@pytest.fixture
def world() -> World:
    return World()


def expecting(word: str) -> GoldenPromptSet:
    return golden_set(*(prompt(f"p{number}", assertions=[Contains(word)]) for number in range(10)))


@pytest.mark.parametrize(
    "served_by", [ANOTHER_MODEL, NEWER, APPLICATION], ids=["another model", "a snapshot", "an application"]
)
def test_results_of_any_two_models_can_be_compared(world: World, served_by: object) -> None:
    first, second = world.result(10), world.result(7, served_by=served_by, by=model("heron"))
    found, anew = compare_results(first, second, set_of(), GRADER, world.store)
    assert (found.shared, found.pass_rate.baseline, found.pass_rate.current, anew) == (10, 1.0, 0.7, False)


def test_the_first_of_two_results_is_what_the_second_is_compared_with(world: World) -> None:
    first, second = world.result(10), world.result(7)
    forwards, _ = compare_results(first, second, set_of(), GRADER, world.store)
    backwards, _ = compare_results(second, first, set_of(), GRADER, world.store)
    assert forwards.pass_rate.delta == pytest.approx(-0.3)
    assert backwards.pass_rate.delta == pytest.approx(0.3)


def test_a_result_differs_in_nothing_from_itself(world: World) -> None:
    first = world.result(7)
    found, _ = compare_results(first, first, set_of(), GRADER, world.store)
    assert (found.flipped_count, found.pass_rate.delta, found.changed_treatment) == (0, 0.0, ())


def test_incomplete_and_mixed_results_can_be_looked_at_side_by_side(world: World) -> None:
    first = world.result(10, served_by=[SERVED_BY, NEWER])
    second = world.result(10, texts={"p0": None})
    found, _ = compare_results(first, second, set_of(), GRADER, world.store)
    assert (found.measured, found.unmeasured) == (9, ("p0",))


def test_results_by_different_yardsticks_are_both_graded_by_what_is_expected_now(world: World) -> None:
    first = world.result(10, expecting("yes"))
    second = world.result(8, expecting("no"))
    found, anew = compare_results(first, second, expecting("yes"), GRADER, world.store)
    assert (anew, found.pass_rate.baseline, found.pass_rate.current) == (True, 1.0, 0.8)


def test_to_compare_stores_nothing(world: World) -> None:
    first, second = world.result(10, expecting("yes")), world.result(8, expecting("no"))
    passes, kept = dict(world.store.passes), dict(world.store.kept)
    compare_results(first, second, expecting("yes"), GRADER, world.store)
    assert (world.store.passes, world.store.kept, world.history.reports) == (passes, kept, {})


def test_results_by_one_yardstick_need_no_declared_set(world: World) -> None:
    first, second = world.result(10), world.result(7)
    found, anew = compare_results(first, second, None, GRADER, world.store)
    assert (found.measured, anew) == (10, False)


def test_a_confidence_is_that_of_the_intervals(world: World) -> None:
    found, _ = compare_results(world.result(10), world.result(7), set_of(), GRADER, world.store, 0.8)
    assert found.confidence == 0.8


@pytest.mark.parametrize("declared", [True, False])
def test_tags_with_tolerances_of_their_own_are_those_of_the_declared_set(
    world: World, declared: bool
) -> None:
    gate = Gate.model_validate({"tags": {"safety": {"max_pass_rate_drop": 0.0}}})
    golden = golden_set(
        *(prompt(f"p{number}", tags=["safety"] if number > 7 else []) for number in range(10)), gate=gate
    )
    first, second = world.result(10, golden), world.result(9, golden)
    found, _ = compare_results(first, second, golden if declared else None, GRADER, world.store)
    assert found.uncompared_tags == ()
    if declared:
        assert (found.tags["safety"].shared, found.tags["safety"].pass_rate.delta) == (2, -0.5)
    else:
        assert found.tags == {}


# What is refused


def of_another_set(world: World) -> EvaluationResult:
    return world.result(golden=set_of(id="acme.other"))


def test_results_of_different_sets_are_refused_with_both_named(world: World) -> None:
    first, second = world.result(), of_another_set(world)
    with pytest.raises(UsageError, match=r"results 1 and 2 are of acme\.set by .* and of acme\.other by"):
        compare_results(first, second, set_of(), GRADER, world.store)


def test_results_by_different_graders_are_refused(world: World) -> None:
    first, second = world.result(), replace(world.result(), grader="llm_judge")
    with pytest.raises(UsageError, match="only results of one set by one grader can be compared"):
        compare_results(first, second, set_of(), GRADER, world.store)


def test_results_by_different_yardsticks_of_a_set_that_is_gone_are_refused(world: World) -> None:
    first, second = world.result(10, expecting("yes")), world.result(8, expecting("no"))
    with pytest.raises(UsageError, match=r"set acme\.set is not declared any more"):
        compare_results(first, second, None, GRADER, world.store)


def test_results_by_different_yardsticks_whose_answers_are_gone_are_refused(world: World) -> None:
    first, second = world.result(10, expecting("yes")), world.result(8, expecting("no"))
    world.store.exchanges[first.run_id].clear()
    with pytest.raises(UsageError, match="its answers are no longer stored"):
        compare_results(first, second, expecting("no"), GRADER, world.store)
