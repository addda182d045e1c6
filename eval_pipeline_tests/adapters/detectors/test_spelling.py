from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from eval_pipeline.adapters.detectors.spelling import SpellingByLists
from eval_pipeline.domain.assertions.language import MAX_TEXT
from eval_pipeline.domain.detectors import Spelling
from eval_pipeline_tests.adapters.detectors.hostile import HOSTILE
from eval_pipeline_tests.domain.strategies import any_text

BRITISH, AMERICAN = Spelling.BRITISH, Spelling.AMERICAN
TELL_NOTHING = [
    "size",
    "prize",
    "wise",
    "exercise",
    "advertise",
    "surprise",
    "fall",
    "tire",
    "program",
    "capsize",
    "otherwise",
    "noise",
    "advise",
    "promise",
    "rise",
    "improvise",
    "televise",
    "revise",
    "supervise",
    "compromise",
    "enterprise",
    "franchise",
    "merchandise",
    "disguise",
    "devise",
    "despise",
    "comprise",
    "demise",
    "premise",
    "precise",
    "concise",
    "seize",
    "maize",
    "resize",
    "meter",
    "curb",
    "license",
    "practice",
    "check",
    "draft",
    "story",
    "connection",
    "filter",
    "jail",
    "wagon",
    "disk",
    "gram",
    "yogurt",
    "fetus",
    "medieval",
    "judgment",
]


def foreign(text: str, wanted: Spelling, *, oxford: bool = False) -> list[str]:
    found = SpellingByLists().foreign_spellings(text, wanted, oxford=oxford)
    return [text[fault.span.start : fault.span.end] for fault in found]


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> list[tuple[str, str]]:
    folder = shared_data / "spelling"
    british = json.loads((folder / "british_spellings.json").read_text())
    american = json.loads((folder / "american_spellings.json").read_text())
    return sorted({*british.items(), *((word, other) for other, word in american.items())})


def test_nine_of_ten_pairs_are_told_apart_in_british(pairs: list[tuple[str, str]]) -> None:
    told = [foreign(american, BRITISH) and not foreign(british, BRITISH) for british, american in pairs]
    assert sum(map(bool, told)) >= 0.9 * len(pairs)


def test_nine_of_ten_pairs_are_told_apart_in_american(pairs: list[tuple[str, str]]) -> None:
    told = [foreign(british, AMERICAN) and not foreign(american, AMERICAN) for british, american in pairs]
    assert sum(map(bool, told)) >= 0.92 * len(pairs)


@pytest.mark.parametrize("word", TELL_NOTHING)
def test_words_of_both_conventions_are_never_foreign(word: str) -> None:
    for wanted in Spelling:
        assert foreign(word, wanted) == []


@pytest.mark.parametrize(
    "text",
    [
        "The size of the prize may capsize us.",
        "The parking meter is broken.",
        "They agreed to license a tune.",
        "Prices fall, so curb the costs.",
        "A wise exercise; otherwise no surprise, noise, advice or promise will rise.",
    ],
)
def test_ordinary_sentences_are_right_in_both(text: str) -> None:
    assert foreign(text, BRITISH) == foreign(text, AMERICAN) == []


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("colour", "color"),
        ("centre", "center"),
        ("analyse", "analyze"),
        ("organise", "organize"),
        ("organisation", "organization"),
        ("travelled", "traveled"),
        ("defence", "defense"),
        ("tokenised", "tokenized"),
        ("parallelisation", "parallelization"),
        ("jewellery", "jewelry"),
        ("grey", "gray"),
    ],
)
def test_a_word_is_right_in_one_convention_only(british: str, american: str) -> None:
    assert foreign(f"It is {british}.", BRITISH) == foreign(f"It is {american}.", AMERICAN) == []
    assert foreign(f"It is {british}.", AMERICAN) == [british]
    assert foreign(f"It is {american}.", BRITISH) == [american]


def test_oxford_allows_ize_but_not_yze_nor_other_american_words() -> None:
    text = "organize organise realization analyze analyse color colour"
    assert foreign(text, BRITISH, oxford=True) == ["analyze", "color"]
    assert foreign(text, BRITISH) == ["organize", "realization", "analyze", "color"]


def test_the_british_case_is_right_in_british_and_wrong_in_two_words_in_american(shared_cases: Path) -> None:
    text = (shared_cases / "text-07-british-ok.txt").read_text()
    assert foreign(text, BRITISH) == []
    assert foreign(text, AMERICAN) == ["colour", "organisation"]


@pytest.mark.parametrize(
    "text",
    [
        "We met at Pearl Harbor.",
        "Color Inc. sells paint.",
        "The Labor Department said so.",
        "Set `color: red` or `text-center`.",
        "```css\nbody { color: gray; }\n```",
        "See https://example.org/color/center.",
        'Send {"color": 1} or my_color, x.color, @color, #color, color(1).',
    ],
)
def test_names_and_code_are_not_looked_at(text: str) -> None:
    assert foreign(text, BRITISH) == []


@pytest.mark.parametrize(
    "text", ["Color is nice.", "- Color: red", "multi-color", "The 'color'.", "COLOR IS NICE", "color's"]
)
def test_words_at_the_beginning_in_quotes_and_in_compounds_are_looked_at(text: str) -> None:
    assert [word.lower() for word in foreign(text, BRITISH)] == ["color"]


def test_a_finding_has_its_place_and_the_other_spelling() -> None:
    (fault,) = SpellingByLists().foreign_spellings("😀 My colour.", AMERICAN, oxford=False)
    assert (fault.span.start, fault.span.end, fault.suggestion) == (5, 11, "color")


@given(any_text)
@settings(deadline=None)  # the first example loads it
def test_any_text_is_examined(text: str) -> None:
    for wanted in Spelling:
        foreign(text, wanted)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_is_examined_in_time(unit: str) -> None:
    foreign((unit * MAX_TEXT)[:MAX_TEXT], BRITISH)


def test_the_identity_names_library_and_version() -> None:
    assert SpellingByLists().identity.startswith("breame 0.")
