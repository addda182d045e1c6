"""From a golden prompt to the conversation that is sent.

Not a template language: `{{name}}` places a variable, and nothing else is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.responses import Message

if TYPE_CHECKING:
    from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def render(golden_set: GoldenPromptSet, prompt: GoldenPrompt) -> tuple[Message, ...]:
    """The conversation that `prompt` is asked with.

    A prompt's own messages or text come before the set's messages or template. `{{name}}` places a
    variable, in one pass: what a variable holds is never looked at again. Nothing else is evaluated.

    Raises:
        DefinitionError: There is nothing to ask, or a placeholder has no variable.
    """
    if prompt.messages is not None:
        messages: Sequence[Message] = prompt.messages
    elif prompt.prompt is not None:
        messages = (Message("user", prompt.prompt),)
    elif golden_set.messages is not None:
        messages = golden_set.messages
    elif golden_set.template is not None:
        messages = (Message("user", golden_set.template),)
    else:
        raise DefinitionError(
            [
                Fault(
                    "there is nothing to ask: the prompt has no text, and the set no template",
                    prompt_id=prompt.id,
                )
            ]
        )
    if golden_set.system_prompt is not None and messages[0].role != "system":
        messages = (Message("system", golden_set.system_prompt), *messages)
    return tuple(Message(message.role, _placed(message.content, prompt)) for message in messages)


def _placed(text: str, prompt: GoldenPrompt) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in prompt.vars:
            return prompt.vars[name]
        if not _NAME.match(name):
            return match[0]
        raise DefinitionError([Fault(_unplaced(name, prompt.vars), prompt_id=prompt.id)])

    return _PLACEHOLDER.sub(value, text) if "{{" in text else text


def _unplaced(name: str, known: Mapping[str, str]) -> str:
    if not _NAME.fullmatch(name):
        return f"'{{{{{name}}}}}' is no placeholder: only {{{{name}}}} is placed, nothing is evaluated"
    listed = ", ".join(sorted(known)) or "none"
    return f"the placeholder '{{{{{name}}}}}' has no variable of that name under 'vars' (there are: {listed})"
