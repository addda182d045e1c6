"""Fewer examples than the default: the whole suite is to run on every save."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("quick", max_examples=50, deadline=None)
settings.load_profile("quick")
