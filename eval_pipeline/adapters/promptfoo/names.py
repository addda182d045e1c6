"""Identifiers of ours from what people call things in promptfoo: valid, stable and unique."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

_LONGEST = 60


def words(text: str, separator: str, fallback: str) -> str:
    """The ASCII letters and digits of `text` in lower case, its words joined by `separator`.

    Letters lose their accents. What is too long ends with a whole word; where nothing is left, it is `fallback`.
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    found = re.findall(r"[a-z0-9]+", ascii_text)
    name = ""
    for word in found:
        longer = f"{name}{separator}{word}" if name else word[:_LONGEST]
        if len(longer) > _LONGEST:
            break
        name = longer
    return name or fallback


@dataclass(slots=True)
class Names:
    """Gives names out, each once.

    Attributes:
        separator: Stands before the number of a name that is given out again.
    """

    separator: str
    _given: set[str] = field(default_factory=set)
    _numbers: dict[str, int] = field(default_factory=dict)

    def unused(self, name: str) -> str:
        """`name`, or the first of `name` 2, 3, ... that is not given out yet."""
        unused, number = name, self._numbers.get(name, 1)
        while unused in self._given:
            number += 1
            unused = f"{name}{self.separator}{number}"
        self._numbers[name] = number
        self._given.add(unused)
        return unused
