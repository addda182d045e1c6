"""The models that may be chosen, and the hard criteria that they must meet.

Hard criteria know nothing of quality: see `model_ranking.py` for the order of those that meet them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.model_catalogue import Price


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configured model that may be chosen.

    Attributes:
        key: The model key.
        provider_instance: The key of its provider instance, not the adapter kind.
        outbound_model: The name that is sent.
        adapter_kind: Which adapter asks it, such as `openai`.
        capabilities: What it is declared to be capable of.
        context_length: In tokens; none when not declared.
        price: None when not declared.
        priority: Higher comes first among equals.
        latency_ms: As measured; none when not measured.
        unusable_because: Why it could not be asked at all; none when it could.

    Raises:
        UsageError: The latency is negative or not finite.
    """

    key: str
    provider_instance: str
    outbound_model: str
    adapter_kind: str
    capabilities: Collection[str] = ()
    context_length: int | None = None
    price: Price | None = None
    priority: int = 0
    latency_ms: float | None = None
    unusable_because: str | None = None

    def __post_init__(self) -> None:
        _require_amount(self.latency_ms, f"the latency of model '{self.key}'")


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a model must meet. What is unknown of a model never meets a criterion that asks for it.

    Attributes:
        capabilities: It must have all of them.
        adapter_kinds: It must be of one of them; none given takes all.
        min_context: In tokens; none takes all, also those of unknown context.
        max_input_cost: In US dollars per million tokens; none takes all, also those of unknown price.

    Raises:
        UsageError: A number is negative or not finite, or a single text stands where several are expected.
    """

    capabilities: Collection[str] = ()
    adapter_kinds: Collection[str] = ()
    min_context: int | None = None
    max_input_cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("capabilities", "adapter_kinds"):
            # A text is a collection too: of its letters.
            if isinstance(getattr(self, name), str):
                raise UsageError(f"{name} is a list of texts, found the text {getattr(self, name)!r}")
        _require_amount(self.min_context, "the minimum context")
        _require_amount(self.max_input_cost, "the maximum input cost")

    def refusals(self, candidate: Candidate) -> list[str]:
        """Every reason for which `candidate` does not qualify, for people; empty when it does."""
        reasons = (
            candidate.unusable_because,
            self._capabilities(candidate),
            self._adapter_kind(candidate),
            self._context(candidate),
            self._input_cost(candidate),
        )
        return [reason for reason in reasons if reason is not None]

    def _capabilities(self, candidate: Candidate) -> str | None:
        lacking = sorted(set(self.capabilities) - set(candidate.capabilities))
        return f"does not declare the capability {', '.join(lacking)}" if lacking else None

    def _adapter_kind(self, candidate: Candidate) -> str | None:
        if not self.adapter_kinds or candidate.adapter_kind in self.adapter_kinds:
            return None
        return f"is of kind {candidate.adapter_kind}, not {' or '.join(sorted(self.adapter_kinds))}"

    def _context(self, candidate: Candidate) -> str | None:
        if self.min_context is None:
            return None
        if candidate.context_length is None:
            return f"has an unknown context length, and at least {self.min_context} tokens are asked for"
        if candidate.context_length < self.min_context:
            return (
                f"has a context of {candidate.context_length} tokens, and at least {self.min_context}"
                " are asked for"
            )
        return None

    def _input_cost(self, candidate: Candidate) -> str | None:
        if self.max_input_cost is None:
            return None
        limit = f"at most ${self.max_input_cost:.10g} per million input tokens is asked for"
        if candidate.price is None:
            return f"has an unknown price, and {limit}"
        if candidate.price.input > self.max_input_cost:
            return f"costs ${candidate.price.input:.10g}, and {limit}"
        return None


def _require_amount(value: float | None, what: str) -> None:
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise UsageError(f"{what} is a number from 0 on, found {value}")
