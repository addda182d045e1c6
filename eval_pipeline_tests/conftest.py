"""Real parts for tests: one embedded PostgreSQL a session, and a fresh database in it for every test."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Engine, create_engine, text

from eval_pipeline.adapters.postgres import schema
from eval_pipeline.adapters.postgres.embedded import start_embedded

if TYPE_CHECKING:
    from dagster import DagsterInstance

_SHARED = Path(__file__).parent.parent.parent / "shared"
_numbers = count(1)


@pytest.fixture(scope="session")
def server_url() -> str:
    """The URL of a real PostgreSQL, in a folder that every user may enter and that is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="evp-"))
    folder.chmod(0o755)
    # The server stops when the process ends; what is registered before it is called after it.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return start_embedded(folder / "postgres")


@pytest.fixture(scope="session")
def template_database(server_url: str) -> str:
    """The name of a database with current tables, to be copied."""
    name = "template_for_tests"
    _administer(server_url, f"create database {name}")
    engine = schema.connect(_in_database(server_url, name))
    schema.upgrade(engine)
    engine.dispose()
    return name


@pytest.fixture
def empty_database_url(server_url: str) -> str:
    """The URL of a database without tables."""
    name = f"empty_{next(_numbers)}"
    _administer(server_url, f"create database {name}")
    return _in_database(server_url, name)


@pytest.fixture
def database_url(server_url: str, template_database: str) -> str:
    """The URL of a database with current, empty tables."""
    name = f"test_{next(_numbers)}"
    _administer(server_url, f"create database {name} template {template_database}")
    return _in_database(server_url, name)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A connection to a database with current, empty tables."""
    engine = schema.connect(database_url)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def shared_engine(server_url: str, template_database: str) -> Iterator[Engine]:
    """A connection to a database with current tables that the tests of a module share: see `project`."""
    name = f"shared_{next(_numbers)}"
    _administer(server_url, f"create database {name} template {template_database}")
    engine = schema.connect(_in_database(server_url, name))
    yield engine
    engine.dispose()


@pytest.fixture
def project() -> str:
    """The slug of a project that no other test uses."""
    return f"project-{next(_numbers)}"


@pytest.fixture(scope="session")
def dagster_template(server_url: str, template_database: str) -> str:
    """The name of a database with current tables, Dagster's included, to be copied."""
    name = "template_with_dagster"
    _administer(server_url, f"create database {name} template {template_database}")
    with tempfile.TemporaryDirectory() as home, _instance(Path(home), _in_database(server_url, name)):
        pass
    return name


@pytest.fixture(scope="session")
def new_dagster_url(server_url: str, dagster_template: str) -> Callable[[], str]:
    """Makes databases with current, empty tables, Dagster's included, and gives their URLs."""

    def new() -> str:
        name = f"dagster_{next(_numbers)}"
        _administer(server_url, f"create database {name} template {dagster_template}")
        return _in_database(server_url, name)

    return new


@pytest.fixture(scope="module")
def instance(
    new_dagster_url: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DagsterInstance]:
    """A Dagster instance on PostgreSQL that the tests of a module share."""
    with _instance(tmp_path_factory.mktemp("dagster"), new_dagster_url()) as opened:
        yield opened


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of handed cases, which a user's clone does not have."""
    return _present(_SHARED / "cases")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of third-party data, which a user's clone does not have."""
    return _present(_SHARED / "data")


def _present(folder: Path) -> Path:
    if not folder.is_dir():
        pytest.skip(f"{folder.name} are not beside this clone")
    return folder


def _instance(home: Path, url: str) -> DagsterInstance:
    from eval_pipeline.orchestration.instance import open_instance

    configuration = {"storage": {"postgres": {"postgres_url": url}}, "telemetry": {"enabled": False}}
    (home / "dagster.yaml").write_text(json.dumps(configuration), "utf-8")
    return open_instance(home)


def _administer(server_url: str, statement: str) -> None:
    engine = create_engine(
        server_url.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def _in_database(server_url: str, name: str) -> str:
    return server_url.replace("/postgres?", f"/{name}?")
