"""What every command shares: consoles, exit statuses, and JSON that is only JSON."""

from __future__ import annotations

import json
import sys
from enum import IntEnum
from typing import Any

from rich.console import Console

out = Console(highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class Exit(IntEnum):
    """Exit statuses; of several, the first in the order 2, 1, 3, 0 applies."""

    OK = 0
    GATE_FAILED = 1
    """A gate that was asked for failed, nothing was eligible, or an import left something out."""
    USAGE = 2
    INCOMPLETE = 3
    INTERRUPTED = 130
    """As shells have it for Ctrl-C."""


def print_json(value: Any) -> None:
    """Write `value` to stdout as one JSON text."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def rate(value: float | None) -> str:
    """A rate for people: per cent with one digit, or n/a for what was not measured."""
    return "n/a" if value is None else f"{value:.1%}"


def score(value: float | None) -> str:
    """A score for people, or n/a for what was not measured."""
    return "n/a" if value is None else f"{value:.3f}"


def dollars(value: float | None) -> str:
    """An amount for people, or n/a where a price or a count is unknown."""
    return "n/a" if value is None else f"${value:.4f}"
