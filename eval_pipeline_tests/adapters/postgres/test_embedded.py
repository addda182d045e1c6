"""The embedded server: shared by processes, stopped by the last of them, never run by root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from eval_pipeline.adapters.postgres.embedded import start_embedded
from eval_pipeline.domain.errors import StorageError

HOLDER = """
import sys
from pathlib import Path
from eval_pipeline.adapters.postgres.embedded import start_embedded
print(start_embedded(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


class Holder:
    """A process that holds the server until it is told to end."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-W", "error", "-c", HOLDER, str(folder)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()

    def end(self) -> int:
        self._process.communicate(timeout=60)
        return self._process.returncode


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that every user may enter and that is short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="evp-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def answers(url: str) -> bool:
    try:
        with psycopg.connect(url) as connection:
            return connection.execute("select 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def test_processes_share_one_server_and_the_last_of_them_stops_it(folder: Path) -> None:
    first, second = Holder(folder / "new" / "postgres"), Holder(folder / "new" / "postgres")
    assert first.url == second.url
    assert answers(first.url)
    assert first.end() == 0
    assert answers(second.url)
    assert second.end() == 0
    assert not answers(second.url)


def test_what_was_stored_is_there_again_when_the_server_is_started_anew(folder: Path) -> None:
    for statement in ("create table kept (n int)", "insert into kept values (1)"):
        holder = Holder(folder / "kept" / "postgres")
        with psycopg.connect(holder.url) as connection:
            connection.execute(statement)
        assert holder.end() == 0


def test_the_server_runs_as_a_user_of_its_own_when_root_starts_it_and_else_as_its_starter(
    server_url: str,
) -> None:
    with psycopg.connect(server_url) as connection:
        row = connection.execute("select pg_read_file('postmaster.pid')").fetchone()
    assert row is not None
    postmaster = psutil.Process(int(row[0].splitlines()[0]))
    if os.geteuid() == 0:
        assert postmaster.uids().effective != 0
    else:
        assert postmaster.uids().effective == os.geteuid()


def test_the_server_listens_on_no_network_address(server_url: str) -> None:
    with psycopg.connect(server_url) as connection:
        assert connection.execute("show listen_addresses").fetchone() == ("",)


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_place_that_cannot_be_a_folder_is_refused_with_its_name(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("not a folder", "utf-8")
    with pytest.raises(StorageError, match="file"):
        start_embedded(tmp_path / place / "postgres")
