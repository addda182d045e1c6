"""Reading a models file, and filling in its environment variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from eval_pipeline.adapters.catalogue.documents import read_document
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.model_catalogue import ModelsFile, ProviderInstance
from eval_pipeline.domain.validation import reasons

_FILES = {"path", "api_key_file"}
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
    """`provider` with `${NAME}` filled in, and its files found beside the models file.

    Raises:
        DefinitionError: An environment variable that it needs is not set.
    """
    missing: list[str] = []
    texts = {name: text for name, text in provider.model_dump().items() if isinstance(text, str)}
    filled = {name: _filled(text, environment, missing) for name, text in texts.items()}
    if (variable := filled.get("api_key_env")) and not environment.get(variable):
        missing.append(variable)
    _refuse_missing(missing, f"provider '{key}'", source)
    for name in _FILES & filled.keys():
        filled[name] = str(Path(source).parent / filled[name])
    return provider.model_copy(update=filled)


def from_environment(text: str, owner: str, source: str, environment: Mapping[str, str]) -> str:
    """`text` with `${NAME}` filled in.

    Raises:
        DefinitionError: A variable is not set.
    """
    missing: list[str] = []
    filled = _filled(text, environment, missing)
    _refuse_missing(missing, owner, source)
    return filled


def _filled(text: str, environment: Mapping[str, str], missing: list[str]) -> str:
    def value(match: re.Match[str]) -> str:
        if not environment.get(match[1]):
            missing.append(match[1])
        return environment.get(match[1], "")

    return _VARIABLE.sub(value, text)


def _refuse_missing(missing: list[str], owner: str, source: str) -> None:
    if missing:
        raise DefinitionError(
            Fault(f"{owner}: the environment variable {name} is not set", source)
            for name in dict.fromkeys(missing)
        )


def _named(place: tuple[str | int, ...]) -> str:
    """Which provider or model a place lies in, for the message."""
    match place:
        case ("providers", str(key), *_):
            return f"provider '{key}': "
        case ("models", str(key), *_):
            return f"model '{key}': "
    return ""
