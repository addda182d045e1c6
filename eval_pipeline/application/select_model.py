"""Choosing a model by what was measured of it: from stored results to qualities, and from those to a ranking.

Not here: the order itself (`domain/model_ranking.py`), and which models there are to choose from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from eval_pipeline.application.ports import (
    Clock,
    QualitySource,
    ResultSource,
    ScopedQualitySource,
    VerifiedResults,
)
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.model_criteria import Candidate, Criteria
from eval_pipeline.domain.model_ranking import DEFAULT_MIN_PROMPTS, Preference, Ranking, rank
from eval_pipeline.domain.quality import GeneratorScope, Quality, SetQuality
from eval_pipeline.domain.results import EvaluationResult

DEFAULT_MAX_AGE = timedelta(days=90)
_GRADER = "deterministic"


@dataclass(frozen=True, slots=True)
class MeasuredQuality:
    """Quality as measured: of each set that counts, the newest verified and complete result.

    Its results may come from a source that does not know what produced them; then every quality is unknown.

    Attributes:
        results: Where results are read.
        set_ids: The sets that count.
        clock: Tells what is too old.
        max_age: Results older than this are left out.
        grader: Whose results count.

    Raises:
        UsageError: The age is negative.
    """

    results: ResultSource
    set_ids: Collection[str]
    clock: Clock
    max_age: timedelta = DEFAULT_MAX_AGE
    grader: str = _GRADER

    def __post_init__(self) -> None:
        if self.max_age < timedelta():
            raise UsageError(f"the greatest age of results is {self.max_age}: it cannot be negative")

    def quality(self, model_id: str) -> Quality | None:
        """The quality of the model that is sent under the name `model_id`.

        None also when several provider instances serve that name, because they need not be one model.
        """
        if not isinstance(self.results, VerifiedResults):
            return None
        instances = self.results.provider_instances_of(self._sets_read, self.grader, model_id, self._since)
        if len(instances) != 1:
            return None
        (instance,) = instances
        return self.scoped_quality(GeneratorScope(instance, model_id))

    def scoped_quality(self, scope: GeneratorScope) -> Quality | None:
        """The quality of the generator that `scope` describes."""
        if not isinstance(self.results, VerifiedResults):
            return None
        newest = self.results.newest_of_sets(self._sets_read, self.grader, scope, self._since)
        measured = [of_set for result in newest if (of_set := _of_set(result)) is not None]
        return Quality(tuple(sorted(measured, key=lambda of_set: of_set.set_id))) if measured else None

    @property
    def _sets_read(self) -> list[str]:
        """The sets that count, each once and in order."""
        return sorted(set(self.set_ids))

    @property
    def _since(self) -> datetime:
        try:
            return self.clock() - self.max_age
        except OverflowError:  # older than the calendar: nothing is too old
            return datetime.min.replace(tzinfo=UTC)


def select_by_quality(
    criteria: Criteria,
    candidates: Sequence[Candidate],
    source: QualitySource,
    min_quality: float | None = None,
    common_sets: bool = False,
    prefer: Preference = "cost",
    min_prompts: int = DEFAULT_MIN_PROMPTS,
) -> Ranking:
    """Rank `candidates` by measured quality; the best is `chosen`, which is none when none is eligible.

    Args:
        criteria: What a model must meet before its quality matters.
        candidates: The models to choose from, in any order.
        source: Where qualities are read: by the generator where the source can do that, otherwise by the
            name that is sent.
        min_quality: The least score of an eligible model; models that are not scored are not eligible then.
        common_sets: Whether only those sets count on which every scored model was measured.
        prefer: Whether the lowest cost or the lowest latency comes after priority where quality does not
            decide.
        min_prompts: A model measured on fewer graded prompts is not scored.

    Raises:
        UsageError: An argument is out of its range, or two candidates share a key.
    """
    qualities = {
        candidate.key: quality
        for candidate in candidates
        if not criteria.refusals(candidate) and (quality := _quality_of(candidate, source)) is not None
    }
    return rank(
        criteria,
        candidates,
        qualities,
        min_quality=min_quality,
        common_sets=common_sets,
        prefer=prefer,
        min_prompts=min_prompts,
    )


def measured_latencies(candidates: Iterable[Candidate], results: ResultSource) -> dict[str, float]:
    """The median latency in the newest result of each model, by model key, in milliseconds.

    A model whose newest result was not served by what it is configured as now has none.
    """
    latencies = {}
    for candidate in candidates:
        for result in results.results(model_key=candidate.key, limit=1):
            served_by, latency = result.summary.provenance.generator, result.summary.latency
            if served_by is None or latency is None:
                continue
            if (served_by.provider_instance, served_by.outbound_model) == _served_as(candidate):
                latencies[candidate.key] = latency.p50
    return latencies


def _quality_of(candidate: Candidate, source: QualitySource) -> Quality | None:
    if isinstance(source, ScopedQualitySource):
        return source.scoped_quality(GeneratorScope(*_served_as(candidate), model_key=candidate.key))
    return source.quality(candidate.outbound_model)


def _served_as(candidate: Candidate) -> tuple[str, str]:
    return candidate.provider_instance, candidate.outbound_model


def _of_set(result: EvaluationResult) -> SetQuality | None:
    """None of a result that is complete although no prompt was graded, where its gate allows all errors."""
    total = result.summary.total
    if total.mean_score is None:
        return None
    # The counts of a result are of responses. One prompt asked many times is known by its missing error.
    one_prompt = total.standard_error is None
    return SetQuality(
        set_id=result.set_id,
        result_id=result.id,
        run_date=result.run_date,
        prompt_count=1 if one_prompt else total.graded_count,
        mean_score=total.mean_score,
        standard_error=total.standard_error,
    )
