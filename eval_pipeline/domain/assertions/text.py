"""Assertions on the answer as plain text: what it is, begins with, ends with or contains.

Both sides are brought into Unicode form NFC, so that composed and decomposed accents are the same. Nothing
else is made alike: kinds of blanks, quotes and dashes differ, and so do upper and lower case unless
`ignore_case` is given, which compares by Unicode's full case folding ("Straße" and "STRASSE" are the same).
Not here: patterns (`patterns.py`) and likeness (`similarity.py`).
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from pydantic import Field

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Negated, Outcome, Sample
from eval_pipeline.domain.assertions.needles import (
    IGNORE_CASE,
    Needle,
    Needles,
    answer_compared,
    compared,
    shown,
)
from eval_pipeline.domain.text import excerpt, is_blank


class _OneText(Assertion):
    """What compares the answer with one text."""

    value: Needle = Field(description="The text.")
    ignore_case: bool = Field(default=False, description=IGNORE_CASE)

    @cached_property
    def _sought(self) -> str:
        return compared(self.value, ignore_case=self.ignore_case)

    def _outcome(self, answer: Answer, passed: bool, message: str) -> Outcome:
        return Outcome(
            passed, f"{excerpt(self.value)!r} {message}", excerpt(self.value), excerpt(answer.text)
        )

    @property
    def subject(self) -> str:
        return repr(excerpt(self.value, 40))


class _ListOfTexts(Assertion):
    """What compares the answer with several texts."""

    value: Needles = Field(description="The texts, at least one.")
    ignore_case: bool = Field(default=False, description=IGNORE_CASE)

    @cached_property
    def _sought(self) -> list[str]:
        return [compared(needle, ignore_case=self.ignore_case) for needle in self.value]

    @property
    def subject(self) -> str:
        return excerpt(shown(self.value), 60)


class Exact(_OneText):
    """The whole answer equals `value`. White space at both ends of either is ignored."""

    kind: ClassVar[str] = "exact"
    example: ClassVar[Example] = Example({"exact": "Oslo"}, passes="Oslo\n", fails="It is Oslo.")

    def check(self, answer: Answer) -> Outcome:
        found = answer_compared(answer, ignore_case=self.ignore_case).strip()
        passed = found == self._sought.strip()
        expected, got = excerpt(self.value.strip()), excerpt(answer.text.strip())
        message = "equals the expected text" if passed else f"expected {expected!r}, got {got!r}"
        return Outcome(passed, message, expected, got)


class Contains(_OneText):
    """`value` occurs somewhere in the answer, be it inside a word. White space in `value` counts."""

    kind: ClassVar[str] = "contains"
    example: ClassVar[Example] = Example({"contains": "Oslo"}, passes="It is Oslo.", fails="It is oslo.")

    def check(self, answer: Answer) -> Outcome:
        passed = self._sought in answer_compared(answer, ignore_case=self.ignore_case)
        return self._outcome(answer, passed, "found" if passed else "not found")


class StartsWith(_OneText):
    """The answer begins with `value`. White space before either is ignored, behind `value` it counts."""

    kind: ClassVar[str] = "starts_with"
    example: ClassVar[Example] = Example(
        {"starts_with": "Dear"}, passes="\nDear Ann,", fails="Hello, dear Ann,"
    )

    def check(self, answer: Answer) -> Outcome:
        text = answer_compared(answer, ignore_case=self.ignore_case)
        passed = text.lstrip().startswith(self._sought.lstrip())
        return self._outcome(answer, passed, "begins the answer" if passed else "does not begin the answer")


class EndsWith(_OneText):
    """The answer ends with `value`. White space behind either is ignored, before `value` it counts."""

    kind: ClassVar[str] = "ends_with"
    example: ClassVar[Example] = Example({"ends_with": "?"}, passes="May I help you?\n", fails="May I? Sure.")

    def check(self, answer: Answer) -> Outcome:
        text = answer_compared(answer, ignore_case=self.ignore_case)
        passed = text.rstrip().endswith(self._sought.rstrip())
        return self._outcome(answer, passed, "ends the answer" if passed else "does not end the answer")


class ContainsAny(_ListOfTexts):
    """At least one text of the list occurs in the answer, each looked for as by `contains`."""

    kind: ClassVar[str] = "contains_any"
    example: ClassVar[Example] = Example(
        {"contains_any": ["euro", "€"]}, passes="It is 5 €.", fails="It is free."
    )

    def check(self, answer: Answer) -> Outcome:
        text = answer_compared(answer, ignore_case=self.ignore_case)
        found = [needle for needle, sought in zip(self.value, self._sought, strict=True) if sought in text]
        message = f"{shown(found)} found" if found else f"none of {shown(self.value)} found"
        return Outcome(bool(found), message, f"any of {shown(self.value)}", excerpt(answer.text))


class ContainsAll(_ListOfTexts):
    """Every text of the list occurs in the answer, each looked for as by `contains`, in any order."""

    kind: ClassVar[str] = "contains_all"
    example: ClassVar[Example] = Example(
        {"contains_all": ["Monday", "9:00"]}, passes="At 9:00 on Monday.", fails="On Monday."
    )

    def check(self, answer: Answer) -> Outcome:
        text = answer_compared(answer, ignore_case=self.ignore_case)
        missing = [
            needle for needle, sought in zip(self.value, self._sought, strict=True) if sought not in text
        ]
        message = f"{shown(missing)} not found" if missing else "all found"
        return Outcome(not missing, message, f"all of {shown(self.value)}", excerpt(answer.text))


class OneOf(_ListOfTexts):
    """The whole answer equals one text of the list. White space at both ends of either is ignored."""

    kind: ClassVar[str] = "one_of"
    example: ClassVar[Example] = Example({"one_of": ["yes", "no"]}, passes="yes\n", fails="yes, of course")

    def check(self, answer: Answer) -> Outcome:
        found = answer_compared(answer, ignore_case=self.ignore_case).strip()
        passed = any(found == sought.strip() for sought in self._sought)
        got = excerpt(answer.text.strip())
        message = f"{got!r} is one of them" if passed else f"{got!r} is none of {shown(self.value)}"
        return Outcome(passed, message, f"one of {shown(self.value)}", got)


class NotEmpty(Assertion):
    """The answer has text that shows something: more than white space and invisible characters.

    "0" and "None" are text. An answer of calls of tools alone fails. Where nothing came back at all, the
    prompt is an error, whatever is expected of the answer.
    """

    kind: ClassVar[str] = "not_empty"
    example: ClassVar[Example] = Example(
        "not_empty",
        passes="0",
        fails=Sample(tool_calls=({"function": {"name": "look_up", "arguments": "{}"}},)),
    )

    def check(self, answer: Answer) -> Outcome:
        reply = answer.response.reply
        if reply is not None and reply.tool_calls and (reply.text is None or is_blank(reply.text)):
            return Outcome(False, "the answer has no text, only calls of tools", "text", "")
        passed = not is_blank(answer.text)
        message = "the answer has text" if passed else "the answer has no visible text"
        return Outcome(passed, message, "text", excerpt(answer.text))


class NotExact(Negated, Exact):
    """The whole answer does not equal `value`. White space at both ends of either is ignored."""

    kind: ClassVar[str] = "not_exact"
    example: ClassVar[Example] = Example({"not_exact": "Oslo"}, passes="It is Oslo.", fails="Oslo\n")


class NotContains(Negated, Contains):
    """`value` occurs nowhere in the answer, not even inside a word. White space in `value` counts."""

    kind: ClassVar[str] = "not_contains"
    example: ClassVar[Example] = Example({"not_contains": "refund"}, passes="Of course.", fails="No refunds.")


class NotStartsWith(Negated, StartsWith):
    """The answer does not begin with `value`. White space before either is ignored, behind `value` it counts."""

    kind: ClassVar[str] = "not_starts_with"
    example: ClassVar[Example] = Example(
        {"not_starts_with": "As an AI"}, passes="Yes.", fails="As an AI, I can."
    )


class NotEndsWith(Negated, EndsWith):
    """The answer does not end with `value`. White space behind either is ignored, before `value` it counts."""

    kind: ClassVar[str] = "not_ends_with"
    example: ClassVar[Example] = Example({"not_ends_with": "?"}, passes="It is 5.", fails="Is it 5?")


class NotContainsAny(Negated, ContainsAny):
    """None of the texts of the list occurs in the answer, each looked for as by `contains`."""

    kind: ClassVar[str] = "not_contains_any"
    example: ClassVar[Example] = Example(
        {"not_contains_any": ["TODO", "FIXME"]}, passes="Done.", fails="Done. TODO: tests."
    )


class NotContainsAll(Negated, ContainsAll):
    """At least one text of the list does not occur in the answer, each looked for as by `contains`."""

    kind: ClassVar[str] = "not_contains_all"
    example: ClassVar[Example] = Example(
        {"not_contains_all": ["yes", "no"]}, passes="yes", fails="yes and no"
    )


class NotOneOf(Negated, OneOf):
    """The whole answer equals no text of the list. White space at both ends of either is ignored."""

    kind: ClassVar[str] = "not_one_of"
    example: ClassVar[Example] = Example({"not_one_of": ["n/a", "unknown"]}, passes="5 km", fails="unknown")


KINDS: tuple[type[Assertion], ...] = (
    Exact,
    NotExact,
    Contains,
    NotContains,
    StartsWith,
    NotStartsWith,
    EndsWith,
    NotEndsWith,
    ContainsAny,
    NotContainsAny,
    ContainsAll,
    NotContainsAll,
    OneOf,
    NotOneOf,
    NotEmpty,
)
