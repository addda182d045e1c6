"""Regular expressions as JSON Schema means them, by ECMA-262, matched by PCRE2.

Not here: PCRE2's own notation and bounds (`pcre.py`), and the keywords that have patterns (`schema_keywords.py`).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from eval_pipeline.domain.assertions.pcre import Pattern, compile_pattern

_TOKEN = re.compile(
    r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}"
    r"|\\[pP]\{[^}]*\}|\\.|\[\^\]|\[\]|.",
    re.DOTALL,
)
_PROPERTY = re.compile(r"(?P<escape>\\[pP])\{(?:(?P<of>[A-Za-z_]+)=)?(?P<name>\w+)\}")
_EMPTY_CLASSES = {"[^]": r"[\s\S]", "[]": "(?!)"}
_CATEGORIES = {
    "Letter": "L",
    "Cased_Letter": "L&",
    "Uppercase_Letter": "Lu",
    "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm",
    "Other_Letter": "Lo",
    "Mark": "M",
    "Combining_Mark": "M",
    "Nonspacing_Mark": "Mn",
    "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me",
    "Number": "N",
    "Decimal_Number": "Nd",
    "digit": "Nd",
    "Letter_Number": "Nl",
    "Other_Number": "No",
    "Punctuation": "P",
    "punct": "P",
    "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps",
    "Close_Punctuation": "Pe",
    "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf",
    "Other_Punctuation": "Po",
    "Symbol": "S",
    "Math_Symbol": "Sm",
    "Currency_Symbol": "Sc",
    "Modifier_Symbol": "Sk",
    "Other_Symbol": "So",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp",
    "Other": "C",
    "Control": "Cc",
    "cntrl": "Cc",
    "Format": "Cf",
    "Surrogate": "Cs",
    "Private_Use": "Co",
    "Unassigned": "Cn",
}
"""The long names of general categories, by which PCRE2 does not know them."""
_PREFIXES = {"Script": "sc:", "sc": "sc:", "Script_Extensions": "scx:", "scx": "scx:"}


@lru_cache(maxsize=1024)
def ecma_pattern(pattern: str) -> Pattern:
    """`pattern` as JSON Schema means it, by ECMA-262: `$` is the very end, unlike PCRE's default.

    Raises:
        PatternFault: It is no pattern.
    """
    return compile_pattern(_translated(pattern) or "(?:)", "D")


def _translated(pattern: str) -> str:
    """`pattern` in PCRE2's notation, where that differs.

    That is for empty classes, bare brackets in classes, code units, and the long names of properties.
    """
    written, in_class = [], False
    for part in _TOKEN.findall(pattern):
        if part.startswith("\\u") and len(part) > 2:
            char = json.loads(f'"{part}"')
            written.append(f"\\x{{{ord(char):X}}}")
        elif part[:2] in ("\\p", "\\P"):
            written.append(_property(part))
        elif part.startswith("\\") or "[" not in part:
            in_class = in_class and part != "]"
            written.append(part)
        elif in_class:
            in_class = not part.endswith("]")
            written.append("\\" + part)
        else:
            in_class = part == "["
            written.append(_EMPTY_CLASSES.get(part, part))
    return "".join(written)


def _property(part: str) -> str:
    named = _PROPERTY.fullmatch(part)
    if named is None:
        return part
    name = _CATEGORIES.get(named["name"], named["name"])
    return f"{named['escape']}{{{_PREFIXES.get(named['of'] or '', '')}{name}}}"
