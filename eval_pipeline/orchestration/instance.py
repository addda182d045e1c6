"""The Dagster instance that the command line and the UI share."""

from __future__ import annotations

import shutil
from pathlib import Path

import dagster as dg

from eval_pipeline.domain.errors import StorageError

_PACKAGE = Path(__file__).parent.parent


def shipped_file(name: str) -> Path:
    """A file that stands at the top level of the source and inside an installed package."""
    installed = _PACKAGE / name
    return installed if installed.is_file() else _PACKAGE.parent / name


def prepare_dagster_home(home: Path) -> Path:
    """The folder of the instance below `home`, with its current configuration in it."""
    folder = home.resolve() / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(shipped_file("dagster.yaml"), folder / "dagster.yaml")
    return folder


def open_instance(dagster_home: Path) -> dg.DagsterInstance:
    """The instance that `dagster.yaml` in a folder describes, with pooled connections.

    Raises:
        StorageError: The folder holds no configuration, or its database cannot be used.
    """
    if not (dagster_home / "dagster.yaml").is_file():
        raise StorageError(f"DAGSTER_HOME {dagster_home} holds no dagster.yaml")
    try:
        instance = dg.DagsterInstance.from_config(str(dagster_home))
        # The storages open a connection for every statement, unless they are told that many will come.
        instance.optimize_for_webserver(statement_timeout=60_000, pool_recycle=3600, max_overflow=8)
    except Exception as error:  # noqa: BLE001 - storages raise what their drivers raise
        reason = str(error).splitlines()[0] if str(error) else ""
        raise StorageError(
            f"Dagster's instance in {dagster_home} cannot be opened: {type(error).__name__} {reason}"
        ) from None
    return instance


def uses_postgres(instance: dg.DagsterInstance) -> bool:
    """Whether runs and events are kept in PostgreSQL; SQLite locks up under concurrent steps."""
    return "postgres" in type(instance.event_log_storage).__module__
