"""Assertions on a value in the answer, named by a JSON path, by a group of a pattern, or being the number in it."""

from __future__ import annotations

from eval_pipeline.domain.assertions.base import Assertion, Outcome

KINDS: tuple[type[Assertion], ...] = ()


class ValueAssertion(Assertion):
    """An assertion on a value."""

    def compare(self, found: object) -> Outcome:
        """Whether a value found already meets the expectation."""
        raise NotImplementedError
