"""What promptfoo's configuration of a provider or a prompt sends along: sampling parameters.

Values are never shown in findings: a configuration may hold secrets under any key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.adapters.promptfoo.findings import Findings
from eval_pipeline.domain.canonical import canonical_json
from eval_pipeline.domain.model_catalogue import without_reserved

_SENT = {
    "frequency_penalty",
    "logit_bias",
    "max_completion_tokens",
    "max_tokens",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "temperature",
    "top_p",
    "verbosity",
}
_FILLED_IN = (b"{{", b"{%", b"file://")
_PASSED_THROUGH = "passthrough"
_REASONING = ("o1", "o3", "o4", "gpt-5")
_DEFAULTS = {"temperature": 0, "max_tokens": 1024}
_NOT_FOR_REASONING = ("max_tokens", "temperature")
_FOR_REASONING = ("max_completion_tokens", "reasoning_effort")
_TOOLS = {"tools", "functions", "tool_choice", "function_call", "functionToolCallbacks", "mcp"}


def parameters_of(config: Entry, what: str, findings: Findings) -> dict[str, Any]:
    """The parameters in a configuration that are sent with every request; other keys are reported.

    Args:
        config: The configuration, without the keys that are none of parameters.
        what: Whose it is, for people.
        findings: Takes what is left out.
    """
    parameters: dict[str, Any] = {}
    for key, entry in config.mapping.items():
        if key == _PASSED_THROUGH:
            for name, inner in entry.mapping.items():
                _take(parameters, name, inner, what, findings)
        elif key in _SENT:
            _take(parameters, key, entry, what, findings)
        else:
            why = (
                "models are offered no tools here"
                if key in _TOOLS
                else "an unknown key, whose value is not copied"
            )
            findings.leave_out(entry, f"{key} in the configuration of {what}", why)
    return parameters


def with_defaults(
    parameters: Mapping[str, Any], model: str, config: Entry, findings: Findings
) -> dict[str, Any]:
    """The parameters as promptfoo sends them to a model of OpenAI's names: with its defaults, without others."""
    omitted = config.mapping.get("omitDefaults")
    reasoning = model.removeprefix("ft:").rpartition("/")[2].startswith(_REASONING)
    not_sent = _NOT_FOR_REASONING if reasoning else _FOR_REASONING
    for key in sorted(set(not_sent) & parameters.keys()):
        findings.note(config, f"{key} for {model}", "promptfoo does not send it to this model")
    sent = {key: value for key, value in parameters.items() if key not in not_sent}
    defaults = {} if reasoning or (omitted is not None and omitted.value) else _DEFAULTS
    return {**defaults, **sent}


def _take(parameters: dict[str, Any], key: str, entry: Entry, what: str, findings: Findings) -> None:
    value = entry.data
    try:
        without_reserved({key: value})
    except ValueError as fault:
        findings.leave_out(entry, f"{key} in the configuration of {what}", fault)
        return
    if any(mark in canonical_json(value) for mark in _FILLED_IN):
        why = "it is filled in when it is sent, which parameters are not here"
        findings.leave_out(entry, f"{key} in the configuration of {what}", why)
        return
    parameters[key] = value
