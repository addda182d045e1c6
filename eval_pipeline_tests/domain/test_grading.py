from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import Assertion, Contains, Outcome
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.grading import DeterministicGrader, Grading
from eval_pipeline.domain.responses import ModelResponse, Reply
from eval_pipeline_tests.builders import failed, prompt, response


class Scripted(Assertion):
    kind = "scripted"
    value: Any

    def check(self, response: ModelResponse) -> Outcome:
        if isinstance(self.value, Exception):
            raise self.value
        return (
            Outcome(self.value, "found", "expected", "actual") if isinstance(self.value, bool) else self.value
        )


class Judged(Scripted):
    kind = "judged"
    judged = True


def graded(*assertions: Assertion, answer: ModelResponse | None = None, **own: Any) -> Grading:
    return DeterministicGrader().grade(prompt(assertions=assertions, **own), answer or response("yes"))


weights = st.floats(0, 1_000_000)
verdicts = st.lists(st.tuples(st.booleans(), weights), min_size=1).filter(
    lambda each: sum(w for _, w in each) > 0
)


@given(verdicts)
def test_a_prompt_passes_exactly_when_every_assertion_holds(given_verdicts: list[tuple[bool, float]]) -> None:
    grading = graded(*(Scripted(passed, weight=weight) for passed, weight in given_verdicts))
    assert grading.status is (Status.PASS if all(passed for passed, _ in given_verdicts) else Status.FAIL)


@given(verdicts)
def test_the_score_is_the_weighted_share_of_what_holds(given_verdicts: list[tuple[bool, float]]) -> None:
    grading = graded(*(Scripted(passed, weight=weight) for passed, weight in given_verdicts))
    held = sum(weight for passed, weight in given_verdicts if passed)
    assert 0 <= grading.score <= 1
    assert grading.score == pytest.approx(held / sum(weight for _, weight in given_verdicts))


def test_an_assertion_without_weight_still_decides() -> None:
    grading = graded(Scripted(False, weight=0), Scripted(True))
    assert (grading.status, grading.score) == (Status.FAIL, 1.0)


@pytest.mark.parametrize(
    "fault",
    [
        NotMeasurable("too long"),
        ValueError("boom"),
        RecursionError("deep"),
        KeyError("name"),
        OSError("gone"),
    ],
)
def test_an_assertion_that_cannot_be_evaluated_makes_an_error_and_leaves_the_others_their_verdicts(
    fault: Exception,
) -> None:
    grading = graded(Scripted(True), Scripted(fault), Scripted(False))
    assert (grading.status, grading.score) == (Status.ERROR, None)
    assert [result.status for result in grading.assertions] == [Status.PASS, Status.ERROR, Status.FAIL]
    assert str(fault) in grading.reason


@pytest.mark.parametrize("returned", [None, 1, "pass", ("pass", "reason")])
def test_an_assertion_that_returns_no_outcome_is_an_error_and_never_a_pass(returned: object) -> None:
    grading = graded(Scripted(returned), Scripted(True))
    assert (grading.status, grading.score) == (Status.ERROR, None)
    assert [result.status for result in grading.assertions] == [Status.ERROR, Status.PASS]


@pytest.mark.parametrize(
    "nothing",
    [
        failed("HTTP 500 from eu"),
        response(reply=Reply("", finish_reason="length")),
        response(reply=Reply(None, reasoning="Hm.")),
        response(reply=Reply("yes", finish_reason="content_filter")),
    ],
)
@pytest.mark.parametrize("verdict", [True, False])
def test_without_an_answer_nothing_passes_and_nothing_fails(nothing: ModelResponse, verdict: bool) -> None:
    grading = graded(Scripted(verdict), answer=nothing)
    assert (grading.status, grading.score, grading.assertions) == (Status.ERROR, None, ())
    assert grading.reason == nothing.unusable


@pytest.mark.parametrize("text", ["0", "None", "false"])
def test_an_answer_that_looks_like_nothing_is_graded(text: str) -> None:
    assert graded(Contains(text), answer=response(text)).status is Status.PASS


@pytest.mark.parametrize("text", [None, "", " "])
def test_an_assertion_about_text_is_an_error_on_an_answer_of_tool_calls_alone(text: str | None) -> None:
    called = response(reply=Reply(text, tool_calls=({"function": {"name": "lookup"}},)))
    assert graded(Contains("yes"), answer=called).status is Status.ERROR


@pytest.mark.parametrize("expected", [{"assertions": [Judged(True)]}, {"assertions": [], "reference": "yes"}])
@pytest.mark.parametrize("answer", [response("yes"), failed()])
def test_a_prompt_with_nothing_for_this_grader_is_skipped(
    expected: dict[str, Any], answer: ModelResponse
) -> None:
    grading = DeterministicGrader().grade(prompt(**expected), answer)
    assert (grading.status, grading.score) == (Status.SKIPPED, None)


def test_judged_assertions_take_no_part() -> None:
    grading = graded(Scripted(True), Judged(False))
    assert (grading.status, grading.score, len(grading.assertions)) == (Status.PASS, 1.0, 1)


def test_the_reason_of_a_fail_names_what_did_not_hold() -> None:
    reason = graded(Contains("yes"), Contains("Oslo"), Contains("Bergen")).reason
    assert "'Oslo' not found" in reason
    assert "'Bergen' not found" in reason
    assert "'yes'" not in reason


def test_a_grading_belongs_to_its_response() -> None:
    grading = graded(Scripted(True), answer=response("yes", "p9", repeat=2))
    assert (grading.prompt_id, grading.repeat) == ("p9", 2)
