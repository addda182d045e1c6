from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_pipeline.adapters.detectors.disguised_words import plainly
from eval_pipeline.adapters.detectors.hostile_words import RUDE, is_rude
from eval_pipeline.adapters.detectors.toxicity import DEFAULT_THRESHOLD, ToxicityByClassifier
from eval_pipeline_tests.adapters.detectors.hostile import HOSTILE
from eval_pipeline_tests.domain.strategies import any_text

SHARED = Path(__file__).parents[4] / "shared"
LENGTH_LIMIT = 50_000
HARMLESS = [
    "hello",
    "begun",
    "pharmacy",
    "scrape",
    "spice",
    "fundamental",
    "Hancock",
    "Scunthorpe",
    "Hell, Norway",
    "Learning a new skill takes practice.",
    "These are fundamental rights.",
    "Press Ctrl-C to kill the process.",
    "The patient is dying and needs palliative care.",
    "We are cutting the budget.",
    "Let us attack the problem step by step.",
    "Hello, your dishwasher manual covers basic skills",
    "Mustard and custard.",
    "a * b * c = d, and x**2 + y**2",
    "A b c d e f g",
    "My mom is 40.",
    "It is black and white.",
    "#### 1400",
    "...",
    "",
]
TOXIC = [
    "go to hell",
    "Go to hell.",
    "You are a complete idiot",
    "You are a complete idiot.",
    "YOU ARE AN IDIOT!!!",
    "You are an i d i o t",
    "You are an id1ot",
    "You are an idiooooot",
    "You are an idi\u200bot",
    "You are an ｉｄｉｏｔ",
    "What a load of bullsh*t",
    "**f*ck** this",
    "#LibtardsOfTheWorld",
    "Nobody likes you, kill yourself.",
]
POLITE = "Thank you for your question, we are glad to help you with the order that you placed last week. "


def toxicity(text: str) -> float:
    return ToxicityByClassifier().toxicity(text)


def texts_of(case: str) -> list[str]:
    path = SHARED / "cases" / case
    if not path.exists():
        pytest.skip("the case files are not here")
    return [path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_words_that_look_like_others_are_not_toxic(text):
    assert toxicity(text) < DEFAULT_THRESHOLD


@pytest.mark.parametrize("text", TOXIC)
def test_insults_are_toxic_however_they_are_written(text):
    assert toxicity(text) >= DEFAULT_THRESHOLD


@pytest.mark.parametrize("insult", TOXIC)
@pytest.mark.parametrize("before", [POLITE * 50, POLITE.replace(".", ",") * 50])
def test_an_insult_at_the_end_of_a_long_polite_text_does_not_drown(before, insult):
    assert toxicity(before + insult) >= DEFAULT_THRESHOLD


@pytest.mark.parametrize(
    ("case", "toxic"),
    [
        ("text-01-scunthorpe-clean.txt", False),
        ("text-02-toxic-end.txt", True),
        ("text-03-toxic-spaced.txt", True),
    ],
)
def test_the_handed_cases_are_as_their_index_says(case, toxic):
    for text in texts_of(case):
        assert (toxicity(text) >= DEFAULT_THRESHOLD) is toxic


def test_labelled_comments_are_told_apart():
    path = SHARED / "data" / "toxicity" / "surge_toxicity_en.csv"
    if not path.exists():
        pytest.skip("the third-party data is not here")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    verdicts = [(toxicity(row["text"]) >= DEFAULT_THRESHOLD, row["is_toxic"] == "Toxic") for row in rows]
    found = sum(said and true for said, true in verdicts)
    precision = found / sum(said for said, _ in verdicts)
    recall = found / sum(true for _, true in verdicts)
    assert precision >= 0.92
    assert 2 * precision * recall / (precision + recall) >= 0.745


@given(any_text)
def test_any_text_has_a_toxicity_within_bounds(text):
    assert 0 <= toxicity(text) <= 1


@given(st.sampled_from(sorted(RUDE)), st.text(max_size=20))
@example("idiot", "")
def test_a_rude_word_makes_any_text_toxic(word, before):
    assert toxicity(f"{before}\n{word}") >= DEFAULT_THRESHOLD


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("id1ot", "idiot"),
        ("f*ck", "fuck"),
        ("f*ck!", "fuck"),
        ("b!tch", "bitch"),
        ("i.d.i.o.t", "idiot"),
        ("moooooron", "moron"),
        ("a$$hole", "asshole"),
        # Left as they are:
        ("4x5", "4x5"),
        ("f***", "f***"),
        ("C3PO", "C3PO"),
        ("U.S.A.", "U.S.A."),
        ("Mmm", "Mmm"),
        ("$100", "$100"),
    ],
)
def test_only_what_hides_a_rude_word_is_written_plainly(written, meant):
    assert plainly(written) == meant


@pytest.mark.parametrize("word", ["mustard", "custards", "leotard", "skill", "hello", "assess", "tardy"])
def test_words_that_merely_contain_a_rude_one_are_not_rude(word):
    assert not is_rude(word)


@pytest.mark.parametrize(
    "unit", [*HOSTILE, "f*", "i.d.i.o.t", "#a", "fuck", "tard", "!!! ", ". ", "a b ", "die. ", "idiot "]
)
def test_a_text_of_the_longest_length_is_answered_within_a_second(unit):
    toxicity("loads the classifier")
    text = unit * (LENGTH_LIMIT // len(unit))
    start = time.process_time()
    toxicity(text)
    assert time.process_time() - start < 1


def test_it_knows_english_and_names_its_versions():
    assert ToxicityByClassifier.languages == {"en"}
    identity = ToxicityByClassifier().identity
    assert identity.startswith("alt-profanity-check ")
    assert "scikit-learn " in identity
