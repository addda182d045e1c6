"""Progress in a terminal: a bar for people, and nothing of it in a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from eval_pipeline.cli.output import err


class TerminalProgress:
    """The port `Progress` as a bar."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task: TaskID | None = None
        self._errors = 0

    def started(self, what: str, total: int) -> None:
        """See `Progress.started`."""
        self._errors = 0
        self._task = self._bars.add_task(what, total=total, errors="")

    def advanced(self, count: int, errors: int) -> None:
        """See `Progress.advanced`."""
        self._errors += errors
        if self._task is not None:
            shown = f"{self._errors} errors" if self._errors else ""
            self._bars.update(self._task, advance=count, errors=shown)

    def finished(self) -> None:
        """See `Progress.finished`."""
        self._bars.refresh()


@contextmanager
def terminal_progress() -> Iterator[TerminalProgress]:
    """A progress that shows while the context lasts, if stderr is a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("[yellow]{task.fields[errors]}"),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bars:
        yield TerminalProgress(bars)
