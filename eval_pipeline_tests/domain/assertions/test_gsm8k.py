from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from eval_pipeline.domain.assertion_results import Status, evaluated
from eval_pipeline.domain.assertions import read_assertion
from eval_pipeline_tests.builders import answered

ANSWER_LINE = "/^A: (.*)$/m"
NOT_MEASURABLE = {"A: -1.8 billion": "billion is a word, which may or may not multiply"}


def solutions(shared_data: Path) -> Iterator[tuple[float, str, bool]]:
    """The right number, a recorded solution, and whether it was recorded as correct."""
    with gzip.open(shared_data / "gsm8k" / "model_solutions_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            right = row["ground_truth"].rpartition("A: ")[2].replace(",", "")
            for model in ("6b_finetuning", "175b_finetuning"):
                yield float(right), row[model]["solution"], row[model]["is_correct"]


def test_the_number_in_the_last_line_tells_right_solutions_from_wrong_ones(shared_data: Path) -> None:
    count, errors = 0, []
    for right, solution, is_correct in solutions(shared_data):
        assertion = read_assertion({"type": "number_equals", "value": right, "pattern": ANSWER_LINE})
        status = evaluated(assertion, answered(solution)).status
        count += 1
        if status is Status.ERROR:
            errors.append(solution.splitlines()[-1])
            assert not is_correct
        else:
            assert (status is Status.PASS) == is_correct, solution
    assert count == 2638
    assert errors == NOT_MEASURABLE
