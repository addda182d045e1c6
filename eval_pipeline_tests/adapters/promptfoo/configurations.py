"""Configurations of promptfoo for tests: written into a folder, translated, read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.prompt_set_files import read_prompt_set
from eval_pipeline.adapters.promptfoo.entries import Entry, read_entry
from eval_pipeline.adapters.promptfoo.translation import Translation, translate
from eval_pipeline.adapters.promptfoo.writing import output_of
from eval_pipeline.domain.golden_sets import GoldenPromptSet

NOWHERE = Path("config.yaml")


def entry(data: Any) -> Entry:
    """Plain data as an entry of a configuration."""
    return Entry(NOWHERE, 1, None).made(data)


def entry_of_yaml(folder: Path, text: str) -> Entry:
    """The entry that a YAML text is."""
    path = folder / "entry.yaml"
    path.write_text(text, "utf-8")
    return read_entry(path)


def translated(folder: Path, config: str | dict[str, Any], **files: str) -> Translation:
    """What a configuration in YAML or as data becomes; other files lie beside it, `__` in their names standing for a dot."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, "utf-8")
    path = folder / ("support.yaml" if isinstance(config, str) else "support.json")
    path.write_text(config if isinstance(config, str) else json.dumps(config), "utf-8")
    return translate(path)


def read_back(folder: Path, translation: Translation) -> list[GoldenPromptSet]:
    """The sets as our own reader reads their files."""
    project = folder / "project"
    paths = output_of(translation, project).write(project)
    return [read_prompt_set(path).golden_set for path in paths if path.parent.name == "prompts"]


def only_set(folder: Path, config: str | dict[str, Any], **files: str) -> GoldenPromptSet:
    """The one set of a configuration of which nothing is left out."""
    translation = translated(folder, config, **files)
    assert translation.findings.left_out == []
    (golden_set,) = read_back(folder, translation)
    return golden_set


def left_out(translation: Translation) -> str:
    """What was left out, one finding a line."""
    return "\n".join(map(str, translation.findings.left_out))


def notes(translation: Translation) -> str:
    """What else was said, one finding a line."""
    return "\n".join(map(str, translation.findings.notes))


def with_tests(*tests: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A configuration with one prompt and one model."""
    return {"prompts": ["Say: {{question}}"], "providers": ["openai:gpt-4o"], "tests": list(tests), **more}


def case(*asserts: dict[str, Any], question: Any = "Why?", **more: Any) -> dict[str, Any]:
    """A test with a question and an assertion."""
    return {
        "vars": {"question": question},
        "assert": list(asserts) or [{"type": "contains", "value": "because"}],
        **more,
    }
