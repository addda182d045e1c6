"""How many assertions one core evaluates in a second: five of text, size and structure over answers of 1 KB.

Everything that grading does is in the time: each answer is new, and each result is made. The yardstick is what
nobody can do without: bringing the answer into Unicode form NFC and reading it as JSON once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from statistics import median
from unicodedata import normalize

from eval_pipeline.domain.assertions import read_assertion
from eval_pipeline.domain.golden_sets import GoldenPrompt
from eval_pipeline.domain.grading import DeterministicGrader
from eval_pipeline.domain.responses import ModelResponse, Reply, ServedBy

BOUND = 50_000
ANSWERS = 4_000
ROUNDS = 9
MIX = (
    {"contains": "delivery"},
    {"regex": r"/\border (number )?\d+\b/i"},
    {"length_between": {"min": 10, "max": 5_000}},
    {"word_count_between": {"min": 10, "max": 400}},
    "valid_json",
)


def main() -> None:
    """Print the medians of some rounds, and their ratio to the yardstick."""
    prompt = GoldenPrompt(id="p", prompt="?", assertions=[read_assertion(declared) for declared in MIX])
    responses = [_response(number) for number in range(ANSWERS)]
    grader = DeterministicGrader()
    assert grader.grade(prompt, responses[0]).status == "pass"
    seconds = _median_seconds(lambda response: grader.grade(prompt, response), responses)
    yardstick = _median_seconds(lambda response: json.loads(normalize("NFC", response.text)), responses)
    rate = ANSWERS * len(MIX) / seconds
    print(
        json.dumps(
            {
                "assertions_per_second": round(rate),
                "bound": BOUND,
                "microseconds_each": round(1e6 / rate, 2),
                "ratio_to_reading_once": round(seconds / yardstick, 2),
            }
        )
    )


def _median_seconds(work: Callable[[ModelResponse], object], responses: Sequence[ModelResponse]) -> float:
    taken = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for response in responses:
            work(response)
        taken.append(time.process_time() - started)
    return median(taken)


def _response(number: int) -> ModelResponse:
    sentence = f"Thank you for order number {number}; its delivery is on the way and takes two days. "
    answer = json.dumps({"answer": (sentence * 20)[:1_000], "number": number})
    return ModelResponse(f"p{number}", 0, "", ServedBy(), reply=Reply(answer, finish_reason="stop"))


if __name__ == "__main__":
    main()
