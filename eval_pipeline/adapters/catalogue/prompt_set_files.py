"""Golden prompt sets as people write them: one file, one set.

Turns the short forms of a file into the domain's objects. Not here: which files there are.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from eval_pipeline.adapters.catalogue.csv_prompts import read_csv_prompts
from eval_pipeline.adapters.catalogue.documents import Document, read_document, read_json_lines
from eval_pipeline.adapters.catalogue.prompt_set_schema import MessageEntry, PromptEntry, PromptSetFile
from eval_pipeline.adapters.catalogue.text_files import read_text
from eval_pipeline.domain.assertions import ASSERTION_KINDS, Assertion, AssertionKinds, read_assertion
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.responses import Message
from eval_pipeline.domain.validation import Place, reasons

_FILE = "file://"


@dataclass(frozen=True, slots=True)
class SetSource:
    """A set read from a file.

    Attributes:
        golden_set: The set.
        included: The files that it took prompts from.
    """

    golden_set: GoldenPromptSet
    included: frozenset[Path]


def read_prompt_set(path: Path, kinds: AssertionKinds = ASSERTION_KINDS) -> SetSource:
    """The golden prompt set that the file at `path` declares.

    Args:
        path: A `.yaml`, `.yml` or `.json` file.
        kinds: The kinds of assertions there are.

    Raises:
        DefinitionError: All faults found, with file, line where known, set and prompt.
    """
    return _Reader(read_document(path), kinds).read()


def read_csv_set(path: Path, kinds: AssertionKinds = ASSERTION_KINDS) -> SetSource:
    """The golden prompt set that a `.csv` or `.tsv` file is by itself: its name is the identifier.

    Raises:
        DefinitionError: All faults found, with file, line where known, set and prompt.
    """
    declared = {"id": path.stem, "prompts": [_FILE + glob.escape(path.name)]}
    return _Reader(Document(path, declared), kinds).read()


Declared = TypeVar("Declared", bound=BaseModel)
Written = TypeVar("Written")
Read = TypeVar("Read")


@dataclass(slots=True)
class _Reader:
    """Reads one set and collects its faults, so that a person sees all of them at once."""

    document: Document
    kinds: AssertionKinds
    faults: list[Fault] = field(default_factory=list)
    found: dict[str, tuple[int, Document]] = field(default_factory=dict)
    included: set[Path] = field(default_factory=set)

    def read(self) -> SetSource:
        declared = self._validated(PromptSetFile, self.document)
        if declared is None:
            raise DefinitionError(self._located(self.document.data))
        default_assertions = self._assertions(
            declared.defaults.assertions, self.document, ("defaults", "assert"), None
        )
        prompts = [
            prompt
            for number, entry in enumerate(self._entries(declared.prompts), start=1)
            if (prompt := self._prompt(number, entry, declared.defaults.tags, default_assertions)) is not None
        ]
        golden_set = self._golden_set(declared, prompts)
        if self.faults or golden_set is None:
            raise DefinitionError(self._located({"id": declared.id}))
        return SetSource(golden_set, frozenset(self.included))

    def _located(self, data: object) -> list[Fault]:
        """The faults with the set and its file, where the set has an identifier."""
        set_id = data.get("id") if isinstance(data, Mapping) else None
        known = {"set_id": set_id} if isinstance(set_id, str) else {}
        return [fault.located(source=str(self.document.source), **known) for fault in self.faults]

    def _golden_set(self, declared: PromptSetFile, prompts: list[GoldenPrompt]) -> GoldenPromptSet | None:
        if self.faults and not prompts:
            return None
        try:
            return GoldenPromptSet(
                id=declared.id,
                prompts=prompts,
                name=declared.name,
                description=declared.description,
                owner=declared.owner,
                models=declared.models,
                template=self._at_key("template", declared.template, self._optional),
                messages=self._at_key("messages", declared.messages, self._messages),
                system_prompt=self._at_key("system_prompt", declared.system_prompt, self._optional),
                parameters=declared.parameters,
                gate=declared.gate,
            )
        except DefinitionError as error:
            for fault in error.faults:
                _, document = self.found.get(fault.prompt_id or "", (0, self.document))
                self.faults.append(fault.located(source=str(document.source), line=document.line()))
            return None

    def _at_key(self, key: str, written: Written, read: Callable[[Written], Read]) -> Read:
        """What `read` makes of a value of the set itself; a fault is located at the value's key."""
        try:
            return read(written)
        except DefinitionError as error:
            raise error.located(source=str(self.document.source), line=self.document.line((key,))) from None

    def _entries(self, declared: list[Any]) -> Iterator[Document]:
        for position, entry in enumerate(declared):
            place: Place = ("prompts", position)
            if not isinstance(entry, str):
                yield self.document.part(*place)
            elif entry.startswith(_FILE):
                yield from self._included(entry, place)
            else:
                self._report(
                    self.document, place, f"a prompt is a mapping or file://…, found the text {entry!r:.80}"
                )

    def _included(self, entry: str, place: Place) -> Iterator[Document]:
        pattern = entry.removeprefix(_FILE)
        try:
            paths = sorted(self.document.source.parent.glob(pattern))
        except (ValueError, LookupError, AttributeError, OSError, NotImplementedError):
            paths = []  # what pathlib raises for patterns that are none
        if not paths:
            self._report(self.document, place, f"no file matches {entry}")
        for path in paths:
            self.included.add(path.resolve())
            try:
                if path.suffix == ".jsonl":
                    yield from read_json_lines(path)
                elif path.suffix in (".csv", ".tsv"):
                    yield from read_csv_prompts(path, self.kinds)
                else:
                    reason = f"{path.name} is neither JSON Lines nor CSV: more prompts come from .jsonl and .csv files"
                    self._report(self.document, place, reason)
            except DefinitionError as error:
                self.faults.extend(error.faults)

    def _prompt(
        self, number: int, document: Document, tags: list[str], default_assertions: list[Assertion]
    ) -> GoldenPrompt | None:
        declared = self._validated(PromptEntry, document)
        if declared is None:
            return None
        before = len(self.faults)
        assertions = self._assertions(declared.assertions, document, ("assert",), declared.id)
        first, _ = self.found.setdefault(declared.id, (number, document))
        if first != number:
            reason = f"the id is given twice, to the prompts number {first} and {number}"
            self._report(document, (), reason, declared.id)
            return None
        try:
            return GoldenPrompt(
                id=declared.id,
                prompt=self._optional(declared.prompt),
                messages=self._messages(declared.messages),
                vars={name: self._text(value) for name, value in declared.vars.items()},
                assertions=[*default_assertions, *assertions],
                reference=self._optional(declared.reference),
                must_pass=declared.must_pass,
                tags=list(dict.fromkeys([*tags, *declared.tags])),
            )
        except DefinitionError as error:
            if len(self.faults) == before:  # a faulty assertion already says why there is none
                located = error.located(
                    source=str(document.source), line=document.line(), prompt_id=declared.id
                )
                self.faults.extend(located.faults)
            return None

    def _assertions(
        self, declared: Iterable[object], document: Document, place: Place, prompt_id: str | None
    ) -> list[Assertion]:
        assertions = []
        for position, entry in enumerate(declared):
            try:
                assertions.append(read_assertion(self._with_files(entry), self.kinds))
            except DefinitionError as error:
                line = document.line((*place, position))
                self.faults.extend(
                    error.located(source=str(document.source), line=line, prompt_id=prompt_id).faults
                )
        return assertions

    def _with_files(self, entry: object) -> object:
        """`entry` with `file://` values replaced by what the files hold."""
        if not isinstance(entry, Mapping):
            return entry
        return {
            key: self._text(value) if isinstance(value, str) and key != "type" else value
            for key, value in entry.items()
        }

    def _messages(self, declared: list[MessageEntry] | None) -> list[Message] | None:
        if declared is None:
            return None
        return [Message(message.role, self._text(message.content)) for message in declared]

    def _optional(self, written: str | None) -> str | None:
        return None if written is None else self._text(written)

    def _text(self, written: str) -> str:
        """`written`, or the text of the file that it names, without final line ends."""
        if not written.startswith(_FILE):
            return written
        try:
            return read_text(self.document.source.parent / written.removeprefix(_FILE)).rstrip("\r\n")
        except DefinitionError as error:
            raise DefinitionError(f"{written:.200} {error.faults[0].reason}") from None

    def _validated(self, model: type[Declared], document: Document) -> Declared | None:
        if not isinstance(document.data, Mapping):
            self._report(document, (), f"a mapping is expected, found {document.data!r:.80}")
            return None
        try:
            return model.model_validate(document.data)
        except ValidationError as error:
            prompt_id = document.data.get("id") if model is PromptEntry else None
            for place, reason in reasons(error, model, document.written):
                self._report(document, place, reason, prompt_id)
            return None

    def _report(self, document: Document, place: Place, reason: str, prompt_id: object = None) -> None:
        self.faults.append(
            Fault(
                reason,
                str(document.source),
                document.line(place),
                prompt_id=prompt_id if isinstance(prompt_id, str) else None,
            )
        )
