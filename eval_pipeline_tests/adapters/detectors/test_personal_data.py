from __future__ import annotations

import json
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.adapters.detectors.personal_data import PersonalDataByChecksum
from eval_pipeline.domain.assertions.safety import MAX_TEXT
from eval_pipeline.domain.detectors import PersonalDataType
from eval_pipeline_tests.domain.strategies import any_text

EMAIL, PHONE, CARD = PersonalDataType.EMAIL, PersonalDataType.PHONE, PersonalDataType.CARD
IBAN, IP, SSN = PersonalDataType.IBAN, PersonalDataType.IP_ADDRESS, PersonalDataType.US_SSN
NAMES_IN_THE_DATA = {
    "EMAIL_ADDRESS": EMAIL,
    "PHONE_NUMBER": PHONE,
    "CREDIT_CARD": CARD,
    "IP_ADDRESS": IP,
    "US_SSN": SSN,
}
NO_PERSONAL_DATA = [
    # Rules handed to the project.
    "order 402551234",
    "version 4.10.2.1",
    "2024-01-15 12",
    "52.5702100309281",
    "card 1234 5678 9012 3456",
    "999.300.1.1",
    # Numbers that name something else.
    "Order 1234567890",
    "order no. 402-551-2345",
    "Order number is 402-55-1234",
    "Invoice #2024-000123",
    "SKU 123-45-6789",
    "ref: 0012345678901",
    "Part number 415-555-2671",
    "Ticket 020 7946 0958",
    "ISBN 978-3-16-148410-0",
    "ISBN 9783161484100",
    "EAN 4006381333931",
    "UUID 123e4567-e89b-12d3-a456-426614174000",
    "MAC 00:1A:2B:3C:4D:5E",
    "EUI 02:42:ac:11:00:02:00:01",
    "OID 1.3.6.1.4.1.311",
    "DE89370400440532013001",
    "GB00 1234 5678 9012 3456 78",
    # Versions and sections.
    "Upgrade from 4.10.2.1 to 4.10.2.3",
    "versions 1.2.3.4, 1.2.3.5 and 1.2.3.6",
    "Firmware 2.0.1.7 is out",
    "see section 1.2.3.4",
    "lodash@4.17.21",
    "Windows 10 22 19045",
    # Dates and times.
    "2024-01-15T12:30:45Z",
    "15/01/2024 10:15",
    "15.01.2024",
    "01-15-2024",
    "2019-2024",
    "2024 2025 2026",
    "Call me on 12.05.2024 or 2024-05-12",
    "Call us between 2019 2020 2021",
    "12:30:45",
    "1700000000",
    "1700000000000",
    # Prices and counts.
    "Price: $1,234,567.89",
    "€ 12.345.678,90",
    "1 234 567 people",
    "call 1 000 000 people",
    "ring 2 000 000 bells",
    "+10 000 000 users",
    "population 331,449,281",
    "score +1 +2 +3",
    "temperatures +20 25 30 35 40",
    "Fibonacci: 0 1 1 2 3 5 8 13 21 34 55 89 144",
    "Lottery: 05 12 23 34 45",
    "bits 0110 1011 1101",
    "3.14159265358979",
    "call 3.1415926",
    "call 12345678 times",
    "Office 2016 2019 2021",
    # Coordinates.
    "40.7128, -74.0060",
    "-33.868820, 151.209296",
    "52° 31′ 12″",
    # Machines that are nobody's.
    "http://127.0.0.1:8080",
    "0.0.0.0",
    "mask 255.255.255.0",
    "::1",
    "192.168.1",
    # Words that look like addresses.
    "std::abc::def",
    "face::bad",
    "@user",
    "A@B.T",
    "icon@2x.png",
    "git@github.com:acme/tool.git",
    "https://user:secret@example.com/x",
    "jo@",
    "jo@localhost",
    "a..b@example.org",
]
PERSONAL_DATA = [
    (EMAIL, "jo@example.org"),
    (EMAIL, "kim.doe+test@mail.example.org"),
    (EMAIL, "o'neil@mail.example"),
    (EMAIL, "käthe@bücher.example"),
    (EMAIL, "jo@xn--bcher-kva.example"),
    (CARD, "4111 1111 1111 1111"),
    (CARD, "4111-1111-1111-1111"),
    (CARD, "4111\u20111111\u20111111\u20111111"),
    (CARD, "4111111111111111"),
    (CARD, "5555555555554444"),
    (CARD, "378282246310005"),
    (CARD, "3782 822463 10005"),
    (CARD, "6011111111111117"),
    (CARD, "3530111333300000"),
    (CARD, "30569309025904"),
    (IBAN, "DE89370400440532013000"),
    (IBAN, "DE89 3704 0044 0532 0130 00"),
    (IBAN, "GB82 WEST 1234 5698 7654 32"),
    (IBAN, "gb82west12345698765432"),
    (IBAN, "NO93 8601 1117 947"),
    (IBAN, "MT84 MALT 0110 0001 2345 MTLC AST0 01S"),
    (IP, "192.0.2.44"),
    (IP, "10.0.0.5"),
    (IP, "2001:db8::1"),
    (IP, "2001:0db8:85a3:0000:0000:8a2e:0370:7334"),
    (IP, "fe80::1"),
    (IP, "::ffff:192.0.2.1"),
    (SSN, "531-21-7351"),
    (SSN, "531\u201121\u20117351"),
    (PHONE, "+44 20 7946 0958"),
    (PHONE, "+44 (0)20 7946 0958"),
    (PHONE, "+442079460958"),
    (PHONE, "+1 (555) 010-0199"),
    (PHONE, "0044 20 7946 0958"),
    (PHONE, "011 44 20 7946 0958"),
    (PHONE, "(212) 555-0100"),
    (PHONE, "212-555-0100"),
    (PHONE, "212.555.0100"),
    (PHONE, "212-555-0100 ext. 12"),
    (PHONE, "1-800-555-0199"),
    (PHONE, "020 7946 0958"),
    (PHONE, "07700 900123"),
    (PHONE, "030 12345678"),
    (PHONE, "(07) 5331 0577"),
    (PHONE, "0412 345 678"),
]
SAID_TO_BE = [
    (PHONE, "Tel: ", "22123456"),
    (PHONE, "Tél. ", "01 23 45 67 89"),
    (PHONE, "call ", "0800123456"),
    (PHONE, "Call me at ", "21 212 133 2727"),
    (PHONE, "Phone number: **", "22 12 34 56"),
    (PHONE, "☎ ", "22 12 34 56"),
    (PHONE, "Ring ", "555-0199"),
    (SSN, "SSN ", "123456789"),
    (SSN, "social security number: ", "123 45 6789"),
    (CARD, "Visa card ", "4222222222222"),
]

HOSTILE_PARTS = [
    *("1", "+", "@", ".", "😀", "a", "a@", "a.", "12 ", "1-", "(1)", "a:", "::1 ", "\x00", "\ud800"),
    *("call ", "AA00 ", "AA00AAAA 0 ", "+12345678 ", "+1 23 45 67 89 12 ", "020 7946 0958, "),
    *("030 12345678\n", "(000) 000-0000\n", "DE89 3704 0044 0532 0130 00, ", "1.2.3.4 "),
]


def found(text: str) -> list[tuple[PersonalDataType, str]]:
    findings = PersonalDataByChecksum().personal_data(text, list(PersonalDataType))
    return [(finding.type, text[finding.span.start : finding.span.end]) for finding in findings]


@pytest.mark.parametrize("text", NO_PERSONAL_DATA)
def test_other_numbers_and_words_are_no_personal_data(text: str) -> None:
    assert found(text) == []
    assert found(f"See {text}, as said.") == []


def test_a_list_of_other_numbers_is_no_personal_data() -> None:
    assert found("\n".join(f"- {text}" for text in NO_PERSONAL_DATA)) == []


@pytest.mark.parametrize(("type_", "value"), PERSONAL_DATA)
@pytest.mark.parametrize(
    "frame", ["{}", "It is {}.", "({})", "<{}>", "a\n{}\nb", "**{}**", '"{}"', "{}, and", "of {}!"]
)
def test_personal_data_is_found_in_full_wherever_it_stands(
    type_: PersonalDataType, value: str, frame: str
) -> None:
    assert found(frame.format(value)) == [(type_, value)]


@pytest.mark.parametrize(("type_", "cue", "value"), SAID_TO_BE)
def test_a_word_before_a_number_says_what_it_is(type_: PersonalDataType, cue: str, value: str) -> None:
    assert found(cue + value) == [(type_, value)]
    assert found(value) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("+44 20 7946 0958 24/7", "+44 20 7946 0958"),
        ("4111 1111 1111 1111 123", "4111 1111 1111 1111"),
        ("IBAN DE89 3704 0044 0532 0130 00 and more", "DE89 3704 0044 0532 0130 00"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("http://192.0.2.17/x", "192.0.2.17"),
        ("Update the server at 192.0.2.17", "192.0.2.17"),
        ("mailto:jo@example.org?subject=x", "jo@example.org"),
        ("to=jo@example.org", "jo@example.org"),
        ("'jo@example.org'", "jo@example.org"),
        ("tel:+44-20-7946-0958", "+44-20-7946-0958"),
        ("69 987 88 37 office", "69 987 88 37"),
    ],
)
def test_what_stands_around_is_no_part_of_a_finding(text: str, value: str) -> None:
    assert [finding for _, finding in found(text)] == [value]


@pytest.mark.parametrize(
    "value", ["4111111111111112", "4111 1111 1111 1112", "5555555555554445", "1111111111111117"]
)
def test_a_card_needs_a_network_and_its_check_digit(value: str) -> None:
    assert found(f"card {value}") == []


@pytest.mark.parametrize(
    "value", ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000", "123456789"]
)
def test_numbers_never_given_out_are_no_social_security_numbers(value: str) -> None:
    assert found(value) == []


def test_a_number_is_never_taken_for_another_type_that_was_asked_for() -> None:
    text = "card 4111 1111 1111 1111, SSN 531-21-7351, host 192.0.2.1"
    assert PersonalDataByChecksum().personal_data(text, [PHONE]) == []
    assert [entry.type for entry in PersonalDataByChecksum().personal_data(text, [IP, CARD])] == [CARD, IP]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("text-01-scunthorpe-clean.txt", []),
        ("text-05-pii-true.txt", [EMAIL, PHONE, CARD, IP]),
        ("text-06-pii-unusual.txt", [EMAIL, EMAIL, EMAIL, CARD, CARD]),
    ],
)
def test_the_handed_texts_have_their_findings(
    name: str, expected: list[PersonalDataType], shared_cases: Path
) -> None:
    assert [type_ for type_, _ in found((shared_cases / name).read_text("utf-8"))] == expected


def test_labelled_sentences_have_exactly_their_findings(shared_data: Path) -> None:
    counted: Counter[PersonalDataType] = Counter()
    for sentence in json.loads((shared_data / "pii" / "generated_small.json").read_text("utf-8")):
        labelled = [
            (NAMES_IN_THE_DATA[span["entity_type"]], span["entity_value"])
            for span in sorted(sentence["spans"], key=lambda span: span["start_position"])
            if span["entity_type"] in NAMES_IN_THE_DATA
        ]
        assert found(sentence["full_text"]) == labelled
        counted.update(type_ for type_, _ in labelled)
    assert counted == {CARD: 10, PHONE: 10, SSN: 3, EMAIL: 2, IP: 2}


def test_the_rules_depend_on_no_language_and_say_what_they_are() -> None:
    assert PersonalDataByChecksum.languages is None
    assert "phonenumbers" in PersonalDataByChecksum().identity


@given(any_text | st.text("+()-. 0123456789@abcdefDEGB:x"))
@example("(1) 2345678")
@example("DE89370400440532013000 4111111111111111 +442079460958")
def test_findings_are_in_order_within_the_text_and_do_not_overlap(text: str) -> None:
    spans = [entry.span for entry in PersonalDataByChecksum().personal_data(text, list(PersonalDataType))]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(first.end <= second.start for first, second in pairwise(spans))


@pytest.mark.parametrize("part", HOSTILE_PARTS)
def test_hostile_text_ends_in_time(part: str) -> None:
    found(PERSONAL_DATA[-1][1])
    text = part * (MAX_TEXT // len(part))
    started = time.perf_counter()
    PersonalDataByChecksum().personal_data(text, list(PersonalDataType))
    assert time.perf_counter() - started < 1
