"""From a configuration of promptfoo to golden prompt sets and models, as documents.

Every prompt of promptfoo becomes a set, because its text is what our sets call the treatment; every test becomes a
prompt of each set. Not here: how documents become files (`writing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.text_files import file_fault
from eval_pipeline.adapters.promptfoo.cases import Case, CaseReader
from eval_pipeline.adapters.promptfoo.conversations import Asked, asked, check_stays_text
from eval_pipeline.adapters.promptfoo.entries import Entry, read_entry
from eval_pipeline.adapters.promptfoo.expectations import Expected, Reader
from eval_pipeline.adapters.promptfoo.files import DATA, Files
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.gathering import Gatherer
from eval_pipeline.adapters.promptfoo.names import Names, words
from eval_pipeline.adapters.promptfoo.prompts import Prompt, PromptReader
from eval_pipeline.adapters.promptfoo.providers import Models, ProviderReader
from eval_pipeline.adapters.promptfoo.references import References
from eval_pipeline.adapters.promptfoo.settings import report_settings
from eval_pipeline.adapters.promptfoo.variables import Variables, combinations
from eval_pipeline.domain.text import excerpt

_MARKS = ("providers", "targets", "tests", "scenarios", "defaultTest")
_USUAL_NAME = "promptfooconfig"
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class TranslatedSet:
    """A golden prompt set as a document.

    Attributes:
        id: Its identifier.
        entry: The prompt of promptfoo that it was made of.
        document: What its file says.
        tests: Where its prompts come from, by their identifiers.
    """

    id: str
    entry: Entry
    document: dict[str, Any]
    tests: Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Translation:
    """What a configuration became.

    Attributes:
        source: The configuration.
        sets: The sets.
        models: The models that they are meant for.
        findings: What was left out, and what differs.
    """

    source: Path
    sets: list[TranslatedSet]
    models: Models
    findings: Findings


def translate(path: Path) -> Translation:
    """The sets and models that the configuration at `path` becomes.

    Raises:
        DefinitionError: It cannot be read, or is no configuration of promptfoo.
    """
    if path.suffix not in DATA:
        raise file_fault(path, "only configurations in YAML or JSON are read; scripts are not run")
    config = read_entry(path)
    if not set(_MARKS) & config.mapping.keys():
        raise file_fault(path, f"no configuration of promptfoo: it has none of {', '.join(_MARKS)}")
    return _Translator(path, config).translate()


@dataclass(slots=True)
class _Translator:
    path: Path
    config: Entry
    findings: Findings = field(default_factory=Findings)

    def translate(self) -> Translation:
        files = Files(self.path.parent / self.config.text_at("basePath"))
        references = References(self.config)
        models = ProviderReader(files, references, self.findings).read(self.config)
        prompts = PromptReader(files, references, self.findings).read(self.config)
        cases = CaseReader(Gatherer(files, references, self.findings), self.findings).read(self.config)
        if not cases:
            self.findings.leave_out(self.config, "tests", "there are none that could be translated")
        expanded = [
            (case, list(combinations(case.variables, files, self.findings, expand=case.expand)))
            for case in cases
        ]
        report_settings(self.config, references.used, self.findings)
        if not models.models:
            why = "none could be imported, so that the sets are asked of the project's default model"
            self.findings.note(self.config, "providers", why)
        sets: list[TranslatedSet] = []
        names = Names("_")
        for prompt in prompts:
            if not self._is_translatable(prompt):
                continue
            set_id = names.unused(self._set_id(prompt))
            keys = [target.key for target in models.targets if prompt.is_selected(target.prompts)]
            made = self._set(set_id, prompt, keys, expanded, files)
            if made is not None:
                sets.append(made)
        return Translation(self.path, sets, models, self.findings)

    def _is_translatable(self, prompt: Prompt) -> bool:
        try:
            asked(prompt.raw)
        except NoCounterpart as why:
            self.findings.leave_out(prompt.entry, f"prompt '{excerpt(prompt.name, 40)}'", why)
            return False
        return True

    def _set_id(self, prompt: Prompt) -> str:
        name = self.path.stem if self.path.stem != _USUAL_NAME else self.path.absolute().parent.name
        return f"{words(name, '_', 'promptfoo')}.{words(prompt.name, '_', 'prompt')}"

    def _set(
        self,
        set_id: str,
        prompt: Prompt,
        models: list[str],
        cases: list[tuple[Case, list[Variables]]],
        files: Files,
    ) -> TranslatedSet | None:
        written: list[tuple[Asked, dict[str, Any]]] = []
        tests: dict[str, Entry] = {}
        names = Names("-")
        for case, variants in cases:
            if not prompt.is_selected(case.prompts):
                continue
            for variables in variants:
                translated = self._prompt(prompt, case, variables, files)
                if translated is None:
                    continue
                question, document = translated
                prompt_id = names.unused(words(case.name, "-", "test"))
                tests[prompt_id] = case.entry
                written.append((question, {"id": prompt_id, **document}))
        if not written:
            self.findings.leave_out(
                prompt.entry, f"prompt '{excerpt(prompt.name, 40)}'", "none of its tests could be translated"
            )
            return None
        template = written[0][0]
        document = {
            "id": set_id,
            **self._described(prompt),
            **({"models": models} if models else {}),
            **template.as_template,
            **({"parameters": prompt.parameters} if prompt.parameters else {}),
            "prompts": [_placed(entry, question, template) for question, entry in written],
        }
        return TranslatedSet(set_id, prompt.entry, document, tests)

    def _described(self, prompt: Prompt) -> dict[str, str]:
        described = {}
        if prompt.name != prompt.raw and len(prompt.name) <= _LONGEST_NAME:
            described["name"] = prompt.name
        if description := self.config.text_at("description"):
            described["description"] = description
        return described

    def _prompt(
        self, prompt: Prompt, case: Case, variables: Variables, files: Files
    ) -> tuple[Asked, dict[str, Any]] | None:
        """What a test asks a prompt's set with, and the entry in it without its identifier."""
        what = f"test '{case.name}'"
        try:
            question = asked(case.prefix + prompt.raw + case.suffix)
            missing = _missing(question, variables)
            texts = {**variables.texts, **dict.fromkeys(missing, "")}
            check_stays_text(question, Variables(texts, variables.faulty))
        except NoCounterpart as fault:
            self.findings.leave_out(case.entry, f"{what} of prompt '{excerpt(prompt.name, 40)}'", fault)
            return None
        for name in missing:
            why = "it has no value in the test; promptfoo places an empty text, and so does the set"
            self.findings.note(case.entry, f"variable '{name}' of {what}", why)
        expected = list(Reader(variables, files, self.findings).expected(case.asserts))
        if not expected:
            why = "no assertion of it could be translated, so that nothing would be graded"
            self.findings.leave_out(case.entry, what, why if case.asserts else "it has no assertions")
            return None
        return question, {
            **({"vars": texts} if texts else {}),
            "assert": [assertion.written for assertion in expected],
            **_tagged(expected),
        }


def _missing(question: Asked, variables: Variables) -> list[str]:
    names: Iterator[str] = (name for text in question.texts for name in variables.check(text))
    return list(dict.fromkeys(names))


def _placed(entry: dict[str, Any], question: Asked, template: Asked) -> dict[str, Any]:
    """An entry with its own text, if that is not the set's."""
    if question == template:
        return entry
    return {"id": entry.pop("id"), **question.as_own, **entry}


def _tagged(expected: list[Expected]) -> dict[str, list[str]]:
    tags = list(dict.fromkeys(metric for assertion in expected for metric in assertion.metrics))
    return {"tags": tags} if tags else {}
