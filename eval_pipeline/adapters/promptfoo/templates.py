"""promptfoo's templates, of which only `{{ name }}` has a counterpart.

promptfoo renders with Nunjucks: filters, conditions, loops, comments and expressions are evaluated. Ours places
variables and evaluates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from eval_pipeline.adapters.promptfoo.findings import NoCounterpart
from eval_pipeline.domain.text import excerpt

_OPENING = re.compile(r"\{[{%#]")
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_NOT_VARIABLES = {
    "true": "a truth value",
    "false": "a truth value",
    "none": "nothing",
    "null": "nothing",
    "env": "the environment",
    "range": "a function",
    "cycler": "a function",
    "joiner": "a function",
    "_conversation": "the conversation so far",
}


def placeholders(text: str) -> list[str]:
    """The names that `text` places, in order.

    Raises:
        NoCounterpart: It is more than a text with placeholders.
    """
    names, position = [], 0
    while opening := _OPENING.search(text, position):
        placeholder = _PLACEHOLDER.match(text, opening.start())
        if placeholder is None:
            shown = excerpt(text[opening.start() :], 40)
            raise NoCounterpart(f"only {{{{name}}}} is placed and nothing is evaluated; found {shown!r}")
        name = placeholder[1]
        if name in _NOT_VARIABLES:
            raise NoCounterpart(f"{{{{{name}}}}} is {_NOT_VARIABLES[name]} to promptfoo, not a variable")
        names.append(name)
        position = placeholder.end()
    return names


def filled(text: str, variables: Mapping[str, str]) -> str:
    """`text` with its placeholders replaced; one without a variable becomes empty, as in promptfoo.

    Raises:
        NoCounterpart: It is more than a text with placeholders.
    """
    placeholders(text)
    return _PLACEHOLDER.sub(lambda match: variables.get(match[1], ""), text)
