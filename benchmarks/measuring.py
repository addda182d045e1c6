"""What the scripts share: timed commands in a home of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("eval-pipeline"))


@dataclass(frozen=True)
class Timed:
    """How a command went: wall time and processor time in seconds, peak memory in KiB, and its output."""

    wall: float
    processor: float
    peak_kib: int
    output: str


def timed(command: list[str], environment: Mapping[str, str]) -> Timed:
    """Run a command and measure it."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(command, env=dict(environment), stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        output.seek(0)
        return Timed(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, output.read().decode())


@contextmanager
def fresh_home() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with no state, and the environment that makes commands use it."""
    with tempfile.TemporaryDirectory(prefix="evp-bench-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        home.chmod(0o755)
        variables = {"EVAL_PIPELINE_HOME": str(home / "home"), "EVAL_PIPELINE_PROJECT": str(home / "evals")}
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("EVAL_PIPELINE_", "DAGSTER_"))
        }
        yield home, kept | variables
