"""An exported result as a baseline: read as it was stored, and verified like a row."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_pipeline.adapters.reports.baseline_file import read_baseline
from eval_pipeline.application.baseline import ComparisonRules, FileBaseline
from eval_pipeline.application.sides import side_of
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.regression import Verdict
from eval_pipeline.domain.text import are_storable
from eval_pipeline_tests.adapters.reports.exported import document, exported
from eval_pipeline_tests.builders import SERVED_BY, golden_set, model, prompt
from eval_pipeline_tests.evaluated import APPLICATION, NEWER, World, set_of

KIND = ("acme.set", "tern", "deterministic")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "main.json"


def read(file: Path) -> FileBaseline:
    return read_baseline(file, *KIND)


def written(file: Path, *entries: Any) -> Path:
    file.write_text(json.dumps({"results": list(entries)}), "utf-8")
    return file


def read_or_fault(file: Path) -> FileBaseline | DefinitionError:
    """The baseline in a file, or why there is none."""
    try:
        return read(file)
    except DefinitionError as error:
        return error


def refused(file: Path) -> str:
    """Why the file is no baseline; the fault names the file."""
    with pytest.raises(DefinitionError) as error:
        read(file)
    assert all(fault.source == str(file) for fault in error.value.faults)
    return str(error.value)


# What is exported can be read


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"repeats": 3},
        {"served_by": APPLICATION},
        {"texts": {"p3": "naïve 👩‍👩‍👧\u2028 yes"}},
        {"golden": set_of(7, system_prompt="Be brief.")},
    ],
    ids=["plain", "repeats", "an application", "odd characters", "a treatment"],
)
def test_a_side_comes_back_from_a_file_as_it_is_stored(
    world: World, file: Path, changes: dict[str, Any]
) -> None:
    result = world.result(6, **changes)
    file.write_text(exported(world, result), "utf-8")
    side, stored = read(file).side, side_of(result, world.store)
    assert (side.inputs, side.outcomes, side.treatment) == (stored.inputs, stored.outcomes, stored.treatment)
    provenance = stored.result.summary.provenance
    assert (side.result.summary.provenance, side.result.yardstick) == (provenance, stored.result.yardstick)
    assert (side.result.set_hashes, side.result.run_date) == (
        stored.result.set_hashes,
        stored.result.run_date,
    )


@pytest.mark.parametrize("right", [10, 9, 8, 0])
def test_to_compare_with_a_file_says_the_same_as_to_compare_with_what_was_exported(
    world: World, file: Path, right: int
) -> None:
    baseline = world.result(10)
    file.write_text(exported(world, baseline), "utf-8")
    current = world.result(right)
    by_file = world.decided(current, rules=ComparisonRules(file=read(file))).comparison
    by_result = world.decided(current, rules=ComparisonRules(result_id=baseline.id)).comparison
    assert by_file.differences == by_result.differences
    assert (by_file.verdict, by_file.reason) == (by_result.verdict, by_result.reason)
    assert (by_file.baseline_date, by_file.baseline_generator) == (
        by_result.baseline_date,
        by_result.baseline_generator,
    )


def test_a_file_with_a_byte_order_mark_is_read(world: World, file: Path) -> None:
    file.write_text(exported(world, world.result()), "utf-8-sig")
    assert read(file).name == "main.json"


def test_of_several_results_the_one_of_the_set_the_model_and_the_grader_is_taken(
    world: World, file: Path
) -> None:
    others = [world.result(golden=set_of(id="acme.other")), world.result(by=model("heron"))]
    own = world.result(3)
    file.write_text(exported(world, *others, own), "utf-8")
    assert read(file).side.result.id == own.id


def test_keys_that_a_baseline_does_not_need_do_not_matter(world: World, file: Path) -> None:
    entry = document(world, world.result())
    entry |= {"a new key": 1}
    del entry["latency_ms"]
    assert read(written(file, entry)).side.result.complete


# What is refused as a file


@pytest.mark.parametrize("name", ["wrong set", "wrong model", "wrong grader"])
def test_a_file_without_a_result_of_this_kind_is_refused_with_what_it_holds(
    world: World, file: Path, name: str
) -> None:
    key = {"wrong set": "set", "wrong model": "model_key", "wrong grader": "grader"}[name]
    written(file, {**document(world, world.result()), key: "acme.other"})
    said = refused(file)
    assert "the baseline holds 0 results of acme.set · tern · deterministic, and one is needed" in said
    assert "found: " in said
    assert "acme.other" in said


def test_a_file_with_two_results_of_this_kind_is_refused(world: World, file: Path) -> None:
    file.write_text(exported(world, world.result(), world.result()), "utf-8")
    assert "the baseline holds 2 results of acme.set · tern · deterministic" in refused(file)


def test_a_file_without_any_result_is_refused(file: Path) -> None:
    assert "found: none" in refused(written(file))


def test_a_file_that_does_not_exist_is_refused(file: Path) -> None:
    assert "the baseline cannot be read" in refused(file)


def test_a_folder_is_refused(file: Path) -> None:
    file.mkdir()
    assert "the baseline cannot be read" in refused(file)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"results: []",
        b"\xff\xfe\x00",
        b'{"results": [}]}',
        b"[" * 100_000,
        b'{"results": ' + b"9" * 5000 + b"}",
        b'{"results": [NaN]}',
        b'{"results": [Infinity]}',
        b'{"results": [1e999]}',
    ],
)
def test_a_file_that_is_not_json_in_utf_8_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    assert refused(file)


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_a_score_that_is_no_number_is_refused(world: World, file: Path, token: str) -> None:
    text = exported(world, world.result())
    assert '"score": 1.0' in text
    file.write_text(text.replace('"score": 1.0', f'"score": {token}', 1), "utf-8")
    assert f"{token} is not JSON" in refused(file)


@pytest.mark.parametrize("content", ["[]", "1", "null", '"x"', "{}", '{"results": {}}', '{"results": [1]}'])
def test_json_that_is_no_export_is_refused_with_how_to_write_one(file: Path, content: str) -> None:
    file.write_text(content, "utf-8")
    assert "write a baseline with eval-pipeline results export RESULT" in refused(file)


def test_an_export_without_gradings_is_refused_with_what_is_missing(world: World, file: Path) -> None:
    entry = document(world, world.result())
    del entry["gradings"]
    assert "gradings" in refused(written(file, entry))


# What contradicts itself


def changed(entry: dict[str, Any], grading: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """An exported result, changed; `grading` changes its first grading."""
    found = {**deepcopy(entry), **changes}
    found["gradings"][0] |= grading or {}
    return found


COUNTS = ("prompt_count", "graded_count", "passed_count", "error_count", "skipped_count")


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_that_its_gradings_contradict_is_refused(world: World, file: Path, name: str) -> None:
    entry = document(world, world.result(6))
    said = refused(written(file, changed(entry, **{name: entry[name] + 1})))
    assert (
        f"the baseline contradicts itself: {name} is {entry[name] + 1}, its gradings say {entry[name]}"
        in said
    )


def test_a_grading_that_was_removed_is_noticed(world: World, file: Path) -> None:
    entry = document(world, world.result(6))
    entry["gradings"].pop()
    assert "contradicts itself" in refused(written(file, entry))


@pytest.mark.parametrize(
    ("grading", "said"),
    [
        ({"prompt_id": "p1"}, "a prompt is graded twice"),
        ({"score": None}, "prompt p0 is 'pass' with score None"),
        ({"inputs": None}, "prompt p0 has no hash of its inputs"),
        ({"status": "fail"}, "passed_count is 6, its gradings say 5"),
        ({"status": "error"}, "contradicts itself"),
    ],
)
def test_a_grading_that_contradicts_the_rest_is_refused(
    world: World, file: Path, grading: dict[str, Any], said: str
) -> None:
    entry = document(world, world.result(6))
    assert said in refused(written(file, changed(entry, grading)))


@pytest.mark.parametrize("score", [-0.001, 1.001, 100, 1e300])
def test_a_score_outside_of_0_to_1_is_refused(world: World, file: Path, score: float) -> None:
    entry = document(world, world.result())
    assert "score" in refused(written(file, changed(entry, {"score": score})))


@pytest.mark.parametrize("name", COUNTS)
def test_a_negative_count_is_refused(world: World, file: Path, name: str) -> None:
    assert name in refused(written(file, changed(document(world, world.result()), **{name: -1})))


@pytest.mark.parametrize("value", ["10", True, 10.0, "ten"])
def test_a_count_that_is_written_as_anything_but_a_whole_number_is_refused(
    world: World, file: Path, value: Any
) -> None:
    entry = changed(document(world, world.result(10)), prompt_count=value)
    assert "prompt_count" in refused(written(file, entry))


def test_a_score_that_is_written_as_a_text_is_refused(world: World, file: Path) -> None:
    entry = changed(document(world, world.result()), {"score": "1.0"})
    assert "score" in refused(written(file, entry))


def test_a_date_without_a_time_zone_is_refused(world: World, file: Path) -> None:
    entry = changed(document(world, world.result()), run_date="2026-03-01T12:00:00")
    assert "run_date" in refused(written(file, entry))


def test_a_partial_result_that_says_it_is_complete_is_no_baseline(world: World, file: Path) -> None:
    entry = document(world, world.result(prompt_ids=["p0", "p1"]))
    assert entry["partial"]
    written(file, {**entry, "incomplete_because": None, "complete": True})
    assert "the baseline contradicts itself: it says that it is complete, and is not" in refused(file)


@pytest.mark.parametrize(
    ("errors", "max_error_share", "whole"),
    [(1, 0.0, False), (2, 0.1, False), (1, 0.1, True), (10, 1.0, True)],
)
def test_a_result_with_more_errors_than_its_own_gate_allows_is_not_complete(
    world: World, file: Path, errors: int, max_error_share: float, whole: bool
) -> None:
    entry = document(world, world.result(texts={f"p{number}": None for number in range(errors)}))
    gate = {**entry["gate"], "max_error_share": max_error_share}
    written(file, {**entry, "incomplete_because": None, "complete": True, "gate": gate})
    if whole:
        assert read(file).side.result.gate.max_error_share == max_error_share
    else:
        assert "it says that it is complete, and is not" in refused(file)


def test_a_result_of_which_nothing_was_measured_is_not_complete(world: World, file: Path) -> None:
    entry = document(world, world.result(golden=golden_set(prompt("p0", assertions=[], reference="right"))))
    assert entry["skipped_count"] == 1
    written(file, {**entry, "incomplete_because": None, "complete": True})
    assert "it says that it is complete, and is not" in refused(file)


# Whether it is accepted


def test_a_file_says_whether_its_result_was_accepted(world: World, file: Path) -> None:
    accepted, _ = world.evaluated(10)
    regressed, _ = world.evaluated(5)
    for result, expected in ((accepted, True), (regressed, False), (world.result(), False)):
        file.write_text(exported(world, result), "utf-8")
        assert read(file).accepted is expected


@pytest.mark.parametrize("name", ["accepted", "gate"])
def test_a_file_that_does_not_say_by_what_it_was_accepted_is_refused(
    world: World, file: Path, name: str
) -> None:
    entry = document(world, world.result())
    del entry[name]
    assert name in refused(written(file, entry))


@pytest.mark.parametrize("value", ["true", 1, None])
def test_accepted_is_read_strictly(world: World, file: Path, value: Any) -> None:
    entry = document(world, world.result())
    assert "accepted" in refused(written(file, {**entry, "accepted": value}))


def test_a_result_that_passes_against_a_file_is_accepted_only_if_that_was(world: World, file: Path) -> None:
    baseline, _ = world.evaluated(10)
    entry = document(world, baseline)
    for accepted in (True, False):
        rules = ComparisonRules(file=read(written(file, {**entry, "accepted": accepted})))
        result, report = world.evaluated(10, rules=rules)
        assert (report.passed, report.accepts) == (True, accepted)
        assert world.history.standings([result.id])[result.id].approved(world.clock()) is accepted
    assert report.not_accepted_because == "its baseline, main.json, was not accepted itself"


def test_the_repeats_of_a_prompt_have_the_same_inputs(world: World, file: Path) -> None:
    entry = document(world, world.result(repeats=2))
    assert entry["gradings"][0]["inputs"] == entry["gradings"][1]["inputs"]
    written(file, changed(entry, {"inputs": "0" * 64}))
    assert "contradicts itself" in refused(file)


# What can be read, but is no evidence


def test_an_incomplete_result_in_a_file_is_not_comparable(world: World, file: Path) -> None:
    file.write_text(exported(world, world.result(texts={"p0": None})), "utf-8")
    report = world.decided(world.result(), rules=ComparisonRules(file=read(file)))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "main.json, cannot be compared with: it is incomplete" in report.comparison.reason


def test_a_mixed_result_in_a_file_is_not_comparable(world: World, file: Path) -> None:
    file.write_text(exported(world, world.result(served_by=[SERVED_BY, NEWER])), "utf-8")
    report = world.decided(world.result(), rules=ComparisonRules(file=read(file)))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE


def test_a_result_of_another_provider_in_a_file_is_not_comparable(world: World, file: Path) -> None:
    elsewhere = replace(SERVED_BY, provider_instance="us-east")
    file.write_text(exported(world, world.result(served_by=elsewhere)), "utf-8")
    report = world.decided(world.result(), rules=ComparisonRules(file=read(file)))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "us-east/tern-large → tern-4-2026 produced it" in report.comparison.reason


DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "absent": lambda record: None,
    "a list": lambda record: [record],
    "version 2": lambda record: {**record, "version": 2},
    "another status": lambda record: {**record, "status": "mixed"},
    "more answers": lambda record: {**record, "answered": 11},
    "more answers than prompts": lambda record: {
        **record,
        "answered": 11,
        "generators": [{**record["generators"][0], "responses": 11}],
    },
    "an unknown key": lambda record: {**record, "text": "yes"},
    "another model than its result": lambda record: {
        **record,
        "generators": [{**record["generators"][0], "outbound_model": "heron"}],
    },
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_file_whose_provenance_is_damaged_is_not_comparable(
    world: World, file: Path, damage: Callable[[dict[str, Any]], Any]
) -> None:
    entry = document(world, world.result())
    written(file, {**entry, "provenance": damage(entry["provenance"])})
    report = world.decided(world.result(), rules=ComparisonRules(file=read(file)))
    assert report.comparison.verdict is Verdict.NOT_COMPARABLE
    assert "it has not one known generator" in report.comparison.reason


@pytest.mark.parametrize("char", ["\x00", "\ud800"], ids=["U+0000", "a lone surrogate"])
@pytest.mark.parametrize("place", ["the reported model", "a field of the treatment"])
def test_no_text_of_a_file_gets_into_a_verdict_that_postgresql_cannot_hold(
    world: World, file: Path, place: str, char: str
) -> None:
    entry = document(world, world.result())
    if place == "the reported model":
        entry["provenance"]["generators"][0]["reported_model"] = f"tern{char}"
    else:
        entry["treatment"][f"parameters.{char}"] = 1
    baseline = read_or_fault(written(file, entry))
    if isinstance(baseline, FileBaseline):
        report = world.decided(world.result(), rules=ComparisonRules(file=baseline))
        assert are_storable([report.model_dump(mode="json")])


# Whatever else is in a file


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a JSON value, itself included."""
    found = [path]
    if isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            found += paths(member, (*path, key))
    return found


def exported_once() -> dict[str, Any]:
    world = World()
    return json.loads(exported(world, world.result(2, set_of(3))))


EXPORTED = exported_once()
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["\ud800", "pass", 10**30, -1, "2026-03-01", 1e308]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(paths(EXPORTED)), value=JSON, delete=st.booleans())
def test_whatever_is_damaged_in_a_file_it_is_read_or_refused_and_never_a_traceback(
    tmp_path: Path, path: tuple[Any, ...], value: Any, delete: bool
) -> None:
    document = deepcopy(EXPORTED)
    if path:
        owner = document
        for key in path[:-1]:
            owner = owner[key]
        if delete:
            del owner[path[-1]]
        else:
            owner[path[-1]] = value
    else:
        document = value
    file = tmp_path / "main.json"
    file.write_text(json.dumps(document), "utf-8")
    found = read_or_fault(file)
    if isinstance(found, DefinitionError):
        assert str(found)
        assert all(fault.source == str(file) for fault in found.faults)
    else:
        world, golden = World(), set_of(3)
        world.decided(world.result(2, golden), golden, ComparisonRules(file=found))
