"""Faults of grammar that Harper does not look for and that show without knowing every word.

These are verbs that do not agree with a plain subject at the beginning of a sentence ("The results is", "It
have"), and doubled words. What may be right is not a fault.
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
_DOUBLED = re.compile(r"(?<![\w'-])(?P<word>[a-z]{3,30}) (?P=word)(?![\w'-])")
_MAY_BE_DOUBLED = frozenset([
    "again", "ago", "ahead", "beep", "blah", "boom", "bye", "choo", "chop", "cluck", "ding", "dong",
    "drip", "far", "foo", "had", "hear", "her", "hip", "hop", "hush", "knock", "long", "many", "more",
    "much", "never", "night", "now", "oink", "over", "please", "pop", "quack", "really", "row", "run",
    "that", "then", "there", "tick", "toc", "tock", "tut", "very", "wait", "well", "win", "woof", "work",
    "wow", "yes", "yum",
])  # fmt: skip
_SINGULAR_ENDING = ("ss", "us", "is", "os", "as", "ics")
_SINGULAR_WITH_S = frozenset([
    "news", "series", "species", "means", "lens", "headquarters", "crossroads", "gallows", "savings",
    "summons", "diabetes", "measles", "rabies", "mumps", "billiards", "works", "barracks", "sales",
    "odds", "times",
])  # fmt: skip
_OTHER_NUMBER = {"is": "are", "was": "were", "has": "have", "have": "has", "are": "is", "were": "was"}


def plain_faults(text: str) -> Iterator[LanguageFault]:
    """All of them in `text`."""
    for pattern in (_PLURAL_SUBJECT, _IT, _MANY):
        for found in pattern.finditer(text):
            noun = found.groupdict().get("noun", "")
            if not noun.endswith(_SINGULAR_ENDING) and noun not in _SINGULAR_WITH_S:
                verb = found["verb"]
                message = "The verb must agree with its subject in number."
                yield LanguageFault(Span(*found.span("verb")), message, _OTHER_NUMBER[verb])
    for found in _DOUBLED.finditer(text):
        word = found["word"]
        if word not in _MAY_BE_DOUBLED:
            yield LanguageFault(Span(*found.span()), "The word is doubled.", word)
