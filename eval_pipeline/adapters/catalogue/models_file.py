"""Reading a models file, and filling in its environment variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from eval_pipeline.adapters.catalogue.documents import read_document
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.model_catalogue import ModelsFile, ProviderInstance, ReplayProvider
from eval_pipeline.domain.validation import reasons

_VARIABLE = re.compile(r"\$\{([^}]*)\}")


def read_models_file(path: Path) -> ModelsFile:
    """The models file at `path`. Environment variables in it are left as written.

    Raises:
        DefinitionError: All faults found, with file and line.
    """
    document = read_document(path)
    if not isinstance(document.data, dict):
        raise DefinitionError(
            [Fault(f"a mapping is expected, found {document.data!r:.80}", str(path), document.line())]
        )
    try:
        declared = ModelsFile.model_validate(document.data)
    except ValidationError as error:
        raise DefinitionError(
            Fault(f"{_named(place)}{reason}", str(path), document.line(place))
            for place, reason in reasons(error, ModelsFile, document.written)
        ) from None
    faults = [
        Fault(
            f"model '{key}': there is no provider '{model.provider}'; known are: {', '.join(declared.providers) or 'none'}",
            str(path),
            document.line(("models", key)),
        )
        for key, model in declared.models.items()
        if model.provider not in declared.providers
    ]
    if faults:
        raise DefinitionError(faults)
    return declared


def with_environment(
    provider: ProviderInstance, key: str, source: str, environment: Mapping[str, str]
) -> ProviderInstance:
    """`provider` with `${NAME}` filled in, and paths made absolute.

    Raises:
        DefinitionError: An environment variable that it needs is not set.
    """
    missing: list[str] = []

    def value(match: re.Match[str]) -> str:
        if not environment.get(match[1]):
            missing.append(match[1])
        return environment.get(match[1], "")

    filled = {
        name: _VARIABLE.sub(value, text)
        for name, text in provider.model_dump().items()
        if isinstance(text, str)
    }
    if (key_variable := filled.get("api_key_env")) and not environment.get(key_variable):
        missing.append(key_variable)
    if missing:
        raise DefinitionError(
            Fault(f"provider '{key}': the environment variable {name} is not set", source)
            for name in dict.fromkeys(missing)
        )
    if isinstance(provider, ReplayProvider):
        filled["path"] = str(Path(source).parent / filled["path"])
    return provider.model_copy(update=filled)


def _named(place: tuple[str | int, ...]) -> str:
    """Which provider or model a place lies in, for the message."""
    match place:
        case ("providers", str(key), *_):
            return f"provider '{key}': "
        case ("models", str(key), *_):
            return f"model '{key}': "
    return ""
