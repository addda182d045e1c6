"""What projects test their own expectations with: answers are graded, no model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import Sample
from eval_pipeline.domain.errors import DefinitionError, UsageError
from eval_pipeline.domain.responses import TokenUsage
from eval_pipeline.testing import Project

SET = """\
id: acme.faq
prompts:
  - {id: hours, prompt: When are you open?, assert: [{contains: Monday}]}
  - {id: weather, prompt: Weather?, assert: [{tool_called: look}]}
"""
OWN = """\
from eval_pipeline.domain.assertions import Assertion, Outcome
class Calm(Assertion):
    kind = "calm"
    def check(self, answer):
        return Outcome("!" not in answer.text, "looked", "", "")
"""
EVALUATION = """\
from eval_pipeline.domain.evaluation import Evaluation
class Replies(Evaluation):
    id = "acme.replies"
    csv_path = "replies.csv"
    def evaluate_row(self, row, check):
        check.calm()
        check.contains(row["word"])
"""
FILES = {
    "prompts/faq.yaml": SET,
    "assertions/calm.py": OWN,
    "evaluations/replies.py": EVALUATION,
    "evaluations/replies.csv": "id,prompt,word\nq1,Hi,hello\n",
}


def project(folder: Path, files: Mapping[str, str] | None = None) -> Project:
    for name, content in {**FILES, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return Project(folder)


@pytest.mark.parametrize(
    ("set_id", "prompt_id", "answer", "status"),
    [
        ("acme.faq", "hours", "On Monday.", "pass"),
        ("acme.faq", "hours", "On Tuesday.", "fail"),
        ("acme.replies", "q1", "hello", "pass"),
        ("acme.replies", "q1", "hello!", "fail"),
        ("acme.replies", "q1", "", "error"),
        ("acme.replies", "q1", " \u200b", "error"),
    ],
)
def test_an_answer_is_graded_by_what_a_set_expects(tmp_path, set_id, prompt_id, answer, status):
    grading = project(tmp_path).grade(set_id, prompt_id, answer)
    assert (grading.status, grading.prompt_id) == (status, prompt_id)


def test_a_whole_reply_may_be_graded(tmp_path):
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    reply = Sample(tool_calls=(call,), finish_reason="tool_calls", usage=TokenUsage(5, 5))
    assert project(tmp_path).grade("acme.faq", "weather", reply).status is Status.PASS


def test_a_reply_that_was_filtered_is_an_error(tmp_path):
    grading = project(tmp_path).grade("acme.faq", "hours", Sample("Monday", finish_reason="content_filter"))
    assert grading.status is Status.ERROR


@pytest.mark.parametrize(
    ("declared", "answer", "status"),
    [
        ("calm", "Welcome", "pass"),
        ({"contains": "Monday"}, "On Monday", "pass"),
        ({"type": "contains", "value": "Monday"}, "", "fail"),
        ("valid_json", "{", "fail"),
    ],
)
def test_an_assertion_is_checked_as_a_set_file_writes_it(tmp_path, declared, answer, status):
    assert project(tmp_path).check(declared, answer).status == status


def test_a_faulty_assertion_is_refused(tmp_path):
    with pytest.raises(DefinitionError, match="unknown assertion kind 'clam'; did you mean 'calm'"):
        project(tmp_path).check("clam", "x")


def test_a_set_or_a_prompt_that_is_not_there_is_told_with_what_may_be_meant(tmp_path):
    tested = project(tmp_path)
    with pytest.raises(UsageError, match=r"did you mean 'acme\.faq'"):
        tested.grade("acme.fag", "hours", "x")
    with pytest.raises(UsageError, match=r"set acme\.faq has no prompt 'hour'; did you mean 'hours'"):
        tested.grade("acme.faq", "hour", "x")


def test_a_faulty_set_is_refused_when_it_is_asked_for(tmp_path):
    tested = project(tmp_path, {"prompts/bad.yaml": "id: acme.bad\nowners: x\n"})
    with pytest.raises(DefinitionError, match="unknown key 'owners'"):
        tested.grade("acme.bad", "x", "x")
    assert tested.grade("acme.faq", "hours", "Monday").status is Status.PASS


def test_a_faulty_models_file_is_refused(tmp_path):
    with pytest.raises(DefinitionError, match=r"models\.yaml:1: unknown key"):
        project(tmp_path, {"models.yaml": "modles: {}\n"})
