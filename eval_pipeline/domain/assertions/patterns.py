"""Assertions on what the answer matches: regular expressions of PCRE2.

Answers of up to 1,000,000 characters are matched. Not here: what a pattern means (`pcre.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from pydantic import Field, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Negated, Outcome
from eval_pipeline.domain.assertions.pcre import (
    MAX_SUBJECT,
    Pattern,
    PatternFault,
    compile_pattern,
    split_delimited,
)
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.text import excerpt, normalised


class Regex(Assertion):
    """The answer matches a regular expression of PCRE2 somewhere; anchors tie it to the ends.

    Written as `/pattern/flags` in `value`, with the delimiters and flags that PHP knows, or bare in
    `pattern` with `flags` beside it. Nothing is trimmed: `$` also matches before a final line end, unless
    the flag `D` is given. Matching is bounded: a pattern that backtracks too much on an answer is not
    measurable, neither pass nor fail.
    """

    kind: ClassVar[str] = "regex"
    example: ClassVar[Example] = Example({"regex": r"/^\d+ km$/"}, passes="10 km", fails="about 10 km")
    value: str | None = Field(default=None, description="The pattern between delimiters, with its flags.")
    pattern: str | None = Field(
        default=None, description="The pattern without delimiters, instead of `value`."
    )
    flags: str = Field(default="", description="The flags of `pattern`, such as `i`; by default none.")

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


class NotRegex(Negated, Regex):
    """The answer does not match a regular expression of PCRE2, written as for `regex`."""

    kind: ClassVar[str] = "not_regex"
    example: ClassVar[Example] = Example({"not_regex": r"/\bTODO\b/i"}, passes="Done.", fails="todo: tests")


KINDS: tuple[type[Assertion], ...] = (Regex, NotRegex)


@lru_cache(maxsize=1024)
def _compiled(value: str | None, pattern: str | None, flags: str) -> Pattern:
    """The pattern of a `Regex`. Those used last are kept; there may be many."""
    source = pattern or ""
    if value is not None:
        source, flags = split_delimited(value)
    return compile_pattern(normalised(source), flags)
