"""From stored results to qualities, and from those to the choice of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from eval_pipeline.application.ports import QualitySource, ScopedQualitySource, VerifiedResults
from eval_pipeline.application.select_model import (
    DEFAULT_MAX_AGE,
    MeasuredQuality,
    measured_latencies,
    select_by_quality,
)
from eval_pipeline.domain.aggregates import Summarizer
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.model_criteria import Candidate, Criteria
from eval_pipeline.domain.quality import GeneratorScope, Quality, SetQuality
from eval_pipeline.domain.responses import ModelResponse, ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline_tests.builders import SERVED_BY, failed, golden_set, response

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EU = GeneratorScope("eu-west", "tern-large")
US = ServedBy("us-east", "tern-large", "tern-4-2026")
TERN = Candidate("tern", "eu-west", "tern-large", "openai")
HERON = Candidate("heron", "us-east", "heron-small", "openai")


def result(
    score: float = 0.9,
    served_by: ServedBy = SERVED_BY,
    graded: Sequence[tuple[Grading, ModelResponse]] | None = None,
    **changes: Any,
) -> EvaluationResult:
    """A complete result of set acme.set by model key tern: of twenty prompts that one generator served."""
    summarizer = Summarizer()
    pairs = [passing(f"p{number}", score, served_by) for number in range(20)] if graded is None else graded
    for grading, given in pairs:
        summarizer.add(grading, given, ())
    defaults = {
        "id": 7,
        "run_id": 5,
        "set_id": "acme.set",
        "model_key": "tern",
        "grader": "deterministic",
        "run_date": NOON,
        "partial": False,
        "incomplete_because": None,
        "summary": summarizer.summary(),
        "yardstick": {},
        "gate": Gate(),
        "set_hashes": golden_set().hashes,
        "cost_usd": None,
    }
    return EvaluationResult(**{**defaults, **changes})


def passing(
    prompt_id: str = "p1", score: float = 1.0, served_by: ServedBy = SERVED_BY, **changes: Any
) -> tuple[Grading, ModelResponse]:
    """A response and its grading."""
    given = response("yes", prompt_id, served_by=served_by, **changes)
    return Grading(prompt_id, given.repeat, Status.PASS, score, ""), given


def unanswered(prompt_id: str = "p1") -> tuple[Grading, ModelResponse]:
    """A failed call and its grading."""
    return Grading(prompt_id, 0, Status.ERROR, None, "HTTP 500"), failed(prompt_id=prompt_id)


@dataclass
class Verified(VerifiedResults):
    """Results whose generators are known, chosen as the port promises.

    What the port promises beside that for other uses is inherited, and not used here.
    """

    kept: Sequence[EvaluationResult] = ()
    asked_since: list[datetime] = field(default_factory=list)

    def results(
        self,
        set_id: str | None = None,
        model_key: str | None = None,
        grader: str | None = None,
        limit: int = 50,
    ) -> list[EvaluationResult]:
        own = [each for each in self.kept if model_key in (None, each.model_key)]
        return sorted(own, key=lambda each: (each.run_date, each.id), reverse=True)[:limit]

    def newest_of_sets(
        self, set_ids: Sequence[str], grader: str, scope: GeneratorScope, since: datetime
    ) -> list[EvaluationResult]:
        self.asked_since.append(since)
        newest: dict[str, EvaluationResult] = {}
        for each in self._eligible(set_ids, grader, scope.outbound_model, since):
            generator = each.summary.provenance.generator
            if generator.provider_instance != scope.provider_instance:
                continue
            if scope.model_key in (None, each.model_key):
                newest.setdefault(each.set_id, each)
        return list(newest.values())

    def provider_instances_of(
        self, set_ids: Sequence[str], grader: str, outbound_model: str, since: datetime
    ) -> frozenset[str]:
        found = self._eligible(set_ids, grader, outbound_model, since)
        return frozenset(each.summary.provenance.generator.provider_instance for each in found)

    def _eligible(
        self, set_ids: Sequence[str], grader: str, outbound_model: str, since: datetime
    ) -> list[EvaluationResult]:
        return [
            each
            for each in self.results()
            if each.set_id in set_ids and each.grader == grader and each.run_date >= since
            if each.complete and each.model_id == outbound_model
        ]


@dataclass
class Unverified:
    """Results of an old repository: it cannot say verifiably what produced them."""

    kept: Sequence[EvaluationResult]

    def results(self, **_: Any) -> list[EvaluationResult]:
        return list(self.kept)


def measured(
    *results: EvaluationResult, sets: Sequence[str] = ("acme.set",), **options: Any
) -> MeasuredQuality:
    return MeasuredQuality(Verified(results), sets, lambda: NOON, **options)


def test_it_is_a_source_of_quality_by_name_and_by_generator() -> None:
    source: QualitySource = measured()
    assert isinstance(source, ScopedQualitySource)


def test_the_newest_result_of_each_set_counts_however_bad_it_is() -> None:
    earlier = result(1.0, run_date=NOON - timedelta(days=1))
    source = measured(result(0.5, id=8), earlier, result(0.7, set_id="acme.b"), sets=("acme.set", "acme.b"))
    quality = source.scoped_quality(EU)
    assert [(each.set_id, each.mean_score, each.prompt_count) for each in quality.sets] == [
        ("acme.b", pytest.approx(0.7), 20),
        ("acme.set", pytest.approx(0.5), 20),
    ]
    assert quality.sets[1].result_id == 8
    assert quality.score == pytest.approx(0.6)


def test_sets_that_do_not_count_are_left_out() -> None:
    source = measured(result(set_id="acme.removed"), result(set_id="eval_pipeline.smoke"))
    assert source.scoped_quality(EU) is None
    assert measured(result(), sets=()).scoped_quality(EU) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"grader": "llm_judge"},
        {"incomplete_because": "only a part of the set was evaluated", "partial": True},
        {"run_date": NOON - timedelta(days=90, seconds=1)},
    ],
)
def test_other_graders_incomplete_and_old_results_do_not_count(changes: dict[str, Any]) -> None:
    source = measured(result(**changes))
    assert source.scoped_quality(EU) is None
    assert source.quality("tern-large") is None


def test_a_result_exactly_as_old_as_the_limit_counts() -> None:
    assert measured(result(run_date=NOON - DEFAULT_MAX_AGE)).scoped_quality(EU) is not None
    old = result(run_date=NOON - timedelta(days=400))
    assert measured(old, max_age=timedelta(days=400)).scoped_quality(EU) is not None
    assert measured(result(), max_age=timedelta()).scoped_quality(EU) is not None


def test_a_limit_beyond_the_calendar_is_no_limit() -> None:
    assert measured(result(), max_age=timedelta.max).scoped_quality(EU) is not None


def test_a_negative_age_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be negative"):
        measured(max_age=timedelta(days=-1))


def test_a_result_in_which_nothing_was_graded_measures_nothing() -> None:
    filtered = Grading("p2", 0, Status.ERROR, None, "filtered"), response(prompt_id="p2")
    assert measured(result(graded=[unanswered(), filtered])).scoped_quality(EU) is None


def test_a_score_of_0_is_a_quality() -> None:
    quality = measured(result(0.0)).scoped_quality(EU)
    assert (quality.score, quality.standard_error) == (0.0, 0.0)


def test_one_prompt_asked_twenty_times_is_one_prompt() -> None:
    repeated = [passing(repeat=repeat) for repeat in range(20)]
    quality = measured(result(graded=repeated)).scoped_quality(EU)
    assert (quality.prompt_count, quality.interval) == (1, None)


def test_a_model_is_found_by_the_name_that_was_sent_and_by_no_other_of_its_names() -> None:
    source = measured(result())
    assert source.quality("tern-large") is not None
    for other in ("tern", "eu-west", "tern-4-2026"):
        assert source.quality(other) is None
    assert source.scoped_quality(replace(EU, model_key="tern")) is not None
    assert source.scoped_quality(replace(EU, model_key="tern-large")) is None


def test_a_name_that_several_provider_instances_serve_is_unknown_without_a_scope() -> None:
    source = measured(result(0.9), result(0.1, US, id=8))
    assert source.quality("tern-large") is None
    assert source.scoped_quality(EU).score == pytest.approx(0.9)
    assert source.scoped_quality(GeneratorScope("us-east", "tern-large")).score == pytest.approx(0.1)


def test_a_newer_result_of_another_generator_hides_no_older_match() -> None:
    source = measured(result(0.9, run_date=NOON - timedelta(days=3)), result(0.1, US))
    assert source.scoped_quality(EU).score == pytest.approx(0.9)


def test_results_of_several_generators_are_evidence_for_none() -> None:
    source = measured(result(graded=[passing("p1"), passing("p2", served_by=US)]))
    assert source.quality("tern-large") is source.scoped_quality(EU) is None


def test_a_source_without_verified_generators_makes_every_quality_unknown() -> None:
    source = MeasuredQuality(Unverified([result()]), ["acme.set"], lambda: NOON)
    assert source.quality("tern-large") is source.scoped_quality(EU) is None
    ranking = select_by_quality(Criteria(), [HERON, TERN], source)
    assert [(each.candidate.key, each.scored) for each in ranking.ranked] == [
        ("heron", False),
        ("tern", False),
    ]
    assert "no model is scored" in ranking.notes[0]


def test_a_choice_reads_what_each_model_itself_was_measured_at() -> None:
    served_as_tern = ServedBy("us-east", "tern-large", "tern-4-2026")
    also_tern = Candidate("also-tern", "us-east", "tern-large", "openai")
    other_settings = Candidate("tern-hot", "eu-west", "tern-large", "openai")
    source = measured(
        result(0.6),
        result(0.8, served_as_tern, model_key="also-tern"),
        result(0.7, model_key="tern-hot"),
    )
    ranking = select_by_quality(Criteria(), [TERN, also_tern, other_settings, HERON], source)
    scores = {each.candidate.key: each.score for each in ranking.ranked}
    assert scores == {
        "also-tern": pytest.approx(0.8),
        "tern-hot": pytest.approx(0.7),
        "tern": pytest.approx(0.6),
        "heron": None,
    }
    assert list(scores) == ["also-tern", "tern-hot", "tern", "heron"]


@dataclass
class ByName:
    """A source of one's own, which knows models by the name that is sent and nothing else."""

    known: dict[str, float]
    asked: list[str] = field(default_factory=list)

    def quality(self, model_id: str) -> Quality | None:
        self.asked.append(model_id)
        if model_id not in self.known:
            return None
        return Quality((SetQuality("own", 1, NOON, 50, self.known[model_id], None),))


def test_a_source_that_knows_only_names_is_asked_by_the_name_that_is_sent() -> None:
    source = ByName({"heron-small": 0.0, "tern-large": 0.9, "heron": 1.0})
    ranking = select_by_quality(Criteria(), [HERON, TERN], source)
    assert sorted(source.asked) == ["heron-small", "tern-large"]
    assert [(each.candidate.key, each.score) for each in ranking.ranked] == [("tern", 0.9), ("heron", 0.0)]


def test_the_quality_of_a_model_that_misses_a_criterion_is_not_read() -> None:
    source = ByName({"heron-small": 1.0, "tern-large": 0.1})
    able = replace(TERN, capabilities=["json"])
    ranking = select_by_quality(Criteria(capabilities=["json"]), [HERON, able], source)
    assert ranking.chosen == able
    assert source.asked == ["tern-large"]


def test_every_option_reaches_the_ranking() -> None:
    source = ByName({"heron-small": 0.5, "tern-large": 0.9})
    models = [replace(HERON, latency_ms=5.0), replace(TERN, latency_ms=9.0)]
    assert select_by_quality(Criteria(), models, source, min_quality=0.95).chosen is None
    unscored = select_by_quality(Criteria(), models, source, min_prompts=51, prefer="latency")
    assert [each.candidate.key for each in unscored.ranked] == ["heron", "tern"]
    assert select_by_quality(Criteria(), models, source, common_sets=True).common_sets == ("own",)


def test_the_latency_of_a_model_is_the_median_of_its_newest_result() -> None:
    older = result(run_date=NOON - timedelta(days=1), graded=[passing(latency_ms=40.0)])
    newest = result(graded=[passing(latency_ms=0.0)])
    assert measured_latencies([TERN, HERON], Verified([older, newest])) == {"tern": 0.0}


def test_a_latency_that_something_else_served_is_not_the_models() -> None:
    moved = replace(TERN, provider_instance="us-east")
    renamed = replace(TERN, outbound_model="tern-huge")
    assert measured_latencies([moved, renamed], Verified([result()])) == {}


def test_a_model_that_never_answered_has_no_latency() -> None:
    assert measured_latencies([TERN], Verified([result(graded=[unanswered()])])) == {}
