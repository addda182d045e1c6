"""Assertions on how the answer came about: calls of tools, time, cost, tokens."""

from __future__ import annotations

from eval_pipeline.domain.assertions.base import Assertion

KINDS: tuple[type[Assertion], ...] = ()
