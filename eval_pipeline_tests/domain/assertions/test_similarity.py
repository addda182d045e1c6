from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertions.similarity import MAX_COMPARED, NotSimilar, Similar
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.words import divides_words, words
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text, storable_text

MEASURES = ["levenshtein", "jaro_winkler", "rouge_l"]
measures = st.sampled_from(MEASURES)


def holds(answer: str, value: str, similarity: str, threshold: float, **parameters: Any) -> bool:
    assertion = Similar(value, similarity=similarity, threshold=threshold, **parameters)
    return assertion.check(answered(answer)).passed


@pytest.mark.parametrize(
    ("similarity", "value", "answer", "score"),
    [
        ("levenshtein", "kitten", "sitting", 4 / 7),
        ("levenshtein", "abcde", "abcdX", 0.8),
        ("levenshtein", "ab cd", "ab cd\n", 1.0),
        ("jaro_winkler", "MARTHA", "MARHTA", 0.961111),
        ("jaro_winkler", "DIXON", "DICKSONX", 0.813333),
        ("jaro_winkler", "ABC", "XYZ", 0.0),
        ("rouge_l", "police killed the gunman", "police kill the gunman", 0.75),
        ("rouge_l", "police killed the gunman", "the gunman kill police", 0.5),
        ("rouge_l", "one, two, three!", "one two three", 1.0),
        ("rouge_l", "the cat sat", "the cat sat on the mat", 2 * 3 / 9),
        ("rouge_l", "今天天气很好", "今天很好。", 2 * 4 / 10),
        ("rouge_l", "yes", "!!!", 0.0),
    ],
)
def test_a_text_passes_up_to_exactly_its_similarity(
    similarity: str, value: str, answer: str, score: float
) -> None:
    assert holds(answer, value, similarity, max(0.0, score - 1e-6))
    assert not holds(answer, value, similarity, score + 1e-5) if score < 1 else True


@given(st.integers(1, 40), st.integers(0, 40))
def test_a_similarity_of_exactly_the_threshold_passes(length: int, changed: int) -> None:
    changed = min(changed, length)
    answer = "b" * changed + "a" * (length - changed)
    assert holds(answer, "a" * length, "levenshtein", (length - changed) / length)


@given(storable_text.filter(lambda written: bool(words(written)) and divides_words(written)), measures)
def test_a_text_is_wholly_like_itself(text: str, similarity: str) -> None:
    assert holds(text, text, similarity, 1)


@given(any_text, measures, st.floats(0, 1))
def test_any_answer_gets_a_verdict_and_the_negation_the_opposite(
    answer: str, similarity: str, threshold: float
) -> None:
    parameters = {"similarity": similarity, "threshold": threshold}
    try:
        passed = Similar("It is so.", **parameters).check(answered(answer)).passed
    except NotMeasurable:
        with pytest.raises(NotMeasurable):
            NotSimilar("It is so.", **parameters).check(answered(answer))
    else:
        assert NotSimilar("It is so.", **parameters).check(answered(answer)).passed != passed


@given(any_text)
def test_a_threshold_of_nothing_is_met_by_every_answer_with_words_told_apart(answer: str) -> None:
    assert holds(answer, "yes", "levenshtein", 0)


@pytest.mark.parametrize("similarity", MEASURES)
def test_case_is_ignored_only_when_asked(similarity: str) -> None:
    assert holds("DIE STRASSE", "die Straße", similarity, 1, ignore_case=True)
    assert not holds("DIE STRASSE", "die Straße", similarity, 0.9)


@pytest.mark.parametrize("similarity", MEASURES)
def test_forms_of_accents_are_the_same(similarity: str) -> None:
    assert holds("cafe\u0301 noir", "café noir", similarity, 1)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"value": ""}, "empty"),
        ({"value": "a" * (MAX_COMPARED + 1)}, "at most 30000 characters"),
        ({"threshold": 1.01}, "threshold"),
        ({"threshold": -0.1}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"threshold": "0.5"}, "threshold"),
        ({"threshold": True}, "threshold"),
        ({"similarity": "cosine"}, "'levenshtein', 'jaro_winkler' or 'rouge_l'"),
        ({"similarity": None}, "similarity"),
        ({"value": "!?", "similarity": "rouge_l"}, "compares words"),
        ({"value": "สวัสดี", "similarity": "rouge_l"}, "compares words"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason):
        Similar(**{"value": "yes", "similarity": "levenshtein", "threshold": 0.5, **changes})


@pytest.mark.parametrize("missing", ["similarity", "threshold", "value"])
def test_measure_and_threshold_are_never_guessed(missing: str) -> None:
    parameters = {"value": "yes", "similarity": "levenshtein", "threshold": 0.5}
    del parameters[missing]
    with pytest.raises(DefinitionError, match=f"'{missing}' is missing"):
        Similar(**parameters)


def test_the_reason_says_how_alike_they_are() -> None:
    outcome = Similar("abcde", similarity="levenshtein", threshold=0.9).check(answered("abcdX"))
    assert outcome.message == "levenshtein 0.800, less than 0.9"


@pytest.mark.parametrize("similarity", MEASURES)
def test_an_answer_that_is_too_long_is_not_measurable(similarity: str) -> None:
    with pytest.raises(NotMeasurable, match="too long"):
        holds("a" * (MAX_COMPARED + 1), "a", similarity, 0.5)


@pytest.mark.parametrize("similarity", MEASURES)
def test_long_texts_are_compared_within_a_second(similarity: str) -> None:
    value = "".join(chr(0x4E00 + index * 7919 % 20_000) for index in range(MAX_COMPARED))
    assertion = Similar(value, similarity=similarity, threshold=0.5)
    started = time.process_time()
    assertion.check(answered(value[::-1]))
    assert time.process_time() - started < 1
