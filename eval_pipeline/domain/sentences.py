"""What counts as a sentence.

Rules of punctuation, capitals and lists, with the abbreviations of English: no model, so that a count can
be predicted and does not change. Not here: what is asked of the sentences (`assertions/size.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSING = "\"'”’»)\\]}*_」』）】》"
_END = re.compile(
    rf"(?P<spaced>[.!?…‼⁇⁈⁉։።؟۔।॥]++)(?P<closed>[{_CLOSING}]*+)|(?P<wide>[。！？｡．]++)(?P<wide_closed>[{_CLOSING}]*+)"
)
"""The ends that need white space behind them, and those of scripts that are written without."""
_NEXT_WORD = re.compile(r"[\s\"'“‘«(\[{*_¿¡「『（—–-]*+(?P<word>[^\W_]*)")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_LINE = re.compile(r"[^\r\n\u2028\u2029]*+(?:\r\n|[\r\n\u2028\u2029])?")
_OF_ITS_OWN = re.compile(r"[ \t]*+(?:#{1,6}[ \t]|\|)")
"""Begins a line that is a heading or a row of a table."""
_ITEM = re.compile(r"[ \t]*+(?:[-*+•–—]|[0-9]{1,3}[.)]|\(?[A-Za-z0-9]\))[ \t]++")
"""Begins a list item."""
_NUMBER_OF_ITEM = re.compile(r"\(?[0-9]{1,3}")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_LONGEST_WORD = 24

_NEVER_LAST = frozenset(
    "mr mrs ms mx dr prof rev fr gen col maj capt cmdr lt sgt gov sen rep pres hon mme mlle messrs"
    " e.g i.e eg vs v cf viz approx incl excl esp resp ca bzw vgl evtl ggf z.b d.h u.a ph".split()
)
_NOT_BEFORE_NUMBERS = frozenset(
    "no nos nr p pp vol vols ch chap sec art fig figs eq eqs ex para ref refs ver v"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri".split()
)
_SELDOM_LAST = frozenset(
    "inc corp co ltd llc plc bros jr sr st ste ave blvd rd mt ft dept univ assn al ed eds est vol ed"
    " op cit tel ext max min avg ph.d m.d b.a m.a".split()
)
_MAY_BE_LAST = frozenset("a.m p.m am pm etc usw".split())
_GOES_ON_AFTER_TIME = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august"
    " september october november december est edt cst cdt mst mdt pst pdt gmt utc bst cet cest mr mrs ms dr"
    " prof".split()
)
_STARTERS = frozenset(
    "the this that these those it its he she we they you i a an my your his her our their there here what who"
    " why how where when which while in on at by for from to with without as if but and or so yet however"
    " also then thus after before since although though because until unless during once now not no yes"
    " is are was were do does did can could will would should may might must have has had let please one some"
    " many most all both each every another other such only even just nobody everyone someone".split()
)


def sentences(text: str) -> list[str]:
    """The sentences of `text`, without white space around them.

    A sentence ends at a full stop, question mark, exclamation mark or ellipsis (with the closing quotes and
    brackets behind it) that white space or the end of the text follows; at a Chinese or Japanese full stop
    also without white space; at an empty line; and at the end of a heading, list item or table row. Other
    line ends are white space. What has no letter and no digit is no sentence.

    A full stop does not end a sentence in numbers, addresses and names (nothing but white space may follow);
    behind titles, initials and abbreviations, unless a typical first word follows those that may come last
    ("in the U.S. He"); behind the number of a list item; and before a lower-case word, unless the whole text
    has no capitals. The same goes for an ellipsis, and for any mark behind which a quote or bracket closes.
    """
    ignore_case = not any(map(str.isupper, text)) if not text.islower() else True
    return [
        sentence
        for block in _blocks(text)
        for sentence in _in_block(block, ignore_case=ignore_case)
        if _LETTER_OR_DIGIT.search(sentence)
    ]


def _blocks(text: str) -> Iterator[str]:
    """What no sentence reaches beyond: paragraphs, headings, list items without their marks, table rows."""
    start = 0
    for line in _LINE.finditer(text):
        shown = line.group()
        item = _ITEM.match(shown)
        alone = _OF_ITS_OWN.match(shown)
        if item or alone or not shown.strip():
            yield text[start : line.start()]
            start = line.start() + (item.end() if item else 0)
        if alone:
            yield shown
            start = line.end()
    yield text[start:]


def _in_block(block: str, *, ignore_case: bool) -> Iterator[str]:
    start = 0
    for end in _END.finditer(block):
        if _ends(block, start, end, ignore_case=ignore_case):
            yield block[start : end.end()].strip()
            start = end.end()
    yield block[start:].strip()


def _ends(block: str, start: int, end: re.Match[str], *, ignore_case: bool) -> bool:
    """Whether the sentence that begins at `start` ends with the marks that `end` found."""
    behind = block[end.end() : end.end() + 1]
    if end["wide"] is not None:
        # 「行こう。」と言った: what is quoted is a part of the sentence around it.
        return not end["wide_closed"] or not behind or not _LETTER_OR_DIGIT.match(behind)
    if behind and not behind.isspace():
        return False
    following = _NEXT_WORD.match(block, end.end())
    word = following["word"] if following else ""
    marks = end["spaced"]
    goes_on = word[:1].islower() and word.islower() and not ignore_case
    if marks == ".":
        return not goes_on and not _is_abbreviation(block, start, end.start(), word)
    if "…" in marks or ".." in marks:
        return not goes_on and word != "I"
    return not (goes_on and end["closed"])


def _is_abbreviation(block: str, start: int, stop: int, following: str) -> bool:
    """Whether the full stop at `stop` belongs to the word before it, given the word behind it."""
    if _NUMBER_OF_ITEM.fullmatch(block[start:stop].lstrip()):
        return True
    before = block[max(start, stop - _LONGEST_WORD) : stop].split()
    written = before[-1].lstrip("\"'“‘«([{*_") if before else ""
    word, first = written.lower(), following.lower()
    if word in _NEVER_LAST:
        return True
    if word in _NOT_BEFORE_NUMBERS and following[:1].isdigit():
        return True
    if word in _MAY_BE_LAST:
        return first in _GOES_ON_AFTER_TIME or not following[:1].isalpha()
    is_initial = written != "I" and (len(written) > 1 or written.isupper()) and _INITIALS.fullmatch(written)
    return bool(following) and (word in _SELDOM_LAST or bool(is_initial)) and first not in _STARTERS
