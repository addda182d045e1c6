"""The results in PostgreSQL: tables, migrations, the store, and the embedded server."""
