"""promptfoo's prompts: texts and conversations, inline and in files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.text_files import read_text
from eval_pipeline.adapters.promptfoo.entries import Entry, read_entry
from eval_pipeline.adapters.promptfoo.files import FILE, Files, is_pattern
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.parameters import parameters_of
from eval_pipeline.adapters.promptfoo.references import References
from eval_pipeline.domain.errors import DefinitionError

_KEYS = {"raw", "label", "id", "display", "config"}
_KNOWN_ENDINGS = (
    ".cjs", ".cts", ".js", ".json", ".jsonl", ".mjs", ".mts", ".py", ".ts", ".txt", ".yml", ".yaml",
)  # fmt: skip
_SERVICES = ("portkey://", "langfuse://", "helicone://", "exec:")
_SEPARATOR = "---"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt as promptfoo takes it.

    Attributes:
        entry: Where it stands.
        name: What to call it here.
        label, id: What tests and providers select it by.
        raw: Its text with placeholders, or JSON.
        parameters: Sampling parameters of its own.
    """

    entry: Entry
    name: str
    label: str
    id: str | None
    raw: str
    parameters: dict[str, Any]

    def is_selected(self, references: list[str] | None) -> bool:
        """Whether a list of labels and identifiers names it; no list names all."""
        return references is None or any(map(self._matches, references))

    def _matches(self, reference: str) -> bool:
        names = [self.label, *([self.id] if self.id else [])]
        beginning = reference[:-1] if reference.endswith("*") else f"{reference}:"
        return any(name == reference or name.startswith(beginning) for name in names)


@dataclass(frozen=True, slots=True)
class PromptReader:
    """Reads the prompts of a configuration.

    Attributes:
        files: Where files are.
        references: Follows references within the configuration.
        findings: Takes what is left out.
    """

    files: Files
    references: References
    findings: Findings

    def read(self, config: Entry) -> list[Prompt]:
        """The prompts that can be translated, in order."""
        declared = self.references.followed(config.mapping.get("prompts", config.made(["{{prompt}}"])))
        if declared.mapping:  # files by name, and what to call them
            members = [
                label.made({"raw": declared.made(name), "label": label})
                for name, label in declared.mapping.items()
            ]
        else:
            members = [self.references.followed(member) for member in declared.members]
        return [prompt for member in members for prompt in self._reported(member)]

    def _reported(self, entry: Entry) -> Iterator[Prompt]:
        try:
            yield from self._of(entry)
        except (NoCounterpart, DefinitionError) as why:
            self.findings.leave_out(entry, "prompt", why)

    def _of(self, entry: Entry) -> Iterator[Prompt]:
        texts, parameters = self._declared(entry)
        own_id, label = texts.get("id"), texts.get("label") or texts.get("display")
        raw = texts.get("raw") or own_id
        if raw is None:
            raise NoCounterpart("it is neither a text nor a mapping with raw or id")
        if raw.startswith(_SERVICES):
            raise NoCounterpart("it comes from a script or a service")
        paths = self._files_of(raw)
        if paths is None:
            yield Prompt(entry, label or own_id or raw, label or raw, own_id, raw, parameters)
            return
        for path in paths:
            found = list(_texts(path))
            for number, text in enumerate(found, start=1):
                name = f"{label or path.stem} {number}" if len(found) > 1 else (label or path.stem)
                shown = f"{label}: {path.name}" if label and len(paths) + len(found) > 2 else label
                yield Prompt(entry, name, shown or f"{path}: {text}", own_id, text, parameters)

    def _declared(self, entry: Entry) -> tuple[dict[str, str | None], dict[str, Any]]:
        """The texts that a prompt is declared with, and its sampling parameters."""
        if not entry.mapping:
            return {"raw": entry.text}, {}
        for key in (key for key in entry.mapping if key not in _KEYS):
            self.findings.leave_out(entry.mapping[key], f"key {key} of a prompt", "an unknown key")
        config = entry.mapping.get("config")
        parameters = {} if config is None else parameters_of(config, "a prompt", self.findings)
        return {key: entry.mapping[key].text for key in _KEYS & entry.mapping.keys()}, parameters

    def _files_of(self, raw: str) -> list[Path] | None:
        """The files that a prompt names; none if it is the text itself."""
        if not _may_be_a_file(raw):
            return None
        try:
            return self.files.matching(raw)
        except NoCounterpart:
            # What looks like a pattern, such as every text with braces and a slash, is a text if it matches nothing.
            if raw.startswith(FILE) or not is_pattern(raw):
                raise
            return None


def _may_be_a_file(raw: str) -> bool:
    """Whether promptfoo looks for a file of that name first."""
    if "\n" in raw:
        return False
    if raw.startswith(FILE) or any(mark in raw for mark in "*/\\"):
        return True
    *_, before, last = ["", *raw.split(":")]
    return last.endswith(_KNOWN_ENDINGS) or before.endswith(_KNOWN_ENDINGS) or "." in (raw[-3:-2], raw[-4:-3])


def _texts(path: Path) -> Iterator[str]:
    """The prompts in a file.

    Raises:
        NoCounterpart: It is no file of prompts that is read here.
        DefinitionError: It cannot be read.
    """
    match path.suffix:
        case ".txt":
            parts = re.split(rf"(?m)^[^\S\n]*{_SEPARATOR}[^\S\n]*$", read_text(path).replace("\r\n", "\n"))
            yield from (part.strip() for part in parts if part.strip())
        case ".md" | ".j2":
            yield read_text(path)
        case ".json" | ".yaml" | ".yml":
            yield json.dumps(read_entry(path).data, ensure_ascii=False)
        case ".jsonl":
            yield from (line for line in read_text(path).splitlines() if line)
        case _:
            raise NoCounterpart(f"{path.name} is neither text, Markdown, JSON nor YAML")
