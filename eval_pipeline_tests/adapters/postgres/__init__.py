"""The result store, the schema and the embedded server, on a real PostgreSQL."""
