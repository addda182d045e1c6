"""The verdict of record on a result: its baseline, the comparison with it, and what all checks say.

The rules stand in the domain (`regression.py`, `gates.py`); here is what they need of the store. Not here:
two results side by side without a verdict (`compare.py`).
"""

from __future__ import annotations

from eval_pipeline.application.baseline import (
    ComparisonRules,
    find_baseline,
    generator_changed,
    instead_of,
    pin_left_out,
)
from eval_pipeline.application.ports import Clock, ResultSource, ResultStore, Verdicts, VerifiedBaselines
from eval_pipeline.application.sides import NotComparable, gated_prompts, graded_anew, side_of
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.gates import GateReport, gate_report
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grader
from eval_pipeline.domain.paired_comparison import differences
from eval_pipeline.domain.pairing import Side
from eval_pipeline.domain.provenance import generator_name
from eval_pipeline.domain.regression import Comparison, Verdict, verdict_on
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.yardstick import shares_one_yardstick


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
    refusal = rules.looser_than(result.gate) or _unaccepted_baseline(comparison, rules, verdicts, clock)
    report = gate_report(result, comparison, tuple(unpassed), clock(), refusal)
    verdicts.save_report(result.id, report)
    return report


def _unaccepted_baseline(
    comparison: Comparison, rules: ComparisonRules, verdicts: Verdicts, clock: Clock
) -> str | None:
    """Why a result that passes against such a baseline is not accepted by that; none where it is."""
    if rules.file is not None:
        return None if rules.file.accepted else f"its baseline, {rules.file.name}, was not accepted itself"
    baseline_id = comparison.baseline_id
    if baseline_id is None or verdicts.standings([baseline_id])[baseline_id].approved(clock()):
        return None
    return f"its baseline, result {baseline_id}, is not accepted itself"


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
    baseline, against = find_baseline(current, generator, store, source, rules, clock)
    if baseline is None:
        return _without_baseline(result, generator, source, rules, clock)
    named = {
        **_named(baseline.result, against),
        "generator_changed": generator_changed(baseline.result, result, generator, source),
    }
    try:
        if rules.file is None:
            _require_another_run(baseline.result, result)
        changed = _snapshot_changed(baseline.result, generator)
        anew = not shares_one_yardstick(baseline.result, result)
        if anew:
            baseline = graded_anew(baseline, golden_set, grader, store if rules.file is None else None)
    except NotComparable as unfit:
        about = f"result {baseline.result.id}" if rules.file is None else rules.file.name
        return _not_comparable(f"the baseline, {about}, cannot be compared with: {unfit}", **named)
    found = differences(
        baseline, current, rules.over(result.gate), gated_prompts(golden_set), rules.confidence
    )
    if result.complete:
        verdict, reason = verdict_on(found, snapshot_changed=changed)
        reason += pin_left_out(result, generator, against, source, rules, clock)
    else:
        verdict, reason = Verdict.NOT_COMPARABLE, _incomplete(result)
    return Comparison.model_validate(
        {"verdict": verdict, "reason": reason, **named, "regraded": anew, "differences": found}
    )


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
    first = Comparison(verdict=Verdict.FIRST, reason="the first result of its kind")
    if not isinstance(source, VerifiedBaselines):
        return first
    scope = BaselineScope.of(result, generator)
    earlier = source.latest_before(scope)
    instead = instead_of(earlier, generator) if earlier is not None else None
    if source.baseline(scope, Against.PREVIOUS, clock()) is not None:
        reason = "no earlier result of its kind was accepted: nothing to compare with"
    elif earlier is not None and instead is not None:
        reason = (
            f"the first result of its kind: under the key {result.model_key}, {instead}; nothing to compare"
            f" with, eval-pipeline compare {earlier.id} {result.id} shows both"
        )
    else:
        return first
    return first.model_copy(update={"reason": reason, "generator_changed": instead})


def _require_another_run(baseline: EvaluationResult, result: EvaluationResult) -> None:
    if baseline.run_id == result.run_id:
        raise NotComparable("it grades the same answers")


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
