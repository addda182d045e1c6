"""Telephone numbers in a text: precision first, for most numbers in an answer are no telephone's.

A number counts when it is written in international form, when a word before or behind it says that it is a
telephone's, or when its groups of digits are those in which a region writes its numbers. Not here: other
personal data, in `personal_data.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from eval_pipeline.domain.detectors import Span

_SEPARATOR = "[ \u00a0\u202f.\u2010-\u2013-]"
_CANDIDATE = re.compile(
    r"(?<![\w.,/\\@#$€£¥%=~^-])"
    r"(?P<plus>\+ ?)?(?P<number>(?:\([0-9]++\)|[0-9]++)"
    rf"(?:{_SEPARATOR}?\([0-9]++\)|(?<=\)){_SEPARATOR}?[0-9]++|{_SEPARATOR}[0-9]++(?!/[0-9]))*+)"
    r"(?P<extension>[ ,]{0,2}(?:x|ext\.?|extension)[ .:]{0,2}[0-9]{1,7}(?![0-9]))?",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[\w@%€£$]|[.,:/\-][0-9]")
_CUE = re.compile(
    r"(?:[☎📞📱]|\b(?:(?:tele)?phone|tel|telefon\w*|téléphone|teléfono|telefoon|tél|móvil|mobile?|handy|cell(?:phone)?"
    r"|call(?:ing)?|dial(?:l?ing)?|ring|appelez|fax|whatsapp|sms|text|hotline|helpline|landline"
    r"|direct line|desk:|office:|home:|work:))"
    r"(?:[\s:.()*_\ufe0f\u2013-]|\b(?:me|us|him|her|them|at|on|to|the|my|our|your|his|number|no|nr|is|was|line|via|free"
    r"|toll|now|back|directly|support|team|phone|mobile|office|or|and)\b)*\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?::|\bis|[☎📞📱]\ufe0f?)[\s*_]*\Z", re.IGNORECASE)
_LABEL_BEHIND = re.compile(
    r"[ \t]*[(\[]?(?:office|mobile|cell|fax|home|work|tel|phone)[)\]]?[ \t]*(?:\Z|[\n\r,;.|])", re.IGNORECASE
)
_OTHER_NUMBER = re.compile(
    r"(?:\b(?:order|invoice|ref|reference|id|sku|part|model|serial|isbn|issn|ticket|case|tracking|account|article"
    r"|item|batch|lot|code|version|patent|product|confirmation|booking|policy|contract|file)\b"
    r"[\s:.]*(?:\b(?:number|no|nr|num|id|code|is|was)\b[\s:.]*)*|№\s*)\Z",
    re.IGNORECASE,
)
_REACH = 48
"""How many characters before a number are searched for a word that says what it is."""
_NORTH_AMERICA = ((3, 3, 4), (1, 3, 3, 4))
_BRITISH = ("01", "02", "03", "07", "08")
"""How British numbers begin. The groups 5 and 6 are theirs alone; numbers reserved for drama count too."""
_REGIONS = {
    (2, 2, 2, 2, 2): ("FR",),
    (2, 3, 2, 2): ("BE",),
    (2, 3, 4): ("NZ", "IE"),
    (2, 4, 4): ("AU", "JP", "KR"),
    (3, 2, 2, 2): ("BE",),
    (3, 3, 2, 2): ("CH",),
    (3, 3, 4): ("IE", "ZA", "NL", "NZ"),
    (3, 4, 4): ("GB", "JP", "KR"),
    (3, 6): ("DE",),
    (3, 7): ("DE", "NL"),
    (3, 8): ("DE",),
    (4, 2, 2, 2): ("BE",),
    (4, 3, 3): ("AU", "GB"),
    (4, 3, 4): ("GB",),
    (4, 7): ("DE",),
    (4, 8): ("DE",),
    (5, 3, 3): ("GB",),
}
"""The groups of digits in which regions write national numbers, with the leading 0."""


def phone_numbers(text: str) -> Iterator[Span]:
    """The telephone numbers in `text`, in its order."""
    for match in _CANDIDATE.finditer(text):
        if 7 <= sum(map(str.isdigit, match["number"])) <= 18 and not _GOES_ON.match(text, match.end()):
            end = _end_of_number(text, match)
            if end is not None:
                yield Span(match.start(), end)


def _end_of_number(text: str, match: re.Match[str]) -> int | None:
    """Where the telephone number of a candidate ends; none when it is no telephone number."""
    number, end = match["number"], match.end()
    if match["plus"]:
        return _end_of_international(number, match.start("number"), end)
    if number.startswith(("00", "011")) and len(_groups(number)) > 1:
        dialled = number[3:] if number.startswith("011") else number[2:]
        if _is_possible(dialled.lstrip(" .-")):
            return end
    before = text[max(0, match.start() - _REACH) : match.start()]
    if _OTHER_NUMBER.search(before):
        return None
    cued = _CUE.search(before) is not None
    if cued or _LABEL_BEHIND.match(text, end):
        return end if _is_plausible(number, labelled=cued and _LABEL.search(before) is not None) else None
    return end if _is_written_as_national(number) else None


def _end_of_international(number: str, start: int, end: int) -> int | None:
    """Where a number behind a plus sign ends: numbers behind a space may be no part of it."""
    is_count = _is_thousands(number) or (" " in number and max(map(len, _groups(number))) == 2)
    if _is_possible(number) and (not is_count or _is_valid(f"+{number}", None)):
        return end
    without_last = number.rpartition(" ")[0]
    for shorter in (without_last, without_last.rpartition(" ")[0]):
        if shorter and _is_valid(f"+{shorter}", None):
            return start + len(shorter)
    return None


def _is_plausible(number: str, *, labelled: bool) -> bool:
    """Whether a number that is said to be a telephone's can be one."""
    groups = _groups(number)
    digits = "".join(groups)
    if not 7 <= len(digits) <= 13 or max(map(len, groups)) > 12 or _is_date(groups):
        return False
    if len(groups) == 1:
        national = len(digits) >= 9 and digits.startswith("0")
        return labelled or national or (len(digits) in (10, 11) and _is_valid(digits, "US"))
    is_decimal = len(groups) == 2 and "." in number
    return not is_decimal and not (_is_thousands(number) and not labelled)


def _is_written_as_national(number: str) -> bool:
    """Whether a number that nothing is said of has the groups, and is a number, of a region."""
    shape = tuple(map(len, _groups(number)))
    if shape in _NORTH_AMERICA and _is_north_american(number, shape):
        return True
    if shape == (5, 6) and number.startswith(_BRITISH):
        return True
    spaced_pairs = max(shape) == 2 and " " in number
    if not number.lstrip("(").startswith("0") or spaced_pairs:
        return False
    return any(_is_valid(number, region) for region in _REGIONS.get(shape, ()))


def _is_north_american(number: str, shape: tuple[int, ...]) -> bool:
    """Whether digits in groups of 3, 3 and 4 are also separated as in North America."""
    if len(shape) == 4 and not number.startswith("1"):
        return False
    if "(" in number:
        return True
    area = number[2:] if len(shape) == 4 else number
    if " " in number or area.startswith(("0", "1")):
        return False
    return "." not in number or _is_valid(number, "US")


def _groups(number: str) -> list[str]:
    return re.findall("[0-9]+", number)


def _is_date(groups: list[str]) -> bool:
    """Whether groups of digits are a date, or a row of years."""
    sizes = sorted(map(len, groups))
    years = [group for group in groups if len(group) == 4 and group[:2] in ("19", "20")]
    return len(years) == len(groups) or (
        len(groups) >= 3 and bool(years) and sizes[-2] <= 2 and sum(sizes) <= 12
    )


def _is_thousands(number: str) -> bool:
    """Whether a number is written as a large count, such as `12 345 678`."""
    groups = _groups(number)
    same = all(first == second for first, second in pairwise(re.findall("[^0-9]", number)))
    return (
        same and "-" not in number and "(" not in number and not number.startswith("0")
        and len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    )  # fmt: skip


def _is_possible(number: str) -> bool:
    """Whether digits that begin with a country's code have a length that the country has."""
    import phonenumbers

    try:
        parsed = phonenumbers.parse(f"+{number}", None)
    except phonenumbers.NumberParseException:
        return False
    reason = phonenumbers.is_possible_number_with_reason(parsed)
    possible: bool = reason == phonenumbers.ValidationResult.IS_POSSIBLE
    return possible


def _is_valid(number: str, region: str | None) -> bool:
    """Whether it is a number that the country's code, or the region, has given out to be used."""
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    if region is None:
        return bool(phonenumbers.is_valid_number(parsed))
    return bool(phonenumbers.is_valid_number_for_region(parsed, region))
