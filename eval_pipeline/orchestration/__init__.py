"""Dagster: assets, partitions, checks, jobs and sensors around the use cases."""
