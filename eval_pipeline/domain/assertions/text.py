"""Assertions on the answer as plain text.

Both sides are brought into Unicode form NFC; upper and lower case differ.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, ClassVar

from pydantic import AfterValidator, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Negated, Outcome
from eval_pipeline.domain.assertions.pcre import (
    MAX_SUBJECT,
    Pattern,
    PatternFault,
    compile_pattern,
    split_delimited,
)
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.text import excerpt, is_blank, normalised


def _not_blank(needle: str) -> str:
    if is_blank(needle):
        raise ValueError("value is empty: every answer would satisfy it, or none")
    return needle


Needle = Annotated[str, AfterValidator(_not_blank)]


class Exact(Assertion):
    """The answer equals `value`; white space at both ends of either is ignored."""

    kind: ClassVar[str] = "exact"
    value: Needle

    def check(self, answer: Answer) -> Outcome:
        found, expected = answer.normalised.strip(), normalised(self.value).strip()
        passed = found == expected
        message = (
            "equals the expected text"
            if passed
            else f"expected {excerpt(expected)!r}, got {excerpt(found)!r}"
        )
        return Outcome(passed, message, excerpt(expected), excerpt(found))

    @property
    def subject(self) -> str:
        return repr(excerpt(self.value, 40))


class Contains(Assertion):
    """`value` occurs somewhere in the answer."""

    kind: ClassVar[str] = "contains"
    value: Needle

    def check(self, answer: Answer) -> Outcome:
        passed = normalised(self.value) in answer.normalised
        found = "found" if passed else "not found"
        return Outcome(passed, f"{excerpt(self.value)!r} {found}", excerpt(self.value), excerpt(answer.text))

    @property
    def subject(self) -> str:
        return repr(excerpt(self.value, 40))


class Regex(Assertion):
    """The answer matches a regular expression of PCRE2.

    Written as `/pattern/flags` in `value`, with the delimiters and flags that PHP knows, or bare in
    `pattern` with `flags` beside it. Matching is bounded: a pattern that backtracks too much on an
    answer is not measurable, neither pass nor fail.
    """

    kind: ClassVar[str] = "regex"
    value: str | None = None
    pattern: str | None = None
    flags: str = ""

    @model_validator(mode="after")
    def _is_pattern(self) -> Regex:
        if (self.value is None) == (self.pattern is None):
            raise ValueError("give either value, as /pattern/flags, or a bare pattern")
        if self.value is not None and self.flags:
            raise ValueError("flags stand behind the closing delimiter of value, or beside a bare pattern")
        try:
            _compiled(self.value, self.pattern, self.flags)
        except PatternFault as fault:
            raise ValueError(str(fault)) from None
        return self

    def check(self, answer: Answer) -> Outcome:
        text = answer.text_up_to(MAX_SUBJECT)
        try:
            passed = _compiled(self.value, self.pattern, self.flags).matches(text)
        except PatternFault as fault:
            raise NotMeasurable(str(fault)) from None
        message = "matches" if passed else "no match in the answer"
        return Outcome(passed, message, self._written, excerpt(answer.text))

    @property
    def _written(self) -> str:
        return self.value if self.value is not None else f"/{self.pattern}/{self.flags}"

    @property
    def subject(self) -> str:
        return excerpt(self._written, 40)


class NotContains(Negated, Contains):
    """`value` occurs nowhere in the answer."""

    kind: ClassVar[str] = "not_contains"


class NotRegex(Negated, Regex):
    """The answer does not match a regular expression of PCRE2, written as for `regex`."""

    kind: ClassVar[str] = "not_regex"


KINDS: tuple[type[Assertion], ...] = (Exact, Contains, NotContains, Regex, NotRegex)


@lru_cache(maxsize=1024)
def _compiled(value: str | None, pattern: str | None, flags: str) -> Pattern:
    """The pattern of a `Regex`. Those used last are kept; there may be many."""
    source = pattern or ""
    if value is not None:
        source, flags = split_delimited(value)
    return compile_pattern(normalised(source), flags)
