"""Assertions on a value in the answer, named by a JSON path or by a group of a pattern.

In a class-based evaluation the same kinds judge any computed value. Not here: how the part of the answer is found
(`parts.py`), and the kinds about numbers (`number_values.py`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from pydantic import Field, field_validator, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Negated, Outcome, opposite
from eval_pipeline.domain.assertions.documents import Extract
from eval_pipeline.domain.assertions.parts import NotThere, at_path, by_pattern, checked_pattern
from eval_pipeline.domain.assertions.pcre import PatternFault
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.json_equality import check_json, first_difference, json_text
from eval_pipeline.domain.json_path import PathFault, compile_path
from eval_pipeline.domain.text import excerpt, normalised

_SPELLINGS = {"true": True, "yes": True, "false": False, "no": False}
_NO_PART = "name a part of the answer by path or pattern; to compare the whole text use exact"


class ValueAssertion(Assertion):
    """An assertion on a value: one in the answer, or one that was computed."""

    path: str | None = Field(
        default=None,
        description="Where the value is in the JSON of the answer: a JSONPath by RFC 9535, such as $.user.name. One"
        " value must be there: none fails, different ones are not measurable.",
    )
    extract: Extract = "strict"
    pattern: str | None = Field(
        default=None,
        description="A regular expression, as /pattern/flags, that finds the value in the text of the answer: its first"
        " group, or the whole match when it has none. No match fails; matches that give different values are not"
        " measurable.",
    )
    group: int | str | None = Field(
        default=None,
        description="The number or the name of another group of `pattern`; 0 is the whole match.",
    )

    @field_validator("group", mode="before")
    @classmethod
    def _is_number_or_name(cls, group: object) -> object:
        if group is not None and (isinstance(group, bool) or not isinstance(group, int | str)):
            raise ValueError(f"group is the number or the name of a group, found {group!r:.80}")
        return group

    @model_validator(mode="after")
    def _names_one_part(self) -> ValueAssertion:
        if self.path is not None and self.pattern is not None:
            raise ValueError("give either path or pattern")
        if self.group is not None and self.pattern is None:
            raise ValueError("group belongs to a pattern")
        if self.extract != "strict" and self.path is None:
            raise ValueError("extract belongs to a path: it says where the JSON is")
        try:
            if self.path is not None:
                compile_path(normalised(self.path))
            if self.pattern is not None:
                checked_pattern(self.pattern, self.group)
        except (PathFault, PatternFault) as fault:
            raise ValueError(str(fault)) from None
        return self

    def declared_faults(self) -> Iterable[str]:
        if self.path is None and self.pattern is None:
            yield _NO_PART

    def check(self, answer: Answer) -> Outcome:
        try:
            return self._judged(self._found(answer))
        except NotThere as fault:
            return Outcome(False, str(fault), self._expectation, excerpt(answer.text))

    def compare(self, found: object) -> Outcome:
        """Whether a value that was found or computed elsewhere meets the expectation.

        Raises:
            NotMeasurable: It is of a kind that cannot.
        """
        return self._judged(found)

    def _found(self, answer: Answer) -> object:
        if self.path is not None:
            return at_path(answer, self.path, self.extract)
        if self.pattern is None:
            raise NotMeasurable(_NO_PART)
        first, *others = map(self._read, by_pattern(answer, self.pattern, self.group))
        if any(other != first for other in others):
            raise NotMeasurable(f"the pattern finds different values: {first} and {others[0]}")
        return first

    def _read(self, text: str) -> object:
        """The value that a text found by a pattern stands for."""
        return text

    @abstractmethod
    def _judged(self, found: object) -> Outcome:
        """Whether a value meets the expectation.

        Raises:
            NotMeasurable: It is of a kind that cannot.
        """

    @property
    @abstractmethod
    def _expectation(self) -> str:
        """What is expected, for people."""

    @property
    def subject(self) -> str:
        return excerpt(f"{self.path or self.pattern or ''} {self._expectation}".strip(), 60)


class NegatedValue(Negated, ValueAssertion):
    """The opposite of a kind on values, for computed ones too."""

    def compare(self, found: object) -> Outcome:
        return opposite(super().compare(found))


class Equals(ValueAssertion):
    """The part of the answer that `path` or `pattern` names equals `value`.

    At a `path`, both are compared as JSON: numbers by value, exactly, so that 1 equals 1.0; `true` is not 1 and the
    text "1" is not the number 1; the order of keys does not matter. What a `pattern` finds is a text, and `value`
    must be one: compared character by character in Unicode form NFC, white space and case included. To compare a
    number in a text use `number_equals`, to compare the whole answer use `exact`.
    """

    kind: ClassVar[str] = "equals"
    example: ClassVar[Example] = Example(
        {"type": "equals", "path": "$.city", "value": "Lima"},
        passes='{"city": "Lima"}',
        fails='{"city": "lima"}',
    )

    value: Any = Field(description="The value: a text, a number, true, false, null, or any other JSON value.")

    @model_validator(mode="after")
    def _is_comparable(self) -> Equals:
        check_json(self.value)
        if self.pattern is not None and not isinstance(self.value, str):
            raise ValueError(
                f"a pattern finds a text, and value is {json_text(self.value)}: write it in quotes, or use"
                " number_equals, is_true or is_false"
            )
        return self

    def _judged(self, found: object) -> Outcome:
        try:
            difference = first_difference(self.value, found)
            shown = json_text(found)
        except ValueError as error:
            raise NotMeasurable(f"the value cannot be compared: {error}") from None
        message = difference.removeprefix("$: ") if difference else "equals the expected value"
        return Outcome(difference is None, message, self._expectation, shown)

    @property
    def _expectation(self) -> str:
        return json_text(self.value)


class _Truth(ValueAssertion):
    """A value that is either true or false."""

    wanted: ClassVar[bool]

    def _read(self, text: str) -> object:
        return _SPELLINGS.get(text.strip().casefold(), text)

    def _judged(self, found: object) -> Outcome:
        if not isinstance(found, bool):
            raise NotMeasurable(f"neither true nor false: {_shown(found)}")
        return Outcome(found is self.wanted, f"is {json_text(found)}", self._expectation, json_text(found))

    @property
    def _expectation(self) -> str:
        return json_text(self.wanted)

    @property
    def subject(self) -> str:
        return excerpt(self.path or self.pattern or "", 60)


class IsTrue(_Truth):
    """The part of the answer that `path` or `pattern` names is true.

    At a `path`: the JSON value `true` passes, `false` fails, and anything else, among it the text "true" and the
    number 1, is not measurable. In a text found by `pattern`: true and yes pass, false and no fail, in any case and
    with white space around; anything else is not measurable.
    """

    kind: ClassVar[str] = "is_true"
    wanted: ClassVar[bool] = True
    example: ClassVar[Example] = Example(
        {"is_true": {"path": "$.open"}}, passes='{"open": true}', fails='{"open": false}'
    )


class IsFalse(_Truth):
    """The part of the answer that `path` or `pattern` names is false.

    At a `path`: the JSON value `false` passes, `true` fails, and anything else, null among it, is not measurable.
    In a text found by `pattern`: false and no pass, true and yes fail, in any case and with white space around;
    anything else is not measurable.
    """

    kind: ClassVar[str] = "is_false"
    wanted: ClassVar[bool] = False
    example: ClassVar[Example] = Example(
        {"is_false": {"pattern": r"/Open: (\w+)/"}}, passes="Open: no", fails="Open: yes"
    )


class NotEquals(NegatedValue, Equals):
    """The part of the answer that `path` or `pattern` names differs from `value`, by the rule of `equals`.

    Passes as well when the answer has no such part.
    """

    kind: ClassVar[str] = "not_equals"
    example: ClassVar[Example] = Example(
        {"type": "not_equals", "path": "$.city", "value": "Lima"},
        passes='{"city": "Oslo"}',
        fails='{"city": "Lima"}',
    )


def _shown(found: object) -> str:
    return (
        json_text(found)
        if found is None or isinstance(found, str | int | float)
        else f"a {type(found).__name__}"
    )


KINDS: tuple[type[Assertion], ...] = (Equals, NotEquals, IsTrue, IsFalse)
