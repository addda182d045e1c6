"""`eval-pipeline db`: the database of results."""

from __future__ import annotations

import typer
from sqlalchemy import make_url

from eval_pipeline.adapters.postgres import schema
from eval_pipeline.cli.output import Exit, out
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
