"""Assertions on what an answer must not do: insult, disclose personal data, refuse."""

from __future__ import annotations

from eval_pipeline.domain.assertions.base import Assertion

KINDS: tuple[type[Assertion], ...] = ()
