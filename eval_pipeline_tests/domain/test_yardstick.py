from __future__ import annotations

from typing import Any

import pytest

from eval_pipeline.domain.assertions import Assertion, Contains, Outcome
from eval_pipeline.domain.golden_sets import Gate, GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader, Grader
from eval_pipeline.domain.responses import ModelResponse
from eval_pipeline.domain.yardstick import shares_one_yardstick, yardstick_of
from eval_pipeline_tests.builders import golden_set, prompt
from eval_pipeline_tests.domain.compared import ELSEWHERE, result


class Polite(Assertion):
    kind = "polite"
    version = 3

    def check(self, response: ModelResponse) -> Outcome:
        raise NotImplementedError


class Kind(Polite):
    kind = "kind"
    judged = True


class NewerGrader(DeterministicGrader):
    version = DeterministicGrader.version + 1


class OtherGrader(DeterministicGrader):
    name = "strict"


def of(grades: Grader | None = None, **changes: Any) -> dict[str, Any]:
    return dict(yardstick_of(grades or DeterministicGrader(), golden_set(prompt(**changes))))


def test_a_yardstick_names_the_grader_what_is_expected_and_every_kind_with_its_version() -> None:
    golden = golden_set(prompt("a", assertions=[Polite(), Contains("x"), Kind()]), prompt("b"))
    assert yardstick_of(DeterministicGrader(), golden) == {
        "grader": "deterministic",
        "version": DeterministicGrader.version,
        "expectations": golden.hashes.expectations,
        "assertions": {"contains": Contains.version, "polite": 3},
    }


def test_a_kind_whose_meaning_changes_affects_only_the_sets_that_use_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    polite, plain = of(assertions=[Polite()]), of()
    monkeypatch.setattr(Polite, "version", 4)
    assert of(assertions=[Polite()]) != polite
    assert of() == plain


@pytest.mark.parametrize("grades", [NewerGrader(), OtherGrader()])
def test_another_grader_or_version_of_it_is_another_yardstick(grades: Grader) -> None:
    assert of(grades) != of()


@pytest.mark.parametrize(
    "own", [{"assertions": [Contains("no")]}, {"assertions": [Contains("yes", weight=2)]}, {"reference": "x"}]
)
def test_other_expectations_are_another_yardstick(own: dict[str, Any]) -> None:
    assert of(**own) != of()


@pytest.mark.parametrize(
    "other",
    [
        golden_set(prompt(must_pass=True)),
        golden_set(prompt(tags=["ci"])),
        golden_set(gate=Gate(min_pass_rate=1)),
        golden_set(system_prompt="Be kind."),
        golden_set(name="Answers"),
    ],
)
def test_what_changes_no_grading_is_the_same_yardstick(other: GoldenPromptSet) -> None:
    assert yardstick_of(DeterministicGrader(), other) == of()


def test_results_by_one_yardstick_share_it_whatever_models_they_are_of() -> None:
    one, other = result(yardstick=of()), result(yardstick=of(), served_by=[ELSEWHERE], model_key="other")
    assert shares_one_yardstick(one, other)
    assert shares_one_yardstick(one, other, one)


def test_a_single_result_by_another_yardstick_is_enough_to_share_none() -> None:
    same, another = result(yardstick=of()), result(yardstick=of(reference="x"))
    assert not shares_one_yardstick(same, same, another)
    assert not shares_one_yardstick(another, same, same)


def test_a_result_without_a_yardstick_shares_none_not_even_with_itself() -> None:
    without = result(yardstick={})
    assert not shares_one_yardstick(without)
    assert not shares_one_yardstick(without, without)
    assert not shares_one_yardstick(result(yardstick=of()), without)
