"""Connecting to a database, and bringing its tables to the version that the code speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, make_url, text

from eval_pipeline.adapters.postgres import schema
from eval_pipeline.adapters.postgres.result_history import PostgresResultHistory
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.adapters.postgres.tables import Base
from eval_pipeline.domain.baselines import Against, BaselineScope
from eval_pipeline.domain.canonical import content_hash
from eval_pipeline.domain.errors import StorageError
from eval_pipeline.domain.provenance import GeneratorStatus
from eval_pipeline.domain.quality import GeneratorScope
from eval_pipeline.domain.responses import ServedBy
from eval_pipeline_tests.stored import NOON

PASSWORD = "p4ss/w@rd-of-ours"


def execute(engine: Engine, *statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def described(engine: Engine) -> set[tuple[str, ...]]:
    """Every column, constraint and index of our tables as PostgreSQL itself describes them."""
    columns = (
        "table_name, column_name, data_type, is_nullable, is_identity, column_default, generation_expression"
    )
    constraints = "conrelid::regclass::text, conname, pg_get_constraintdef(oid)"
    statements = (
        f"select {columns} from information_schema.columns where table_schema = 'public'",
        f"select {constraints} from pg_constraint where connamespace = 'public'::regnamespace",
        "select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'",
    )
    with engine.connect() as connection:
        found = {tuple(row) for statement in statements for row in connection.execute(text(statement))}
    return {row for row in found if row[0] != schema.VERSION_TABLE}


@pytest.fixture
def connect() -> Iterator[Callable[[str], Engine]]:
    """Connects to databases, and closes all connections at the end of the test."""
    with ExitStack() as opened:

        def connected(url: str) -> Engine:
            engine = schema.connect(url)
            opened.callback(engine.dispose)
            return engine

        yield connected


# Upgrading


def test_an_empty_database_is_upgraded_and_then_current(
    connect: Callable[[str], Engine], empty_database_url: str
) -> None:
    engine = connect(empty_database_url)
    assert schema.current_version(engine) is None
    schema.upgrade(engine)
    assert schema.current_version(engine) == schema.SCHEMA_VERSION
    schema.require_current(engine)


def test_to_upgrade_again_changes_nothing_and_keeps_what_is_stored(engine: Engine) -> None:
    execute(engine, "insert into golden_prompt_set values ('acme', 'acme.set', 'hash', '{}', 1, now())")
    before = described(engine)
    schema.upgrade(engine)
    assert described(engine) == before
    with engine.connect() as connection:
        assert connection.scalar(text("select count(*) from golden_prompt_set")) == 1


def test_two_upgrades_at_the_same_time_wait_for_one_another(
    connect: Callable[[str], Engine], empty_database_url: str
) -> None:
    engines = [connect(empty_database_url) for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        assert list(pool.map(schema.upgrade, engines)) == [None, None]
    for engine in engines:
        schema.require_current(engine)


def test_the_migrations_build_the_tables_that_the_code_maps(
    connect: Callable[[str], Engine], engine: Engine, empty_database_url: str
) -> None:
    mapped = connect(empty_database_url)
    Base.metadata.create_all(mapped)
    assert described(engine) == described(mapped)


@pytest.mark.filterwarnings("ignore:Computed default on")  # compared as PostgreSQL has them, below
def test_alembic_finds_nothing_to_migrate(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": schema.VERSION_TABLE, "compare_server_default": True}
        )
        assert compare_metadata(context, Base.metadata) == []


# Upgrading from the first version

# The hashes of acme.set as the first version kept it, and its snapshot's, which covers them.
INPUTS, TREATMENT, EXPECTATIONS = "1" * 64, "2" * 64, "3" * 64
SNAPSHOT = content_hash([INPUTS, TREATMENT, EXPECTATIONS])
GENERATOR = (
    '{"version": 1, "status": "one", "unknown": 0, "answered": 1, "generators": [{"alias_only": false,'
    ' "provider_instance": "eu-west", "outbound_model": "tern-large", "reported_model": "tern-4-2026",'
    ' "responses": 1}]}'
)
GRADED_LATER = NOON + timedelta(hours=3)
FIRST_VERSION = (
    "insert into golden_prompt_set values ('acme', 'acme.set', :snapshot, '{}', 1, :noon)",
    (
        "insert into golden_prompt values"
        " ('acme', 'acme.set', :snapshot, 'p1', 0, '{}', 'inputs of p1', :treatment, :expectations)"
    ),
    (
        "insert into evaluation_run (project, set_id, model_key, status, partial, prompt_count, inputs_hash,"
        " treatment_hash, expectations_hash, provider_instance, outbound_model, parameters, orchestration_run_id,"
        " started_at) values ('acme', 'acme.set', 'tern', 'finished', false, 1, :inputs, :treatment, :expectations,"
        " 'eu-west', 'tern-large', '{}', 'dagster-1', :noon)"
    ),
    (
        "insert into model_response (run_id, prompt_id, repeat, request_key, messages, text, tool_calls,"
        " provider_instance, outbound_model, reported_model, flags, received_at) values (1, 'p1', 0, 'key', '[]', 'yes',"
        " '[]', 'eu-west', 'tern-large', 'tern-4-2026', '{}', :noon)"
    ),
    (
        "insert into grading_pass (run_id, grader, yardstick, graded_at) select 1, 'deterministic',"
        " '{\"version\": 1}', :later from generate_series(1, 2)"
    ),
    (
        "insert into prompt_grading (grading_id, prompt_id, repeat, status, score, reason, assertions)"
        " select n, 'p1', 0, 'pass', 1, 'all assertions hold', '[]' from generate_series(1, 2) n"
    ),
    # The first result has no provenance, as all had before it was kept; the second has.
    (
        "insert into evaluation_result (id, run_id, project, set_id, model_key, grader, run_date, model_id, partial,"
        " prompt_count, graded_count, passed_count, error_count, skipped_count, pass_rate, mean_score, not_passed,"
        " flags, breakdown, gate, inputs_hash, treatment_hash, expectations_hash, yardstick, provenance)"
        " select n, 1, 'acme', 'acme.set', 'tern', 'deterministic', :later, case n when 2 then 'tern-large' end, false,"
        " 1, 1, 1, 0, 0, 1, 1, '{}', '{}', '{}', '{}', :inputs, :treatment, :expectations, '{\"version\": 1}',"
        " case n when 2 then cast(:generator as jsonb) end from generate_series(1, 2) n"
    ),
)


@pytest.fixture(scope="module")
def upgraded(server_url: str) -> Iterator[Engine]:
    """A database of the first version with an evaluation in it, upgraded to the newest."""
    administrator = schema.connect(server_url)
    with administrator.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("create database of_the_first_version"))
    administrator.dispose()
    engine = schema.connect(
        make_url(server_url).set(database="of_the_first_version").render_as_string(hide_password=False)
    )
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    values = {
        "snapshot": SNAPSHOT,
        "inputs": INPUTS,
        "treatment": TREATMENT,
        "expectations": EXPECTATIONS,
        "generator": GENERATOR,
        "noon": NOON,
        "later": GRADED_LATER,
    }
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in FIRST_VERSION:
            own = {name: value for name, value in values.items() if f":{name}" in statement}
            connection.execute(text(statement), own)
    assert schema.current_version(engine) == "0001"
    schema.upgrade(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def upgraded_store(upgraded: Engine) -> PostgresResultStore:
    return PostgresResultStore(upgraded, "acme")


@pytest.fixture
def upgraded_history(upgraded: Engine) -> PostgresResultHistory:
    return PostgresResultHistory(upgraded, "acme")


def test_a_database_of_the_first_version_is_current_after_the_upgrade(upgraded: Engine) -> None:
    schema.require_current(upgraded)


def test_an_upgraded_database_has_the_tables_of_a_new_one(upgraded: Engine, engine: Engine) -> None:
    assert described(upgraded) == described(engine)


def test_a_run_of_the_first_version_asked_every_prompt_once_and_does_not_know_how(
    upgraded_store: PostgresResultStore,
) -> None:
    run = upgraded_store.latest_whole_run("acme.set", "tern")
    assert run is not None
    assert (run.repeats, run.treatment, run.started_at) == (1, None, NOON)


def test_a_run_of_the_first_version_finds_the_snapshot_of_its_set(
    upgraded_store: PostgresResultStore,
) -> None:
    run = upgraded_store.latest_whole_run("acme.set", "tern")
    assert run is not None
    assert run.content_hash == SNAPSHOT
    assert upgraded_store.prompt_inputs("acme.set", run.content_hash) == {"p1": "inputs of p1"}


def test_responses_and_gradings_of_the_first_version_are_read(upgraded_store: PostgresResultStore) -> None:
    given = upgraded_store.responses(1, ["p1"])["p1", 0]
    assert given.reply is not None
    assert (given.reply.text, given.served_by) == ("yes", ServedBy("eu-west", "tern-large", "tern-4-2026"))
    assert [entry.prompt_id for batch in upgraded_store.gradings(1) for entry in batch] == ["p1"]


def test_a_grading_of_the_first_version_was_made_by_the_dagster_run_that_asked(
    upgraded_store: PostgresResultStore,
) -> None:
    found = upgraded_store.grading_of_orchestration("acme.set", "tern", "deterministic", "dagster-1")
    assert found is not None
    assert (found.id, found.graded_at, found.regraded_from) == (2, GRADED_LATER, None)


def test_a_result_of_the_first_version_becomes_as_old_as_what_was_asked(
    upgraded_history: PostgresResultHistory,
) -> None:
    assert [found.run_date for found in upgraded_history.results()] == [NOON, NOON]


def test_a_result_without_provenance_is_readable_and_unverified(upgraded_store: PostgresResultStore) -> None:
    legacy = upgraded_store.result(1)
    assert legacy is not None
    assert (legacy.summary.total.pass_rate, legacy.complete, legacy.model_id) == (1.0, True, None)
    assert legacy.summary.provenance.status is GeneratorStatus.UNVERIFIED


def scope_after_the_upgrade() -> BaselineScope:
    generator = ServedBy("eu-west", "tern-large", "tern-4-2026")
    later = NOON + timedelta(days=1)
    return BaselineScope("acme.set", "deterministic", "tern", generator, False, later, 99, 99)


def test_of_the_results_of_the_first_version_only_one_with_provenance_is_a_baseline(
    upgraded_history: PostgresResultHistory,
) -> None:
    found = upgraded_history.baseline(scope_after_the_upgrade(), Against.PREVIOUS, NOON)
    assert found is not None
    assert found.id == 2


def test_no_result_of_the_first_version_counts_as_accepted_nor_as_pinned(
    upgraded_history: PostgresResultHistory,
) -> None:
    chosen = [
        upgraded_history.baseline(scope_after_the_upgrade(), against, NOON)
        for against in (Against.ACCEPTED, Against.PINNED)
    ]
    assert chosen == [None, None]


def test_a_result_without_provenance_is_no_evidence_of_a_models_quality(
    upgraded_history: PostgresResultHistory,
) -> None:
    scope = GeneratorScope("eu-west", "tern-large")
    newest = upgraded_history.newest_of_sets(["acme.set"], "deterministic", scope, NOON)
    assert [found.id for found in newest] == [2]


# Versions


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (f"drop table {schema.VERSION_TABLE}", "without tables.*run eval-pipeline db upgrade"),
        (f"delete from {schema.VERSION_TABLE}", "without tables.*run eval-pipeline db upgrade"),
        (
            f"update {schema.VERSION_TABLE} set version_num = '0000'",
            "version 0000.*run eval-pipeline db upgrade",
        ),
        (f"update {schema.VERSION_TABLE} set version_num = '9999'", "version 9999, newer than this code"),
    ],
    ids=["missing", "without a version", "older", "newer"],
)
def test_a_database_of_another_version_is_refused_with_what_to_do(
    engine: Engine, statement: str, message: str
) -> None:
    execute(engine, statement)
    with pytest.raises(StorageError, match=message):
        schema.require_current(engine)


def test_a_newer_database_is_not_upgraded_either_and_stays_as_it_is(engine: Engine) -> None:
    execute(engine, f"update {schema.VERSION_TABLE} set version_num = '9999'")
    with pytest.raises(StorageError, match="cannot be upgraded by this code"):
        schema.upgrade(engine)
    assert schema.current_version(engine) == "9999"


def test_a_user_who_may_not_create_tables_is_told_so(
    connect: Callable[[str], Engine], server_url: str, empty_database_url: str
) -> None:
    execute(connect(server_url), "create role reader login")
    url = make_url(empty_database_url).set(username="reader").render_as_string(hide_password=False)
    with pytest.raises(StorageError, match="permission denied"):
        schema.upgrade(connect(url))


# Databases that cannot be reached


@pytest.fixture(scope="module")
def guarded_url(server_url: str) -> str:
    """The server's URL for a user who needs a password."""
    administrator = schema.connect(server_url)
    with administrator.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        file, present = connection.execute(
            text("select setting, pg_read_file(setting) from pg_settings where name = 'hba_file'")
        ).one()
        rules = ["local all guarded scram-sha-256", *re.findall(r"(?m)^(?:local|host)\b.*$", present)]
        rows = ", ".join("('" + rule.replace("'", "''") + "')" for rule in rules)
        connection.execute(text(f"copy (values {rows}) to '{file}'"))
        connection.execute(text(f"create role guarded login password '{PASSWORD}'"))
        connection.execute(text("select pg_reload_conf()"))
    administrator.dispose()
    return make_url(server_url).set(username="guarded").render_as_string(hide_password=False)


def with_password(url: str, password: str) -> str:
    return make_url(url).set(password=password).render_as_string(hide_password=False)


def test_the_right_password_opens_the_database(connect: Callable[[str], Engine], guarded_url: str) -> None:
    assert schema.current_version(connect(with_password(guarded_url, PASSWORD))) is None


def test_a_wrong_password_is_refused_in_one_line_that_does_not_show_it(guarded_url: str) -> None:
    with pytest.raises(StorageError, match="password authentication failed") as refused:
        schema.connect(with_password(guarded_url, "wr0ng/s3cret@here"))
    assert_is_one_line_without_password(str(refused.value), "wr0ng/s3cret@here")


SECRET = "hunter2-of-ours"


@pytest.mark.parametrize(
    "url",
    [
        pytest.param(f"postgresql://ada:{SECRET}@127.0.0.1:9/results", id="nothing listens"),
        pytest.param(f"postgresql://ada:{SECRET}@no-such-host.invalid/results", id="no such host"),
        pytest.param(f"postgresql://ada:{SECRET}@/results?host=/no/such/folder", id="no such socket"),
        pytest.param(
            f"postgresql://ada@127.0.0.1:9/results?password={SECRET}", id="the password as a parameter"
        ),
        pytest.param(f"mysql://ada:{SECRET}@127.0.0.1/results", id="another kind of database"),
        pytest.param("sqlite:///results.db", id="a file"),
        pytest.param(f"postgresql://ada:{SECRET}@127.0.0.1:port/results", id="a port that is no number"),
        pytest.param(f"postgresql://ada:{SECRET}/x@127.0.0.1/results", id="a password with a bare slash"),
        pytest.param(f"postgresql://ada:{SECRET}@127.0.0.1:999999/results", id="a port too large"),
        pytest.param(f"postgresql://ada:{SECRET}@127.0.0.1:9/results?no_such=1", id="an unknown parameter"),
        pytest.param(f"ada:{SECRET}@127.0.0.1/results", id="no scheme"),
        pytest.param(f"host=127.0.0.1 password={SECRET}", id="not a URL"),
        pytest.param("", id="empty"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_in_one_line_without_password(url: str) -> None:
    with pytest.raises(StorageError) as refused:
        schema.connect(url)
    assert_is_one_line_without_password(str(refused.value), SECRET)


def assert_is_one_line_without_password(message: str, password: str) -> None:
    assert message
    assert "\n" not in message
    assert password not in message
