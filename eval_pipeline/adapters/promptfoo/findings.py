"""What an import tells a person: what was left out, and what to know of what was not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.domain.text import visible, without_keys, without_surrogates


class NoCounterpart(ValueError):
    """An entry means something that cannot be said here. The message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One entry of a configuration and what became of it.

    Attributes:
        source: The file.
        line: The line, where known.
        what: The entry in a few words. Never a value of a provider's configuration, which may be secret.
        why: Why it was left out, or what differs.
    """

    source: str
    line: int | None
    what: str
    why: str

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{place}: {self.what}: {self.why}"

    @property
    def document(self) -> dict[str, Any]:
        """The finding as JSON has it."""
        return {"file": self.source, "line": self.line, "what": self.what, "why": self.why}


@dataclass(slots=True)
class Findings:
    """Collects findings in the order in which they are met, each once."""

    _left_out: dict[Finding, None] = field(default_factory=dict)
    _notes: dict[Finding, None] = field(default_factory=dict)

    @property
    def left_out(self) -> list[Finding]:
        """What the sets and models lack."""
        return list(self._left_out)

    @property
    def notes(self) -> list[Finding]:
        """What to know of what was translated."""
        return list(self._notes)

    def leave_out(self, entry: Entry, what: str, why: object) -> None:
        """Records that an entry was not translated."""
        self._left_out.setdefault(_finding(entry, what, why))

    def note(self, entry: Entry, what: str, why: str) -> None:
        """Records what differs about an entry that was translated."""
        self._notes.setdefault(_finding(entry, what, why))


def _finding(entry: Entry, what: str, why: object) -> Finding:
    return Finding(without_surrogates(str(entry.source)), entry.line, _line(what), _line(str(why)))


def _line(text: str) -> str:
    return without_keys(visible(" ".join(text.split())))
