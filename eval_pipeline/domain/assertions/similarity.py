"""Assertions on how alike the answer and a reference text are, by a named measure.

Both texts may have up to 30,000 characters: the time grows with the product of their lengths.
Not here: what is meant alike rather than written alike, which is for a judge.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Negated, Outcome
from eval_pipeline.domain.assertions.needles import IGNORE_CASE, Needle, answer_compared, compared
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.text import excerpt
from eval_pipeline.domain.words import divides_words, words

MAX_COMPARED = 30_000
"""The longest text, in characters, that is compared."""
_ROUNDING = 1e-9

Measure = Literal["levenshtein", "jaro_winkler", "rouge_l"]


class Similar(Assertion):
    """The answer is like `value`: by the measure `similarity`, at least as much as `threshold`.

    Every measure is between 0, nothing in common, and 1, the same. White space at both ends of either text is
    ignored.

    `levenshtein`: 1 less the share of characters that must be inserted, deleted or replaced to make one text
    into the other, of the length of the longer one.

    `jaro_winkler`: the Jaro similarity of the characters; where it is over 0.7, it is raised by a tenth of
    what is missing to 1 for each of the first four characters that are the same. Meant for names.

    `rouge_l`: ROUGE-L, twice the number of words in the longest common subsequence over the number of words in
    both texts, with words as in `word_count_between`.
    """

    kind: ClassVar[str] = "similar"
    example: ClassVar[Example] = Example(
        {"type": "similar", "value": "The cat sat on the mat.", "similarity": "rouge_l", "threshold": 0.8},
        passes="The black cat sat on the mat.",
        fails="A dog lay on the sofa.",
    )
    value: Needle = Field(description="The reference text.", max_length=MAX_COMPARED)
    similarity: Measure = Field(description="The name of the measure.")
    threshold: float = Field(ge=0, le=1, description="The least similarity that passes, from 0 to 1.")
    ignore_case: bool = Field(default=False, description=IGNORE_CASE)

    @model_validator(mode="after")
    def _has_words(self) -> Similar:
        if self.similarity == "rouge_l" and not (words(self.value) and divides_words(self.value)):
            raise ValueError("rouge_l compares words, and value has none that can be told apart")
        return self

    def check(self, answer: Answer) -> Outcome:
        answer.text_up_to(MAX_COMPARED)
        text = answer_compared(answer, ignore_case=self.ignore_case).strip()
        score = _score(compared(self.value, ignore_case=self.ignore_case).strip(), text, self.similarity)
        passed = score >= self.threshold - _ROUNDING
        message = f"{self.similarity} {score:.3f}, {'at least' if passed else 'less than'} {self.threshold:g}"
        return Outcome(passed, message, excerpt(self.value), excerpt(answer.text))

    @property
    def subject(self) -> str:
        return f"{self.similarity} {self.threshold:g} {excerpt(self.value, 40)!r}"


class NotSimilar(Negated, Similar):
    """The answer is not like `value`: by the measure `similarity`, as in `similar`, less than `threshold`."""

    kind: ClassVar[str] = "not_similar"
    example: ClassVar[Example] = Example(
        {
            "type": "not_similar",
            "value": "I cannot help with that.",
            "similarity": "levenshtein",
            "threshold": 0.9,
        },
        passes="It opens at nine.",
        fails="I can not help with that.",
    )


KINDS: tuple[type[Assertion], ...] = (Similar, NotSimilar)


def _score(reference: str, text: str, measure: Measure) -> float:
    from rapidfuzz.distance import JaroWinkler, LCSseq, Levenshtein

    match measure:
        case "levenshtein":
            return Levenshtein.normalized_similarity(reference, text)
        case "jaro_winkler":
            return JaroWinkler.similarity(reference, text)
        case "rouge_l":
            if not divides_words(text):
                raise NotMeasurable("the answer is in a script that does not divide its words")
            expected, found = words(reference), words(text)
            return 2 * LCSseq.similarity(expected, found) / (len(expected) + len(found))
