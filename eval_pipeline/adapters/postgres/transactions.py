"""Transactions whose failures are told to people without the values that were being stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from eval_pipeline.domain.errors import StorageError


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """A transaction, committed at the end of the context.

    Raises:
        StorageError: The database refused, or was lost.
    """
    with failures_as_storage_errors(), Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def failures_as_storage_errors() -> Iterator[None]:
    """Turns failures of the database into `StorageError`s."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise StorageError(f"a text cannot be stored: {error.reason}") from None
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or type(error).__name__).splitlines()[0]
        raise StorageError(f"the database refused or was lost: {reason}") from None
