"""Kinds of assertions of a project's own and of packages: found, named, used, and known by their code."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import ASSERTION_KINDS
from eval_pipeline.domain.detectors import NoDetectors
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.grading import DeterministicGrader, Grading
from eval_pipeline.domain.yardstick import yardstick_of
from eval_pipeline_tests.builders import response

KIND = """\
from typing import ClassVar
from pydantic import Field
from eval_pipeline.domain.assertions import Answer, Assertion, Outcome
from eval_pipeline.domain.detectors import DetectorName
{before}
class {name}(Assertion):
    \"\"\"The answer has at most `value` exclamation marks.\"\"\"
    kind: ClassVar[str] = "{kind}"
    {fields}
    def check(self, answer: Answer) -> Outcome:
        {body}
"""
BODY = """found = answer.text.count("!")
        return Outcome(found <= self.value, f"{found} exclamation marks", f"at most {self.value}", str(found))"""
FILE = "assertions/calm.py"
YAML = "id: acme.yaml\nprompts:\n  - {id: p, prompt: Hi, assert: [%s]}\n"
EVALUATION = """\
from eval_pipeline.domain.evaluation import Evaluation
class Replies(Evaluation):
    id = "acme.replies"
    csv_path = "replies.csv"
    def evaluate_row(self, row, check):
        check.calm(1, message="keeps calm")
"""


def kind(
    kind: str = "calm",
    *,
    name: str = "Calm",
    fields: str = "value: int = Field(default=0, ge=0, description='The most.')",
    body: str = BODY,
    before: str = "",
) -> str:
    """A file that declares a kind."""
    return KIND.format(kind=kind, name=name, fields=fields, body=body, before=before)


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


def project(folder: Path, files: Mapping[str, str]) -> Catalogue:
    write(folder, files)
    return Catalogue.load(folder, {})


def faults(folder: Path, content: str) -> Sequence[Fault]:
    """What is wrong with a file of kinds."""
    declared = project(folder, {FILE: content})
    assert declared.kinds.keys() == ASSERTION_KINDS.keys()
    return declared.faults


def graded(declared: Catalogue, set_id: str, answer: str) -> Grading:
    (prompt,) = declared.golden_prompt_set(set_id).prompts
    return DeterministicGrader().grade(prompt, response(answer, prompt.id))


def yardstick(declared: Catalogue, set_id: str = "acme.yaml") -> Mapping[str, object]:
    return yardstick_of(DeterministicGrader(), declared.golden_prompt_set(set_id))


# Use


def test_a_kind_of_a_project_is_used_in_set_files_in_cells_and_in_classes(tmp_path):
    declared = project(
        tmp_path,
        {
            FILE: kind(),
            "prompts/a.yaml": YAML % "{calm: 1}",
            "prompts/acme.csv.csv": "id,prompt,assert\np,Hi,calm: 1\n",
            "evaluations/replies.py": EVALUATION,
            "evaluations/replies.csv": "id,prompt\np,Hi\n",
        },
    )
    assert declared.faults == ()
    for set_id in ("acme.yaml", "acme.csv", "acme.replies"):
        assert graded(declared, set_id, "Welcome!").status is Status.PASS
        failed = graded(declared, set_id, "Welcome!!!")
        assert (failed.status, "3 exclamation marks" in failed.reason) == (Status.FAIL, True)


@pytest.mark.parametrize("written", ["calm", "{calm: 0}", "{type: calm, value: 0, weight: 2}"])
def test_a_kind_of_ones_own_has_all_forms(tmp_path, written):
    declared = project(tmp_path, {FILE: kind(), "prompts/a.yaml": YAML % written})
    assert graded(declared, "acme.yaml", "Welcome").status is Status.PASS


def test_a_name_of_several_words_may_be_written_with_hyphens(tmp_path):
    declared = project(tmp_path, {FILE: kind("keeps_calm"), "prompts/a.yaml": YAML % "{keeps-calm: 1}"})
    assert graded(declared, "acme.yaml", "Welcome").status is Status.PASS


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("{calm: many}", "assertion calm: value"),
        ("{calm: -1}", "assertion calm: value"),
        ("{type: calm, most: 1}", "unknown key 'most'"),
        ("{clam: 1}", "unknown assertion kind 'clam'; did you mean 'calm'?"),
    ],
)
def test_parameters_of_a_kind_of_ones_own_are_validated_when_a_set_is_loaded(tmp_path, written, reason):
    declared = project(tmp_path, {FILE: kind(), "prompts/a.yaml": YAML % written})
    (fault,) = declared.faults
    assert reason in fault.reason
    assert (fault.line, fault.prompt_id) == (3, "p")


def test_several_kinds_and_their_bases_may_stand_in_one_file(tmp_path):
    more = """
from abc import abstractmethod
from eval_pipeline.domain.assertions import Contains
class Base(Assertion):
    @abstractmethod
    def word(self): ...
    def check(self, answer): return Outcome(self.word() in answer.text, "", "", "")
class SaysYes(Base):
    kind: ClassVar[str] = "says_yes"
    def word(self): return "yes"
class Mentions(Contains):
    kind: ClassVar[str] = "mentions"
"""
    declared = project(tmp_path, {FILE: kind() + more, "prompts/a.yaml": YAML % "says_yes, {mentions: x}"})
    assert declared.kinds.keys() - ASSERTION_KINDS.keys() == {"calm", "says_yes", "mentions"}
    assert graded(declared, "acme.yaml", "yes, x").status is Status.PASS


def test_the_package_itself_keeps_the_kinds_that_it_comes_with(tmp_path):
    before = dict(ASSERTION_KINDS)
    project(tmp_path, {FILE: kind()})
    assert dict(ASSERTION_KINDS) == before


def test_a_file_whose_name_begins_with_an_underscore_is_no_declaration(tmp_path):
    assert project(tmp_path, {"assertions/_shared.py": "raise ValueError"}).faults == ()


# What a check does wrong


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise ValueError('no luck')", "the assertion raised ValueError: no luck"),
        ("raise SystemExit(1)", "SystemExit"),
        ("return None", "which is no Outcome"),
        ("return True", "which is no Outcome"),
        ("return Outcome('false', 'm', 'e', 'a')", "truth value"),
        ("return self.check(answer)", "RecursionError"),
        ("return Outcome(found, '', '', '')", "NameError"),
    ],
)
def test_a_check_that_fails_is_an_error_and_the_others_keep_their_verdicts(tmp_path, body, reason):
    written = "{contains: Welcome}, calm, {contains: nowhere}"
    declared = project(tmp_path, {FILE: kind(body=body), "prompts/a.yaml": YAML % written})
    grading = graded(declared, "acme.yaml", "Welcome")
    assert grading.status is Status.ERROR
    assert [result.status for result in grading.assertions] == [Status.PASS, Status.ERROR, Status.FAIL]
    assert reason in grading.assertions[1].message


def test_what_a_check_says_becomes_text(tmp_path):
    declared = project(
        tmp_path,
        {FILE: kind(body="return Outcome(True, 3, ['x'], None)"), "prompts/a.yaml": YAML % "calm"},
    )
    (result,) = graded(declared, "acme.yaml", "x").assertions
    assert {type(text) for text in (result.message, result.expected, result.actual)} == {str}


def test_a_label_that_fails_is_an_error_of_its_assertion(tmp_path):
    fields = "value: int = 0\n    @property\n    def subject(self): return 1 / 0"
    declared = project(tmp_path, {FILE: kind(fields=fields), "prompts/a.yaml": YAML % "calm"})
    assert graded(declared, "acme.yaml", "x").status is Status.ERROR


# Names


@pytest.mark.parametrize("name", ["contains", "regex", "json_schema"])
def test_a_name_that_exists_is_refused_and_the_kind_of_the_package_stays(tmp_path, name):
    declared = project(tmp_path, {FILE: kind(name), "prompts/a.yaml": YAML % "{contains: x}"})
    (fault,) = declared.faults
    assert fault.reason == f"Calm: the assertion kind '{name}' exists already, in eval_pipeline"
    assert declared.kinds[name] is ASSERTION_KINDS[name]
    assert "acme.yaml" in declared.sets


def test_a_name_that_two_files_give_is_refused_and_both_are_named(tmp_path):
    declared = project(tmp_path, {FILE: kind(), "assertions/z.py": kind()})
    (fault,) = declared.faults
    assert fault.source == str(tmp_path / "assertions" / "z.py")
    assert fault.reason == f"Calm: the assertion kind 'calm' exists already, in {tmp_path / FILE}"


@pytest.mark.parametrize("name", ["record", "that", "response", "results", "stopped"])
def test_a_name_of_the_checks_themselves_is_refused(tmp_path, name):
    (fault,) = faults(tmp_path, kind(name))
    assert fault.reason == f"Calm: the name '{name}' is taken by the checks of evaluations"


@pytest.mark.parametrize(
    "name", ["", "my-kind", "My", "MY_KIND", "_calm", "my kind", "1st", "a.b", "class", "is"]
)
def test_what_cannot_be_written_as_a_method_is_no_name(tmp_path, name):
    (fault,) = faults(tmp_path, kind(name))
    assert "'kind' is a name in lowercase letters" in fault.reason
    assert fault.source == str(tmp_path / FILE)


@pytest.mark.parametrize("field", ["message: str = 'x'", "type: str = 'x'"])
def test_a_parameter_that_could_never_be_given_is_refused(tmp_path, field):
    (fault,) = faults(tmp_path, kind(fields=field, body="return Outcome(True, '', '', '')"))
    assert field.split(":")[0] in fault.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('kind: ClassVar[str] = "calm"', "pass"),
        ('kind: ClassVar[str] = "calm"', "kind: ClassVar[int] = 5"),
        ('kind: ClassVar[str] = "calm"', 'kind: str = "calm"'),
    ],
)
def test_a_class_without_a_name_of_its_kind_is_refused(tmp_path, old, new):
    (fault,) = faults(tmp_path, kind().replace(old, new))
    assert "'kind' is a name" in fault.reason


# Faulty files


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("x = 1\nclass (:\n", 2, "SyntaxError"),
        ("x = 1\ny = x / 0\n", 2, "division by zero"),
        ("import nowhere_to_be_found\n", 1, "nowhere_to_be_found"),
        ("raise SystemExit(0)\n", 1, "SystemExit"),
        ("x = 'a\0b'\n", None, "null bytes"),
        ("x = 1\n", None, "has no class over Assertion with a method check"),
        (kind().replace("def check", "def chekc"), None, "has no class over Assertion with a method check"),
        (kind(fields="value: Nothing = 3"), 9, "Nothing"),
        (kind(fields="value: object() = 3"), None, "raised"),
    ],
)
def test_a_faulty_file_is_told_with_its_line_and_leaves_sets_without_its_kinds_alone(
    tmp_path, content, line, reason
):
    declared = project(tmp_path, {FILE: content, "prompts/a.yaml": YAML % "{contains: x}"})
    (fault,) = declared.faults
    assert fault.source == str(tmp_path / FILE)
    assert line in (None, fault.line)
    assert reason in fault.reason
    assert "acme.yaml" in declared.sets


def test_a_set_that_needs_a_kind_of_a_faulty_file_is_refused(tmp_path):
    declared = project(tmp_path, {FILE: "x = 1 / 0\n", "prompts/a.yaml": YAML % "{calm: 1}"})
    with pytest.raises(DefinitionError, match="unknown assertion kind 'calm'"):
        declared.golden_prompt_set("acme.yaml")


# Yardsticks


def test_an_edited_kind_is_another_yardstick(tmp_path):
    files = {FILE: kind(), "prompts/a.yaml": YAML % "{calm: 1}"}
    before, same = yardstick(project(tmp_path, files)), yardstick(project(tmp_path, files))
    after = yardstick(project(tmp_path, {FILE: kind(before="LIMIT = 3")}))
    assert before == same
    assert before["expectations"] == after["expectations"]
    assert before["assertions"]["calm"] != after["assertions"]["calm"]


def test_an_edited_kind_leaves_the_yardstick_of_sets_without_it(tmp_path):
    before = yardstick(project(tmp_path, {FILE: kind(), "prompts/a.yaml": YAML % "{contains: x}"}))
    assert yardstick(project(tmp_path, {FILE: kind(before="LIMIT = 3")})) == before


def test_a_kind_over_one_of_the_package_is_known_by_the_code_of_both(tmp_path):
    own = "from eval_pipeline.domain.assertions import Contains\nclass Mentions(Contains):\n    kind = 'mentions'\n"
    declared = project(tmp_path, {FILE: own, "prompts/a.yaml": YAML % "{mentions: x}, {contains: x}"})
    versions = yardstick(declared)["assertions"]
    assert len(versions["mentions"]) == 64
    assert versions["contains"] == ASSERTION_KINDS["contains"].version


# Packages


def package(folder: Path, entry_points: str, module: str, group: str = "eval_pipeline.assertions") -> None:
    """An installed package with a module of kinds."""
    write(
        folder,
        {
            "acme_checks.py": module,
            "acme_checks-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-checks\nVersion: 1.0\n",
            "acme_checks-1.0.dist-info/entry_points.txt": f"[{group}]\n{entry_points}",
        },
    )


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages; what is imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setitem(sys.modules, "acme_checks", None)
    monkeypatch.delitem(sys.modules, "acme_checks")
    return folder


def test_a_package_contributes_a_kind_or_a_function_that_gives_kinds(site, tmp_path):
    more = kind("calmer", name="Calmer").split("DetectorName\n", 1)[1]
    package(
        site,
        "calm = acme_checks:Calm\nmore = acme_checks:kinds\n",
        kind() + more + "\ndef kinds():\n    return [Calmer]\n",
    )
    declared = project(tmp_path / "project", {"prompts/a.yaml": YAML % "{calm: 1}, {calmer: 0}"})
    assert declared.faults == ()
    assert graded(declared, "acme.yaml", "Hi!").status is Status.FAIL
    assert len(yardstick(declared)["assertions"]["calm"]) == 64


@pytest.mark.parametrize(
    ("entry_point", "reason"),
    [
        ("x = acme_checks:nothing", "AttributeError"),
        ("x = nowhere_to_be_found:x", "ModuleNotFoundError"),
        ("x = acme_checks:Answer", "is no class over Assertion"),
        ("x = acme_checks:Assertion", "is no class over Assertion"),
        ("x = acme_checks:BODY", "not callable"),
        ("x = acme_checks:wrong", "is no class over Assertion"),
        ("x = acme_checks:leaves", "SystemExit"),
    ],
)
def test_a_faulty_contribution_is_told_with_its_package_and_blocks_no_set(
    site, tmp_path, entry_point, reason
):
    module = kind() + "\nBODY = 5\ndef wrong(): return [5]\ndef leaves(): raise SystemExit(1)\n"
    package(site, entry_point, module)
    declared = project(tmp_path / "project", {"prompts/a.yaml": YAML % "{contains: x}"})
    (fault,) = declared.faults
    assert fault.source == f"acme-checks ({entry_point.split(' = ')[1]})"
    assert reason in fault.reason
    assert "acme.yaml" in declared.sets


def test_a_kind_of_a_project_comes_before_that_of_a_package_and_both_are_named(site, tmp_path):
    package(site, "calm = acme_checks:Calm", kind())
    declared = project(tmp_path / "project", {FILE: kind()})
    (fault,) = declared.faults
    assert fault.source == "acme-checks (acme_checks:Calm)"
    assert str(tmp_path / "project" / FILE) in fault.reason


# Detectors


DETECTS = "value: int = 0\n    detectors = frozenset({DetectorName.SENTIMENT, DetectorName.LANGUAGE})"


def test_a_set_whose_kind_needs_a_detector_that_is_missing_is_refused_when_it_is_loaded(tmp_path):
    files = {
        FILE: kind(fields=DETECTS),
        "prompts/a.yaml": YAML % "calm",
        "prompts/b.yaml": (YAML % "{contains: x}").replace("acme.yaml", "acme.b"),
    }
    write(tmp_path, files)
    declared = Catalogue.load(tmp_path, {}, NoDetectors())
    assert declared.sets.keys() == {"acme.b", "eval_pipeline.smoke"}
    assert sorted(fault.reason for fault in declared.faults) == [
        f"assertion calm: the detector '{name}' is not at hand" for name in ("language", "sentiment")
    ]
    assert {(fault.source, fault.set_id) for fault in declared.faults} == {
        (str(tmp_path / "prompts" / "a.yaml"), "acme.yaml")
    }
    with pytest.raises(DefinitionError, match="'sentiment' is not at hand"):
        declared.golden_prompt_set("acme.yaml")


def test_where_nobody_asks_for_detectors_none_is_missed(tmp_path):
    declared = project(tmp_path, {FILE: kind(fields=DETECTS), "prompts/a.yaml": YAML % "calm"})
    assert declared.faults == ()
    assert yardstick(declared)["detectors"] == {
        "language": "language not installed",
        "sentiment": "sentiment not installed",
    }
