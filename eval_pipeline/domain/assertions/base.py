"""What an assertion is: one expectation on a response, as a small validated value.

A kind is a subclass with a `kind`, its parameters as fields, and `check`; it becomes usable
everywhere by one line in `registry.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eval_pipeline.domain.errors import DefinitionError, Fault, NotMeasurable
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.text import is_blank
from eval_pipeline.domain.validation import reasons

Weight = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
_NOT_GIVEN = object()


@dataclass(frozen=True, slots=True)
class Outcome:
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


class Assertion(BaseModel, ABC):
    """One expectation on a response.

    The parameter that a kind is about is called `value` and may be given first and unnamed:
    `Contains("Monday")`.

    Attributes:
        weight: The share in the prompt's score, 0 or more; a weight of 0 still decides pass or fail.

    Raises:
        DefinitionError: A parameter is missing, unknown or faulty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: ClassVar[str]
    """The name in sets, in underscores."""
    judged: ClassVar[bool] = False
    """Whether only a judge can decide it; the deterministic grader leaves such assertions out."""
    version: ClassVar[int] = 1
    """Grows whenever the same response could be judged differently than before."""

    weight: Weight = 1.0

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
    def check(self, response: ModelResponse) -> Outcome:
        """Whether `response` meets the expectation.

        Raises:
            NotMeasurable: It cannot be told.
        """

    @property
    def label(self) -> str:
        """A short name for people: the kind and what it is about."""
        return self.kind

    def definition(self) -> dict[str, Any]:
        """The assertion as a set writes it, in the long form, without parameters left at default."""
        return {"type": self.kind, **self.model_dump(exclude_defaults=True)}


def answer_text(response: ModelResponse) -> str:
    """The text of the answer, for assertions that are about text.

    Raises:
        NotMeasurable: The answer has no text.
    """
    reply = response.reply
    if reply is None or reply.text is None or (reply.tool_calls and is_blank(reply.text)):
        raise NotMeasurable("the answer has no text, only calls of tools")
    return reply.text
