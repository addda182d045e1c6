"""The single fenced block of an answer: what stands between two lines of three or more backticks or tildes.

Not here: what the block holds.
"""

from __future__ import annotations

import re

_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<fence>```+(?=[^`]*$)|~~~+)")


class NoSingleBlock(ValueError):
    """The text has no fenced block, or several."""


def fenced_block(text: str) -> str:
    r"""What stands in the one fenced block of `text`.

    A block begins with a line of three or more backticks or tildes, behind which any words may follow, and ends
    with a line of nothing but the same character, at least as often. A block that is not closed is none. As far
    as the fence is indented, so may its lines be.

    Raises:
        NoSingleBlock: There is none, or there are several.
    """
    blocks: list[str] = []
    opened: re.Match[str] | None = None
    lines: list[str] = []
    for line in re.split(r"\r\n|\r|\n", text):
        if opened is None:
            opened, lines = _OPENING.match(line), []
        elif _closes(line, opened["fence"]):
            blocks.append("\n".join(lines))
            opened = None
        else:
            lines.append(_without_indent(line, opened["indent"]))
    if opened is not None and not blocks:
        raise NoSingleBlock("the fenced block is not closed")
    if len(blocks) != 1:
        raise NoSingleBlock(f"{len(blocks) or 'no'} fenced blocks, where one is expected")
    return blocks[0]


def _closes(line: str, fence: str) -> bool:
    line = line.strip(" \t")
    return len(line) >= len(fence) and line == fence[0] * len(line)


def _without_indent(line: str, indent: str) -> str:
    blanks = len(line) - len(line.lstrip(" \t"))
    return line[min(blanks, len(indent)) :]
