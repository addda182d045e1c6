"""Tests, laid out like the package. Real parts throughout: no patching, no mocks."""
