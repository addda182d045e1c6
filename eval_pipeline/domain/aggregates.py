"""From gradings to counts and rates.

A mean of nothing is none, and every rate stands beside its counts. Not here: what a result is
(`results.py`).
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.grading import Grading, Status
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.responses import ModelResponse, ServedBy, TokenUsage


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What a number of gradings say together.

    Attributes:
        prompt_count: All prompts, whatever became of them.
        graded_count: Prompts that pass or fail; the denominator of every rate.
        passed_count, error_count, skipped_count: Prompts of that status.
        pass_rate: `passed_count / graded_count`; none when nothing was graded.
        pass_rate_bounds: The pass rate if every error were a fail, and if every error were a pass;
            none when there is neither a graded prompt nor an error.
        mean_score: The mean score of graded prompts; none when nothing was graded.
        standard_error: Of the mean score: sample standard deviation ÷ √graded_count; none under two.
    """

    prompt_count: int
    graded_count: int
    passed_count: int
    error_count: int
    skipped_count: int
    pass_rate: float | None
    pass_rate_bounds: tuple[float, float] | None
    mean_score: float | None
    standard_error: float | None


@dataclass(frozen=True, slots=True)
class Latency:
    """Quantiles of the latency of answered prompts, in milliseconds."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class EvaluationSummary:
    """A result before it is stored: everything that follows from its gradings and responses.

    Attributes:
        total: Over all prompts.
        breakdown: By tag; a prompt counts under each of its tags.
        provenance: Which generators served the answered prompts.
        usage: Token totals; none when a reply came without its count.
        latency: None when nothing was answered.
        not_passed: Ids of prompts that failed or are in error, in the order of the set.
        flags: How many responses carry each flag.
    """

    total: Aggregate
    breakdown: Mapping[str, Aggregate]
    provenance: GeneratorProvenance
    usage: TokenUsage
    latency: Latency | None
    not_passed: tuple[str, ...]
    flags: Mapping[str, int]

    def incomplete_because(self, gate: Gate, *, partial: bool) -> str | None:
        """Why the result is not complete, or none.

        A result is complete when it covers the whole set and the share of errors among the prompts
        that were not skipped is at most `gate.max_error_share`. The arithmetic is exact.
        """
        if partial:
            return "only a part of the set was evaluated"
        measured = self.total.graded_count + self.total.error_count
        if not measured:
            return "no prompt had anything for this grader: nothing was measured"
        if Fraction(self.total.error_count, measured) > Fraction(str(gate.max_error_share)):
            return (
                f"{self.total.error_count} of {measured} prompts could not be measured;"
                f" the set allows a share of {gate.max_error_share:g}"
            )
        return None


@dataclass(slots=True)
class Summarizer:
    """Collects gradings one by one and keeps only what the summary needs."""

    _total: _Tally = field(default_factory=lambda: _Tally())  # noqa: PLW0108 - it is defined below
    _by_tag: dict[str, _Tally] = field(default_factory=dict)
    _served: Counter[ServedBy] = field(default_factory=Counter)
    _input_tokens: _Count = field(default_factory=lambda: _Count())  # noqa: PLW0108 - likewise
    _output_tokens: _Count = field(default_factory=lambda: _Count())  # noqa: PLW0108 - likewise
    _latencies: array[float] = field(default_factory=lambda: array("d"))
    _not_passed: list[str] = field(default_factory=list)
    _flags: Counter[str] = field(default_factory=Counter)

    def add(self, grading: Grading, response: ModelResponse, tags: Iterable[str]) -> None:
        """Take one prompt's grading, the response it is of, and the prompt's tags."""
        self._total.add(grading)
        for tag in set(tags):
            self._by_tag.setdefault(tag, _Tally()).add(grading)
        if grading.status in (Status.FAIL, Status.ERROR):
            self._not_passed.append(grading.prompt_id)
        if response.answered:
            self._served[response.served_by] += 1
        if response.latency_ms is not None:
            self._latencies.append(response.latency_ms)
        if response.reply is not None:
            self._flags.update(response.reply.flags)
            self._input_tokens.append(response.reply.usage.input_tokens)
            self._output_tokens.append(response.reply.usage.output_tokens)

    def summary(self) -> EvaluationSummary:
        """The summary of everything taken so far."""
        return EvaluationSummary(
            total=self._total.aggregate(),
            breakdown={tag: tally.aggregate() for tag, tally in sorted(self._by_tag.items())},
            provenance=GeneratorProvenance.of(self._served.elements()),
            usage=TokenUsage(self._input_tokens.total, self._output_tokens.total),
            latency=_latency(self._latencies),
            not_passed=tuple(self._not_passed),
            flags=dict(sorted(self._flags.items())),
        )


@dataclass(slots=True)
class _Count:
    """A sum that is none when one of its parts is, or when it has none: half a total is no total."""

    total: int | None = None
    unknown: bool = False

    def append(self, part: int | None) -> None:
        self.unknown = self.unknown or part is None
        self.total = None if self.unknown or part is None else (self.total or 0) + part


@dataclass(slots=True)
class _Tally:
    counts: Counter[Status] = field(default_factory=Counter)
    scores: array[float] = field(default_factory=lambda: array("d"))

    def add(self, grading: Grading) -> None:
        self.counts[grading.status] += 1
        if grading.score is not None:
            self.scores.append(grading.score)

    def aggregate(self) -> Aggregate:
        passed, errors = self.counts[Status.PASS], self.counts[Status.ERROR]
        graded = passed + self.counts[Status.FAIL]
        measured = graded + errors
        mean = math.fsum(self.scores) / graded if graded else None
        return Aggregate(
            prompt_count=self.counts.total(),
            graded_count=graded,
            passed_count=passed,
            error_count=errors,
            skipped_count=self.counts[Status.SKIPPED],
            pass_rate=passed / graded if graded else None,
            pass_rate_bounds=(passed / measured, (passed + errors) / measured) if measured else None,
            mean_score=mean,
            standard_error=_standard_error(self.scores, mean),
        )


def _standard_error(scores: array[float], mean: float | None) -> float | None:
    if mean is None or len(scores) < 2:
        return None
    variance = math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    return math.sqrt(variance / len(scores))


def _latency(latencies: array[float]) -> Latency | None:
    """Quantiles by the nearest-rank method: always a latency that occurred."""
    if not latencies:
        return None
    ordered = sorted(latencies)

    def quantile(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Latency(p50=quantile(0.5), p95=quantile(0.95))
