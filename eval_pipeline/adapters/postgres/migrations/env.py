"""Runs migrations on the connection that `schema.upgrade` hands over."""

from alembic import context

from eval_pipeline.adapters.postgres.schema import VERSION_TABLE
from eval_pipeline.adapters.postgres.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
