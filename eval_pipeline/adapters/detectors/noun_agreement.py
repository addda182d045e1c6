"""Verbs that do not agree with a plain subject at the beginning of a sentence: "The results is", "It have".

Only what can be told without knowing every noun: what may be right is not a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eval_pipeline.domain.detectors import LanguageFault, Span

_BEGINS = r"(?:(?<![^\n])|(?<=[.!?:] )|(?<=[*-] ))"
_PLURAL_SUBJECT = re.compile(
    _BEGINS
    + r"(?:The|These|Those|My|Our|Your|Their|His|Both) (?P<noun>[a-z]{2,30}s) (?P<verb>is|was|has)\b(?!-)"
)
_IT = re.compile(_BEGINS + r"It (?P<verb>have|are|were)\b")
_MANY = re.compile(r"\b[Tt]here (?P<verb>is|was) (?:many(?! an? )|several|numerous)\b")
_SINGULAR_ENDING = ("ss", "us", "is", "os", "as", "ics")
_SINGULAR_WITH_S = frozenset([
    "news", "series", "species", "means", "lens", "headquarters", "crossroads", "gallows", "savings",
    "summons", "diabetes", "measles", "rabies", "mumps", "billiards", "works", "barracks", "sales",
    "odds", "times",
])  # fmt: skip
_OTHER_NUMBER = {"is": "are", "was": "were", "has": "have", "have": "has", "are": "is", "were": "was"}


def disagreements(text: str) -> Iterator[LanguageFault]:
    """All of them in `text`."""
    for pattern in (_PLURAL_SUBJECT, _IT, _MANY):
        for found in pattern.finditer(text):
            noun = found.groupdict().get("noun", "")
            if noun.endswith(_SINGULAR_ENDING) or noun in _SINGULAR_WITH_S:
                continue
            verb = found["verb"]
            yield LanguageFault(
                Span(*found.span("verb")),
                "The verb must agree with its subject in number.",
                _OTHER_NUMBER[verb],
            )
