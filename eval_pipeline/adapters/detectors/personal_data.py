"""Personal data in a text: what has a checksum or a registry is told by it, not by its shape alone.

Not here: telephone numbers, in `phone_numbers.py`, and names and addresses of people, which no rule can tell
from other words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib.metadata import version
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network
from string import ascii_uppercase

from eval_pipeline.adapters.detectors.phone_numbers import phone_numbers
from eval_pipeline.domain.detectors import PersonalData, PersonalDataType, Span

_RULES_VERSION = 1
_HYPHEN = "[\u2010-\u2013-]"
_LONGEST_LOCAL_PART = 64
_BACKWARDS_LOCAL_PART = re.compile(r"[\w.+'\u2019&~^!-]+")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,62})\.)+(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,63})", re.IGNORECASE)
_SCALED_IMAGE = re.compile(r"[0-9]x\.", re.IGNORECASE)
_IBAN_START = re.compile(r"(?<![\w-])[A-Za-z]{2}[0-9]{2}(?=[ \u00a0-]?[A-Za-z0-9])")
_IBAN_REST = re.compile(r"(?:[ \u00a0-]?[A-Za-z0-9]){11,30}+")
_LETTERS_AS_NUMBERS = {ord(letter): str(number) for number, letter in enumerate(ascii_uppercase, start=10)}
_CARD = re.compile(
    r"(?<![\w-])(?<![0-9]\.)(?:"
    r"(?P<card>[0-9]{4}(?P<gap>[ \u00a0\u2010-\u2013-])[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4})"
    r"(?P<more>(?P=gap)[0-9]{3})?"
    r"|[0-9]{4}(?P<other_gap>[ \u00a0\u2010-\u2013-])[0-9]{6}(?P=other_gap)[0-9]{4,5}"
    r"|[0-9]{12,19}"
    rf")(?!\w|{_HYPHEN}\w|\.[0-9])"
)
_CARD_NUMBER = re.compile(
    r"4(?:[0-9]{15}|[0-9]{18})"  # Visa
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|3(?:0[0-5]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12,15}"  # Discover
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12,15}"  # JCB
    r"|62[0-9]{14,17}"  # UnionPay
)
_RARE_CARD_NUMBER = re.compile(r"4[0-9]{12}|(?:5[06-9]|6[0-9])[0-9]{10,17}")
_CARD_CUE = re.compile(r"\b(?:card|credit|debit|visa|maestro)\b", re.IGNORECASE)
_IPV4 = re.compile(r"(?<![\w-])(?<![0-9]\.)[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w]|\.[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44}+(?!\w)")
_IPV6_OF_HOSTS = tuple(
    map(IPv6Network, ("2000::/3", "fc00::/7", "fe80::/10", "64:ff9b::/96", "::ffff:0:0/96"))
)
_DOTTED_NUMBER = re.compile(
    r"\b(?:versions?|ver\.?|v\.?|releases?|released|builds?|firmware|drivers?|upgrad\w+|updat\w+|patch\w*|sections?"
    r"|chapters?|clauses?|figures?|tables?|paragraphs?|articles?)\b|§",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"\b(?:ip(?:v4)?|address\w*|hosts?|servers?|ping|ssh|dns|subnet|gateway|proxy|router|clients?|connect\w*)\b",
    re.IGNORECASE,
)
_SSN_CUE = re.compile(r"\b(?:ssn|social security)\b", re.IGNORECASE)
_SSN = re.compile(
    r"(?<![\w-])(?<![0-9][.,])(?!000|666|9)[0-9]{3}(?P<gap>[ \u00a0\u2010-\u2013-]?)(?!00)[0-9]{2}(?P=gap)(?!0000)[0-9]{4}"
    rf"(?!\w|{_HYPHEN}\w|[.,][0-9])"
)
_OTHER_NUMBER = re.compile(
    r"\b(?:order|invoice|ref|reference|sku|part|model|serial|ticket|case|tracking|article|item|batch|lot|product|booking)\b"
    r"[\s:.#]*(?:\b(?:number|no|nr|id|code|is|was)\b[\s:.#]*)*\Z",
    re.IGNORECASE,
)
_REACH = 60
"""How many characters before a number are searched for words that say what it is."""


class PersonalDataByChecksum:
    """Finds e-mail addresses, telephone numbers, cards, IBANs, IP addresses and US social security numbers.

    Its rules depend on no language. Where two findings would overlap, the more specific one stands, also when
    it was not asked for: a card's number is never a telephone's.
    """

    languages: frozenset[str] | None = None

    @property
    def identity(self) -> str:
        """See `Detector.identity`."""
        libraries = (f"{name} {version(name)}" for name in ("phonenumbers", "python-stdnum"))
        return ", ".join((f"personal data rules {_RULES_VERSION}", *libraries))

    def personal_data(self, text: str, types: Collection[PersonalDataType]) -> Sequence[PersonalData]:
        """See `PersonalDataDetector.personal_data`."""
        taken = bytearray(len(text))
        found: list[PersonalData] = []
        for type_, spans in _FINDERS:
            for span in spans(text):
                if not any(taken[span.start : span.end]):
                    taken[span.start : span.end] = b"\x01" * (span.end - span.start)
                    found.append(PersonalData(type_, span))
        return sorted(
            (finding for finding in found if finding.type in types), key=lambda finding: finding.span.start
        )


def _emails(text: str) -> Iterator[Span]:
    at = text.find("@")
    while at >= 0:
        # Read backwards from the @, so that each is looked at once however long the text before it is.
        backwards = _BACKWARDS_LOCAL_PART.match(text[max(0, at - _LONGEST_LOCAL_PART) : at][::-1])
        domain = _DOMAIN.match(text, at + 1)
        if backwards and domain:
            local = backwards[0][::-1].lstrip("'\u2019.!&~^-")
            if _is_address(local, domain[0]) and not _is_credential(text, at - len(local)):
                yield Span(at - len(local), domain.end())
        at = text.find("@", at + 1)


def _is_address(local: str, domain: str) -> bool:
    faulty = not local or local.endswith(".") or ".." in local or "-." in domain
    return not faulty and local.casefold() != "git" and not _SCALED_IMAGE.match(domain)


def _is_credential(text: str, start: int) -> bool:
    """Whether what stands before an @ is the password in a URL."""
    before = text[max(0, start - _REACH) : start]
    return before.endswith(":") and re.search(r"://[^\s/?]*\Z", before) is not None


def _ibans(text: str) -> Iterator[Span]:
    for start in _IBAN_START.finditer(text):
        rest = _IBAN_REST.match(text, start.end())
        if rest is None:
            continue
        compact, end = start[0], start.end()
        found: int | None = None
        for char in rest[0]:
            end += 1
            if not char.isalnum():
                continue
            compact += char
            if len(compact) >= 15 and not text[end : end + 1].isalnum() and _is_iban(compact):
                found = end
        if found is not None:
            yield Span(start.start(), found)


def _is_iban(compact: str) -> bool:
    # The checksum first: it is cheap, and only one text in 97 gets past it.
    if int((compact[4:] + compact[:4]).upper().translate(_LETTERS_AS_NUMBERS)) % 97 != 1:
        return False
    from stdnum import iban

    return bool(iban.is_valid(compact, check_country=False))


def _cards(text: str) -> Iterator[Span]:
    for match in _CARD.finditer(text):
        cued = _CARD_CUE.search(text, max(0, match.start() - _REACH), match.start()) is not None
        if _is_card(match[0], cued=cued):
            yield Span(*match.span())
        elif match["more"] and _is_card(match["card"], cued=cued):
            yield Span(*match.span("card"))


def _is_card(written: str, *, cued: bool) -> bool:
    from stdnum import luhn

    digits = "".join(filter(str.isdigit, written))
    known = _CARD_NUMBER.fullmatch(digits) or (cued and _RARE_CARD_NUMBER.fullmatch(digits))
    return bool(known) and bool(luhn.is_valid(digits))


def _social_security_numbers(text: str) -> Iterator[Span]:
    for match in _SSN.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()]
        hyphened = match["gap"] and not match["gap"].isspace()
        if _SSN_CUE.search(before) or (hyphened and not _OTHER_NUMBER.search(before)):
            yield Span(*match.span())


def _ip_addresses(text: str) -> Iterator[Span]:
    for match in _IPV6.finditer(text):
        for written in (match[0], match[0].rstrip("."), match[0].rstrip(".:")):
            if _is_ipv6_of_host(written):
                yield Span(match.start(), match.start() + len(written))
                break
    for match in _IPV4.finditer(text):
        if _is_ipv4_of_host(match[0]) and not _is_version(text, match.start()):
            yield Span(*match.span())


def _is_ipv4_of_host(written: str) -> bool:
    """Whether it is an address of some machine: not the machine itself, nobody, a mask or a group."""
    try:
        address = IPv4Address(written)
    except AddressValueError:
        return False
    nobody = address.packed[0] == 0 or address.is_loopback
    return not (nobody or address.is_multicast or address.is_reserved)


def _is_ipv6_of_host(written: str) -> bool:
    try:
        address = IPv6Address(written)
    except AddressValueError:
        return False
    return any(address in network for network in _IPV6_OF_HOSTS)


def _is_version(text: str, start: int) -> bool:
    """Whether the words before four numbers say that they are a version or a section."""
    before = text[max(0, start - _REACH) : start].rpartition("\n")[2]
    words = list(_DOTTED_NUMBER.finditer(before))
    return bool(words) and _HOST.search(before, words[-1].end()) is None


_FINDERS: tuple[tuple[PersonalDataType, Callable[[str], Iterator[Span]]], ...] = (
    (PersonalDataType.EMAIL, _emails),
    (PersonalDataType.IBAN, _ibans),
    (PersonalDataType.CARD, _cards),
    (PersonalDataType.US_SSN, _social_security_numbers),
    (PersonalDataType.IP_ADDRESS, _ip_addresses),
    (PersonalDataType.PHONE, phone_numbers),
)
"""The most specific first."""
