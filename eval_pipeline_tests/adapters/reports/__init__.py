"""Tests of the clients of models."""
