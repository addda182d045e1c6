"""Every exception that this package raises on purpose.

    EvalPipelineError
    ├── DefinitionError     a set, a model or another declaration is faulty; carries its faults
    ├── UsageError          the caller asked for something that does not exist or does not fit
    ├── StorageError        the database cannot be reached, or is not one that this code may use
    ├── CallError           a model could not be asked, or answered with something that is no answer
    └── NotMeasurable       an assertion could not be evaluated on a response

Messages are written for the people who read them: what happened, where, and what to do. They never
hold a secret. Not here: the rules that decide when to raise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from eval_pipeline.domain.text import excerpt, without_surrogates


class EvalPipelineError(Exception):
    """The root: catch it to show a message instead of a traceback."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a declaration, and where.

    Attributes:
        reason: What is wrong and what to write instead.
        source: The file, or the entry point, that declares it; none when built in memory.
        line: The line in `source`, counted from 1, where known.
        set_id: The golden set.
        prompt_id: The golden prompt.
    """

    reason: str
    source: str | None = None
    line: int | None = None
    set_id: str | None = None
    prompt_id: str | None = None

    def located(self, **where: Any) -> Fault:
        """This fault with the places filled in that it does not know yet."""
        unknown = {name: value for name, value in where.items() if getattr(self, name) is None}
        return replace(self, **unknown)

    def __str__(self) -> str:
        place = self.source or ""
        if place and self.line is not None:
            place += f":{self.line}"
        owners = [
            f"{word} {name}" for word, name in (("set", self.set_id), ("prompt", self.prompt_id)) if name
        ]
        written = ": ".join(part for part in (place, ", ".join(owners), self.reason) if part)
        return without_surrogates(written)  # names of files may hold bytes that are no text


class DefinitionError(EvalPipelineError):
    """A declaration is faulty. Nothing was asked of any model.

    Attributes:
        faults: All faults found, in the order of the declaration; at least one.
    """

    def __init__(self, faults: Iterable[Fault] | str) -> None:
        self.faults = (Fault(faults),) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def located(self, **where: Any) -> DefinitionError:
        """The same error with places filled in where its faults do not know them."""
        return DefinitionError(fault.located(**where) for fault in self.faults)


class UsageError(EvalPipelineError):
    """The caller named something that does not exist, or combined what does not fit."""


class StorageError(EvalPipelineError):
    """The database is unreachable, or its schema is not one that this code may use."""


class CallError(EvalPipelineError):
    """A model could not be asked, or its reply is no answer. The message is the prompt's reason."""


class NotMeasurable(EvalPipelineError):
    """An assertion could not be evaluated: the verdict is neither pass nor fail, but error."""


def told(error: BaseException) -> str:
    """The name and the message of an exception that somebody's code raised; a message that fails is left out."""
    name = type(error).__name__
    try:
        return f"{name}: {excerpt(str(error))}"
    except Exception:  # noqa: BLE001 - the exception may be anybody's too
        return name
