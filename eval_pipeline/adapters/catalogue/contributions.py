"""What installed packages contribute through entry points, and how their faults are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

_OWN_DISTRIBUTION = "eval-pipeline"


@dataclass(frozen=True, slots=True)
class Contribution:
    """One entry point of a group: the name of a function that returns declarations."""

    entry_point: EntryPoint

    def declared(self) -> Any:
        """What the function returns; it may raise anything."""
        return self.entry_point.load()()

    @property
    def source(self) -> str:
        """The distribution and the function, for messages."""
        distribution = self.entry_point.dist.name if self.entry_point.dist else "?"
        return f"{distribution} ({self.entry_point.value})"

    @property
    def example(self) -> bool:
        """Whether this package itself contributes it, as an example."""
        return self.entry_point.dist is not None and self.entry_point.dist.name == _OWN_DISTRIBUTION


def contributions(group: str) -> Iterator[Contribution]:
    """The contributions to a group of entry points, in their order."""
    yield from map(Contribution, entry_points(group=group))
