"""Connecting to a database, and bringing its tables to the version that this code speaks."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from eval_pipeline.domain.errors import StorageError

SCHEMA_VERSION = "0003"
"""The newest migration; a database beyond it is refused."""
VERSION_TABLE = "eval_pipeline_version"
_MIGRATIONS = Path(__file__).parent / "migrations"


def connect(url: str) -> Engine:
    """An engine for the PostgreSQL database at `url`, which has been reached once.

    Raises:
        StorageError: The URL is none, or the database cannot be reached. Its password is not shown.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "postgresql":
            raise StorageError(f"not a PostgreSQL database: {parsed.render_as_string(hide_password=True)}")
        engine = create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    except (ArgumentError, ValueError):
        raise StorageError(
            "EVAL_PIPELINE_DATABASE_URL is no URL such as postgresql://user@host/database"
        ) from None
    try:
        with engine.connect():
            return engine
    except SQLAlchemyError as error:
        shown = parsed.difference_update_query(["password"]).render_as_string(hide_password=True)
        reason = " ".join(str(getattr(error, "orig", error)).split())
        for password in (parsed.password, parsed.query.get("password")):
            reason = reason.replace(str(password), "***") if password else reason
        raise StorageError(f"the database {shown} cannot be reached: {reason}") from None


def plain_url(url: str) -> str:
    """`url` without the name of a driver, as Dagster needs it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def libpq_environment(url: str) -> dict[str, str]:
    """The variables by which PostgreSQL's own programs find the database at `url`."""
    parsed = make_url(url)
    host = parsed.query.get("host", parsed.host)
    values = {
        "PGHOST": host,
        "PGPORT": parsed.port,
        "PGUSER": parsed.username,
        "PGPASSWORD": parsed.password,
        "PGDATABASE": parsed.database,
    }
    return {name: str(value) for name, value in values.items() if value}


def current_version(engine: Engine) -> str | None:
    """The version of the database's tables; none when there are none yet."""
    with engine.connect() as connection:
        return _version(connection)


def upgrade(engine: Engine) -> None:
    """Bring the tables to `SCHEMA_VERSION`. Concurrent calls wait for one another.

    Raises:
        StorageError: The database has a version that this code does not know, or refuses the change.
    """
    try:
        with engine.begin() as connection:
            connection.execute(text("select pg_advisory_xact_lock(hashtext('eval_pipeline.schema'))"))
            if _version(connection) != SCHEMA_VERSION:
                _run_migrations(connection)
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).splitlines()[0]
        raise StorageError(f"the database cannot be upgraded: {reason}") from None


def require_current(engine: Engine) -> None:
    """Refuse a database whose tables are not of this code's version.

    Raises:
        StorageError: They are older, newer or missing; the message says what to do.
    """
    version = current_version(engine)
    if version == SCHEMA_VERSION:
        return
    if version is None or version < SCHEMA_VERSION:
        state = f"at version {version}" if version else "without tables"
        raise StorageError(
            f"the database is {state}, this code needs {SCHEMA_VERSION}: run eval-pipeline db upgrade"
        )
    raise StorageError(
        f"the database is at version {version}, newer than this code, which knows {SCHEMA_VERSION}:"
        " install a newer eval-pipeline"
    )


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version: str | None = connection.scalar(text(f"select version_num from {VERSION_TABLE}"))  # noqa: S608
    return version


def _run_migrations(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StorageError(
            f"the database cannot be upgraded by this code, which may be too old: {error}"
        ) from None
