"""Finding the baseline of a result by the rules of a run, and what has answered under its key before.

Not here: what a comparison with it says (`decide.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from eval_pipeline.application.ports import Clock, ResultSource, ResultStore, VerifiedBaselines
from eval_pipeline.application.sides import side_of
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.pairing import Side
from eval_pipeline.domain.provenance import generator_name
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.results import EvaluationResult


@dataclass(frozen=True, slots=True)
class FileBaseline:
    """A baseline that was read from a file instead of the store.

    Attributes:
        name: Of the file.
        side: The result, with all that comparing takes; its answers are not at hand.
        accepted: Whether the result was accepted where it was exported.
    """

    name: str
    side: Side
    accepted: bool


@dataclass(frozen=True, slots=True)
class ComparisonRules:
    """What a run decides about its comparison.

    Attributes:
        against: How the baseline is chosen; none takes a pinned one, else the newest accepted one.
        result_id: A certain result as the baseline, instead.
        file: A file as the baseline, instead.
        max_pass_rate_drop, max_mean_score_drop: Over the tolerances of the set.
        confidence: Asked for; see `paired_comparison.differences`.
    """

    against: Against | None = None
    result_id: int | None = None
    file: FileBaseline | None = None
    max_pass_rate_drop: float | None = None
    max_mean_score_drop: float | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_pass_rate_drop", "max_mean_score_drop"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise UsageError(f"{name} is a share between 0 and 1, found {value:g}")
        if self.confidence is not None and not 0 < self.confidence < 1:
            raise UsageError(f"a confidence is between 0 and 1, such as 0.95, found {self.confidence:g}")
        if sum(each is not None for each in (self.against, self.result_id, self.file)) > 1:
            raise UsageError("a result is compared with one baseline: name one only")

    def over(self, gate: Gate) -> Gate:
        """The gate with the tolerances of the run in place of the set's."""
        own = {"max_pass_rate_drop": self.max_pass_rate_drop, "max_mean_score_drop": self.max_mean_score_drop}
        return gate.model_copy(update={name: value for name, value in own.items() if value is not None})

    def looser_than(self, gate: Gate) -> str | None:
        """Which tolerance of the run is larger than that of the set, for people; none where none is."""
        for name in ("max_pass_rate_drop", "max_mean_score_drop"):
            own, declared = getattr(self, name), getattr(gate, name)
            if own is not None and own > declared:
                return f"it was compared with {name} {own:g}, and its set allows {declared:g}"
        return None


def find_baseline(
    current: Side,
    generator: ServedBy,
    store: ResultStore,
    source: ResultSource,
    rules: ComparisonRules,
    clock: Clock,
) -> tuple[Side | None, str]:
    """The baseline by the rules, and in one word how it was chosen."""
    result = current.result
    if rules.file is not None:
        return rules.file.side, "file"
    if rules.result_id is not None:
        return side_of(_result_named(rules.result_id, result, store), store), "result"
    if not isinstance(source, VerifiedBaselines):
        return None, ""
    choices = [Against.PINNED, Against.ACCEPTED] if rules.against is None else [rules.against]
    # Only where nothing of the same snapshot can serve, the look goes across a change of it.
    for another_snapshot in (False, True):
        scope = BaselineScope.of(result, generator, another_snapshot=another_snapshot)
        for against in choices:
            if (found := source.baseline(scope, against, clock())) is not None:
                return side_of(found, store), against.value
        if generator.declared:
            break
    return None, ""


def _result_named(result_id: int, result: EvaluationResult, store: ResultStore) -> EvaluationResult:
    baseline = store.result(result_id)
    if baseline is None:
        raise UsageError(f"there is no result {result_id} to compare with")
    own, other = ((each.set_id, each.model_key, each.grader) for each in (result, baseline))
    if own != other:
        raise UsageError(
            f"result {result_id} is of {' · '.join(other)}, which is no baseline of {' · '.join(own)};"
            f" eval-pipeline compare {result_id} {result.id} shows both"
        )
    return baseline


def generator_changed(
    baseline: EvaluationResult, result: EvaluationResult, generator: ServedBy, source: ResultSource
) -> str | None:
    """What answers instead of what answered in the result just before, whichever that was, or in the baseline."""
    earlier = None
    if isinstance(source, VerifiedBaselines):
        earlier = source.latest_before(BaselineScope.of(result, generator))
    since_the_last = instead_of(earlier, generator) if earlier is not None else None
    return since_the_last or instead_of(baseline, generator)


def pin_left_out(
    result: EvaluationResult,
    generator: ServedBy,
    against: str,
    source: ResultSource,
    rules: ComparisonRules,
    clock: Clock,
) -> str:
    """What to say where a result is pinned, and another one is the baseline all the same."""
    unasked = rules.against is None and rules.result_id is None and rules.file is None
    if not unasked or against == Against.PINNED or not isinstance(source, VerifiedBaselines):
        return ""
    scope = BaselineScope.of(result, generator, another_snapshot=True)
    pinned = source.baseline(scope, Against.PINNED, clock())
    return f"; result {pinned.id} is pinned, but is of another snapshot" if pinned is not None else ""


def instead_of(earlier: EvaluationResult, generator: ServedBy) -> str | None:
    """What answers instead of what answered in `earlier`; none where it is the same, whatever its version."""
    before = earlier.summary.provenance.generator
    if before is None or replace(before, declared_version=None) == replace(generator, declared_version=None):
        return None
    return f"{generator_name(generator)} answers instead of {generator_name(before)}"
