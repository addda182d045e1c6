"""Where promptfoo's tests come from: lists, files and scenarios.

Not here: what a test says (`cases.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from eval_pipeline.adapters.promptfoo.csv_tests import read_csv_tests
from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.adapters.promptfoo.files import Files, included
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.references import References
from eval_pipeline.domain.errors import DefinitionError

_SCENARIO_KEYS = {"description", "config", "tests"}


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Finds the tests of a configuration.

    Attributes:
        files: Where files are.
        references: Follows references within the configuration.
        findings: Takes what is left out.
    """

    files: Files
    references: References
    findings: Findings

    def all(self, declared: Entry | None) -> Iterator[Entry]:
        """The tests of a list, of files, and of files in a list."""
        for member in declared.members if declared is not None and declared.value is not None else ():
            entry = self.references.followed(member)
            reference = entry.mapping.get("path", entry)
            if reference.text is None:
                yield entry
                continue
            try:
                for path in self.files.matching(reference.text):
                    if path.suffix == ".csv":
                        yield from read_csv_tests(path)
                    else:
                        for document in self.files.entries(str(path.absolute())):
                            yield from document.members
            except (NoCounterpart, DefinitionError) as why:
                self.findings.leave_out(entry, f"tests {reference.text}", why)

    def of_scenarios(self, declared: Entry | None) -> Iterator[Entry]:
        """Every test of a scenario with each of its configurations, merged as promptfoo does."""
        for member in declared.members if declared is not None and declared.value is not None else ():
            for scenario in self.documents(member, "scenario"):
                for key in (key for key in scenario.mapping if key not in _SCENARIO_KEYS):
                    self.findings.leave_out(
                        scenario.mapping[key], f"key {key} of a scenario", "an unknown key"
                    )
                tests = list(self.all(scenario.mapping.get("tests"))) or [scenario.made({})]
                for data, test in itertools.product(self.all(scenario.mapping.get("config")), tests):
                    if "options" in data.mapping:
                        why = "promptfoo makes no use of them in the configuration of a scenario either"
                        self.findings.note(data.mapping["options"], "options", why)
                    yield _merged(data, test)

    def documents(self, entry: Entry, what: str) -> Iterator[Entry]:
        """What an entry stands for: itself, what it refers to, or what stands in the files that it names."""
        try:
            yield from map(self.references.followed, included(self.references.followed(entry), self.files))
        except NoCounterpart as why:
            self.findings.leave_out(entry, what, why)


def given(test: Entry, key: str | None = None) -> dict[str, Entry]:
    """The keys that have a value, of a test or of a mapping in it."""
    found = test if key is None else test.mapping.get(key, test.made({}))
    return {name: entry for name, entry in found.mapping.items() if entry.value is not None}


def _merged(data: Entry, test: Entry) -> Entry:
    variables = {**given(data, "vars"), **given(test, "vars")}
    asserts = [*_members(data, "assert"), *_members(test, "assert")]
    joined: dict[str, Entry] = {**given(data), **given(test)}
    joined |= {"vars": test.made(variables), "assert": test.made(asserts)}
    joined["options"] = test.mapping.get("options", test.made({}))
    return replace(test, value=joined)


def _members(test: Entry, key: str) -> Iterable[Entry]:
    found = test.mapping.get(key)
    return found.members if found is not None and found.value is not None else ()
