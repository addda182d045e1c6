from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from eval_pipeline.domain.assertion_results import Status, evaluated
from eval_pipeline.domain.assertions import read_assertion
from eval_pipeline_tests.builders import answered

ANSWER_LINE = "/^A: (.*)$/m"
NOT_MEASURABLE = {  # all four are recorded as wrong
    "A: -1.8 billion": "a word that multiplies",
    "A: 10+John's age": "a calculation",
    "A: 1/5": "a fraction, or a date",
    "A: 7/14": "a fraction, or a date",
}


def solutions(shared_data: Path) -> Iterator[tuple[int, str, bool]]:
    """The right number, a recorded solution, and whether it was recorded as correct."""
    with gzip.open(shared_data / "gsm8k" / "model_solutions_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            right = int(row["ground_truth"].rpartition("A: ")[2].replace(",", ""))
            for model in ("6b_finetuning", "175b_finetuning"):
                yield right, row[model]["solution"], row[model]["is_correct"]


def test_the_number_in_the_last_line_tells_right_solutions_from_wrong_ones(shared_data: Path) -> None:
    count, not_measured = 0, []
    for right, solution, is_correct in solutions(shared_data):
        assertion = read_assertion({"type": "number_equals", "value": right, "pattern": ANSWER_LINE})
        status = evaluated(assertion, answered(solution)).status
        if status is Status.ERROR:
            not_measured.append(solution.splitlines()[-1])
        assert (status is Status.PASS) == is_correct, solution
        count += 1
    assert count == 2638
    assert not_measured == list(NOT_MEASURABLE)
