"""Assets, partitions, sensors and termination, on a real Dagster instance in PostgreSQL."""
