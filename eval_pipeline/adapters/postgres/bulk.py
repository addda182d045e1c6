"""Inserting many rows by one statement in one round trip: they travel as one JSON text.

What is saved while a model is being asked waits for nothing but this; the mapper and its parameters
would cost several times as much.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, Table, text

from eval_pipeline.adapters.postgres.tables import Base


class BulkInsert:
    """Inserts rows into one table; rows that are there already stay as they are.

    Args:
        row_type: The mapped class of the table. Identity columns are left to the database, in the
            order of the rows.
    """

    def __init__(self, row_type: type[Base]) -> None:
        table = cast("Table", row_type.__table__)
        columns = ", ".join(column.name for column in table.columns if column.identity is None)
        self._statement = text(
            f"insert into {table.name} ({columns}) select {columns}"  # noqa: S608 - names of our own
            f" from json_populate_recordset(cast(null as {table.name}), cast(:rows as json)) on conflict do nothing"
        )

    def execute(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert `rows`, whose keys are the columns and whose texts are storable."""
        as_json = json.dumps(rows, ensure_ascii=False, allow_nan=False, default=datetime.isoformat)
        connection.execute(self._statement, {"rows": as_json})
