"""`eval-pipeline db`: the database of results."""

from __future__ import annotations

import os
import shutil
import subprocess

import typer
from sqlalchemy import make_url

from eval_pipeline.adapters.postgres import schema
from eval_pipeline.adapters.postgres.embedded import bundled_psql
from eval_pipeline.adapters.postgres.schema import libpq_environment
from eval_pipeline.cli.output import Exit, out
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.settings import Settings
from eval_pipeline.wiring import database_url

app = typer.Typer(help="The database of results.", no_args_is_help=True)


@app.command("upgrade")
def upgrade() -> None:
    """Create or upgrade the tables."""
    engine = schema.connect(database_url(Settings()))
    before = schema.current_version(engine)
    schema.upgrade(engine)
    out.print(f"the database was at {before or 'no version'} and is at {schema.SCHEMA_VERSION}", markup=False)


@app.command("psql", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def psql(context: typer.Context) -> None:
    """Open the database in psql; arguments are handed on, such as -c "select provenance from evaluation_result"."""
    url = schema.plain_url(database_url(Settings()))
    program = shutil.which("psql") or bundled_psql()
    if program is None:
        raise UsageError("there is no psql: install PostgreSQL's client, or eval-pipeline[embedded]")
    # The address goes into the environment, because a command line is seen by everybody on the machine.
    environment = {**os.environ, **libpq_environment(url)}
    raise typer.Exit(subprocess.run([program, *context.args], env=environment, check=False).returncode)  # noqa: S603


@app.command("status")
def status() -> None:
    """Show which database is used and whether its tables are current."""
    settings = Settings()
    url = database_url(settings)
    kind = "embedded" if settings.database_url is None else "EVAL_PIPELINE_DATABASE_URL"
    out.print(
        f"database: {make_url(url).render_as_string(hide_password=True)} ({kind})",
        markup=False,
        soft_wrap=True,
    )
    version = schema.current_version(schema.connect(url))
    out.print(f"tables:   {version or 'none yet'}; this code needs {schema.SCHEMA_VERSION}", markup=False)
    if version != schema.SCHEMA_VERSION:
        out.print("run eval-pipeline db upgrade", markup=False)
        raise typer.Exit(Exit.USAGE)
