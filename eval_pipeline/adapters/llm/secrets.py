"""API keys: where they come from, and how they stay out of everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.text import MASK, without_keys


@dataclass(frozen=True, slots=True)
class Secret:
    """An API key, or none. Its value is no part of its representation."""

    value: str | None = field(default=None, repr=False)

    def masked(self, text: str) -> str:
        """`text` without this key, however it is escaped, and without anything that looks like a key."""
        if self.value:
            for written in (self.value, json.dumps(self.value)[1:-1], repr(self.value)[1:-1]):
                text = text.replace(written, MASK)
        return without_keys(text)


def read_secret(environment: Mapping[str, str], variable: str | None, file: str | None) -> Secret:
    """The API key from an environment variable or from a mounted file.

    Raises:
        DefinitionError: Both are named, or what is named does not hold a key that can be sent.
    """
    if variable is not None and file is not None:
        raise DefinitionError("give either api_key_env or api_key_file, not both")
    if variable is not None:
        return _usable(environment.get(variable, ""), f"the environment variable {variable}", "is not set")
    if file is not None:
        return _usable(_read(file), f"api_key_file {file}", "is empty")
    return Secret()


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DefinitionError(f"api_key_file {file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise DefinitionError(f"api_key_file {file!r} holds no text in UTF-8") from None


def _usable(text: str, source: str, if_none: str) -> Secret:
    key = text.strip()
    if not key:
        raise DefinitionError(f"{source} {if_none}")
    if not key.isascii() or not key.isprintable():
        raise DefinitionError(f"{source} holds characters that no HTTP header can carry")
    return Secret(key)
