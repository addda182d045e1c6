"""Assertions on the size of the answer: characters, words, sentences."""

from __future__ import annotations

from eval_pipeline.domain.assertions.base import Assertion

KINDS: tuple[type[Assertion], ...] = ()
