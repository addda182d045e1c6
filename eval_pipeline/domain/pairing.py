"""Which prompts of two results can be compared: the same id, asked with unchanged inputs.

Not here: what the pairs say (`paired_comparison.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any

from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.canonical import canonical_json
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.results import EvaluationResult

MIN_SHARED = Fraction(8, 10)
"""Two results that share fewer of their prompts are not comparable."""


@dataclass(frozen=True, slots=True)
class PromptOutcome:
    """What a grader said of one prompt, over all its repeats.

    Attributes:
        graded: Responses that pass or fail.
        passed: Responses that pass.
        errors: Responses that could not be measured.
        score_sum: The sum of the scores of graded responses.
    """

    graded: int
    passed: int
    errors: int
    score_sum: float

    @classmethod
    def of(cls, gradings: Iterable[Grading]) -> PromptOutcome:
        """The outcome of a prompt with these gradings."""
        statuses, scores = [], []
        for grading in gradings:
            statuses.append(grading.status)
            if grading.score is not None:
                scores.append(grading.score)
        passed = statuses.count(Status.PASS)
        graded = passed + statuses.count(Status.FAIL)
        return cls(graded, passed, statuses.count(Status.ERROR), fsum(scores))

    @property
    def pass_share(self) -> Fraction:
        """The share of graded responses that pass; only where `graded` is not 0."""
        return Fraction(self.passed, self.graded)

    @property
    def mean_score(self) -> float:
        """The mean score of graded responses; only where `graded` is not 0."""
        return self.score_sum / self.graded

    @property
    def status(self) -> Status:
        """`pass` when every response that was measured passes and none is in error."""
        if self.errors:
            return Status.ERROR
        if not self.graded:
            return Status.SKIPPED
        return Status.PASS if self.passed == self.graded else Status.FAIL


@dataclass(frozen=True, slots=True)
class Side:
    """One of two results that are compared, with all that takes.

    Attributes:
        result: The result.
        treatment: How its prompts were asked: a fingerprint by field, see `set_hashes.treatment_fields`.
        inputs: The hash of each prompt's inputs, by prompt id.
        outcomes: What was said of each prompt, by prompt id.
    """

    result: EvaluationResult
    treatment: Mapping[str, Any] | None
    inputs: Mapping[str, str]
    outcomes: Mapping[str, PromptOutcome]


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the prompts of two results relate.

    Attributes:
        pairs: Shared prompts that both sides measured, with their outcomes before and after.
        unmeasured: Shared prompts that one side could not measure.
        shared_count: Prompts in both with unchanged inputs, measured or not.
        edited: Prompts in both whose inputs changed, or are not known, which makes them other questions.
        added, removed: Prompts of the current result only, and of the baseline only. One that a grader
            skipped for want of anything to grade is in neither.
        enough: Whether the larger result shares at least `MIN_SHARED` of its prompts.
    """

    pairs: Mapping[str, tuple[PromptOutcome, PromptOutcome]]
    unmeasured: tuple[str, ...]
    shared_count: int
    edited: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    enough: bool

    @classmethod
    def of(cls, baseline: Side, current: Side) -> Pairing:
        """The pairing of two results."""
        pairs, unmeasured, edited, added = {}, [], [], []
        earlier, later = _not_skipped(baseline), _not_skipped(current)
        for prompt_id, after in later.items():
            before = earlier.get(prompt_id)
            asked_before = baseline.inputs.get(prompt_id)
            if before is None:
                added.append(prompt_id)
            elif asked_before is None or asked_before != current.inputs.get(prompt_id):
                edited.append(prompt_id)
            elif before.graded and after.graded:
                pairs[prompt_id] = (before, after)
            else:
                unmeasured.append(prompt_id)
        removed = tuple(prompt_id for prompt_id in earlier if prompt_id not in later)
        shared = len(later) - len(added) - len(edited)
        larger = max(len(earlier), len(later), 1)
        return cls(
            pairs=pairs,
            unmeasured=tuple(unmeasured),
            shared_count=shared,
            edited=tuple(edited),
            added=tuple(added),
            removed=removed,
            enough=Fraction(shared, larger) >= MIN_SHARED,
        )


def changed_treatment(baseline: Side, current: Side) -> tuple[str, ...]:
    """The names of everything that differs in how the prompts were asked, in alphabetical order."""
    differing = {"not recorded"}
    if baseline.treatment is not None and current.treatment is not None:
        fields = {*baseline.treatment, *current.treatment}
        differing = {name for name in fields if _written(baseline, name) != _written(current, name)}
    before, after = (side.result.summary.provenance.generator for side in (baseline, current))
    if before and after and before.declared_version != after.declared_version:
        differing.add("application_version")
    return tuple(sorted(differing))


def _not_skipped(side: Side) -> dict[str, PromptOutcome]:
    return {
        prompt_id: outcome
        for prompt_id, outcome in side.outcomes.items()
        if outcome.status is not Status.SKIPPED
    }


def _written(side: Side, name: str) -> bytes | None:
    """A field of the treatment as JSON has it; to Python, 1 and true would be equal."""
    treatment = side.treatment or {}
    return canonical_json(treatment[name]) if name in treatment else None
