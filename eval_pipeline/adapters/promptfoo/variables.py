"""Variables of promptfoo's tests as texts: what Nunjucks would print of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from eval_pipeline.adapters.promptfoo.entries import Entry, WrittenDate, printed
from eval_pipeline.adapters.promptfoo.files import FILE, Files, literal
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.templates import filled, placeholders

MAX_COMBINATIONS = 10_000
"""The most prompts that the lists of one test may make."""


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of one prompt.

    Attributes:
        texts: The values by name.
        faulty: Names of variables that have no text, and why.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    faulty: Mapping[str, str] = field(default_factory=dict)

    def fill(self, text: str) -> str:
        """`text` with its placeholders replaced.

        Raises:
            NoCounterpart: It is more than a text with placeholders, or places a faulty variable.
        """
        self.check(text)
        return filled(text, self.texts)

    def check(self, text: str) -> list[str]:
        """The names that `text` places and that have no value.

        Raises:
            NoCounterpart: It is more than a text with placeholders, or places a faulty variable.
        """
        names = placeholders(text)
        for name in names:
            if name in self.faulty:
                raise NoCounterpart(f"the variable '{name}' has no text here: {self.faulty[name]}")
        return [name for name in dict.fromkeys(names) if name not in self.texts]


def combinations(
    declared: Mapping[str, Entry], files: Files, findings: Findings, *, expand: bool
) -> Iterator[Variables]:
    """The variables of each prompt that a test stands for: lists of texts make a prompt of each member.

    Args:
        declared: The variables by name.
        files: Where their files are.
        findings: Takes the variables that have no text.
        expand: Whether lists are expanded.
    """
    options: dict[str, list[str]] = {}
    faulty: dict[str, str] = {}
    for name, entry in declared.items():
        try:
            options[name] = list(_texts(entry, files, expand=expand))
        except NoCounterpart as why:
            faulty[name] = str(why)
            findings.leave_out(entry, f"variable '{name}'", why)
    count = math.prod(map(len, options.values()))
    if count > MAX_COMBINATIONS:
        entry = next(entry for entry in declared.values() if isinstance(entry.value, list))
        findings.leave_out(
            entry, "variables", f"their lists make {count} prompts; the limit is {MAX_COMBINATIONS}"
        )
        return
    for chosen in itertools.product(*options.values()):
        texts = dict(zip(options, chosen, strict=True))
        unresolved = dict(faulty)
        for name in texts:
            try:
                texts[name] = literal(_resolved(name, texts, ()))
            except NoCounterpart as why:
                unresolved[name] = str(why)
                findings.leave_out(declared[name], f"variable '{name}'", why)
        yield Variables({name: text for name, text in texts.items() if name not in unresolved}, unresolved)


def _texts(entry: Entry, files: Files, *, expand: bool) -> Iterator[str]:
    if isinstance(entry.value, dict):
        raise NoCounterpart("a mapping: variables are texts here")
    if isinstance(entry.value, list):
        # promptfoo looks at the first member only to tell a list of texts.
        if not expand or not entry.value or not isinstance(entry.value[0].value, str):
            raise NoCounterpart("a list that promptfoo does not expand: variables are texts here")
        for member in entry.value:
            if isinstance(member.value, list | dict):
                raise NoCounterpart("a list of more than texts: variables are texts here")
            yield from _texts(member, files, expand=expand)
        return
    if isinstance(entry.value, WrittenDate):
        raise NoCounterpart(
            "a date without quotes, which promptfoo prints in a form of its own: write it in quotes"
        )
    if entry.text is not None and entry.text.startswith(FILE):
        for path in files.matching(entry.text):
            yield files.text(str(path.absolute()))
        return
    if entry.text is not None and entry.text.startswith("package:"):
        raise NoCounterpart("a script is not run")
    yield printed(entry.value)


def _resolved(name: str, texts: Mapping[str, str], within: tuple[str, ...]) -> str:
    """A variable's text; promptfoo places variables in variables too, and drops one final line end."""
    if name in within:
        raise NoCounterpart("variables that place one another")
    text = texts[name].removesuffix("\n")
    try:
        names = placeholders(text)
    except NoCounterpart as why:
        raise NoCounterpart(f"promptfoo evaluates what stands in variables too; {why}") from None
    inner = {
        other: _resolved(other, texts, (*within, name)) for other in dict.fromkeys(names) if other in texts
    }
    return filled(text, inner)
