from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given

from eval_pipeline.domain.assertions import NotRegex, Regex
from eval_pipeline.domain.assertions.pcre import MAX_SUBJECT
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text


def holds(assertion: Regex, answer: str) -> bool:
    return assertion.check(answered(answer)).passed


def test_a_pattern_with_accents_matches_either_form_of_them() -> None:
    composed, decomposed = "café", "cafe\u0301"
    for pattern in (composed, decomposed):
        assert all(holds(Regex(pattern=f"^{pattern}$"), answer) for answer in (composed, decomposed))


@pytest.mark.parametrize(
    "parameters",
    [
        {"value": "/a/", "pattern": "a"},
        {"value": "/a/", "flags": "i"},
        {"flags": "i"},
        {"value": "a"},
        {"value": "/a"},
        {"value": "//"},
        {"value": "/(/"},
        {"value": "/a/z"},
        {"pattern": ""},
        {"pattern": "["},
        {"pattern": "a", "flags": "g"},
        {"pattern": "\bthe\b"},
    ],
)
@pytest.mark.parametrize("kind", [Regex, NotRegex])
def test_a_regex_that_cannot_be_meant_is_refused(kind: type[Regex], parameters: dict[str, str]) -> None:
    with pytest.raises(DefinitionError, match=f"assertion {kind.kind}"):
        kind(**parameters)


def test_a_bare_pattern_means_the_same_as_a_delimited_one() -> None:
    assert holds(Regex("#^/A/b$#i"), "/a/B")
    assert holds(Regex(pattern="^/A/b$", flags="i"), "/a/B")
    assert not holds(Regex(pattern="^/A/b$"), "/a/B")


def test_a_pattern_without_groups_matches_anywhere() -> None:
    assert holds(Regex(r"/\d+/"), "The answer is 42")
    assert not holds(Regex(r"/\d+/"), "The answer is unknown")


@given(any_text)
@example("\ud83d")
def test_any_answer_gets_a_verdict_and_the_negation_the_opposite(answer: str) -> None:
    assert holds(Regex("/yes/iu"), answer) != holds(NotRegex("/yes/iu"), answer)


def test_a_pattern_is_matched_against_answers_up_to_the_bound() -> None:
    assert holds(Regex("/b$/"), "a" * (MAX_SUBJECT - 1) + "b")
    with pytest.raises(NotMeasurable, match="too long"):
        holds(Regex("/b$/"), "a" * MAX_SUBJECT + "b")


@pytest.mark.parametrize(
    ("pattern", "passed"), [("/^ok$/", True), ("/^ok$/D", False), (r"/^ok\z/", False), (r"/^ok\Z/", True)]
)
def test_a_dollar_ignores_a_final_line_end_as_it_does_in_php(
    pattern: str, passed: bool, shared_cases: Path
) -> None:
    assert (
        holds(Regex(pattern), (shared_cases / "text-21-trailing-newline.txt").read_bytes().decode()) == passed
    )


@pytest.mark.timeout(5)
@pytest.mark.parametrize("kind", [Regex, NotRegex])
def test_a_pattern_that_would_run_for_ever_is_not_measurable(kind: type[Regex], shared_cases: Path) -> None:
    with pytest.raises(NotMeasurable, match="given up"):
        holds(kind("/^(a|aa)+$/"), (shared_cases / "text-22-redos.txt").read_text())
