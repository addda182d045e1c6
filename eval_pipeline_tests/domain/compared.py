"""Results and sides that are compared: valid by default, a test names only what it is about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from eval_pipeline.domain.aggregates import Summarizer
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.differences import Differences
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.paired_comparison import differences
from eval_pipeline.domain.pairing import PromptOutcome, Side
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.set_hashes import Hashes
from eval_pipeline_tests.builders import SERVED_BY, failed, response

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEWER = ServedBy(SERVED_BY.provider_instance, SERVED_BY.outbound_model, "tern-5-2026")
ELSEWHERE = ServedBy("us-east", SERVED_BY.outbound_model, SERVED_BY.reported_model)
APPLICATION = ServedBy("shop", None, None, "shop-bot", "2.1")

PASSED = PromptOutcome(1, 1, 0, 1.0)
FAILED = PromptOutcome(1, 0, 0, 0.0)
ERROR = PromptOutcome(0, 0, 1, 0.0)
SKIPPED = PromptOutcome(0, 0, 0, 0.0)
BY_WORD = {"pass": PASSED, "fail": FAILED, "error": ERROR, "skipped": SKIPPED}


def grading(status: Status, score: float | None = None, prompt_id: str = "p1", repeat: int = 0) -> Grading:
    """A grading with the usual score of its status."""
    usual = {Status.PASS: 1.0, Status.FAIL: 0.0}
    return Grading(prompt_id, repeat, status, usual.get(status) if score is None else score, "")


def result(
    *statuses: str,
    tagged: Mapping[str, Sequence[str]] | None = None,
    served_by: Sequence[ServedBy] = (SERVED_BY,),
    gate: Gate | None = None,
    partial: bool = False,
    **changes: Any,
) -> EvaluationResult:
    """A result of prompts with these statuses, or of ten that pass; an error is a call that failed.

    Args:
        statuses: Of prompts without a tag.
        tagged: Statuses of further prompts, by their tag.
        served_by: Served the answers, in turn.
        gate: Of the set.
        partial: Whether it is of a part of the set.
        changes: Fields that differ.
    """
    gate = gate or Gate()
    if not statuses and tagged is None:
        statuses = ("pass",) * 10
    prompts = [(status, ()) for status in statuses]
    prompts += [(status, (tag,)) for tag, own in (tagged or {}).items() for status in own]
    summarizer = Summarizer()
    for position, (status, tags) in enumerate(prompts):
        prompt_id = f"p{position}"
        given = response("yes", prompt_id, served_by=served_by[position % len(served_by)])
        given = failed(prompt_id=prompt_id) if status == "error" else given
        summarizer.add(grading(Status(status), prompt_id=prompt_id), given, tags)
    summary = summarizer.summary()
    fields: dict[str, Any] = {
        "id": 7,
        "run_id": 3,
        "set_id": "acme.set",
        "model_key": "tern",
        "grader": "deterministic",
        "run_date": NOON,
        "partial": partial,
        "incomplete_because": summary.incomplete_because(gate, partial=partial),
        "summary": summary,
        "yardstick": {"grader": "deterministic", "version": 1},
        "gate": gate,
        "set_hashes": Hashes("inputs", "treatment", "expectations"),
        "cost_usd": None,
    }
    return EvaluationResult(**{**fields, **changes})


def side(outcomes: Mapping[str, PromptOutcome], **changes: Any) -> Side:
    """A side with these outcomes, asked with the same inputs as every other."""
    fields = {
        "result": result(),
        "treatment": {},
        "inputs": {prompt_id: f"inputs of {prompt_id}" for prompt_id in outcomes},
        "outcomes": outcomes,
    }
    return Side(**{**fields, **changes})


def in_order(*outcomes: PromptOutcome) -> dict[str, PromptOutcome]:
    """Outcomes of the prompts p0, p1 and so on."""
    return {f"p{position}": outcome for position, outcome in enumerate(outcomes)}


def passing(passed: int, prompts: int) -> dict[str, PromptOutcome]:
    """So many prompts, of which the first ones pass."""
    return in_order(*[PASSED] * passed, *[FAILED] * (prompts - passed))


def scoring(*scores: float) -> dict[str, PromptOutcome]:
    """A prompt of each score, all of them failed."""
    return in_order(*(PromptOutcome(1, 0, 0, score) for score in scores))


def compared(
    before: Mapping[str, PromptOutcome],
    after: Mapping[str, PromptOutcome],
    gate: Gate | None = None,
    tags: Mapping[str, Sequence[str]] | None = None,
    confidence: float | None = None,
) -> Differences:
    """What tells a result with the outcomes `after` from one with the outcomes `before`."""
    return differences(side(before), side(after), gate or Gate(), tags or {}, confidence)


def as_stored(value: BaseModel) -> Any:
    """What comes back of `value` from a JSON column, which takes neither NaN nor infinities."""
    return json.loads(json.dumps(value.model_dump(mode="json"), allow_nan=False))


def numbers_in(value: object) -> Iterator[float]:
    """Every number anywhere in a JSON value."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from numbers_in(member)
    elif isinstance(value, int | float):
        yield value


@st.composite
def outcomes(draw: st.DrawFn) -> PromptOutcome:
    """Any outcome of up to four repeats of a prompt."""
    statuses = draw(st.lists(st.sampled_from(Status), min_size=1, max_size=4))
    return PromptOutcome.of(
        grading(status, draw(st.floats(0, 1)) if status is Status.FAIL else None) for status in statuses
    )


PROMPT_IDS = tuple(f"p{number}" for number in range(14))


def sides_of_prompts() -> st.SearchStrategy[dict[str, PromptOutcome]]:
    """Outcomes of any of the same few prompts."""
    return st.dictionaries(st.sampled_from(PROMPT_IDS), outcomes())
