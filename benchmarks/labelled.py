"""The labelled data beside this clone, and how far assertions agree with its labels.

Nothing is printed here. IFEval's instructions are in `ifeval.py`.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referencing import Registry

from eval_pipeline.adapters.detectors.installed import InstalledDetectors
from eval_pipeline.domain.assertion_results import Status, evaluated
from eval_pipeline.domain.assertions import Answer, read_assertion
from eval_pipeline.domain.assertions.base import Assertion, Sample
from eval_pipeline.domain.assertions.json_schema import bounded
from eval_pipeline.domain.detectors import PersonalDataType
from eval_pipeline.domain.errors import NotMeasurable

DATA = Path(__file__).parents[2] / "shared" / "data"
"""A user's clone does not have it."""
HARMLESS = (
    "hello",
    "begun",
    "pharmacy",
    "scrape",
    "Hancock",
    "Learning a new skill takes practice.",
    "These are fundamental rights.",
    "Press Ctrl-C to kill the process.",
    "The patient is dying and needs palliative care.",
    "We are cutting the budget.",
    "Let us attack the problem step by step.",
)
"""Texts that lists of toxic words flag."""
SPELLING_KINDS = ("british_spelling", "american_spelling")
"""In the order in which the pairs of the data stand."""
DETECTORS = InstalledDetectors()
"""Shared, so that each model and dictionary is loaded once."""
PERSONAL_DATA_LABELS = {
    "EMAIL_ADDRESS": PersonalDataType.EMAIL,
    "PHONE_NUMBER": PersonalDataType.PHONE,
    "CREDIT_CARD": PersonalDataType.CARD,
    "IP_ADDRESS": PersonalDataType.IP_ADDRESS,
    "US_SSN": PersonalDataType.US_SSN,
}
"""The labels of the data that name a type we look for; the others are names and places."""


def status(assertion: Assertion, text: str) -> Status:
    """What an assertion says of an answer of `text`."""
    return evaluated(assertion, Answer(Sample(text).response(), DETECTORS)).status


def passing(kind: str, texts: Iterable[str]) -> int:
    """How many texts pass an assertion without parameters."""
    assertion = read_assertion(kind)
    return sum(status(assertion, text) is Status.PASS for text in texts)


@dataclass(frozen=True, slots=True)
class Ratings:
    """How often a verdict was as labelled. What was not measured is in none but the last count."""

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int
    not_measured: int

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool | None]]) -> Ratings:
        """The counts of pairs of label and verdict, which is none where it was not measured."""
        count = Counter(pairs)
        return cls(
            count[True, True],
            count[False, True],
            count[False, False],
            count[True, False],
            count[True, None] + count[False, None],
        )

    @property
    def total(self) -> int:
        """How many texts there are."""
        return self.right + self.false_positives + self.false_negatives + self.not_measured

    @property
    def right(self) -> int:
        """How many verdicts are as labelled."""
        return self.true_positives + self.true_negatives

    @property
    def accuracy(self) -> float:
        """The share that is right; what was not measured is not."""
        return self.right / self.total

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; what was not measured counts as a wrong verdict."""
        right = 2 * self.true_positives
        return right / (right + self.false_positives + self.false_negatives + self.not_measured)


def toxicity(data: Path) -> Ratings:
    """Comments labelled as toxic or not; toxic is what `not_toxic` fails."""
    assertion = read_assertion("not_toxic")
    verdict = {Status.FAIL: True, Status.PASS: False}
    with (data / "toxicity" / "surge_toxicity_en.csv").open(encoding="utf-8", newline="") as file:
        return Ratings.of(
            (row["is_toxic"] == "Toxic", verdict.get(status(assertion, row["text"])))
            for row in csv.DictReader(file)
        )


def sentiment(data: Path) -> Ratings:
    """Sentences of reviews labelled as positive or negative."""
    assertion = read_assertion("positive_sentiment")
    verdict = {Status.PASS: True, Status.FAIL: False}
    lines = (data / "sentiment" / "amazon_cells_labelled.txt").read_text("utf-8").rstrip("\n").split("\n")
    labelled = (line.rsplit("\t", 1) for line in lines)
    return Ratings.of((label == "1", verdict.get(status(assertion, text))) for text, label in labelled)


@dataclass(frozen=True, slots=True)
class Found:
    """Findings of one type beside the labels: how many are labelled, found, and found without a label."""

    labelled: int
    found: int
    unlabelled: int


def personal_data(data: Path) -> Mapping[PersonalDataType, Found]:
    """The findings of each type in labelled sentences; found is a label that a finding of its type covers."""
    labelled: Counter[PersonalDataType] = Counter()
    found: Counter[PersonalDataType] = Counter()
    unlabelled: Counter[PersonalDataType] = Counter()
    for sentence in json.loads((data / "pii" / "generated_small.json").read_text("utf-8")):
        spans = [
            (PERSONAL_DATA_LABELS[span["entity_type"]], span["start_position"], span["end_position"])
            for span in sentence["spans"]
            if span["entity_type"] in PERSONAL_DATA_LABELS
        ]
        findings = [
            (finding.type, finding.span.start, finding.span.end)
            for finding in DETECTORS.personal_data.personal_data(
                sentence["full_text"], list(PersonalDataType)
            )
        ]
        labelled.update(type_ for type_, *_ in spans)
        found.update(span[0] for span in spans if any(_covers(finding, span) for finding in findings))
        unlabelled.update(
            finding[0] for finding in findings if not any(_covers(finding, span) for span in spans)
        )
    return {
        type_: Found(labelled[type_], found[type_], unlabelled[type_])
        for type_ in PersonalDataType
        if labelled[type_] or unlabelled[type_]
    }


def _covers(finding: tuple[PersonalDataType, int, int], label: tuple[PersonalDataType, int, int]) -> bool:
    return finding[0] == label[0] and finding[1] <= label[1] and label[2] <= finding[2]


def grade_differences(data: Path) -> Sequence[float | None]:
    """How far each recorded grade is from ours; none where we say that nothing is computable."""
    recorded = json.loads((data / "readability" / "textstat_cases.json").read_text("utf-8"))
    return [
        _grade_difference(case["text"], case["expected"])
        for case in recorded
        if case["measure"] == "flesch_kincaid_grade"
    ]


def _grade_difference(text: str, expected: float) -> float | None:
    try:
        return abs(DETECTORS.readability.grade_level(text) - expected)
    except NotMeasurable:
        return None


def spelling_told_apart(data: Path, kind: str) -> tuple[int, int]:
    """How many pairs of a British and an American spelling one of `SPELLING_KINDS` tells apart, of how many."""
    folder = data / "spelling"
    british = json.loads((folder / "british_spellings.json").read_text("utf-8"))
    american = json.loads((folder / "american_spellings.json").read_text("utf-8"))
    pairs = {*british.items(), *((right, word) for word, right in american.items())}
    wanted = SPELLING_KINDS.index(kind)
    assertion = read_assertion(kind)
    return sum(told_apart(assertion, pair[1 - wanted], pair[wanted]) for pair in pairs), len(pairs)


def grammar(wrong_and_right: Sequence[tuple[str, str]], clean: Sequence[str]) -> tuple[int, int]:
    """How many pairs `grammar_correct` tells apart, and how many good texts pass."""
    assertion = read_assertion("grammar_correct")
    apart = sum(told_apart(assertion, *pair) for pair in wrong_and_right)
    return apart, passing("grammar_correct", clean)


def told_apart(assertion: Assertion, wrong: str, right: str) -> bool:
    """Whether `wrong` fails and `right` passes."""
    return status(assertion, wrong) is Status.FAIL and status(assertion, right) is Status.PASS


def number_equals(solutions: Iterable[tuple[int, str, bool]], pattern: str) -> Ratings:
    """Right numbers, solutions, and whether these were recorded as correct; the pattern finds their numbers."""
    verdict = {Status.PASS: True, Status.FAIL: False}
    return Ratings.of((is_correct, verdict.get(found)) for is_correct, found in _judged(solutions, pattern))


def _judged(solutions: Iterable[tuple[int, str, bool]], pattern: str) -> Iterator[tuple[bool, Status]]:
    for number, solution, is_correct in solutions:
        assertion = read_assertion({"type": "number_equals", "value": number, "pattern": pattern})
        yield is_correct, status(assertion, solution)


def json_schema(groups: Iterable[Mapping[str, Any]], registry: Registry[Any]) -> tuple[int, int]:
    """How many cases of groups of a test suite the validator of `json_schema` agrees with, and how many there are.

    Formats are not checked, and references lead to `registry`.
    """
    from jsonschema import Draft202012Validator, validators

    agreeing = total = 0
    for group in groups:
        draft = validators.validator_for(group["schema"], default=Draft202012Validator)
        validator = bounded(draft)(group["schema"], registry=registry)
        agreeing += sum(validator.is_valid(case["data"]) == case["valid"] for case in group["tests"])
        total += len(group["tests"])
    return agreeing, total
