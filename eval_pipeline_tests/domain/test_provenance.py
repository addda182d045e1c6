from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.canonical import canonical_json
from eval_pipeline.domain.provenance import GeneratorProvenance, GeneratorStatus, generator_name, identity
from eval_pipeline.domain.responses import UNKNOWN_GENERATOR, ServedBy
from eval_pipeline_tests.domain.strategies import json_values

EU = ServedBy("eu", "tern", "tern-4")
US = ServedBy("us", "tern", "tern-4")
ALIAS = ServedBy("eu", "fast", "fast")
NEWER = ServedBy("eu", "tern", "tern-5")
PARTIAL = ServedBy("eu", "tern", None)
BOT = ServedBy("shop", None, None, "bot", "2.1")
NEWER_BOT = ServedBy("shop", None, None, "bot", "2.2")
NAMED_BOT = ServedBy("shop", "chat", None, "bot")

generators = [EU, US, ALIAS, NEWER, PARTIAL, UNKNOWN_GENERATOR, BOT, NEWER_BOT, NAMED_BOT]
served = st.lists(st.sampled_from(generators), max_size=8)

ABSENT = "no provenance is stored with this result"
MALFORMED = "the stored provenance is malformed"
OTHER_VERSION = "the stored provenance is of a version that this code does not know"
OTHER_COUNTS = "the stored provenance does not fit the counts of its result"
OTHER_MODEL = "the stored provenance names another model than its result"


def assert_no_evidence(provenance: GeneratorProvenance, because: str) -> None:
    """It names nothing, counts nothing, and says why."""
    assert provenance == GeneratorProvenance.no_evidence(because)
    assert provenance.status is GeneratorStatus.UNVERIFIED
    assert (provenance.generator, provenance.model_id) == (None, None)
    assert (provenance.counts, provenance.answered_count) == ((), 0)
    assert provenance.summary() == because


@pytest.mark.parametrize(
    ("served_by", "status"),
    [
        ([EU], GeneratorStatus.ONE),
        ([EU] * 10, GeneratorStatus.ONE),
        ([EU] * 9 + [US], GeneratorStatus.MIXED),
        ([EU] * 9 + [NEWER], GeneratorStatus.MIXED),
        ([EU] * 9 + [PARTIAL], GeneratorStatus.PARTLY_UNKNOWN),
        ([EU, US, PARTIAL], GeneratorStatus.PARTLY_UNKNOWN),
        ([EU] * 9 + [BOT], GeneratorStatus.MIXED),
        ([BOT] * 9 + [NEWER_BOT], GeneratorStatus.MIXED),
        ([BOT] * 9 + [PARTIAL], GeneratorStatus.PARTLY_UNKNOWN),
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


@pytest.mark.parametrize("application", [BOT, NAMED_BOT])
def test_an_application_that_declares_itself_is_one_generator_and_no_model(application: ServedBy) -> None:
    provenance = GeneratorProvenance.of([application] * 10)
    assert provenance.status is GeneratorStatus.DECLARED
    assert provenance.generator == application
    assert provenance.model_id is None


def test_a_claim_beside_a_reported_model_changes_nothing() -> None:
    claiming = replace(EU, declared_name="bot", declared_version="2.1")
    assert GeneratorProvenance.of([claiming, EU]) == GeneratorProvenance.of([EU, EU])


@pytest.mark.parametrize("name", ["outbound_model", "reported_model", "declared_version"])
def test_an_empty_name_is_a_missing_one(name: str) -> None:
    provenance = GeneratorProvenance.of(
        [replace(BOT, declared_version=None), replace(BOT, **{"declared_version": None, name: ""})]
    )
    assert provenance.status is GeneratorStatus.DECLARED
    assert GeneratorProvenance.decoded(json.loads(json.dumps(provenance.encoded()))) == provenance


@given(served.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
def test_the_order_of_answers_changes_nothing(orders: tuple[list[ServedBy], list[ServedBy]]) -> None:
    one, other = map(GeneratorProvenance.of, orders)
    assert one == other


@given(served)
def test_every_answer_is_counted_once(served_by: list[ServedBy]) -> None:
    provenance = GeneratorProvenance.of(served_by)
    assert provenance.answered_count == len(served_by)
    assert dict(provenance.counts) == {each: served_by.count(each) for each in served_by if each.identified}


@given(served)
def test_a_record_survives_the_database(served_by: list[ServedBy]) -> None:
    provenance = GeneratorProvenance.of(served_by)
    assert GeneratorProvenance.decoded(json.loads(json.dumps(provenance.encoded()))) == provenance


def test_a_record_of_a_model_holds_names_and_counts_and_no_claim() -> None:
    assert GeneratorProvenance.of([EU, EU, ALIAS, PARTIAL]).encoded() == {
        "version": 1,
        "status": "partly_unknown",
        "generators": [
            {
                "provider_instance": "eu",
                "outbound_model": "tern",
                "reported_model": "tern-4",
                "alias_only": False,
                "responses": 2,
            },
            {
                "provider_instance": "eu",
                "outbound_model": "fast",
                "reported_model": "fast",
                "alias_only": True,
                "responses": 1,
            },
        ],
        "unknown": 1,
        "answered": 4,
    }


def test_a_record_of_an_application_holds_its_claim_and_no_reported_model() -> None:
    record = GeneratorProvenance.of([BOT] * 3).encoded()
    assert record["status"] == "declared"
    assert record["generators"] == [{**identity(BOT), "responses": 3}]
    assert identity(BOT) == {
        "provider_instance": "shop",
        "outbound_model": None,
        "declared_name": "bot",
        "declared_version": "2.1",
    }


@given(served, st.data())
def test_any_single_damage_of_a_record_leaves_no_evidence(
    served_by: list[ServedBy], data: st.DataObject
) -> None:
    record = GeneratorProvenance.of(served_by).encoded()
    path = data.draw(st.sampled_from(list(paths(record))))
    damaged = with_damage(record, path, data.draw(st.just(REMOVED) | json_values()))
    if is_damage(damaged, record, path):
        because = OTHER_VERSION if path == ("version",) else MALFORMED
        assert_no_evidence(GeneratorProvenance.decoded(damaged), because)


@pytest.mark.parametrize("value", [True, False, 0, 1, None, "1", "one", -1, 1.5, [], {}])
@pytest.mark.parametrize(
    "served_by", [[EU], [ALIAS], [PARTIAL], [EU, EU, PARTIAL], [BOT], [BOT, NAMED_BOT], []]
)
def test_a_value_that_only_resembles_the_right_one_leaves_no_evidence(
    served_by: list[ServedBy], value: object
) -> None:
    record = GeneratorProvenance.of(served_by).encoded()
    for path in paths(record):
        damaged = with_damage(record, path, value)
        if is_damage(damaged, record, path):
            provenance = GeneratorProvenance.decoded(damaged)
            assert provenance.status is GeneratorStatus.UNVERIFIED, path
            assert provenance.unverified_because == (OTHER_VERSION if path == ("version",) else MALFORMED), (
                path
            )


@pytest.mark.parametrize(
    "counts", [((EU, 1), (EU, 1)), ((EU, 1), (US, 2)), ((US, 1), (EU, 1)), ((NEWER_BOT, 1), (BOT, 1))]
)
def test_generators_listed_twice_or_out_of_order_leave_no_evidence(
    counts: tuple[tuple[ServedBy, int], ...],
) -> None:
    assert_no_evidence(GeneratorProvenance.decoded(GeneratorProvenance(counts, 0).encoded()), MALFORMED)


@given(json_values())
def test_anything_else_is_no_evidence(record: object) -> None:
    because = {type(None): ABSENT, dict: OTHER_VERSION}.get(type(record), MALFORMED)
    assert_no_evidence(GeneratorProvenance.decoded(record), because)


def test_an_absent_record_is_told_from_a_damaged_one() -> None:
    assert_no_evidence(GeneratorProvenance.decoded(None), ABSENT)
    assert_no_evidence(GeneratorProvenance.decoded("null"), MALFORMED)


@pytest.mark.parametrize(
    ("served_by", "change"),
    [
        (EU, {"declared_name": "bot"}),
        (EU, {"reported_model": None}),
        (BOT, {"reported_model": "tern-4"}),
        (BOT, {"reported_model": None}),
        (BOT, {"alias_only": False}),
        (BOT, {"declared_name": None}),
        (BOT, {"declared_name": ""}),
        (BOT, {"provider_instance": None}),
        (BOT, {"outbound_model": ""}),
        (BOT, {"declared_version": ""}),
    ],
)
def test_an_entry_that_is_neither_a_model_nor_an_application_leaves_no_evidence(
    served_by: ServedBy, change: dict[str, Any]
) -> None:
    record = GeneratorProvenance.of([served_by]).encoded()
    assert GeneratorProvenance.decoded(record).generator == served_by
    record["generators"][0].update(change)
    assert_no_evidence(GeneratorProvenance.decoded(record), MALFORMED)


def test_an_application_that_is_recorded_as_a_model_leaves_no_evidence() -> None:
    record = GeneratorProvenance.of([BOT]).encoded()
    assert_no_evidence(GeneratorProvenance.decoded(record | {"status": "one"}), MALFORMED)


@pytest.mark.parametrize("version", [0, 2, "1", 1.0, True, None])
def test_a_record_of_another_version_is_no_evidence(version: object) -> None:
    record = GeneratorProvenance.of([EU]).encoded() | {"version": version}
    assert_no_evidence(GeneratorProvenance.decoded(record), OTHER_VERSION)


# Beside its row


@given(served, st.integers(-2, 10), st.integers(-2, 10))
def test_a_record_is_evidence_only_beside_counts_that_it_fits(
    served_by: list[ServedBy], prompt_count: int, graded_count: int
) -> None:
    provenance = GeneratorProvenance.of(served_by)
    verified = provenance.verified_against(
        prompt_count=prompt_count, graded_count=graded_count, model_id=provenance.model_id
    )
    if graded_count <= len(served_by) <= prompt_count:
        assert verified == provenance
    else:
        assert_no_evidence(verified, OTHER_COUNTS)


@given(served, st.sampled_from([None, "", "tern", "tern-4", "fast", "bot", "chat", "eu"]))
def test_a_record_is_evidence_only_beside_the_model_that_it_proves(
    served_by: list[ServedBy], model_id: str | None
) -> None:
    provenance = GeneratorProvenance.of(served_by)
    verified = provenance.verified_against(
        prompt_count=len(served_by), graded_count=len(served_by), model_id=model_id
    )
    if model_id == provenance.model_id:
        assert verified == provenance
    else:
        assert_no_evidence(verified, OTHER_MODEL)


@pytest.mark.parametrize("application", [BOT, NAMED_BOT])
@pytest.mark.parametrize("model_id", ["bot", "chat", "shop"])
def test_a_claim_beside_a_model_is_no_evidence(application: ServedBy, model_id: str) -> None:
    provenance = GeneratorProvenance.of([application])
    assert provenance.verified_against(prompt_count=1, graded_count=1, model_id=None) == provenance
    assert_no_evidence(
        provenance.verified_against(prompt_count=1, graded_count=1, model_id=model_id), OTHER_MODEL
    )


@given(json_values(), st.integers(0, 10), st.none() | st.just("tern"))
def test_what_was_no_evidence_keeps_its_first_reason(
    record: object, count: int, model_id: str | None
) -> None:
    provenance = GeneratorProvenance.decoded(record)
    assert (
        provenance.verified_against(prompt_count=count, graded_count=count, model_id=model_id) == provenance
    )


@given(served)
def test_no_status_says_more_than_the_answers_do(served_by: list[ServedBy]) -> None:
    provenance = GeneratorProvenance.of(served_by)
    identified = {each for each in served_by if each.identified}
    whole = len(identified) == 1 and all(each.identified for each in served_by)
    assert (provenance.generator is not None) == whole
    assert (provenance.model_id is not None) == (whole and all(each.complete for each in served_by))


def test_the_summary_names_every_generator_most_first_and_the_unknown() -> None:
    summary = GeneratorProvenance.of([US, EU, EU, ALIAS, PARTIAL]).summary()
    assert (
        summary
        == "eu/tern → tern-4 (2), eu/fast (reported by the same name) (1), us/tern → tern-4 (1), unknown (1)"
    )
    assert GeneratorProvenance.of([]).summary() == "no prompt was answered"


def test_an_application_is_shown_as_declared_and_unverified() -> None:
    assert generator_name(BOT) == "shop: bot 2.1 (declared, unverified)"
    assert generator_name(NAMED_BOT) == "shop: bot (declared, unverified)"
    assert GeneratorProvenance.of([BOT] * 3).summary() == "shop: bot 2.1 (declared, unverified) (3)"


def test_a_missing_name_is_shown_as_missing() -> None:
    assert generator_name(PARTIAL) == "eu/tern → ?"
    assert generator_name(UNKNOWN_GENERATOR) == "?/? → ?"


REMOVED = object()
NAMES = ("provider_instance", "outbound_model", "reported_model", "declared_name", "declared_version")
OPTIONAL = ("outbound_model", "declared_version")


def is_damage(damaged: dict[str, Any], record: dict[str, Any], path: tuple[Any, ...]) -> bool:
    """Whether `damaged` means something else than `record`, and is not merely another generator's name."""
    if path[-1] in NAMES:
        *parents, name = path
        entry: Any = damaged
        for step in parents:
            entry = entry[step]
        if isinstance(entry.get(name), str) and entry[name]:
            return False
        if name in OPTIONAL and name in entry and entry[name] is None and entry.get("declared_name"):
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
