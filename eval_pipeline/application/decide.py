"""The verdict of record on a result: its baseline, the comparison with it, and what all checks say.

The rules stand in the domain (`regression.py`, `gates.py`); here is what they need of the store. Not here:
two results side by side without a verdict (`compare.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eval_pipeline.application.ports import Clock, ResultSource, ResultStore, Verdicts, VerifiedBaselines
from eval_pipeline.application.sides import NotComparable, graded_anew, side_of
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.gates import GateReport, gate_report
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet
from eval_pipeline.domain.grading import Grader, Status
from eval_pipeline.domain.paired_comparison import differences
from eval_pipeline.domain.pairing import Side
from eval_pipeline.domain.provenance import generator_name
from eval_pipeline.domain.regression import Comparison, Verdict, verdict_on
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.yardstick import shares_one_yardstick


@dataclass(frozen=True, slots=True)
class FileBaseline:
    """A baseline that was read from a file instead of the store.

    Attributes:
        name: Of the file.
        side: The result, with all that comparing takes; its answers are not at hand.
    """

    name: str
    side: Side


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


def decide(
    result: EvaluationResult,
    golden_set: GoldenPromptSet,
    grader: Grader,
    store: ResultStore,
    source: ResultSource,
    verdicts: Verdicts,
    rules: ComparisonRules,
    clock: Clock,
) -> GateReport:
    """Compare `result` with its baseline, and keep what all checks say of it as the verdict of record.

    Args:
        result: Just concluded, by what `golden_set` expects.
        golden_set: The set as it is now.
        grader: The one that graded the result; grades a baseline's answers anew where need be.
        store: Holds the result, its run and its gradings.
        source: Where a baseline is looked for. One without verified reads gives the verdict
            `not_comparable`: it cannot say what produced its results.
        verdicts: Keeps the report.
        rules: What this run decides about its comparison.
        clock: Tells the time.

    Raises:
        UsageError: The rules name a result that does not exist, or is of another set or grader.
    """
    current = side_of(result, store)
    comparison = _compared(current, golden_set, grader, store, source, rules, clock)
    musts = {prompt.id for prompt in golden_set.prompts if prompt.must_pass}
    unpassed = (
        prompt_id
        for prompt_id, outcome in current.outcomes.items()
        if prompt_id in musts and outcome.status not in (Status.PASS, Status.SKIPPED)
    )
    report = gate_report(result, comparison, tuple(unpassed), clock())
    verdicts.save_report(result.id, report)
    return report


def _compared(
    current: Side,
    golden_set: GoldenPromptSet,
    grader: Grader,
    store: ResultStore,
    source: ResultSource,
    rules: ComparisonRules,
    clock: Clock,
) -> Comparison:
    result = current.result
    provenance = result.summary.provenance
    generator = provenance.generator
    if generator is None:
        return _not_comparable(
            f"the result has not one known generator ({provenance.status.value.replace('_', ' ')}:"
            f" {provenance.summary()})"
        )
    if rules.file is None and rules.result_id is None and not isinstance(source, VerifiedBaselines):
        return _not_comparable("unknown: the source of results cannot verify what produced them")
    baseline, against = _baseline(current, generator, store, source, rules, clock)
    if baseline is None:
        return _without_baseline(result, generator, source, rules, clock)
    named = _named(baseline.result, against)
    answers = store if rules.file is None else None
    try:
        changed = _snapshot_changed(baseline.result, generator)
        anew = not shares_one_yardstick(baseline.result, result)
        if anew:
            baseline = graded_anew(baseline, golden_set, grader, answers)
    except NotComparable as unfit:
        about = f"result {baseline.result.id}" if rules.file is None else rules.file.name
        return _not_comparable(f"the baseline, {about}, cannot be compared with: {unfit}", **named)
    found = differences(baseline, current, rules.over(result.gate), _tags(golden_set), rules.confidence)
    if result.complete:
        verdict, reason = verdict_on(found, snapshot_changed=changed)
    else:
        verdict, reason = Verdict.NOT_COMPARABLE, _incomplete(result)
    return Comparison.model_validate(
        {
            "verdict": verdict,
            "reason": reason,
            **named,
            "generator_changed": _instead(baseline.result, generator) if changed else None,
            "regraded": anew,
            "differences": found,
        }
    )


def _instead(earlier: EvaluationResult, generator: ServedBy) -> str:
    before = earlier.summary.provenance.generator
    return f"{generator_name(generator)} answers instead of {generator_name(before) if before else 'unknown'}"


def _baseline(
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


def _without_baseline(
    result: EvaluationResult,
    generator: ServedBy,
    source: ResultSource,
    rules: ComparisonRules,
    clock: Clock,
) -> Comparison:
    """What is said where nothing can be compared with; also what answered under the same key before."""
    if not result.complete:
        return _not_comparable(_incomplete(result))
    if rules.against is Against.PINNED:
        return _not_comparable("no result of this kind is pinned")
    earlier = None
    if isinstance(source, VerifiedBaselines):
        scope = BaselineScope.of(result, generator)
        if source.baseline(scope, Against.PREVIOUS, clock()) is not None:
            reason = "no earlier result of its kind was accepted: nothing to compare with"
            return Comparison(verdict=Verdict.FIRST, reason=reason)
        earlier = source.result_by_another_model(scope)
    if earlier is None:
        return Comparison(verdict=Verdict.FIRST, reason="the first result of its kind")
    instead = _instead(earlier, generator)
    reason = (
        f"the first result of its kind: under the key {result.model_key}, {instead}; nothing to compare with,"
        f" eval-pipeline compare {earlier.id} {result.id} shows both"
    )
    return Comparison(verdict=Verdict.FIRST, reason=reason, generator_changed=instead)


def _snapshot_changed(baseline: EvaluationResult, generator: ServedBy) -> bool:
    """Whether the baseline is of another snapshot behind the same name.

    Raises:
        NotComparable: It cannot be told what produced it, or something else did.
    """
    if not baseline.complete:
        raise NotComparable(f"it is incomplete: {baseline.incomplete_because}")
    before = baseline.summary.provenance.generator
    if before is None:
        raise NotComparable(f"it has not one known generator ({baseline.summary.provenance.summary()})")
    if before.declared and generator.declared:
        same = (before.provider_instance, before.declared_name) == (
            generator.provider_instance,
            generator.declared_name,
        )
        changed = False
    else:
        same = (before.provider_instance, before.outbound_model, before.declared) == (
            generator.provider_instance,
            generator.outbound_model,
            generator.declared,
        )
        changed = before.reported_model != generator.reported_model
    if not same:
        raise NotComparable(f"{generator_name(before)} produced it, which is not {generator_name(generator)}")
    return changed


def _incomplete(result: EvaluationResult) -> str:
    return f"the result is incomplete: {result.incomplete_because}"


def _named(baseline: EvaluationResult, against: str) -> dict[str, object]:
    provenance = baseline.summary.provenance
    return {
        "against": against,
        "baseline_id": None if against == "file" else baseline.id,
        "baseline_date": baseline.run_date,
        "baseline_generator": generator_name(provenance.generator) if provenance.generator else None,
    }


def _not_comparable(reason: str, **known: object) -> Comparison:
    return Comparison.model_validate({"verdict": Verdict.NOT_COMPARABLE, "reason": reason, **known})


def _tags(golden_set: GoldenPromptSet) -> Mapping[str, list[str]]:
    """The prompt ids of every tag that the gate names."""
    return {
        tag: [prompt.id for prompt in golden_set.prompts if tag in prompt.tags]
        for tag in golden_set.gate.tags
    }
