"""The texts that assertions look for, and the form in which texts are compared.

Not here: the kinds themselves (`text.py`, `similarity.py`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from eval_pipeline.domain.assertions.base import Answer
from eval_pipeline.domain.text import excerpt, is_blank, normalised

IGNORE_CASE = "Whether upper and lower case are the same; by default they differ."
"""Describes the parameter `ignore_case`."""
_SHOWN = 5


def compared(text: str, *, ignore_case: bool) -> str:
    """`text` in the form in which texts are compared: Unicode form NFC; without case, if that is ignored."""
    return _without_case(normalised(text)) if ignore_case else normalised(text)


def answer_compared(answer: Answer, *, ignore_case: bool) -> str:
    """The text of `answer` in the form in which texts are compared.

    Raises:
        NotMeasurable: The answer has no text.
    """
    return _without_case(answer.normalised) if ignore_case else answer.normalised


def shown(needles: list[str]) -> str:
    """The first of `needles` in quotes, shortened."""
    more = f" and {len(needles) - _SHOWN} more" if len(needles) > _SHOWN else ""
    return ", ".join(repr(excerpt(needle, 40)) for needle in needles[:_SHOWN]) + more


def _without_case(text: str) -> str:
    # Taking case away may take composed letters apart.
    return normalised(text.casefold())


def _not_blank(needle: str) -> str:
    if is_blank(needle):
        raise ValueError("value is empty: every answer would satisfy it, or none")
    return needle


def _no_bare_text(needles: object) -> object:
    if isinstance(needles, str):
        raise ValueError(  # noqa: TRY004 - pydantic reports ValueErrors as faults
            f"value: a list of texts is expected, found one text; write [{excerpt(needles, 40)!r}]"
        )
    return needles


def _not_empty(needles: list[str]) -> list[str]:
    if not needles:
        raise ValueError("value is an empty list: every answer would satisfy it, or none")
    return needles


Needle = Annotated[str, AfterValidator(_not_blank)]
"""A text that shows something."""
Needles = Annotated[list[Needle], BeforeValidator(_no_bare_text), AfterValidator(_not_empty)]
"""One such text or more."""
