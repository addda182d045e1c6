"""One text for one value: canonical JSON (RFC 8785) and hashes over it.

Hashes decide what has changed between two evaluations, so equal meaning must give equal text
whatever the order of keys or the way a number was written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import rfc8785

_SAFE_INTEGER = 2**53 - 1


def canonical_json(value: Any) -> bytes:
    """`value` as canonical JSON in UTF-8.

    Integers beyond ±(2^53 - 1), which RFC 8785 leaves out, are written as `{"$integer": "digits"}`,
    so that they stay exact. Mappings and sequences of any type are taken.

    Raises:
        ValueError: `value` holds a number that is not finite, or a text with a lone surrogate.
    """
    return rfc8785.dumps(_plain(value))


def content_hash(value: Any) -> str:
    """The SHA-256 of `canonical_json(value)`: 64 lowercase hexadecimal digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _SAFE_INTEGER:
        return {"$integer": str(value)}
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(member) for member in value]
    return value
