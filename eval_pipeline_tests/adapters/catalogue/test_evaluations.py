"""Evaluations as classes in a project: found, filled from their CSV files, and known by their code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.application.grade import grade
from eval_pipeline.application.ports import ResultStore
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.evaluation import Evaluation
from eval_pipeline.domain.golden_sets import Gate, GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.grading import DeterministicGrader, Grading
from eval_pipeline.domain.rendering import render
from eval_pipeline.domain.yardstick import yardstick_of
from eval_pipeline_tests.builders import response
from eval_pipeline_tests.fakes import FakeClock, InMemoryResultStore
from eval_pipeline_tests.stored import NOON, finished_run, plan

PYTHON = "evaluations/replies.py"
ROWS = "evaluations/replies.csv"
CSV = "id,prompt,must_contain\nparcel,Where is my parcel?,sorry\nhello,Hello?,welcome\n"
HEAD = """\
from abc import abstractmethod
from eval_pipeline.domain.evaluation import Evaluation
from eval_pipeline.domain.golden_sets import Gate
"""
CLASS = """
class Replies(Evaluation):
    id = "acme.replies"
    csv_path = "replies.csv"
    {attributes}

    {prepare}

    def evaluate_row(self, row, check):
        {body}
"""


def python(
    body: str = "check.contains(row['must_contain'])",
    attributes: str = "",
    prepare: str = "",
    before: str = "",
) -> str:
    """A file with an evaluation class."""
    return HEAD + before + CLASS.format(attributes=attributes, prepare=prepare, body=body)


def project(folder: Path, files: Mapping[str, str] | None = None) -> Catalogue:
    """The catalogue of a project with one evaluation and these files besides, or in its place."""
    for name, content in {PYTHON: python(), ROWS: CSV, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return Catalogue.load(folder, {})


def evaluation_set(folder: Path, files: Mapping[str, str] | None = None) -> GoldenPromptSet:
    return project(folder, files).golden_prompt_set("acme.replies")


def faults(folder: Path, files: Mapping[str, str]) -> Sequence[Fault]:
    """What is wrong with a project of these files."""
    declared = project(folder, files)
    assert "acme.replies" not in declared.sets
    assert declared.faults
    return declared.faults


def prompts(golden_set: GoldenPromptSet) -> dict[str, GoldenPrompt]:
    return {prompt.id: prompt for prompt in golden_set.prompts}


def graded(golden_set: GoldenPromptSet, prompt_id: str, answer: str) -> Grading:
    return DeterministicGrader().grade(prompts(golden_set)[prompt_id], response(answer, prompt_id))


def sent(golden_set: GoldenPromptSet, prompt_id: str) -> str:
    return render(golden_set, prompts(golden_set)[prompt_id])[-1].content


# What an evaluation is


def test_an_evaluation_is_a_golden_set_whose_prompts_are_rows(tmp_path):
    declared = project(tmp_path)
    golden_set = declared.golden_prompt_set("acme.replies")
    assert declared.faults == ()
    assert declared.sets["acme.replies"].source == str(tmp_path / PYTHON)
    assert not declared.sets["acme.replies"].example
    assert list(prompts(golden_set)) == ["parcel", "hello"]
    assert sent(golden_set, "parcel") == "Where is my parcel?"
    assert [graded(golden_set, "parcel", text).status for text in ("sorry!", "no")] == [
        Status.PASS,
        Status.FAIL,
    ]


def test_a_class_says_what_any_set_says(tmp_path):
    attributes = (
        "name = 'Replies'; description = 'Ours.'; owner = 'team'; models = ['tern', 'heron'];"
        " system_prompt = 'Be brief.'; parameters = {'temperature': 0}; gate = Gate(min_pass_rate=0.9)"
    )
    golden_set = evaluation_set(tmp_path, {PYTHON: python(attributes=attributes)})
    assert (golden_set.name, golden_set.description, golden_set.owner) == ("Replies", "Ours.", "team")
    assert (golden_set.models, golden_set.parameters) == (("tern", "heron"), {"temperature": 0})
    assert golden_set.gate == Gate(min_pass_rate=0.9)
    assert render(golden_set, golden_set.prompts[0])[0].content == "Be brief."


def test_columns_of_ours_are_id_reference_tags_and_must_pass(tmp_path):
    rows = 'id,prompt,must_contain,reference,tags,must_pass\nq,Hi,x,Hello,"a, b",TRUE\nr,Ho,x,,,\n'
    first, second = evaluation_set(tmp_path, {ROWS: rows}).prompts
    assert (first.reference, first.tags, first.must_pass) == ("Hello", ("a", "b"), True)
    assert (second.reference, second.tags, second.must_pass) == (None, (), False)


def test_a_prompt_column_is_asked_unless_the_class_prepares_the_prompt(tmp_path):
    rows = "id,prompt,question,must_contain\nq,not this,this,x\n"
    files = {PYTHON: python(attributes="prompt_column = 'question'"), ROWS: rows}
    assert sent(evaluation_set(tmp_path, files), "q") == "this"
    prepare = "def prepare_prompt(self, row): return f\"{row['prompt']}\\n\\n{row[self.prompt_column]}\""
    files[PYTHON] = python(attributes="prompt_column = 'question'", prepare=prepare)
    assert sent(evaluation_set(tmp_path, files), "q") == "not this\n\nthis"


@pytest.mark.parametrize("text", ["{{name}}", "{{prompt}}", "{{ x", "}} {{must_contain}}", "{% if %}"])
def test_braces_in_a_row_are_no_placeholders(tmp_path, text):
    assert sent(evaluation_set(tmp_path, {ROWS: f"id,prompt,must_contain\nq,{text},x\n"}), "q") == text


def test_a_system_prompt_may_hold_no_placeholder_of_a_row(tmp_path):
    (fault, *_) = faults(tmp_path, {PYTHON: python(attributes="system_prompt = 'For {{must_contain}}'")})
    assert "no variable of that name" in fault.reason


def test_another_delimiter_is_declared(tmp_path):
    files = {PYTHON: python(attributes="delimiter = ';'"), ROWS: "id;prompt;must_contain\nq;a, b;2,5\n"}
    golden_set = evaluation_set(tmp_path, files)
    assert sent(golden_set, "q") == "a, b"
    assert graded(golden_set, "q", "2,5").status is Status.PASS


def test_a_csv_file_may_stand_in_another_folder(tmp_path):
    files = {PYTHON: python().replace('"replies.csv"', '"../data/rows.csv"'), "data/rows.csv": CSV}
    assert len(evaluation_set(tmp_path, files).prompts) == 2


def test_abstract_bases_and_several_classes_may_stand_in_one_file(tmp_path):
    before = """
class Base(Evaluation):
    csv_path = "replies.csv"
    @abstractmethod
    def word(self): ...
    def evaluate_row(self, row, check):
        check.contains(self.word())

class Sorry(Base):
    id = "acme.sorry"
    def word(self): return "sorry"

class Louder(Sorry):
    id = "acme.louder"
    def word(self): return super().word().upper()
"""
    declared = project(tmp_path, {PYTHON: python(before=before)})
    assert declared.faults == ()
    assert declared.sets.keys() == {"acme.replies", "acme.sorry", "acme.louder", "eval_pipeline.smoke"}
    louder = declared.golden_prompt_set("acme.louder")
    assert [graded(louder, "hello", text).status for text in ("sorry", "SORRY")] == [Status.FAIL, Status.PASS]


def test_a_file_whose_name_begins_with_an_underscore_is_no_declaration(tmp_path):
    assert project(tmp_path, {"evaluations/_helpers.py": "raise ValueError"}).faults == ()


def test_every_row_is_served_by_a_fresh_instance(tmp_path):
    body = "self.seen = [*getattr(self, 'seen', []), row['id']]; row['id'] = 'x'; check.record('n', passed=len(self.seen) == 1)"
    prepare = "def prepare_prompt(self, row):\n        assert not hasattr(self, 'seen'); self.seen = 1; row['must_contain'] = ''; return row['prompt']"
    golden_set = evaluation_set(tmp_path, {PYTHON: python(body, prepare=prepare)})
    for _ in range(2):
        assert [graded(golden_set, prompt.id, "x").status for prompt in golden_set.prompts] == [
            Status.PASS
        ] * 2
    assert prompts(golden_set)["hello"].evaluation.row["must_contain"] == "welcome"


# Faults


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ("gate = {'min_pass_rate': 0.9}", "gate"),
        ("parameters = None", "parameters"),
        ("delimiter = 5", "delimiter"),
        ("delimiter = ''", "a delimiter is one character"),
        ("prompt_column = 5", "prompt_column"),
        ("csv_path = None", "has no 'csv_path', which is a text"),
        ("csv_path = 'nowhere.csv'", "cannot be read"),
        ("csv_path = ''", "cannot be read"),
        ("id = None", "has no 'id', which is a text"),
        ("id = 'Acme Replies'", "is not lowercase segments"),
        ("name = 5", "'name' is a text"),
        ("models = 'tern'", "'models' is a list"),
        ("parameters = {'model': 'x'}", "model"),
        ("system_prompt = ' '", "'system_prompt' is empty"),
        ("__init__ = None", "prepare_prompt raised TypeError"),
    ],
)
def test_a_faulty_attribute_is_a_fault_of_its_class_and_blocks_nothing_else(tmp_path, attributes, reason):
    other = {"prompts/acme.other.csv": "id,prompt,reference\nq,Hi,x\n"}
    declared = project(tmp_path, {PYTHON: python(attributes=attributes), **other})
    assert declared.sets.keys() == {"acme.other", "eval_pipeline.smoke"}
    assert reason in str(DefinitionError(declared.faults))
    assert all(
        Path(fault.source or "").parent == tmp_path / "evaluations" or not fault.line
        for fault in declared.faults
    )


def test_a_csv_file_that_is_missing_is_told_with_the_set(tmp_path):
    (fault,) = faults(tmp_path, {PYTHON: python(attributes="csv_path = 'rows.csv'")})
    assert (fault.source, fault.set_id) == (str(tmp_path / "evaluations" / "rows.csv"), "acme.replies")
    assert "cannot be read: No such file" in fault.reason


def test_a_prompt_column_that_is_missing_is_told_with_those_that_there_are(tmp_path):
    (fault,) = faults(tmp_path, {ROWS: "id,promt,must_contain\nq,Hi,x\n"})
    assert (fault.source, fault.line, fault.set_id) == (str(tmp_path / ROWS), 1, "acme.replies")
    assert (
        "the column 'prompt' is missing; found 'id', 'promt', 'must_contain'; did you mean 'promt'?"
        in fault.reason
    )


@pytest.mark.parametrize("column", ["ID", "Id ", "Tags", "Must_Pass", "Reference"])
def test_a_column_of_ours_in_other_letters_is_refused_for_its_meaning_would_be_lost(tmp_path, column):
    (fault,) = faults(tmp_path, {ROWS: f"prompt,must_contain,{column}\nHi,x,true\n"})
    assert "looks like" in fault.reason


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        ("return None", "gave no text: None"),
        ("return ''", "gave no text: ''"),
        ("return '  \\u200b'", "gave no text"),
        ("return 5", "gave no text: 5"),
        ("return row['nowhere']", "needs the column 'nowhere'; there are: id, prompt, must_contain"),
        ("raise ValueError('no luck')", "prepare_prompt raised ValueError: no luck"),
        ("raise SystemExit(3)", "prepare_prompt raised SystemExit: 3"),
        ("return self.prepare_prompt(row)", "prepare_prompt raised RecursionError"),
        ("return 'a\\0b'", "U+0000"),
        ("return 'a\\ud800b'", "lone surrogate"),
    ],
)
def test_a_prompt_that_cannot_be_prepared_is_a_fault_of_every_row(tmp_path, prepare, reason):
    found = faults(tmp_path, {PYTHON: python(prepare=f"def prepare_prompt(self, row): {prepare}")})
    assert [(fault.source, fault.line, fault.prompt_id) for fault in found] == [
        (str(tmp_path / ROWS), 2, "parcel"),
        (str(tmp_path / ROWS), 3, "hello"),
    ]
    assert all(reason in fault.reason for fault in found)


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        ("id,prompt\nq,Hi\nr,Ho\nq,Hu\n", 4, "the id 'q' is given twice, in the lines 2 and 4"),
        (
            "prompt,x\nHi,1\nHi,2\nHi,1\n",
            4,
            "the row is there twice, in the lines 2 and 4; give the rows ids",
        ),
        ("id,prompt\n,Hi\n", 2, "the id '' of a prompt is empty"),
        ("id,prompt\n' q',Hi\n\" q\",Hi\n", 3, "has blanks around it"),
        ("id,prompt,must_pass\nq,Hi,yes\n", 2, "'must_pass' holds true or false, found 'yes'"),
        ("id,prompt\nq, \n", 2, "prepare_prompt gave no text"),
        ("id,prompt\nq,Hi,extra\n", 2, "3 cells where there are 2 columns"),
        ("id,prompt\n", 1, "no rows"),
    ],
)
def test_a_faulty_row_is_told_with_file_and_line(tmp_path, rows, line, reason):
    (fault,) = faults(tmp_path, {ROWS: rows})
    assert (fault.source, fault.line, fault.set_id) == (str(tmp_path / ROWS), line, "acme.replies")
    assert reason in fault.reason


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("x = 1\nclass (:\n", 2, "SyntaxError"),
        ("x = 1\ny = x / 0\n", 2, "ZeroDivisionError"),
        ("raise SystemExit(0)\n", 1, "SystemExit"),
        ("import nowhere_to_be_found\n", 1, "nowhere_to_be_found"),
        ("x = 1\n", None, "has no class over Evaluation with a method evaluate_row"),
        (HEAD, None, "has no class over Evaluation"),
        (HEAD + "class A(Evaluation):\n    id = 'acme.replies'\n", None, "has no class over Evaluation"),
    ],
)
def test_python_without_an_evaluation_is_a_fault_of_its_file_and_line(tmp_path, content, line, reason):
    (fault,) = faults(tmp_path, {PYTHON: content})
    assert (fault.source, fault.line) == (str(tmp_path / PYTHON), line)
    assert reason in fault.reason


def test_two_classes_of_one_identifier_are_refused(tmp_path):
    (fault,) = faults(tmp_path, {"evaluations/again.py": python()})
    assert "declared twice" in fault.reason
    assert all(name in fault.reason for name in ("replies.py", "again.py"))


# What tells evaluations apart


@pytest.mark.parametrize(
    "edited",
    [
        pytest.param(python("check.contains('x')"), id="what is checked"),
        pytest.param(python(before="\nLIMIT = 3\n"), id="a helper beside the class"),
        pytest.param(python() + "\n# a comment\n", id="a comment"),
        pytest.param(
            python()
            .replace("(Evaluation)", "(Base)")
            .replace("\nclass", "\nclass Base(Evaluation):\n    y = 1\n\nclass", 1),
            id="a base",
        ),
    ],
)
def test_edited_code_is_another_expectation_and_no_other_question(tmp_path, edited):
    before = evaluation_set(tmp_path).hashes
    after = evaluation_set(tmp_path, {PYTHON: edited}).hashes
    assert (after.inputs, after.treatment) == (before.inputs, before.treatment)
    assert after.expectations != before.expectations


def test_code_in_another_file_of_the_project_is_not_seen(tmp_path):
    before = evaluation_set(tmp_path, {"evaluations/_other.py": "x = 1"}).hashes
    assert evaluation_set(tmp_path, {"evaluations/_other.py": "x = 2"}).hashes == before


@pytest.mark.parametrize("base", ["Evaluation", ""], ids=["an evaluation", "a plain class"])
def test_the_code_of_a_base_in_another_file_is_seen(tmp_path, monkeypatch, base):
    monkeypatch.syspath_prepend(tmp_path / "library")
    library = "from eval_pipeline.domain.evaluation import Evaluation\nclass Shared({}):\n    word = '{}'\n"
    child = python("check.contains(self.word)", before="from acme_shared_checks import Shared\n")
    child = child.replace("(Evaluation)", "(Shared, Evaluation)" if not base else "(Shared)")
    hashes = []
    for word in ("sorry", "alas, alas"):
        monkeypatch.delitem(sys.modules, "acme_shared_checks", raising=False)
        files = {PYTHON: child, "library/acme_shared_checks.py": library.format(base, word)}
        hashes.append(evaluation_set(tmp_path, files).hashes.expectations)
    monkeypatch.delitem(sys.modules, "acme_shared_checks", raising=False)
    assert hashes[0] != hashes[1]


def test_a_cell_that_changes_no_prompt_changes_what_is_expected_alone(tmp_path):
    before = evaluation_set(tmp_path).hashes
    after = evaluation_set(tmp_path, {ROWS: CSV.replace("sorry", "regret")}).hashes
    assert (after.inputs, after.treatment) == (before.inputs, before.treatment)
    assert after.expectations != before.expectations


def test_a_cell_that_changes_the_prompt_changes_what_is_asked(tmp_path):
    before = evaluation_set(tmp_path).hashes
    assert evaluation_set(tmp_path, {ROWS: CSV.replace("parcel?", "box?")}).hashes.inputs != before.inputs


def test_the_order_of_rows_and_columns_changes_nothing(tmp_path):
    first, second = (
        evaluation_set(tmp_path),
        evaluation_set(
            tmp_path,
            {ROWS: "must_contain,id,prompt\nwelcome,hello,Hello?\nsorry,parcel,Where is my parcel?\n"},
        ),
    )
    assert second.hashes == first.hashes
    assert second.content_hash == first.content_hash


def test_without_ids_a_row_is_known_by_its_content(tmp_path):
    rows = "prompt,must_contain\nHi,a\nHo,b\n"
    before = list(prompts(evaluation_set(tmp_path, {ROWS: rows})))
    after = list(prompts(evaluation_set(tmp_path, {ROWS: "must_contain,prompt\nc,Hu\nb,Ho\na,Hi\n"})))
    assert before == after[:0:-1]
    assert all(prompt_id.startswith("row-") for prompt_id in before)


def test_an_edit_within_the_same_second_is_executed_and_not_what_was_compiled_before(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    project(tmp_path)
    statuses = []
    for word in ("sorry", "alas!", "sorry"):
        (tmp_path / PYTHON).write_text(python(f"check.contains('{word}')"))
        os.utime(tmp_path / PYTHON, (1_700_000_000, 1_700_000_000))
        golden_set = Catalogue.load(tmp_path, {}).golden_prompt_set("acme.replies")
        statuses.append(graded(golden_set, "parcel", "sorry").status)
    assert statuses == [Status.PASS, Status.FAIL, Status.PASS]


# Through a store


@pytest.fixture(params=["memory", "postgres"])
def store(request: pytest.FixtureRequest) -> ResultStore:
    if request.param == "memory":
        return InMemoryResultStore()
    engine = request.getfixturevalue("shared_engine")
    return PostgresResultStore(engine, request.getfixturevalue("project_slug"))


@pytest.fixture
def project_slug(project_number: Callable[[], int]) -> str:
    return f"evaluations-{project_number()}"


@pytest.fixture(scope="module")
def project_number() -> Callable[[], int]:
    from itertools import count

    return count(1).__next__


def gradings(store: ResultStore, grading_id: int) -> list[Grading]:
    return [grading for batch in store.gradings(grading_id) for grading in batch]


def test_rows_are_kept_with_the_snapshot_and_read_back(store: ResultStore, tmp_path: Path) -> None:
    golden_set = evaluation_set(tmp_path)
    store.save_snapshot(golden_set, NOON)
    assert store.row_data("acme.replies", golden_set.content_hash) == {
        "parcel": {"id": "parcel", "prompt": "Where is my parcel?", "must_contain": "sorry"},
        "hello": {"id": "hello", "prompt": "Hello?", "must_contain": "welcome"},
    }
    assert store.row_data("acme.replies", "another") == {}


def test_an_edited_class_grades_stored_answers_anew_and_asks_nothing(
    store: ResultStore, tmp_path: Path
) -> None:
    grader = DeterministicGrader()
    before = evaluation_set(tmp_path)
    store.save_snapshot(before, NOON)
    answers = [response("sorry", "parcel"), response("hello", "hello")]
    run = finished_run(store, answers, plan(before))
    first = grade(run, before, grader, store, FakeClock())
    after = evaluation_set(tmp_path, {PYTHON: python("check.contains('hello', message='greets')")})
    again = grade(run, after, grader, store, FakeClock())
    assert [grading.status for grading in gradings(store, first.id)] == [Status.PASS, Status.FAIL]
    assert [grading.status for grading in gradings(store, again.id)] == [Status.FAIL, Status.PASS]
    assert gradings(store, again.id)[0].assertions[0].message == "greets: 'hello' not found"
    assert first.yardstick != again.yardstick
    assert again.regraded_from is None or again.regraded_from == first.id
    assert store.responses(run.id, ["parcel"])["parcel", 0].reply.text == "sorry"


def test_everything_that_a_class_records_can_be_stored(store: ResultStore, tmp_path: Path) -> None:
    body = (
        "check.record('a\\0b\\ud800', passed=True, message='m\\0', expected='\\ud800', actual=None);"
        " check.record(7, passed=True, message=3, expected=['x'], actual={'a': 1});"
        " check.record('x', passed=True, message=ValueError('y')); check.record(None, passed=True)"
    )
    golden_set = evaluation_set(tmp_path, {PYTHON: python(body)})
    store.save_snapshot(golden_set, NOON)
    run = finished_run(
        store, [response("x", prompt_id) for prompt_id in prompts(golden_set)], plan(golden_set)
    )
    kept = grade(run, golden_set, DeterministicGrader(), store, FakeClock())
    assert len(gradings(store, kept.id)) == 2


# Yardsticks


def test_the_yardstick_of_an_evaluation_changes_with_the_kinds_that_it_could_use(tmp_path):
    own = """
from eval_pipeline.domain.assertions import Assertion, Outcome
class Mine(Assertion):
    kind = "mine"
    def check(self, answer):
        return Outcome({}, "", "", "")
"""
    yardsticks = []
    for passed in (True, False):
        golden_set = evaluation_set(tmp_path, {"assertions/mine.py": own.format(passed)})
        yardsticks.append(yardstick_of(DeterministicGrader(), golden_set))
    first, second = yardsticks
    assert first["expectations"] == second["expectations"]
    assert first["offered"] != second["offered"]


# Packages


def test_a_package_contributes_an_evaluation_with_its_csv_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    files = {
        "acme_replies/__init__.py": "",
        "acme_replies/replies.py": python(),
        "acme_replies/replies.csv": CSV,
        "acme_replies-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-replies\nVersion: 1.0\n",
        "acme_replies-1.0.dist-info/entry_points.txt": "[eval_pipeline.evaluations]\n"
        "replies = acme_replies.replies:Replies\nbase = acme_replies.replies:Evaluation\n"
        "nothing = acme_replies.replies:nothing\n",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    declared = Catalogue.load(tmp_path / "nowhere", {})
    found = declared.sets["acme.replies"]
    assert (found.source, found.example) == ("acme-replies (acme_replies.replies:Replies)", False)
    assert graded(found.golden_set, "hello", "welcome").status is Status.PASS
    assert [fault.source for fault in declared.faults] == [
        f"acme-replies (acme_replies.replies:{name})" for name in ("Evaluation", "nothing")
    ]


def test_the_base_offers_what_the_documents_say():
    assert Evaluation.prompt_column == "prompt"
    assert (Evaluation.delimiter, Evaluation.gate) == (",", Gate())
