"""Measurements, each beside a yardstick of the same run. See README.md in this folder."""
