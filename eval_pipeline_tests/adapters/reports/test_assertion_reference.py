"""The reference of assertion kinds: complete, true, and not stale."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import ClassVar

import pytest

from eval_pipeline.adapters.detectors.installed import InstalledDetectors
from eval_pipeline.adapters.reports.assertion_reference import assertion_reference, kind_reference
from eval_pipeline.domain.assertion_results import Status, evaluated
from eval_pipeline.domain.assertions import (
    ASSERTION_KINDS,
    Answer,
    Assertion,
    Example,
    Outcome,
    Sample,
    read_assertion,
)

PAGE = Path(__file__).parents[3] / "docs" / "assertions.md"
DETECTORS = InstalledDetectors()
kinds = pytest.mark.parametrize("kind", ASSERTION_KINDS.values(), ids=lambda kind: kind.kind)


def answer(shown: str | Sample) -> Answer:
    sample = Sample(shown) if isinstance(shown, str) else shown
    return Answer(sample.response(), DETECTORS)


def test_the_page_is_what_the_kinds_say_now() -> None:
    written = PAGE.read_text("utf-8")
    assert written == assertion_reference(ASSERTION_KINDS), (
        "run: eval-pipeline assertions reference > docs/assertions.md"
    )


@kinds
def test_every_kind_has_a_rule_and_every_parameter_a_meaning(kind: type[Assertion]) -> None:
    assert inspect.cleandoc(kind.__doc__ or "").endswith((".", ")"))
    assert all(field.description for field in kind.model_fields.values())


@kinds
def test_the_example_passes_and_fails_as_it_says(kind: type[Assertion]) -> None:
    assert kind.example is not None
    assertion = read_assertion(kind.example.declared)
    assert type(assertion) is kind
    passes, fails = (
        evaluated(assertion, answer(shown)) for shown in (kind.example.passes, kind.example.fails)
    )
    assert passes.status is Status.PASS, passes.message
    assert fails.status is Status.FAIL, fails.message


@kinds
def test_an_assertion_comes_back_from_its_definition(kind: type[Assertion]) -> None:
    assert kind.example is not None
    assertion = read_assertion(kind.example.declared)
    assert read_assertion(assertion.definition()) == assertion
    assert all(isinstance(key, str) for key in assertion.definition())


NEGATIONS = [
    (plain, negated)
    for name, negated in ASSERTION_KINDS.items()
    if (plain := ASSERTION_KINDS.get(name.removeprefix("not_"))) is not None and plain is not negated
]


@pytest.mark.parametrize(("plain", "negated"), NEGATIONS, ids=lambda kind: kind.kind)
@pytest.mark.parametrize("of", [Assertion.__name__, "example"])
def test_a_negation_is_the_opposite_for_every_answer(
    plain: type[Assertion], negated: type[Assertion], of: str
) -> None:
    assert plain.example is not None
    declared = plain.example.declared
    parameters = read_assertion(declared).definition() | {"type": negated.kind}
    texts = ["", "0", "plain", "{}", "<a/>", "I can't help with that.", "x" * 300, "Ünï \u0301 \ud800"]
    answers = [answer(text) for text in texts] if of == "Assertion" else []
    answers += [answer(plain.example.passes), answer(plain.example.fails)]
    for each in answers:
        one, other = (evaluated(read_assertion(written), each).status for written in (declared, parameters))
        assert {one, other} in ({Status.PASS, Status.FAIL}, {Status.ERROR})


class Loud(Assertion):
    """The answer has an exclamation mark."""

    kind: ClassVar[str] = "loud"
    example: ClassVar[Example] = Example("loud", passes="Yes!\n`ok`", fails="Yes.")

    def check(self, answer: Answer) -> Outcome:
        return Outcome("!" in answer.text, "", "", "")


def test_kinds_of_a_project_stand_at_the_end() -> None:
    page = assertion_reference({**ASSERTION_KINDS, "loud": Loud})
    assert page.startswith(assertion_reference(ASSERTION_KINDS))
    assert "## Kinds of this project\n\n### `loud`\n\nThe answer has an exclamation mark.\n" in page


def test_answers_of_several_lines_and_with_backticks_are_shown_in_one_line() -> None:
    assert "- passes: `` Yes!⏎`ok` ``\n" in kind_reference(Loud)
