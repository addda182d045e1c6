"""The JSON or XML in an answer: the whole answer, or its one fenced block.

Not here: what is expected of it (`structure.py`, `xml_structure.py`, `values.py`).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, Literal

from pydantic import Field

from eval_pipeline.domain.assertions.base import Answer, Assertion, Outcome
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.fenced import NoSingleBlock, fenced_block
from eval_pipeline.domain.json_text import JsonBeyondBounds, JsonFault, read_json
from eval_pipeline.domain.responses import TRUNCATED
from eval_pipeline.domain.text import excerpt

MAX_JSON = 200_000
"""The longest answer, in characters, that is read as JSON: one of nothing but brackets is validated in a second."""
Extract = Annotated[
    Literal["strict", "fenced"],
    Field(
        description="Where the document is. `strict`: the whole answer. `fenced`: the one block between two lines of"
        " three or more backticks or tildes, with any words behind the first; text around it is allowed. Without such"
        " a block, or with several, there is no document."
    ),
]


class NotReadable(ValueError):
    """The answer does not hold what is to be read. The message says why."""


def document_of(answer: Answer, extract: Extract, limit: int) -> str:
    """The document in an answer.

    Raises:
        NotReadable: The answer does not hold one single block.
        NotMeasurable: The answer has no text, or is longer than `limit` characters.
    """
    text = answer.text_up_to(limit)
    if extract == "strict":
        return text
    try:
        return fenced_block(text)
    except NoSingleBlock as fault:
        raise NotReadable(f"{fault}{cut_off(answer)}") from None


def json_of(answer: Answer, extract: Extract) -> Any:
    """The JSON value in an answer.

    Raises:
        NotReadable: There is no document, or it is not JSON.
        NotMeasurable: The answer has no text, is longer than 200,000 characters, or is JSON beyond what is read.
    """
    document = document_of(answer, extract, MAX_JSON)
    try:
        return read_json(document)
    except JsonBeyondBounds as fault:
        raise NotMeasurable(f"the JSON cannot be read here: {fault}") from None
    except JsonFault as fault:
        subject = "the answer" if extract == "strict" else "the fenced block"
        raise NotReadable(f"{subject} is not JSON: {fault}{cut_off(answer)}") from None


def cut_off(answer: Answer) -> str:
    """What to add to the reason why an answer could not be read: whether it ends early."""
    reply = answer.response.reply
    truncated = reply is not None and TRUNCATED in reply.flags
    return "; it was cut off at its token limit" if truncated else ""


class OnJson(Assertion):
    """An assertion on the JSON in the answer. An answer that is not JSON does not meet it."""

    extract: Extract = "strict"

    def check(self, answer: Answer) -> Outcome:
        try:
            passed, message = self._judged(json_of(answer, self.extract))
        except NotReadable as fault:
            passed, message = False, str(fault)
        return Outcome(passed, message, excerpt(self._expectation), excerpt(answer.text))

    @abstractmethod
    def _judged(self, found: Any) -> tuple[bool, str]:
        """Whether the JSON value meets the expectation, and why."""

    @property
    @abstractmethod
    def _expectation(self) -> str:
        """What is expected, for people."""
