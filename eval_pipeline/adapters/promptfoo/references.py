"""References within a configuration: `$ref: '#/templates/polite'`."""

from __future__ import annotations

from dataclasses import dataclass, field

from eval_pipeline.adapters.promptfoo.entries import Entry, at

_REFERENCE = "$ref"


@dataclass(slots=True)
class References:
    """Follows references.

    Attributes:
        root: The configuration.
        used: The keys of the configuration that were referred to.
    """

    root: Entry
    used: set[str] = field(default_factory=set)

    def followed(self, entry: Entry) -> Entry:
        """The entry that `entry` refers to; itself if it refers to none, or to one that is not there."""
        seen = 0
        while (reference := entry.mapping.get(_REFERENCE)) is not None and seen <= len(self.root.mapping):
            written = reference.text or ""
            if not written.startswith("#/"):
                return entry
            steps = [step.replace("~1", "/").replace("~0", "~") for step in written[2:].split("/")]
            target = at(self.root, tuple(steps))
            if target is None:
                return entry
            self.used.add(steps[0])
            entry, seen = target, seen + 1
        return entry
