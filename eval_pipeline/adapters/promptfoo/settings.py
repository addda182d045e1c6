"""The keys of a configuration beside prompts, providers and tests: each is reported."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.adapters.promptfoo.findings import Findings

_TRANSLATED = {
    "basePath", "defaultTest", "description", "prompts", "providers", "scenarios", "targets", "tests",
}  # fmt: skip
_OF_RUNS = {"$schema", "outputPath", "sharing", "writeLatestResults"}
_HARMLESS = {
    "cache", "delay", "eventSource", "generateSuggestions", "interactiveProviders", "maxConcurrency", "maxEvalTimeMs",
    "noShare", "output", "progressBar", "share", "showProgressBar", "silent", "table", "tableCellMaxLength",
    "timeoutMs", "verbose", "watch", "write",
}  # fmt: skip
_GROUPS = {"evaluateOptions", "commandLineOptions"}
_RUN_SETTING = "it is about how promptfoo runs, not about what is measured"
_REASONS = {
    "derivedMetrics": "results hold no computed metrics",
    "env": "values are not copied: set these variables in the environment",
    "extensions": "a script is not run",
    "metadata": "a set has no such notes",
    "nunjucksFilters": "a script is not run",
    "plugins": "red-teaming has no counterpart here",
    "redteam": "red-teaming has no counterpart here",
    "strategies": "red-teaming has no counterpart here",
    "tags": "a set has no tags, only its prompts have",
    "tracing": "traces are not kept here",
}
_REPEATS = "give --repeats to eval-pipeline run instead"


def report_settings(config: Entry, referred: AbstractSet[str], findings: Findings) -> None:
    """Reports every key of a configuration that is not translated.

    Args:
        config: The configuration.
        referred: Keys that hold nothing but what other parts refer to.
        findings: Takes the report.
    """
    for key, entry in config.mapping.items():
        if key in _TRANSLATED or key in referred or entry.value in (None, [], {}):
            continue
        if key in _OF_RUNS:
            findings.note(entry, f"key {key}", _RUN_SETTING)
        elif key in _GROUPS:
            for name, option in entry.mapping.items():
                _report_option(f"{key}.{name}", name, option, findings)
        else:
            findings.leave_out(entry, f"key {key}", _REASONS.get(key, "an unknown key"))


def _report_option(key: str, name: str, entry: Entry, findings: Findings) -> None:
    if name in _HARMLESS:
        findings.note(entry, f"key {key}", _RUN_SETTING)
    else:
        findings.leave_out(
            entry, f"key {key}", _REPEATS if name == "repeat" else "it has no counterpart in a set"
        )
