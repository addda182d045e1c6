"""Identifiers of ours from what people call things in promptfoo: valid, stable and unique."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

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


def unused(name: str, taken: Container[str], separator: str) -> str:
    """`name`, or the first of `name` 2, 3, ... that is not taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}{separator}{number}" in taken:
        number += 1
    return f"{name}{separator}{number}"
