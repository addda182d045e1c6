"""Connecting to a database, and bringing its tables to the version that the code speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, make_url, text

from eval_pipeline.adapters.postgres import schema
from eval_pipeline.adapters.postgres.tables import Base
from eval_pipeline.domain.errors import StorageError

PASSWORD = "p4ss/w@rd-of-ours"


def execute(engine: Engine, *statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def described(engine: Engine) -> set[tuple[str, ...]]:
    """Every column, constraint and index of our tables as PostgreSQL itself describes them."""
    columns = "table_name, column_name, data_type, is_nullable, is_identity, column_default, generation_expression"
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
