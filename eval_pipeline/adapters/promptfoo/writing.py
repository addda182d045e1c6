"""Translated sets and models as files of an evaluation project. Nothing that exists is ever overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from eval_pipeline.adapters.catalogue.prompt_set_files import read_prompt_set
from eval_pipeline.adapters.promptfoo.findings import Findings
from eval_pipeline.adapters.promptfoo.translation import TranslatedSet, Translation
from eval_pipeline.domain.errors import DefinitionError, Fault, UsageError
from eval_pipeline.domain.text import visible, without_surrogates

_MODELS = ("models.yaml", "models.yml", "models.json")
_LONG = 100
_OTHER_LINE_ENDS = "\r\x85\u2028\u2029"


class _Dumper(yaml.SafeDumper):
    """Blocks, indented lists, no aliases, and long texts as they are."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text or len(text) > _LONG else None
    if any(char in text for char in _OTHER_LINE_ENDS):
        style = '"'  # in any other style they would come back as something else
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


@dataclass(frozen=True, slots=True)
class Output:
    """What an import gives a project.

    Attributes:
        files: Texts of new files by their names in the project.
        models: The models and providers to add to the models file that the project has; empty if there are none,
            or if they are one of the files.
    """

    files: Mapping[str, str]
    models: str

    def write(self, project: Path) -> list[Path]:
        """Write the files into `project`.

        Raises:
            UsageError: One of them exists, or cannot be written.
        """
        paths = {project / name: text for name, text in self.files.items()}
        present = [path for path in paths if path.exists() or path.is_symlink()]
        if present:
            raise UsageError(f"nothing was written, for there is already: {', '.join(map(str, present))}")
        try:
            for path, text in paths.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("x", encoding="utf-8") as file:
                    file.write(text)
        except OSError as error:
            raise UsageError(f"{error.filename}: cannot be written: {error.strerror}") from None
        return list(paths)


def output_of(translation: Translation, project: Path) -> Output:
    """The files that a translation becomes in `project`; prompts that our reader refuses are reported and left out."""
    source = visible(without_surrogates(str(translation.source))).replace("\n", "\ufffd")
    head = f"# Imported from {source} of promptfoo. Later changes there are not followed.\n"
    files = {}
    for translated in translation.sets:
        text = _readable(translated, translation.findings)
        if text is not None:
            files[f"prompts/{translated.id}.yaml"] = head + text
    models = written(translation.models.document)
    if models and not any((project / name).exists() for name in _MODELS):
        return Output({**files, _MODELS[0]: head + models}, "")
    declared = {key: value for key, value in translation.models.document.items() if key != "default_model"}
    return Output(files, written(declared))


def written(document: Mapping[str, Any]) -> str:
    """A document as YAML for people; nothing for an empty one."""
    if not document:
        return ""
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)


def _readable(translated: TranslatedSet, findings: Findings) -> str | None:
    """The text of a set's file, without what our reader would refuse; nothing if no prompt remains."""
    document = translated.document
    while document["prompts"]:
        text = written(document)
        faults = _faults(text)
        if not faults:
            return text
        refused = {fault.prompt_id for fault in faults} & translated.tests.keys()
        for fault in faults:
            entry = translated.tests.get(fault.prompt_id or "", translated.entry)
            what = f"prompt {fault.prompt_id}" if fault.prompt_id in refused else "prompt"
            findings.leave_out(entry, f"{what} of set {translated.id}", fault.reason)
        if not refused:
            return None
        document = {**document, "prompts": _without(document["prompts"], refused)}
    return None


def _without(prompts: Iterable[dict[str, Any]], refused: set[str | None]) -> list[dict[str, Any]]:
    return [prompt for prompt in prompts if prompt["id"] not in refused]


def _faults(text: str) -> tuple[Fault, ...]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "imported.yaml"
        path.write_text(text, "utf-8")
        try:
            read_prompt_set(path)
        except DefinitionError as error:
            return error.faults
    return ()
