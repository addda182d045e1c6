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

from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.responses import ModelResponse, ServedBy, TokenUsage


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What a number of gradings say together.

    Attributes:
        prompt_count: All prompts, whatever became of them. Where prompts were asked several times, every
            count is of responses.
        graded_count: Prompts that pass or fail; the denominator of every rate.
        passed_count, error_count, skipped_count: Prompts of that status.
        pass_rate: `passed_count / graded_count`; none when nothing was graded.
        pass_rate_bounds: The pass rate if every error were a fail, and if every error were a pass;
            none when there is neither a graded prompt nor an error.
        mean_score: The mean score of graded prompts; none when nothing was graded.
        standard_error: Of the mean score, clustered by prompt; none with fewer than two prompts graded.
            Where prompts were asked once: sample standard deviation ÷ √graded_count.
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
    """Collects gradings one by one and keeps only what the summary needs.

    Gradings of one prompt, where it was asked several times, come one after the other.
    """

    _total: _Tally = field(default_factory=lambda: _Tally())  # noqa: PLW0108 - it is defined below
    _by_tag: dict[str, _Tally] = field(default_factory=dict)
    _served: Counter[ServedBy] = field(default_factory=Counter)
    _input_tokens: _Count = field(default_factory=lambda: _Count())  # noqa: PLW0108 - likewise
    _output_tokens: _Count = field(default_factory=lambda: _Count())  # noqa: PLW0108 - likewise
    _latencies: array[float] = field(default_factory=lambda: array("d"))
    _not_passed: list[str] = field(default_factory=list)
    _flags: Counter[str] = field(default_factory=Counter)

    def add(self, grading: Grading, response: ModelResponse, tags: Iterable[str]) -> None:
        """Take one response's grading, the response, and the tags of its prompt."""
        self._total.add(grading)
        for tag in set(tags):
            self._by_tag.setdefault(tag, _Tally()).add(grading)
        if grading.status in (Status.FAIL, Status.ERROR) and grading.prompt_id not in self._not_passed[-1:]:
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
    """Counts, and for every prompt graded the sum of its scores and their number."""

    counts: Counter[Status] = field(default_factory=Counter)
    sums: array[float] = field(default_factory=lambda: array("d"))
    sizes: array[int] = field(default_factory=lambda: array("l"))
    last_prompt: str | None = None

    def add(self, grading: Grading) -> None:
        self.counts[grading.status] += 1
        if grading.score is None:
            return
        if grading.prompt_id == self.last_prompt:
            self.sums[-1] += grading.score
            self.sizes[-1] += 1
        else:
            self.sums.append(grading.score)
            self.sizes.append(1)
            self.last_prompt = grading.prompt_id

    def aggregate(self) -> Aggregate:
        passed, errors = self.counts[Status.PASS], self.counts[Status.ERROR]
        graded = passed + self.counts[Status.FAIL]
        measured = graded + errors
        mean = math.fsum(self.sums) / graded if graded else None
        return Aggregate(
            prompt_count=self.counts.total(),
            graded_count=graded,
            passed_count=passed,
            error_count=errors,
            skipped_count=self.counts[Status.SKIPPED],
            pass_rate=passed / graded if graded else None,
            pass_rate_bounds=(passed / measured, (passed + errors) / measured) if measured else None,
            mean_score=mean,
            standard_error=self._standard_error(mean),
        )

    def _standard_error(self, mean: float | None) -> float | None:
        """Of the mean, by the linearised variance of a ratio with one cluster a prompt (Cochran 1977, 6.4)."""
        clusters = len(self.sums)
        if mean is None or clusters < 2:
            return None
        spread = math.fsum(
            (total - size * mean) ** 2 for total, size in zip(self.sums, self.sizes, strict=True)
        )
        return math.sqrt(spread * clusters / (clusters - 1)) / sum(self.sizes)


def _latency(latencies: array[float]) -> Latency | None:
    """Quantiles by the nearest-rank method: always a latency that occurred."""
    if not latencies:
        return None
    ordered = sorted(latencies)

    def quantile(share: float) -> float:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return Latency(p50=quantile(0.5), p95=quantile(0.95))
