"""What an assertion is: one expectation on a response, as a small validated value.

A kind is a subclass with a `kind`, its parameters as fields, and `check`. Those that come with the package
are listed in `registry.py`; a project and installed packages add their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval_pipeline.domain.detectors import DetectorName, Detectors, NoDetectors
from eval_pipeline.domain.errors import DefinitionError, Fault, NotMeasurable
from eval_pipeline.domain.responses import ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline.domain.text import normalised
from eval_pipeline.domain.validation import reasons

MAX_WEIGHT = 1_000_000
"""The largest weight of an assertion."""
Weight = Annotated[float, Field(ge=0, le=MAX_WEIGHT, allow_inf_nan=False)]
_NOT_GIVEN = object()


class Outcome(NamedTuple):
    """The verdict of one check.

    Attributes:
        passed: Whether the expectation holds.
        message: What was found, so that a person can act on it.
        expected, actual: The two sides of the comparison, shortened.
    """

    passed: bool
    message: str
    expected: str
    actual: str


@dataclass(frozen=True)
class Answer:
    """A response as assertions see it.

    Attributes:
        response: The response, with latency, usage and calls of tools.
        detectors: What finds sentiment, personal data and the like in a text.
    """

    response: ModelResponse
    detectors: Detectors = field(default_factory=NoDetectors)

    @cached_property
    def text(self) -> str:
        """The text of the answer, as it came.

        Raises:
            NotMeasurable: The answer has no text.
        """
        return self.response.text

    @cached_property
    def normalised(self) -> str:
        """The text of the answer in Unicode form NFC, in which texts are compared.

        Raises:
            NotMeasurable: The answer has no text.
        """
        return normalised(self.text)

    def text_up_to(self, limit: int) -> str:
        """The text of the answer in Unicode form NFC, if it has at most `limit` characters.

        Raises:
            NotMeasurable: The answer has no text, or is too long.
        """
        if len(self.text) > limit:
            raise NotMeasurable(
                f"the answer is too long: {len(self.text)} characters, and {limit} is as far as it is examined"
            )
        return self.normalised


@dataclass(frozen=True, slots=True)
class Sample:
    """A response in an example or a test. What is not given was not reported."""

    text: str | None = None
    tool_calls: Sequence[Mapping[str, Any]] = ()
    latency_ms: float | None = None
    cost_usd: float | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)
    finish_reason: str = "stop"
    flags: Sequence[str] = ()

    def response(self) -> ModelResponse:
        """The sample as a response to a prompt `example`."""
        reply = Reply(
            self.text,
            tool_calls=tuple(self.tool_calls),
            finish_reason=self.finish_reason,
            usage=self.usage,
            flags=tuple(self.flags),
        )
        return ModelResponse(
            "example", 0, "", ServedBy(), reply=reply, latency_ms=self.latency_ms, cost_usd=self.cost_usd
        )


@dataclass(frozen=True, slots=True)
class Example:
    """How a kind is used, for the reference: tested to be true.

    Attributes:
        declared: The assertion as a set writes it.
        passes, fails: An answer that meets it and one that does not: a text, or a whole sample.
    """

    declared: Any
    passes: str | Sample
    fails: str | Sample


class Assertion(BaseModel, ABC):
    """One expectation on a response.

    The parameter that a kind is about is called `value` and may be given first and unnamed:
    `Contains("Monday")`. The docstring of a kind is its rule in the reference, and the description of each
    field explains the parameter.

    Attributes:
        weight: The share in the prompt's score, 0 or more; a weight of 0 still decides pass or fail.

    Raises:
        DefinitionError: A parameter is missing, unknown or faulty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    kind: ClassVar[str]
    """The name in sets, in underscores."""
    judged: ClassVar[bool] = False
    """Whether only a judge can decide it; the deterministic grader leaves such assertions out."""
    version: ClassVar[int] = 1
    """Grows whenever the same response could be judged differently than before."""
    source: ClassVar[str | None] = None
    """The hash of the code of a kind that is not of this package, set when it is loaded."""
    detectors: ClassVar[frozenset[DetectorName]] = frozenset()
    """The detectors that it asks."""
    example: ClassVar[Example | None] = None
    """How it is used; every kind of this package has one."""

    weight: Weight = Field(default=1.0, description="The share in the prompt's score.")

    def __init__(self, value: object = _NOT_GIVEN, /, **parameters: Any) -> None:
        if value is not _NOT_GIVEN:
            parameters["value"] = value
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            raise DefinitionError(
                Fault(f"assertion {self.kind}: {reason}") for _, reason in reasons(error, type(self))
            ) from None

    @abstractmethod
    def check(self, answer: Answer) -> Outcome:
        """Whether `answer` meets the expectation.

        Raises:
            NotMeasurable: It cannot be told.
        """

    @property
    def subject(self) -> str:
        """What it is about, in a few characters; empty when its kind says it all."""
        return ""

    @cached_property
    def label(self) -> str:
        """A short name for people: the kind and what it is about."""
        return f"{self.kind} {self.subject}".rstrip()

    def declared_faults(self) -> Iterable[str]:
        """What it lacks to be evaluated on an answer, though not on a computed value."""
        return ()

    def definition(self) -> dict[str, Any]:
        """The assertion as a set writes it, in the long form, without parameters left at default."""
        return {"type": self.kind, **self.model_dump(exclude_defaults=True)}


def opposite(outcome: Outcome) -> Outcome:
    """The outcome of the negated kind, reason included."""
    must_not = "this must not hold, but does" if outcome.passed else "does not hold, as it must not"
    return Outcome(
        not outcome.passed, f"{must_not}: {outcome.message}", f"not: {outcome.expected}", outcome.actual
    )


class Negated(Assertion):
    """The opposite of a kind: `class NotContains(Negated, Contains)`.

    What cannot be measured stays unmeasured.
    """

    def check(self, answer: Answer) -> Outcome:
        return opposite(super().check(answer))  # type: ignore[safe-super]  # the next class in line has one
