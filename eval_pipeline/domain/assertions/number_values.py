"""Assertions on a number: one in the answer, or one that was computed.

Without `path` or `pattern`, it is the number in the answer. A number that could be read in two ways, or several
different ones, is not measurable: nothing is guessed. Not here: how numbers are read (`numbers_in_text.py`), and the
other kinds on values (`values.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Outcome
from eval_pipeline.domain.assertions.parts import MAX_TEXT, NotThere
from eval_pipeline.domain.assertions.values import NegatedValue, ValueAssertion
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.exact_numbers import exact, is_number
from eval_pipeline.domain.json_equality import json_text
from eval_pipeline.domain.numbers_in_text import DecimalMark, PercentMeaning, number_in

_EXACTLY_SHOWN = 10**30


def _number(value: object) -> object:
    if not is_number(value):
        raise ValueError(f"a number is expected, found {value!r:.80}; write it bare, as 1234.5")
    exact(value)
    return value


Number = Annotated[int | float, BeforeValidator(_number)]


class NumberAssertion(ValueAssertion):
    """An assertion on a number."""

    decimal: DecimalMark = Field(
        default=".",
        description="In text, the character between whole number and fraction: `.` or `,`. The other one, blanks and"
        " apostrophes divide thousands.",
    )
    percent: PercentMeaning = Field(
        default="as_written",
        description="In text, what a percent sign means. `as_written`: 12% is the number 12."
        " `as_fraction`: 12% is the number 0.12.",
    )

    def declared_faults(self) -> Iterable[str]:
        return ()

    def _found(self, answer: Answer) -> object:
        if self.path is None and self.pattern is None:
            return self._read(answer.text_up_to(MAX_TEXT))
        return super()._found(answer)

    def _read(self, text: str) -> object:
        number = number_in(text, self.decimal, self.percent)
        if number is None:
            raise NotThere("there is no number in digits")
        return number.value

    def _value(self, found: object) -> Fraction:
        if isinstance(found, str):
            raise NotMeasurable(
                f"a number is expected, found the text {json_text(found)}; a pattern reads one from text"
            )
        try:
            return exact(found)
        except ValueError as error:
            raise NotMeasurable(f"a number is expected: {error}") from None


class NumberEquals(NumberAssertion):
    """The number equals `value`, give or take `tolerance`; computed exactly in decimal digits.

    The number is what stands at `path`, or in the text that `pattern` finds, or else the one number in the answer.
    At a `path` it must be a JSON number; a text or anything else is not measurable.

    Read from text are the digits 0 to 9, with `.` or what `decimal` says before the fraction; thousands divided by
    the other of `.` and `,`, by blanks or by apostrophes, throughout the number and in groups of three; a sign
    right before it or before its currency symbol; an exponent as in 1e3. A currency symbol, a unit of two letters or
    more right behind (5km), a hyphen and a word (5-year), and a percent sign (see `percent`) do not matter.

    The same number said several times is one number. No digits: fails. Not measurable, for it would be a guess:
    different numbers; other grouping (1,23); fractions, ranges, dates, times, versions and calculations (1/2, 3-5,
    10:30, 1.2.3, 5 + 5); digits that are part of a word (GPT-4, x2, 3rd, 5k, 5 million); a minus sign with a blank
    behind it; powers (10^3, 5²) and 5+; fractions in one character (½); digits of other scripts.
    """

    kind: ClassVar[str] = "number_equals"
    example: ClassVar[Example] = Example(
        {"type": "number_equals", "value": 1234.5, "tolerance": 0.1},
        passes="It costs $1,234.60.",
        fails="It costs $1,235.",
    )

    value: Number = Field(description="The number.")
    tolerance: Number = Field(
        default=0, description="How far from `value` the number may be, in either direction; default 0."
    )

    @model_validator(mode="after")
    def _is_distance(self) -> NumberEquals:
        if self.tolerance < 0:
            raise ValueError("tolerance is 0 or more")
        return self

    def _judged(self, found: object) -> Outcome:
        number, expected, tolerance = self._value(found), exact(self.value), exact(self.tolerance)
        off = abs(number - expected)
        passed = off <= tolerance
        message = (
            f"{_shown(number)} is {_shown(off)} away from {_shown(expected)}"
            if off
            else "equals the expected number"
        )
        return Outcome(passed, message, self._expectation, _shown(number))

    @property
    def _expectation(self) -> str:
        return f"{self.value} ± {self.tolerance}" if self.tolerance else str(self.value)


class GreaterThan(NumberAssertion):
    """The number is greater than `value`, and not equal to it.

    The number is found and read by the rule of `number_equals`.
    """

    kind: ClassVar[str] = "greater_than"
    example: ClassVar[Example] = Example(
        {"type": "greater_than", "path": "$.stars", "value": 3}, passes='{"stars": 3.5}', fails='{"stars": 3}'
    )

    value: Number = Field(description="The bound, which itself fails.")

    def _judged(self, found: object) -> Outcome:
        number = self._value(found)
        passed = number > exact(self.value)
        message = f"{_shown(number)} is {'' if passed else 'not '}greater than {self.value}"
        return Outcome(passed, message, self._expectation, _shown(number))

    @property
    def _expectation(self) -> str:
        return f"> {self.value}"


class LessThan(NumberAssertion):
    """The number is less than `value`, and not equal to it.

    The number is found and read by the rule of `number_equals`.
    """

    kind: ClassVar[str] = "less_than"
    example: ClassVar[Example] = Example(
        {"less_than": 100}, passes="That makes 99.5 euros.", fails="That makes 100 euros."
    )

    value: Number = Field(description="The bound, which itself fails.")

    def _judged(self, found: object) -> Outcome:
        number = self._value(found)
        passed = number < exact(self.value)
        message = f"{_shown(number)} is {'' if passed else 'not '}less than {self.value}"
        return Outcome(passed, message, self._expectation, _shown(number))

    @property
    def _expectation(self) -> str:
        return f"< {self.value}"


class NotNumberEquals(NegatedValue, NumberEquals):
    """The number differs from `value` by more than `tolerance`, by the rule of `number_equals`.

    Passes as well when there is no number.
    """

    kind: ClassVar[str] = "not_number_equals"
    example: ClassVar[Example] = Example(
        {"not_number_equals": 7}, passes="There are 8.", fails="There are 7.0."
    )


KINDS: tuple[type[Assertion], ...] = (NumberEquals, NotNumberEquals, GreaterThan, LessThan)


def _shown(number: Fraction) -> str:
    if number.denominator == 1 and abs(number) < _EXACTLY_SHOWN:
        return str(number.numerator)
    return f"{(Decimal(number.numerator) / Decimal(number.denominator)).normalize():.20g}"
