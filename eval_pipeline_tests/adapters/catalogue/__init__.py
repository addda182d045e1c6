"""Tests of how declarations are read."""
