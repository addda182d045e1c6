"""Lists that promptfoo writes in one text: `red, green, "one, two"`."""

from __future__ import annotations

import re

from eval_pipeline.adapters.promptfoo.findings import NoCounterpart

_SEPARATORS = re.compile(r"[\s,]*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.|"")*+)"\s*(?=,|\Z)', re.DOTALL)
_BARE = re.compile(r"[^,]*")
_ESCAPED = re.compile(r'\\(["\\])|""')


def comma_separated(text: str) -> list[str]:
    """The texts of a list; blanks around them and empty ones are passed over.

    Raises:
        NoCounterpart: A quote is not closed.
    """
    members, position = [], 0
    while (position := _end(_SEPARATORS, text, position)) < len(text):
        if text[position] != '"':
            end = _end(_BARE, text, position)
            members.append(text[position:end].strip())
        elif quoted := _QUOTED.match(text, position):
            end = quoted.end()
            members.append(_ESCAPED.sub(lambda match: match[1] or '"', quoted[1]))
        else:
            raise NoCounterpart("a quote in its list of texts is not closed before a comma")
        position = end
    return members


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position
