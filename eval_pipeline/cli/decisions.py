"""`eval-pipeline results accept|withdraw|pin|unpin`: what people decide about a result."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime, time
from typing import Annotated

import typer

from eval_pipeline.application.accept import decide_by_hand
from eval_pipeline.cli.output import out
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.standing import Action
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import load_catalogue, open_history, open_store

Result = Annotated[int, typer.Argument(metavar="RESULT", help="The id of a result.")]
By = Annotated[str | None, typer.Option("--by", help="Who decides; the user of this machine otherwise.")]
Why = Annotated[str, typer.Option("--reason", help="Why; it is kept and shown.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to a group."""
    for command in (accept, withdraw, pin, unpin):
        app.command(command.__name__)(command)


def accept(
    result_id: Result,
    reason: Annotated[str, typer.Option("--reason", help="Why; it is kept and shown.")],
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="DATE", help="The last day it holds, or a time with its zone."),
    ] = None,
    by: By = None,
) -> None:
    """Let a result pass whatever its checks say, and be a baseline."""
    _decide(result_id, Action.ACCEPT, reason, by, _moment(until))
    out.print(
        f"result {result_id} is accepted; materialise approved_result again to let what follows it run",
        markup=False,
    )


def withdraw(result_id: Result, reason: Why = "", by: By = None) -> None:
    """Take an acceptance back, also that of a result which passed its checks: it is no baseline any more."""
    _decide(result_id, Action.WITHDRAW, reason, by)
    out.print(f"result {result_id} is no longer accepted", markup=False)


def pin(result_id: Result, reason: Why = "", by: By = None) -> None:
    """Make a result the baseline of what follows, until it is unpinned."""
    _decide(result_id, Action.PIN, reason, by)
    out.print(f"result {result_id} is pinned as baseline", markup=False)


def unpin(result_id: Result, reason: Why = "", by: By = None) -> None:
    """Let the newest accepted result be the baseline again."""
    _decide(result_id, Action.UNPIN, reason, by)
    out.print(f"result {result_id} is no longer pinned", markup=False)


def _decide(
    result_id: int, action: Action, reason: str, by: str | None, until: datetime | None = None
) -> None:
    settings = Settings()
    project = load_catalogue(settings).project
    decide_by_hand(
        result_id,
        action,
        reason=reason,
        decided_by=by or _user(),
        until=until,
        store=open_store(settings, project),
        verdicts=open_history(settings, project),
        clock=lambda: datetime.now(UTC),
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("this machine does not tell who you are: name yourself with --by") from None


def _moment(text: str | None) -> datetime | None:
    """The end of a day in UTC, or a moment as it was written.

    Raises:
        UsageError: It is no date, or a time without a zone.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--until takes a date such as 2026-12-31, not '{text}'") from None
    if len(text) == len("2026-12-31"):
        return datetime.combine(moment.date(), time.max, UTC)
    if moment.tzinfo is None:
        raise UsageError(f"--until '{text}' has no time zone: write one, such as {text}Z")
    return moment.astimezone(UTC)
