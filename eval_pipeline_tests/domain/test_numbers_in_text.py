from __future__ import annotations

import contextlib
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.numbers_in_text import number_in
from eval_pipeline_tests.domain.strategies import any_text


def value_of(text: str, **rules: str) -> Fraction | None:
    number = number_in(text, **rules)
    return None if number is None else number.value


def exactly(digits: str | None) -> Fraction | None:
    return None if digits is None else Fraction(digits)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42", "42"),
        ("The answer is 42.", "42"),
        ("42 is the answer, so: **42**.", "42"),
        ("5 = 5.0", "5"),
        ("1,234,567 or 1 234 567", "1234567"),
        ("2,000,000", "2000000"),
        ("10 000", "10000"),
        ("10\u00a0000", "10000"),
        ("10\u202f000", "10000"),
        ("1'000'000.5", "1000000.5"),
        ("1\u2019000", "1000"),
        ("1,234.56", "1234.56"),
        ("0.5", "0.5"),
        (".5", "0.5"),
        ("$.50", "0.5"),
        ("05", "5"),
        ("-0", "0"),
        ("5.", "5"),
        ("5, or so", "5"),
        ("(5)", "5"),
        ("'5'", "5"),
        ("_5_", "5"),
        ("x=5", "5"),
        (r"\boxed{42}", "42"),
        ("答案是42。", "42"),
        ("-42", "-42"),
        ("\u221242", "-42"),
        ("+42", "42"),
        ("=-42", "-42"),
        ("$1,200", "1200"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("\u2212€ 5", "-5"),
        ("US$5", "5"),
        ("5 €", "5"),
        ("5€", "5"),
        ("5km", "5"),
        ("5 m", "5"),
        ("a 5-year plan", "5"),
        ("the plan \u2014 5 years", "5"),
        ("1e3", "1000"),
        ("1.5E-3", "0.0015"),
        ("2e\u22122", "0.02"),
        ("12%", "12"),
        ("12 percent", "12"),
        ("five", None),
        ("", None),
    ],
)
def test_a_number_is_read(text: str, number: str | None) -> None:
    assert value_of(text) == exactly(number)


@pytest.mark.parametrize(
    "text",
    [
        "42 and 43",
        "1. The answer is 42.",
        "12% of 12",
        "1,23",
        "7,5",
        "1.234,56",
        "1,234,5",
        "1,0000",
        "0,123",
        "1,234 567",
        "1.2.3",
        "192.168.0.1",
        "12 34",
        "...5",
        "x.5",
        "yes,5",
        "1/2",
        "5 1/2",
        "7/14",
        "2024-05-06",
        "06.05.2024",
        "10:30",
        "3-5",
        "3 \u2013 5",
        "3\u20135",
        "5 + 5",
        "5 * 5",
        "3\u00d73",
        "5 - 5",
        "10^3",
        "2**2",
        r"\frac{1}{2}",
        "5\u00b2",
        "5+",
        "\u00b15",
        "5 million",
        "5-million",
        "5 Mrd",
        "5k",
        "5M",
        "5万",
        "3rd",
        "10pm",
        "3D",
        "0x1F",
        "1h30",
        "1e35x",
        "GPT-4",
        "COVID-19",
        "GPT4",
        "USD5",
        "x_5",
        "a)-5",
        "- 5",
        "Total \u2013 5",
        "--5",
        "-$-5",
        "5\u2030",
        "5\u00bd",
        "\u00bd",
        "\u0665",
        "\uff15",
        "1e999",
        "1e99999999999999999999",
        "9" * 401,
        "1\n" * 1001,
    ],
)
def test_what_could_be_several_numbers_is_not_guessed(text: str) -> None:
    with pytest.raises(NotMeasurable):
        number_in(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234,56", "1234.56"),
        ("1,5", "1.5"),
        ("1.234", "1234"),
        ("1 234,5", "1234.5"),
        (",5", "0.5"),
        ("-7,5 %", "-7.5"),
    ],
)
def test_a_decimal_comma_is_read_where_declared(text: str, number: str) -> None:
    assert value_of(text, decimal=",") == exactly(number)


@pytest.mark.parametrize("text", ["1.5", "1,234,567", "1,234.5", ".5"])
def test_a_decimal_point_is_not_guessed_where_a_comma_is_declared(text: str) -> None:
    with pytest.raises(NotMeasurable):
        number_in(text, decimal=",")


def test_a_percent_sign_makes_a_hundredth_only_where_declared() -> None:
    assert value_of("12%") == 12
    assert value_of("12 per cent", percent="as_fraction") == exactly("0.12")
    assert value_of("12% (0.12)", percent="as_fraction") == exactly("0.12")
    assert value_of("0.12", percent="as_fraction") == exactly("0.12")


@pytest.mark.parametrize(
    ("text", "said"), [("42 and 43", "42 and 43"), ("7,5", "'7,5'"), ("GPT-4", "'GPT-4'")]
)
def test_the_reason_shows_what_was_found(text: str, said: str) -> None:
    with pytest.raises(NotMeasurable, match=said):
        number_in(text)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_any_decimal_number_is_read_however_its_thousands_are_divided(number: Decimal) -> None:
    assert value_of(f"It is {number:f}.") == Fraction(number)
    assert value_of(f"It is {number:,f}.") == Fraction(number)
    continental = f"{number:,f}".translate(str.maketrans(",.", "\u00a0,"))
    assert value_of(f"It is {continental}.", decimal=",") == Fraction(number)


@given(any_text | st.text(st.sampled_from("0123456789.,'+-−$€%/:^ eEkx½²")))
@example("5\u0301")
def test_any_text_is_read_or_not_measurable(text: str) -> None:
    for rules in ({}, {"decimal": ","}, {"percent": "as_fraction"}):
        with contextlib.suppress(NotMeasurable):
            number = number_in(text, **rules)
            assert (number is None) is not any(char in "0123456789" for char in text)


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "part", ["1 ", "1\n", "1,", ".1", "1e1", " ", "-", "$", "a", "\u0301", "9", "1-", "( "]
)
def test_a_long_text_is_done_in_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    for hostile in (text, text + "5", "5" + text):
        with contextlib.suppress(NotMeasurable):
            number_in(hostile)
