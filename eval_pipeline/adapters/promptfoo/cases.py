"""promptfoo's tests: inline, in files and in scenarios, with their defaults, each checked key by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.gathering import Gatherer, given

_KEYS = {"description", "vars", "assert", "options", "prompts"}
_BLOCKING = {
    "provider": "it is asked of a model of its own; put it into a set with that model",
    "providers": "it is asked of some models only; put it into a set with these models",
    "providerOutput": "its answer is given, not asked for; a provider of kind replay keeps answers",
}
_REPORTED = {
    "threshold": "a share of the assertions would do; here, all of them must hold",
    "assertScoringFunction": "a script decides the verdict; here, all assertions must hold",
    "metadata": "there are only tags here; add tags to the prompt",
}
_OPTIONS = {"prefix", "suffix", "disableVarExpansion", "disableDefaultAsserts"}
_BLOCKING_OPTIONS = {
    "transform": "a script changes the answer before it is checked",
    "postprocess": "a script changes the answer before it is checked",
    "transformVars": "a script changes the variables",
}
_OF_GRADERS = {"provider", "rubricPrompt", "factuality"}
_OF_RUNS = {"runSerially", "disableConversationVar"}


@dataclass(frozen=True, slots=True)
class Case:
    """One test, with what it takes from the defaults.

    Attributes:
        entry: Where it stands.
        name: Its description, or its number.
        variables: What its prompts place.
        asserts: The defaults' assertions and its own.
        prefix, suffix: Texts around every prompt.
        prompts: The prompts that it is asked with; none means all.
        expand: Whether lists of variables make several prompts.
    """

    entry: Entry
    name: str
    variables: Mapping[str, Entry]
    asserts: list[Entry]
    prefix: str
    suffix: str
    prompts: list[str] | None
    expand: bool


@dataclass(slots=True)
class CaseReader:
    """Reads the tests of a configuration.

    Attributes:
        gatherer: Finds the tests.
        findings: Takes what is left out.
        stored: Variables that hold answers of other tests.
    """

    gatherer: Gatherer
    findings: Findings
    stored: set[str] = field(default_factory=set)

    def read(self, config: Entry) -> list[Case]:
        """The tests that can be translated, in order."""
        default = self._default(config)
        tests = list(self.gatherer.all(config.mapping.get("tests")))
        tests += self.gatherer.of_scenarios(config.mapping.get("scenarios"))
        cases = [
            case
            for number, test in enumerate(tests, start=1)
            if (case := self._case(test, number, default)) is not None
        ]
        return [case for case in cases if not self._uses_answers(case)]

    def _default(self, config: Entry) -> Entry:
        declared = config.mapping.get("defaultTest", config.made({}))
        found = next(self.gatherer.documents(declared, "defaultTest"), config.made({}))
        if "description" in found.mapping:
            found = replace(found, value={k: v for k, v in found.mapping.items() if k != "description"})
        return found

    def _case(self, declared: Entry, number: int, default: Entry) -> Case | None:
        test = self.gatherer.references.followed(declared)
        name = self._name(test, number)
        if not isinstance(test.value, dict):
            self.findings.leave_out(test, f"test '{name}'", "it is not a mapping")
            return None
        keys = given(default) | given(test)
        options = given(default, "options") | given(test, "options")
        if not (self._keys_fit(test, name, keys) & self._options_fit(test, name, options)):
            return None
        own = options.get("disableDefaultAsserts")
        asserts = (
            self._asserts(test)
            if own is not None and own.value is True
            else [
                *self._asserts(default),
                *self._asserts(test),
            ]
        )
        expanding = options.get("disableVarExpansion")
        selected = keys.get("prompts")
        return Case(
            test,
            name,
            {**self._variables(default), **self._variables(test)},
            asserts,
            _text(options.get("prefix")),
            _text(options.get("suffix")),
            None if selected is None else [_text(member) for member in selected.members],
            expand=not (expanding is not None and expanding.value),
        )

    def _name(self, test: Entry, number: int) -> str:
        described = test.mapping.get("description")
        return _text(described).strip() or f"test {number}"

    def _keys_fit(self, test: Entry, name: str, keys: Mapping[str, Entry]) -> bool:
        """Reports keys that are not translated; whether the prompt still asks the same without them."""
        fits = True
        for key, entry in keys.items():
            what = f"test '{name}'" if key in test.mapping else "defaultTest"
            if key in _BLOCKING:
                self.findings.leave_out(test, f"test '{name}'", f"{key}: {_BLOCKING[key]}")
                fits = False
            elif key in _REPORTED:
                self.findings.leave_out(entry, f"{key} of {what}", _REPORTED[key])
            elif key not in _KEYS:
                self.findings.leave_out(entry, f"key {key} of {what}", "an unknown key")
        return fits

    def _options_fit(self, test: Entry, name: str, options: Mapping[str, Entry]) -> bool:
        """Likewise for the options of a test."""
        fits = True
        for key, entry in options.items():
            if key == "storeOutputAs":
                self.findings.leave_out(entry, f"option {key}", "answers are not handed on")
                self.stored.add(_text(entry))
            elif key in _OF_GRADERS:
                self.findings.leave_out(
                    entry, f"option {key}", "it is for judging models, which are not imported"
                )
            elif key in _OF_RUNS:
                self.findings.note(
                    entry, f"option {key}", "it has no meaning here: prompts never see one another"
                )
            elif key not in _OPTIONS:
                why = _BLOCKING_OPTIONS.get(
                    key, "it may change the request or the answer, and is not known here"
                )
                self.findings.leave_out(test, f"test '{name}'", f"option {key}: {why}")
                fits = False
        return fits

    def _uses_answers(self, case: Case) -> bool:
        """Tests that place another test's answer are found by that variable's name."""
        return bool(self.stored & case.variables.keys()) and self._reported(case)

    def _reported(self, case: Case) -> bool:
        self.findings.leave_out(case.entry, f"test '{case.name}'", "it uses the answer of another test")
        return True

    def _asserts(self, test: Entry) -> list[Entry]:
        declared = test.mapping.get("assert")
        if declared is None or declared.value is None:
            return []
        unfolded: list[Entry] = []
        for member in self.gatherer.references.followed(declared).members:
            for entry in self.gatherer.documents(member, "assertions"):
                if "assert" in entry.mapping:
                    inner = entry.made(self._asserts(entry))
                    unfolded.append(replace(entry, value={**entry.mapping, "assert": inner}))
                else:
                    unfolded.append(entry)
        return unfolded

    def _variables(self, test: Entry) -> Mapping[str, Entry]:
        """The variables of a test; a name, or a list of names, stands for files of variables."""
        declared = test.mapping.get("vars")
        if declared is None or isinstance(declared.value, dict) or declared.value is None:
            return declared.mapping if declared is not None else {}
        merged: dict[str, Entry] = {}
        for reference in declared.members:
            try:
                for document in self.gatherer.files.entries(_text(reference)):
                    merged.update(document.mapping)
            except NoCounterpart as why:
                self.findings.leave_out(reference, "variables", why)
        return merged


def _text(entry: Entry | None) -> str:
    return (entry.text or "") if entry is not None else ""
