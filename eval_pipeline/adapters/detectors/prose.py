"""What of a text is prose: not code, addresses, other scripts or rows of signs.

Faults of language are looked for in what is left, at unchanged positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t>]*+(```|~~~)")
_NO_PROSE = re.compile(
    r"(?P<ticks>`{1,3})[^`\n]{1,300}(?P=ticks)"
    r"|</?[A-Za-z!][^<>\n]{0,300}>"
    r"|\b(?:https?|ftp|file|mailto)://?[^\s<>\"]++"
    r"|[@#][\w.-]++"
    r"|(?<![\w@])[\w.+-]{1,64}@[\w.-]++"
)
_ROW_OF_SIGNS = re.compile(r"[^\w\s]{4,}+")
_FOREIGN = re.compile("[^\t\n\r\\x20-\\x7e\u00a0-\u024f\u2010-\u2027\u20ac]")
"""What is written in no Western European language."""
_BLANK_LINES = re.compile(r"\n[ \t\r]*+\n\s*+")
_LONGEST_PART = 1_000
"""In characters: checkers take time that grows with the square of a paragraph."""


def prose(text: str) -> str:
    """`text` with what is no prose replaced, character by character.

    Code within a line and addresses become zeros, so that the words around them do not meet; blocks of code,
    rows of signs, emoji and other scripts become blanks.
    """
    shown = _FOREIGN.sub(" ", "".join(_without_blocks_of_code(text)))
    shown = _NO_PROSE.sub(lambda found: "0" * len(found.group()), shown)
    return _ROW_OF_SIGNS.sub(lambda found: " " * len(found.group()), shown)


def parts(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs of `text` with their starts; a very long one is cut at white space."""
    start = 0
    for gap in [*_BLANK_LINES.finditer(text), None]:
        end = gap.start() if gap else len(text)
        while end - start > _LONGEST_PART:
            cut = text.rfind(" ", start + 1, start + _LONGEST_PART)
            cut = cut if cut > 0 else start + _LONGEST_PART
            yield start, text[start:cut]
            start = cut
        if text[start:end].strip():
            yield start, text[start:end]
        start = gap.end() if gap else end


def _without_blocks_of_code(text: str) -> Iterator[str]:
    inside = ""
    for line in text.splitlines(keepends=True):
        fence = _FENCE.match(line)
        if fence and not inside and "`" not in line[fence.end() :].strip("`"):
            inside = fence[1]
        elif not inside:
            yield line
            continue
        elif fence and fence[1] == inside:
            inside = ""
        ending = line[len(line.rstrip("\r\n")) :]
        yield " " * (len(line) - len(ending)) + ending
