"""Numbers as they are written: 0.1 is one tenth, not the binary fraction nearest to it.

Not here: finding a number in a text (`numbers_in_text.py`).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real


def is_number(value: object) -> bool:
    """Whether `value` is a number, of any type; a truth value is none."""
    return type(value) in (int, float) or (isinstance(value, Real | Decimal) and not isinstance(value, bool))


def exact(number: object) -> Fraction:
    """`number` by the shortest decimal digits that denote it.

    Raises:
        ValueError: It is no number, or not finite.
    """
    if not is_number(number):
        raise ValueError(f"{number!r:.80} is no number")
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    digits = str(number) if isinstance(number, Decimal) else repr(float(number))  # type: ignore[arg-type]
    if not isfinite(float(digits)):
        raise ValueError(f"{digits} is no finite number")
    return Fraction(digits)


def equal(left: object, right: object) -> bool:
    """Whether two finite numbers are the same by their decimal digits.

    Raises:
        ValueError: One is no number, or not finite.
    """
    if type(left) is type(right) is int:
        return left == right
    return exact(left) == exact(right)
