from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given

from eval_pipeline.adapters.detectors.sentiment import DEFAULT_THRESHOLD, SentimentByVader
from eval_pipeline_tests.adapters.detectors.hostile import HOSTILE
from eval_pipeline_tests.domain.strategies import any_text

REVIEWS = Path(__file__).parents[4] / "shared" / "data" / "sentiment" / "amazon_cells_labelled.txt"
LENGTH_LIMIT = 50_000


def sentiment(text: str) -> float:
    return SentimentByVader().sentiment(text)


@pytest.mark.parametrize(
    "text",
    [
        "Great!",
        "I like it.",
        "No problem",
        "No problem, happy to help!",
        "Not bad at all!",
        "I couldn't be happier.",
        "We could not have asked for more.",
        "You can't go wrong.",
        "I hope this helps!",
        "I wish you all the best.",
        "Sorry about that! I'd be happy to help you.",
        "It’s great.",
    ],
)
def test_praise_and_kindness_are_positive(text):
    assert sentiment(text) >= DEFAULT_THRESHOLD


@pytest.mark.parametrize(
    "text",
    [
        "not good",
        "It is not good.",
        "This isn't good.",
        "This isn’t good.",
        "Don't waste your money.",
        "I expected better.",
        "I was hoping for a good one.",
        "I wish it were good.",
        "It creaks like an old floor.",
        "A pretty useless answer.",
        "Sorry, we cannot help you.",
        "The material is flimsy.",
    ],
)
def test_blame_in_any_turn_of_phrase_is_not_positive(text):
    assert sentiment(text) < DEFAULT_THRESHOLD


@pytest.mark.parametrize("text", ["", "Water boils at 100 degrees.", "{}", "12,5 %"])
def test_what_has_no_sentiment_is_neutral(text):
    assert sentiment(text) == 0


def test_a_kind_word_at_the_end_does_not_make_a_long_report_positive():
    assert 0 < sentiment("The meeting is on Monday. " * 40 + "Great!") < DEFAULT_THRESHOLD


def test_a_text_is_the_mean_of_its_sentences():
    praise, blame = "This is great.", "This is terrible."
    expected = (2 * sentiment(praise) + sentiment(blame)) / 3
    assert sentiment(f"{praise} {praise}\n{blame}") == pytest.approx(expected)


def test_labelled_reviews_are_told_apart():
    if not REVIEWS.exists():
        pytest.skip("the third-party data is not here")
    reviews = [line.rsplit("\t", 1) for line in REVIEWS.read_text(encoding="utf-8").split("\n") if line]
    right = sum((sentiment(text) >= DEFAULT_THRESHOLD) == (label == "1") for text, label in reviews)
    assert right / len(reviews) >= 0.88


@given(any_text)
def test_any_text_has_a_sentiment_within_bounds(text):
    assert -1 <= sentiment(text) <= 1


@pytest.mark.parametrize(
    "unit", [*HOSTILE, "good ", "great. ", "I like ", "I wish ", "couldn't be ", ":) ", "😀 "]
)
def test_a_text_of_the_longest_length_is_answered_within_a_second(unit):
    sentiment("loads the lexicon")
    text = unit * (LENGTH_LIMIT // len(unit))
    start = time.process_time()
    sentiment(text)
    assert time.process_time() - start < 1


def test_it_knows_english_and_names_its_version():
    assert SentimentByVader.languages == {"en"}
    assert SentimentByVader().identity.startswith("vaderSentiment ")
