"""`eval-pipeline dev`: database, Dagster's UI and its daemon together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Annotated

import typer

from eval_pipeline.cli.declarations import warn_of_faults
from eval_pipeline.cli.output import err
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import database_url, load_catalogue, open_store

_GRACE_SECONDS = 15
_SECONDS_TO_END = 1.0


def dev(
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port of the UI.")] = 3000,
    host: Annotated[str, typer.Option(help="The address that the UI listens on.")] = "127.0.0.1",
) -> None:
    """Start the database, Dagster's UI and its daemon; stop all of them with Ctrl-C."""
    from eval_pipeline.cli.session import dagster_home_of, open_project_instance
    from eval_pipeline.orchestration.instance import shipped_file

    settings = Settings()
    catalogue = load_catalogue(settings)
    warn_of_faults(catalogue)
    open_store(settings, catalogue.project)
    dagster_home = dagster_home_of(settings)
    with open_project_instance(dagster_home, catalogue, database_url(settings)):
        pass  # its tables and partitions are there before the UI is
    err.print(f"Dagster's UI will be at http://{host}:{port}", markup=False)
    command = [sys.executable, "-m", "dagster", "dev", "--workspace", str(shipped_file("workspace.yaml"))]
    sys.exit(_run_group([*command, "--host", host, "--port", str(port)], {"DAGSTER_HOME": str(dagster_home)}))


def _run_group(command: list[str], variables: dict[str, str]) -> int:
    """Run a command in a process group of its own and leave nothing of the group behind."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    # Started in the background, a shell's jobs ignore Ctrl-C and hand that on, and Dagster would then
    # ignore every request to stop. With handlers of our own here, its processes begin with the defaults.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    process = subprocess.Popen(command, env=os.environ | variables, start_new_session=True)  # noqa: S603 - our own
    try:
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        _end_group(process)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ask, then insist. Dagster's main process stops its children in order, if only it is asked."""
    with suppress(subprocess.TimeoutExpired, ProcessLookupError):
        process.send_signal(signal.SIGINT)
        process.wait(timeout=_GRACE_SECONDS)
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
            time.sleep(_SECONDS_TO_END)
