"""The number in a text, read by fixed rules: what could mean several numbers is not read at all.

Not here: comparing numbers (`assertions/values.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.text import excerpt

DecimalMark = Literal[".", ","]
"""The character between whole number and fraction; the other one divides thousands."""
PercentMeaning = Literal["as_written", "as_fraction"]
"""Whether 12% is the number 12, or 0.12."""
MAX_DIGITS = 400
"""The most digits, and the largest exponent, of a number that is read."""
MAX_NUMBERS = 1_000
"""The most numbers in a text that is read."""

_BLANK = " \u00a0\u2009\u202f"
_THOUSANDS = f"{_BLANK}'\u2019"
_MINUS = "-\u2212"
_SIGNS = r"+\-\u2212"
_DASHES = "\u2010-\u2013\u2015"
_DIGITS = re.compile(rf"[0-9]+(?:[.,{_THOUSANDS}][0-9]+)*(?:[eE][{_SIGNS}]?[0-9]+(?![^\W_]))?")
_PERCENT = re.compile(rf"[{_BLANK}]?(?:%|per ?cent\b)", re.IGNORECASE)
_NOT_AFTER = re.compile(rf"[{_BLANK}]?[‰‱]|[+^]")
_WORD_AFTER = re.compile(r"[^\W\d_]+(?P<more>\w?)")
_LARGE = re.compile(
    rf"[{_BLANK}-]?(?:hundred|thousand|million|billion|trillion|dozen|lakh|crore|mio|mrd|mln|mn|bn|tn)s?\b",
    re.IGNORECASE,
)
_NO_UNITS = frozenset({"st", "nd", "rd", "th", "am", "pm", "mm"})
"""Behind digits these make an ordinal or a time; mm is millimetres or millions."""
_LARGE_IDEOGRAPHS = "十百千万萬亿億兆"
_OPERATION = re.compile(rf"[{_BLANK}]*+(?:\*\*|\}}\{{|[-+*/:^\u00d7·÷±\u2212{_DASHES}])[{_BLANK}]*+")
_OTHER_DIGITS = re.compile(r"(?![0-9])\d|[¼-¾⅐-⅞↉]")
_NEVER_BEFORE = re.compile(rf"[/^±√{_DASHES}]\Z|[^\W_]_\Z")
_NEVER_BEFORE_A_SIGN = re.compile(rf"[\w)\]}}%.{_SIGNS}{_DASHES}]\Z")
_LONE_SIGN = re.compile(rf"[\-\u2212{_DASHES}][{_BLANK}]+\Z")
_WINDOW = 8
"""How many characters in front of a number can belong to it."""


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number that was found in a text.

    Attributes:
        value: The number, without its unit.
        percent: Whether a percent sign or the word follows.
        written: Its characters.
    """

    value: Fraction
    percent: bool
    written: str = field(compare=False)


def number_in(
    text: str, decimal: DecimalMark = ".", percent: PercentMeaning = "as_written"
) -> WrittenNumber | None:
    """The one number in `text`, which may occur several times; none when there are no digits.

    Args:
        text: The text.
        decimal: The character between whole number and fraction.
        percent: Whether 12% is the number 12, or 0.12.

    Raises:
        NotMeasurable: There are different numbers, or characters that could be read as several numbers.
    """
    found: WrittenNumber | None = None
    for number in _numbers_in(text, decimal):
        if percent == "as_fraction" and number.percent:
            number = WrittenNumber(number.value / 100, percent=False, written=number.written)  # noqa: PLW2901
        if found is not None and number != found:
            raise NotMeasurable(f"there are several numbers: {found.written} and {number.written}")
        found = number
    return found


def _numbers_in(text: str, decimal: DecimalMark) -> Iterator[WrittenNumber]:
    if not text.isascii() and (other := _OTHER_DIGITS.search(text)) is not None:
        raise NotMeasurable(f"only the digits 0 to 9 are read, found {other[0]!r}")
    end = 0
    for count, match in enumerate(_DIGITS.finditer(text)):
        if count == MAX_NUMBERS:
            raise NotMeasurable(f"there are more than {MAX_NUMBERS} numbers")
        if count and _OPERATION.fullmatch(text, end, match.start()):
            raise _ambiguous(text, match, "it may be part of a calculation, a range, a date or a time")
        yield _number(text, match, decimal)
        end = match.end()


def _number(text: str, match: re.Match[str], decimal: DecimalMark) -> WrittenNumber:
    start = match.start()
    point = text[start - 1] if start and text[start - 1] in ".," else ""
    if point and (point != decimal or _is_glued(text, start - 1)):
        raise _ambiguous(text, match, f"it begins with '{point}'")
    start -= len(point)
    value = _value(point + match[0], decimal)
    if value is None:
        raise _ambiguous(
            text, match, f"with '{decimal}' for decimals, its groups are not those of one number"
        )
    negative = _is_negative(text, match, start)
    percent = _PERCENT.match(text, match.end())
    if percent is None:
        _check_after(text, match)
    end = percent.end() if percent else match.end()
    return WrittenNumber(
        -value if negative else value, percent is not None, ("-" if negative else "") + text[start:end]
    )


def _value(digits: str, decimal: DecimalMark) -> Fraction | None:
    """The number that digits and separators denote; none when they are not grouped like one number."""
    if len(digits) > MAX_DIGITS:
        raise NotMeasurable(f"the number {excerpt(digits, 40)} is too long to be read")
    read = _well_formed(decimal).fullmatch(digits)
    if read is None:
        return None
    exponent = int((read["exponent"] or "0").replace("\u2212", "-"))
    if abs(exponent) > MAX_DIGITS:
        raise NotMeasurable(f"the number {excerpt(digits, 40)} is too large or too small to be read")
    whole = re.sub(r"[^0-9]", "", read["whole"])
    value = Fraction(f"{whole or 0}.{read['fraction']}" if read["fraction"] else int(whole))
    return value * Fraction(10) ** exponent if exponent else value


@lru_cache
def _well_formed(decimal: DecimalMark) -> re.Pattern[str]:
    thousands = re.escape("," if decimal == "." else ".") + _THOUSANDS
    return re.compile(
        rf"(?P<whole>[0-9]+|(?={re.escape(decimal)})|[1-9][0-9]{{0,2}}(?P<separator>[{thousands}])[0-9]{{3}}(?:(?P=separator)[0-9]{{3}})*)"
        rf"(?:{re.escape(decimal)}(?P<fraction>[0-9]+))?(?:[eE](?P<exponent>[{_SIGNS}]?[0-9]+))?"
    )


def _is_negative(text: str, match: re.Match[str], start: int) -> bool:
    """Whether a minus sign belongs to the number; a currency may stand before or behind the sign."""
    before, sign = _without_sign(text[max(0, start - _WINDOW) : start])
    outside = before.rstrip(_BLANK)
    has_currency = outside != "" and unicodedata.category(outside[-1]) == "Sc"
    if has_currency:
        before, second = _without_sign(outside[:-1])
        if sign and second:
            raise _ambiguous(text, match, "it has two signs")
        sign = sign or second
    if sign:
        if _NEVER_BEFORE_A_SIGN.search(before):
            raise _ambiguous(text, match, f"'{sign}' may be a sign, a hyphen or an operation")
    elif _NEVER_BEFORE.search(before) or _LONE_SIGN.search(before):
        raise _ambiguous(text, match, "what stands before it may change it")
    elif not has_currency and before and _is_cased(before[-1]):
        raise _ambiguous(text, match, "it is part of a word")
    return sign != "" and sign in _MINUS


def _without_sign(before: str) -> tuple[str, str]:
    return (before[:-1], before[-1]) if before and before[-1] in "+" + _MINUS else (before, "")


def _is_cased(char: str) -> bool:
    """Whether `char` is a letter of a script that puts blanks between words, or a mark upon one."""
    return unicodedata.category(char) in {"Lu", "Ll", "Lt", "Lm", "Mn", "Mc", "No", "Nl"}


def _is_glued(text: str, start: int) -> bool:
    """Whether a character that could be part of the same number or word stands right before `start`."""
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] in ".,")


def _check_after(text: str, match: re.Match[str]) -> None:
    """Refuses what makes another number of the digits before it: 5 million, 5th, 5k, 5², 5+."""
    end = match.end()
    if _LARGE.match(text, end) or _NOT_AFTER.match(text, end):
        raise _ambiguous(text, match, "what stands behind it may change it")
    if end < len(text) and unicodedata.category(text[end]) in {"No", "Nl"}:
        raise _ambiguous(text, match, "what stands behind it may change it")
    word = _WORD_AFTER.match(text, end)
    if word is None:
        return
    letters = word[0].removesuffix(word["more"]) if word["more"] else word[0]
    if letters[0] in _LARGE_IDEOGRAPHS:
        raise _ambiguous(text, match, "what stands behind it may change it")
    if _is_cased(letters[0]) and (len(letters) == 1 or word["more"] or letters.casefold() in _NO_UNITS):
        raise _ambiguous(text, match, f"'{excerpt(letters, 20)}' stands right behind it")


def _ambiguous(text: str, match: re.Match[str], why: str) -> NotMeasurable:
    shown = text[max(0, match.start() - 10) : match.end() + 10].strip()
    return NotMeasurable(f"it cannot be told which number {excerpt(shown, 60)!r} is: {why}")
