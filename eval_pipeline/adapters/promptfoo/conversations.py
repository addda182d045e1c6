"""What promptfoo sends: a text, or the conversation that a text turns out to be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from eval_pipeline.adapters.promptfoo.files import literal
from eval_pipeline.adapters.promptfoo.findings import NoCounterpart
from eval_pipeline.adapters.promptfoo.templates import placeholders
from eval_pipeline.adapters.promptfoo.variables import Variables
from eval_pipeline.domain.golden_sets import ROLES
from eval_pipeline.domain.json_text import JsonFault, read_json

_IN_A_LIST = re.compile(r'\s*(?:["{\[0-9-]|true|false|null|\])')
_YAML_CONVERSATION = "- role:"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a prompt asks with, as a set writes it.

    Attributes:
        key: `prompt` or `messages`.
        value: The text, or the messages.
    """

    key: str
    value: Any

    @property
    def as_template(self) -> dict[str, Any]:
        """The same as a set's own text or conversation."""
        return {"template" if self.key == "prompt" else self.key: self.value}

    @property
    def as_own(self) -> dict[str, Any]:
        """The same as a prompt's own text or conversation."""
        return {self.key: self.value}

    @property
    def texts(self) -> list[str]:
        """All texts that placeholders may stand in."""
        return [self.value] if self.key == "prompt" else [message["content"] for message in self.value]


def asked(raw: str) -> Asked:
    """What promptfoo makes of a prompt: JSON is a conversation, everything else a text.

    Raises:
        NoCounterpart: It is JSON of another kind, a conversation with more than texts, or has more in it than
            placeholders.
    """
    if raw.strip().startswith(_YAML_CONVERSATION):
        raise NoCounterpart("a conversation in YAML inside a text: write it as JSON, or in a file of its own")
    try:
        data = read_json(raw)
    except JsonFault as fault:
        if not placeholders(raw) and _looks_like_json(raw.strip()):
            raise NoCounterpart(f"promptfoo takes it for JSON, which it is not: {fault}") from None
        return Asked("prompt", literal(raw))
    if not isinstance(data, list) or not data:
        raise NoCounterpart("JSON that is no conversation")
    messages = [_message(member) for member in data]
    for message in messages:
        placeholders(literal(message["content"]))
    return Asked("messages", messages)


def check_stays_text(prompt: Asked, variables: Variables) -> None:
    """Refuses a text that becomes JSON when its variables are placed: promptfoo would send a conversation.

    Raises:
        NoCounterpart: It does, or a placeholder has no text.
    """
    for text in prompt.texts:
        variables.check(text)
    if prompt.key != "prompt" or "{{" not in prompt.value:
        return
    if asked(variables.fill(prompt.value)).key != "prompt":
        raise NoCounterpart("with its variables it is JSON, which promptfoo sends as a conversation")


def _looks_like_json(text: str) -> bool:
    """Whether promptfoo insists on JSON: braces, or brackets around what begins like a member of a list."""
    if text.startswith("{"):
        return text.endswith("}")
    return text.startswith("[") and text.endswith("]") and _IN_A_LIST.match(text, 1) is not None


def _message(data: Any) -> dict[str, str]:
    if (
        not isinstance(data, dict)
        or data.keys() != {"role", "content"}
        or not isinstance(data["content"], str)
    ):
        raise NoCounterpart("a conversation with more than roles and texts")
    if data["role"] not in ROLES:
        raise NoCounterpart(f"a message of the role {data['role']!r}; known are: {', '.join(ROLES)}")
    return {"role": data["role"], "content": data["content"]}
