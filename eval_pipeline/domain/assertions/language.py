"""Assertions on the language of the answer: mood, grammar, readability, spelling."""

from __future__ import annotations

from eval_pipeline.domain.assertions.base import Assertion

KINDS: tuple[type[Assertion], ...] = ()
