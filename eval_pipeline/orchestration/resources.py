"""What assets are given: ports, created once a run, and how failures become messages for people."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import dagster as dg

from eval_pipeline.domain.errors import EvalPipelineError

DECLARATIONS = "declarations"
RESULT_STORE = "result_store"
RESULT_HISTORY = "result_history"
MODEL_CLIENTS = "model_clients"
PROGRESS = "progress"

_SECONDS_BETWEEN_LOG_LINES = 10.0


def utc_now() -> datetime:
    """The clock of production."""
    return datetime.now(UTC)


@contextmanager
def failures_for_people() -> Iterator[None]:
    """Turns the package's own exceptions into failures that show their message instead of a traceback."""
    try:
        yield
    except EvalPipelineError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from None


class LoggedProgress:
    """Progress as log lines, a few a minute: the default in runs that nobody watches in a terminal."""

    def __init__(self) -> None:
        self._log = logging.getLogger("eval_pipeline")
        self._what, self._total, self._done, self._errors = "", 0, 0, 0
        self._last = 0.0

    def started(self, what: str, total: int) -> None:
        """See `Progress.started`."""
        self._what, self._total, self._done, self._errors = what, total, 0, 0
        self._last = time.monotonic()
        self._log.info("%s: asking %d prompts", what, total)

    def advanced(self, count: int, errors: int) -> None:
        """See `Progress.advanced`."""
        self._done += count
        self._errors += errors
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_LOG_LINES:
            self._last = time.monotonic()
            self._log.info(
                "%s: %d of %d answered, %d errors", self._what, self._done, self._total, self._errors
            )

    def finished(self) -> None:
        """See `Progress.finished`."""
        self._log.info("%s: %d of %d asked, %d errors", self._what, self._done, self._total, self._errors)
