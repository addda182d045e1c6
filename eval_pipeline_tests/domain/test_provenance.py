from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.canonical import canonical_json
from eval_pipeline.domain.provenance import GeneratorProvenance, GeneratorStatus, generator_name
from eval_pipeline.domain.responses import UNKNOWN_GENERATOR, ServedBy
from eval_pipeline_tests.domain.strategies import json_values

EU = ServedBy("eu", "tern", "tern-4")
US = ServedBy("us", "tern", "tern-4")
ALIAS = ServedBy("eu", "fast", "fast")
NEWER = ServedBy("eu", "tern", "tern-5")
PARTIAL = ServedBy("eu", "tern", None)

served = st.lists(st.sampled_from([EU, US, ALIAS, NEWER, PARTIAL, UNKNOWN_GENERATOR]), max_size=8)


@pytest.mark.parametrize(
    ("served_by", "status"),
    [
        ([EU], GeneratorStatus.ONE),
        ([EU] * 10, GeneratorStatus.ONE),
        ([EU] * 9 + [US], GeneratorStatus.MIXED),
        ([EU] * 9 + [NEWER], GeneratorStatus.MIXED),
        ([EU] * 9 + [PARTIAL], GeneratorStatus.PARTLY_UNKNOWN),
        ([EU, US, PARTIAL], GeneratorStatus.PARTLY_UNKNOWN),
        ([PARTIAL] * 10, GeneratorStatus.UNKNOWN),
        ([], GeneratorStatus.EMPTY),
    ],
)
def test_a_result_has_one_generator_only_when_every_answer_came_from_it(
    served_by: list[ServedBy], status: GeneratorStatus
) -> None:
    provenance = GeneratorProvenance.of(served_by)
    assert provenance.status is status
    assert provenance.generator == (EU if status is GeneratorStatus.ONE else None)
    assert provenance.model_id == ("tern" if status is GeneratorStatus.ONE else None)


@given(served.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
def test_the_order_of_answers_changes_nothing(orders: tuple[list[ServedBy], list[ServedBy]]) -> None:
    one, other = map(GeneratorProvenance.of, orders)
    assert one == other


@given(served)
def test_every_answer_is_counted_once(served_by: list[ServedBy]) -> None:
    provenance = GeneratorProvenance.of(served_by)
    assert provenance.answered_count == len(served_by)
    assert dict(provenance.counts) == {each: served_by.count(each) for each in served_by if each.complete}


@given(served)
def test_a_record_survives_the_database(served_by: list[ServedBy]) -> None:
    provenance = GeneratorProvenance.of(served_by)
    assert GeneratorProvenance.decoded(json.loads(json.dumps(provenance.encoded()))) == provenance


@given(served, st.data())
def test_any_single_damage_of_a_record_leaves_no_evidence(
    served_by: list[ServedBy], data: st.DataObject
) -> None:
    record = GeneratorProvenance.of(served_by).encoded()
    path = data.draw(st.sampled_from(list(paths(record))))
    damaged = with_damage(record, path, data.draw(st.just(REMOVED) | json_values()))
    if is_damage(damaged, record, path):
        assert GeneratorProvenance.decoded(damaged) is None


@pytest.mark.parametrize("value", [True, False, 0, 1, None, "1", "one", -1, 1.5, [], {}])
@pytest.mark.parametrize("served_by", [[EU], [ALIAS], [PARTIAL], [EU, EU, PARTIAL], []])
def test_a_value_that_only_resembles_the_right_one_leaves_no_evidence(
    served_by: list[ServedBy], value: object
) -> None:
    record = GeneratorProvenance.of(served_by).encoded()
    for path in paths(record):
        damaged = with_damage(record, path, value)
        if is_damage(damaged, record, path):
            assert GeneratorProvenance.decoded(damaged) is None, path


@pytest.mark.parametrize("counts", [((EU, 1), (EU, 1)), ((EU, 1), (US, 2)), ((US, 1), (EU, 1))])
def test_generators_listed_twice_or_out_of_order_leave_no_evidence(
    counts: tuple[tuple[ServedBy, int], ...],
) -> None:
    assert GeneratorProvenance.decoded(GeneratorProvenance(counts, 0).encoded()) is None


@given(json_values())
def test_anything_else_is_no_evidence(record: object) -> None:
    assert GeneratorProvenance.decoded(record) is None


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_record_of_another_version_is_no_evidence(version: object) -> None:
    assert GeneratorProvenance.decoded(GeneratorProvenance.of([EU]).encoded() | {"version": version}) is None


def test_the_summary_names_every_generator_most_first_and_the_unknown() -> None:
    summary = GeneratorProvenance.of([US, EU, EU, ALIAS, PARTIAL]).summary()
    assert (
        summary
        == "eu/tern → tern-4 (2), eu/fast (reported by the same name) (1), us/tern → tern-4 (1), unknown (1)"
    )
    assert GeneratorProvenance.of([]).summary() == "no prompt was answered"


def test_a_missing_name_is_shown_as_missing() -> None:
    assert generator_name(PARTIAL) == "eu/tern → ?"
    assert generator_name(UNKNOWN_GENERATOR) == "?/? → ?"


REMOVED = object()
NAMES = ("provider_instance", "outbound_model", "reported_model")


def is_damage(damaged: dict[str, Any], record: dict[str, Any], path: tuple[Any, ...]) -> bool:
    """Whether `damaged` means something else than `record`, and is not merely another generator's name."""
    if path[-1] in NAMES:
        *parents, name = path
        entry: Any = damaged
        for step in parents:
            entry = entry[step]
        if isinstance(entry.get(name), str) and entry[name]:
            return False
    return canonical_json(damaged) != canonical_json(record)


def paths(value: object, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every member of `value`, and of each mapping to a key that it lacks."""
    steps: list[Any] = []
    if isinstance(value, Mapping):
        steps = [*value, "extra"]
    elif isinstance(value, list):
        steps = list(range(len(value)))
    for step in steps:
        yield (*place, step)
        if step != "extra":
            yield from paths(value[step], (*place, step))


def with_damage(record: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    damaged = copy.deepcopy(record)
    *parents, last = path
    parent: Any = damaged
    for step in parents:
        parent = parent[step]
    if value is not REMOVED:
        parent[last] = value
    elif last != "extra":
        del parent[last]
    return damaged
