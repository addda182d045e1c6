"""Which models are eligible, and in which order; what decided is told."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.model_catalogue import Price
from eval_pipeline.domain.model_criteria import Candidate, Criteria
from eval_pipeline.domain.model_ranking import Ranking, rank
from eval_pipeline.domain.quality import Quality, SetQuality

ANY = Criteria()


def candidate(key: str = "tern", **changes: Any) -> Candidate:
    """A model whose key, provider instance, outbound name and kind all differ."""
    defaults = {"provider_instance": "eu-west", "outbound_model": f"{key}-large", "adapter_kind": "openai"}
    return Candidate(key, **{**defaults, **changes})


def priced(key: str, dollars: float, output: float = 10.0, **changes: Any) -> Candidate:
    return candidate(key, price=Price(input=dollars, output=output), **changes)


def quality(prompts: int = 20, **scores: float) -> Quality:
    """Measured on sets of these names, each with so many prompts."""
    run_date = datetime(2026, 3, 1, tzinfo=UTC)
    return Quality(
        tuple(SetQuality(name, 1, run_date, prompts, score, 0.1) for name, score in scores.items())
    )


def keys(ranking: Ranking) -> list[str]:
    return [model.candidate.key for model in ranking.ranked]


def reasons(ranking: Ranking) -> dict[str, str]:
    return {model.candidate.key: model.reason for model in ranking.rejected}


def said(ranking: Ranking) -> str:
    return "\n".join(ranking.notes)


amounts = st.none() | st.sampled_from([0.0, 1.0, 2.5])
candidates = st.lists(
    st.builds(
        candidate,
        st.sampled_from([f"model-{number}" for number in range(8)]),
        adapter_kind=st.sampled_from(["openai", "replay"]),
        capabilities=st.lists(st.sampled_from(["chat", "json"])),
        context_length=st.none() | st.integers(1, 3),
        price=st.none() | st.builds(Price, input=st.sampled_from([0.0, 1.0]), output=st.just(1.0)),
        priority=st.integers(-1, 1),
        latency_ms=amounts,
        unusable_because=st.sampled_from([None, None, None, "is switched off"]),
    ),
    unique_by=lambda each: each.key,
    max_size=8,
)
measured = st.dictionaries(
    st.sampled_from([f"model-{number}" for number in range(8)]),
    st.builds(
        lambda scores, prompts: quality(prompts, **scores),
        st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.0]), min_size=1),
        st.integers(1, 20),
    ),
)
criteria = st.builds(
    Criteria,
    capabilities=st.lists(st.sampled_from(["chat", "json"]), max_size=1),
    adapter_kinds=st.lists(st.sampled_from(["openai", "replay"]), max_size=1),
    min_context=st.none() | st.integers(0, 3),
    max_input_cost=amounts,
)
options = st.fixed_dictionaries(
    {
        "min_quality": st.none() | st.sampled_from([0.0, 0.3, 0.9, 1.0]),
        "common_sets": st.booleans(),
        "prefer": st.sampled_from(["cost", "latency"]),
        "min_prompts": st.integers(0, 20),
    }
)


@given(criteria, candidates, measured, options)
def test_every_candidate_is_either_ranked_or_rejected_with_a_reason(
    wanted: Criteria,
    given_candidates: list[Candidate],
    qualities: dict[str, Quality],
    chosen: dict[str, Any],
) -> None:
    ranking = rank(wanted, given_candidates, qualities, **chosen)
    placed = keys(ranking) + [model.candidate.key for model in ranking.rejected]
    assert sorted(placed) == sorted(each.key for each in given_candidates)
    assert all(model.reason for model in ranking.rejected)
    assert (ranking.chosen is None) == (not ranking.ranked)


@given(
    criteria,
    candidates.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))),
    measured,
    options,
)
def test_the_order_in_which_candidates_are_given_changes_nothing(
    wanted: Criteria,
    orders: tuple[list[Candidate], list[Candidate]],
    qualities: dict[str, Quality],
    chosen: dict[str, Any],
) -> None:
    one, other = (rank(wanted, order, qualities, **chosen) for order in orders)
    assert one == other


@given(criteria, candidates, measured, options)
def test_scores_fall_and_unscored_models_come_last(
    wanted: Criteria,
    given_candidates: list[Candidate],
    qualities: dict[str, Quality],
    chosen: dict[str, Any],
) -> None:
    ranking = rank(wanted, given_candidates, qualities, **chosen)
    order = [-1.0 if model.score is None else model.score for model in ranking.ranked]
    assert order == sorted(order, reverse=True)
    least = chosen["min_quality"]
    assert least is None or all(score >= least for score in order)


@given(candidates, measured, options)
def test_a_scored_model_was_measured_on_enough_prompts(
    given_candidates: list[Candidate], qualities: dict[str, Quality], chosen: dict[str, Any]
) -> None:
    for model in rank(ANY, given_candidates, qualities, **chosen).ranked:
        if model.scored:
            assert model.quality is not None
            assert model.quality.prompt_count >= chosen["min_prompts"]


@given(candidates, measured, options)
def test_with_common_sets_all_scored_models_are_scored_by_the_same_sets(
    given_candidates: list[Candidate], qualities: dict[str, Quality], chosen: dict[str, Any]
) -> None:
    ranking = rank(ANY, given_candidates, qualities, **{**chosen, "common_sets": True})
    for model in ranking.ranked:
        if model.scored:
            assert model.quality is not None
            assert sorted(each.set_id for each in model.quality.sets) == list(ranking.common_sets or ())


def test_one_perfect_prompt_does_not_beat_a_broad_good_score(shared_cases: Path) -> None:
    case = json.loads((shared_cases / "gate-13-route-coverage.json").read_text("utf-8"))
    models = [candidate(model["name"]) for model in case["models"]]
    qualities = {
        model["name"]: quality(
            model["scored"] // len(model["sets"]), **dict.fromkeys(model["sets"], model["mean"])
        )
        for model in case["models"]
        if model["mean"] is not None
    }
    by_floor = rank(ANY, models, qualities)
    assert keys(by_floor) == ["m2", "m1", "m3"]
    assert "m1 (measured on 1 graded prompt, at least 10 are needed)" in said(by_floor)
    with_minimum = rank(ANY, models, qualities, min_quality=case["min_quality"])
    assert keys(with_minimum) == ["m2"]
    assert "measured on 1 graded prompt" in reasons(with_minimum)["m1"]
    assert "no result that counts" in reasons(with_minimum)["m3"]


def test_a_floor_of_0_or_1_scores_every_measured_model() -> None:
    qualities = {"tern": quality(1, a=1.0), "heron": quality(200, a=0.9)}
    for floor in (0, 1):
        assert keys(rank(ANY, [candidate(), candidate("heron")], qualities, min_prompts=floor)) == [
            "tern",
            "heron",
        ]


@pytest.mark.parametrize(
    ("wanted", "changes", "reason"),
    [
        (Criteria(capabilities=["json", "chat"]), {"capabilities": ["chat"]}, "does not declare .* json"),
        (Criteria(adapter_kinds=["replay"]), {}, "is of kind openai, not replay"),
        (Criteria(min_context=3), {"context_length": 2}, "a context of 2 tokens, and at least 3"),
        (Criteria(min_context=0), {}, "an unknown context length"),
        (Criteria(max_input_cost=0), {"price": Price(input=0.5, output=0)}, r"costs \$0.5, and at most \$0 "),
        (Criteria(max_input_cost=100), {}, "an unknown price"),
        (ANY, {"unusable_because": "the environment variable KEY is not set"}, "KEY is not set"),
    ],
)
def test_a_model_that_misses_a_criterion_is_rejected_however_good_it_is(
    wanted: Criteria, changes: dict[str, Any], reason: str
) -> None:
    ranking = rank(wanted, [candidate(**changes)], {"tern": quality(a=1.0)})
    assert ranking.chosen is None
    assert "no model is eligible: all 1 were rejected" in said(ranking)
    assert re.search(reason, reasons(ranking)["tern"])


@pytest.mark.parametrize(
    ("wanted", "changes"),
    [
        (Criteria(capabilities=["chat"]), {"capabilities": ["json", "chat"]}),
        (Criteria(adapter_kinds=["replay", "openai"]), {}),
        (Criteria(min_context=2), {"context_length": 2}),
        (Criteria(max_input_cost=0), {"price": Price(input=0, output=9)}),
        (Criteria(max_input_cost=1.5), {"price": Price(input=1.5, output=9)}),
    ],
)
def test_a_model_that_just_meets_a_criterion_is_eligible(wanted: Criteria, changes: dict[str, Any]) -> None:
    assert keys(rank(wanted, [candidate(**changes)], {})) == ["tern"]


def test_every_reason_is_told() -> None:
    wanted = Criteria(capabilities=["json"], min_context=1, max_input_cost=1)
    assert reasons(rank(wanted, [candidate()], {}))["tern"].count(";") == 2


def test_with_nothing_measured_the_base_order_decides_and_that_is_said() -> None:
    models = [
        candidate("unknown-price"),
        priced("dear", 2),
        priced("free", 0),
        priced("dear-answers", 0, 11),
        candidate("wanted", priority=1),
        candidate("unwanted", priority=-1),
    ]
    ranking = rank(ANY, models, {})
    assert keys(ranking) == ["wanted", "free", "dear-answers", "dear", "unknown-price", "unwanted"]
    assert "no model is scored: the order is the base order, by priority, then cost, then key" in said(
        ranking
    )
    assert ranking.chosen is not None
    assert ranking.chosen.key == "wanted"


def test_the_lowest_latency_comes_after_priority_where_asked_for() -> None:
    models = [
        priced("slow", 0, latency_ms=9),
        priced("unmeasured", 0),
        priced("instant", 9, latency_ms=0),
        priced("wanted", 9, latency_ms=99, priority=1),
    ]
    assert keys(rank(ANY, models, {}, prefer="latency")) == ["wanted", "instant", "slow", "unmeasured"]


@pytest.mark.parametrize(
    ("tern", "heron", "how"),
    [
        ({"priority": 1}, {"price": Price(input=0, output=0)}, "their order is by priority"),
        ({"price": Price(input=1, output=2)}, {"price": Price(input=1, output=3)}, "their order is by cost"),
        ({"price": Price(input=0, output=0)}, {}, "their order is by cost"),
    ],
)
def test_equal_scores_are_told_apart_by_the_base_order_and_that_is_said(
    tern: dict[str, Any], heron: dict[str, Any], how: str
) -> None:
    scores = {"tern": quality(a=0.9), "heron": quality(a=0.9)}
    ranking = rank(ANY, [candidate("heron", **heron), candidate("tern", **tern)], scores)
    assert keys(ranking) == ["tern", "heron"]
    assert f"tern, heron: the same score of 0.900; {how}" in said(ranking)


def test_models_alike_in_everything_come_by_key() -> None:
    models = [candidate("tern"), candidate("heron")]
    scored = rank(ANY, models, {"tern": quality(a=0.0), "heron": quality(a=0.0)})
    unscored = rank(ANY, models, {})
    assert keys(scored) == keys(unscored) == ["heron", "tern"]
    assert "heron, tern: the same score of 0.000; their order is by key" in said(scored)
    assert "heron, tern: not scored; their order is by key" in said(unscored)


def test_the_rounding_of_a_mean_decides_nothing() -> None:
    noisy, exact = quality(a=0.1, b=0.2, c=0.3), quality(a=0.2)
    assert noisy.score != exact.score
    models = [candidate("heron"), candidate("tern", priority=1)]
    for scores in ({"heron": noisy, "tern": exact}, {"heron": exact, "tern": noisy}):
        assert keys(rank(ANY, models, scores)) == ["tern", "heron"]
    just = quality(a=0.0, b=0.0, c=0.3)
    assert just.score < 0.1
    assert keys(rank(ANY, [candidate()], {"tern": just}, min_quality=0.1)) == ["tern"]


def test_a_minimum_quality_of_0_takes_every_scored_model_and_no_other() -> None:
    ranking = rank(ANY, [candidate(), candidate("heron")], {"tern": quality(a=0.0)}, min_quality=0)
    assert keys(ranking) == ["tern"]
    assert "not scored (no result that counts)" in reasons(ranking)["heron"]


def test_a_minimum_above_all_is_an_answer_and_not_an_error() -> None:
    ranking = rank(ANY, [candidate()], {"tern": quality(a=0.9)}, min_quality=0.95)
    assert (ranking.chosen, ranking.ranked) == (None, ())
    assert reasons(ranking)["tern"] == "score 0.9 is below the minimum of 0.95"
    assert ranking.rejected[0].quality == quality(a=0.9)


def test_nothing_to_choose_from_is_an_answer() -> None:
    ranking = rank(ANY, [], {})
    assert ranking.chosen is None
    assert said(ranking) == "no model is eligible: there are none to choose from"


def test_only_common_sets_count_where_asked_for() -> None:
    scores = {"easy-only": quality(easy=0.8), "both": quality(easy=0.9, hard=0.1)}
    models = [candidate("easy-only"), candidate("both"), candidate("unmeasured")]
    assert keys(rank(ANY, models, scores)) == ["easy-only", "both", "unmeasured"]
    ranking = rank(ANY, models, scores, common_sets=True)
    assert keys(ranking) == ["both", "easy-only", "unmeasured"]
    assert ranking.common_sets == ("easy",)
    assert "only the sets that all scored models have count: easy" in said(ranking)


def test_without_a_common_set_no_model_is_scored_and_that_is_said() -> None:
    scores = {"tern": quality(a=0.9), "heron": quality(b=0.1)}
    ranking = rank(ANY, [candidate(), candidate("heron")], scores, common_sets=True)
    assert (keys(ranking), ranking.common_sets) == (["heron", "tern"], ())
    assert "no set is common to all scored models" in said(ranking)


def test_what_is_not_scored_takes_no_common_set_from_the_others() -> None:
    scores = {"tern": quality(a=0.9), "heron": quality(1, b=1.0)}
    ranking = rank(ANY, [candidate(), candidate("heron")], scores, common_sets=True)
    assert ranking.common_sets == ("a",)


def test_too_few_prompts_in_the_common_sets_are_too_few() -> None:
    scores = {"tern": quality(6, a=0.9, b=0.9), "heron": quality(a=0.8)}
    ranking = rank(ANY, [candidate(), candidate("heron")], scores, common_sets=True)
    assert keys(ranking) == ["heron", "tern"]
    assert "tern (measured on 6 graded prompts of the common sets, at least 10 are needed)" in said(ranking)


@pytest.mark.parametrize("least", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_minimum_quality_that_no_score_can_have_is_refused(least: float) -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        rank(ANY, [], {}, min_quality=least)


@pytest.mark.parametrize(
    "make",
    [
        lambda: rank(ANY, [], {}, prefer="speed"),  # type: ignore[arg-type]
        lambda: rank(ANY, [], {}, min_prompts=-1),
        lambda: rank(ANY, [candidate(), candidate()], {}),
        lambda: Criteria(max_input_cost=float("nan")),
        lambda: Criteria(max_input_cost=-1),
        lambda: Criteria(min_context=-1),
        lambda: Criteria(capabilities="json"),
        lambda: candidate(latency_ms=float("nan")),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any) -> None:
    with pytest.raises(UsageError):
        make()
