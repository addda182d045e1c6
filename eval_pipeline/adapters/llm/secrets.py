"""API keys: where they come from, and how they stay out of everything else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval_pipeline.domain.errors import DefinitionError

_KEY_LIKE = re.compile(r"\b(sk|pk|rk|key|ghp|xox[abp])-[A-Za-z0-9_-]{6,}|(?<=Bearer )[A-Za-z0-9._~+/-]{6,}=*")
_MASK = "***"


@dataclass(frozen=True, slots=True)
class Secret:
    """An API key, or none. Its value is no part of its representation."""

    value: str | None = field(default=None, repr=False)

    def masked(self, text: str) -> str:
        """`text` without this key and without anything that looks like a key."""
        if self.value:
            text = text.replace(self.value, _MASK)
        return _KEY_LIKE.sub(_MASK, text)


def read_secret(environment: Mapping[str, str], variable: str | None, file: str | None) -> Secret:
    """The API key from an environment variable or from a mounted file.

    Raises:
        DefinitionError: Both are named, or what is named does not hold a key.
    """
    if variable is not None and file is not None:
        raise DefinitionError("give either api_key_env or api_key_file, not both")
    if variable is not None:
        if not (value := environment.get(variable, "").strip()):
            raise DefinitionError(f"the environment variable {variable} is not set")
        return Secret(value)
    if file is not None:
        try:
            value = Path(file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise DefinitionError(f"api_key_file {file} cannot be read: {error.strerror}") from None
        if not value:
            raise DefinitionError(f"api_key_file {file} is empty")
        return Secret(value)
    return Secret()
