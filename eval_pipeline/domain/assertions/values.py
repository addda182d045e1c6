"""Assertions on a value in the answer, named by a JSON path, by a group of a pattern, or being the number in it."""

from __future__ import annotations

from eval_pipeline.domain.assertions.base import Assertion

KINDS: tuple[type[Assertion], ...] = ()
