"""Alembic migrations, run by `eval-pipeline db upgrade` and, for the embedded database, by themselves."""
