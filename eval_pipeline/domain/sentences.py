"""What counts as a sentence.

Rules of punctuation, capitals and lists, with the abbreviations of English: no model, so that a count can
be predicted and does not change. Not here: what is asked of the sentences (`assertions/size.py`).
"""

# ruff: noqa: RUF001 - quotes and full stops of other scripts are meant
from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSING = r"(?:[\"'”’»)\]}*_」』）】》]|\[\d{1,3}\])*+"
"""Closing quotes, brackets, marks of emphasis, and numbers of footnotes."""
_END = re.compile(
    rf"(?P<spaced>[.!?…‼⁇⁈⁉։።؟۔।॥]++)(?P<closed>{_CLOSING})|(?P<wide>[。！？｡]++)(?P<wide_closed>{_CLOSING})"
)
"""The ends that need white space behind them, and those of scripts that are written without."""
_NEXT_WORD = re.compile(r"[\s\"'“‘«(\[{*_¿¡「『（—–-]*+(?P<word>[^\W_]*)")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_LINE = re.compile(
    r"[^\r\n\u2028\u2029]*+(?:\r\n|[\r\n\u2028\u2029])?"
    r"(?P<empty>(?:[^\S\r\n\u2028\u2029]*+(?:\r\n|[\r\n\u2028\u2029]))*+)"
)
_OF_ITS_OWN = re.compile(r"[ \t]*+(?:#{1,6}[ \t]|\|)")
"""Begins a line that is a heading or a row of a table."""
_ITEM = re.compile(r"[ \t]*+(?:[-*+•–—]|[0-9]{1,3}[.)]|\(?[A-Za-z0-9]\))[ \t]++")
"""Begins a list item."""
_NUMBER_OF_ITEM = re.compile(r"\(?[0-9]{1,3}")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_LONGEST_WORD = 24


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NEVER_LAST = _listed(
    "mr mrs ms mx dr prof rev fr gen col maj capt cmdr lt sgt gov sen rep pres hon mme mlle messrs"
    " e.g i.e eg v vs cf viz approx incl excl esp resp ph ca bzw vgl evtl ggf z.b d.h u.a"
)
_NOT_BEFORE_NUMBERS = _listed(
    "no nos nr p pp vol vols ch chap sec art fig figs eq eqs ex para ref refs ver"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri"
)
_SELDOM_LAST = _listed(
    "inc corp co ltd llc plc bros jr sr st ste ave blvd rd mt ft dept univ assn al ph.d m.d"
)
_OFTEN_LAST = _listed("a.m p.m etc usw")
_NOT_FIRST_AFTER_THOSE = _listed(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july"
    " august september october november december est edt cst cdt mst mdt pst pdt gmt utc bst cet cest"
    " mr mrs ms dr prof"
)
_TYPICAL_FIRST = _listed(
    "the this that these those it its he she we they you i a an my your his her our their there here what who"
    " why how where when which while in on at by for from to with without as if but and or so yet however"
    " also then thus after before since although though because until unless during once now not no yes"
    " is are was were do does did can could will would should may might must has have had let please one some"
    " many most all both each every another other such only even just nobody everyone someone"
)


def sentences(text: str) -> list[str]:
    """The sentences of `text`, without white space around them.

    A sentence ends at a full stop, question mark, exclamation mark or ellipsis (with the closing quotes and
    brackets behind it) that white space or the end of the text follows; at a Chinese or Japanese full stop
    also without white space; at an empty line; and at the end of a heading, list item or table row. Other
    line ends are white space. What has no letter and no digit is no sentence.

    A full stop does not end a sentence behind titles, initials and abbreviations, unless a typical first word
    follows one that may come last ("in the U.S. He"); behind the number of a list item; and before a word in
    lower case, unless the whole text is in lower case. The latter goes for an ellipsis too, and for any mark
    behind which a quote or bracket closes.
    """
    case_tells = not text.islower()
    return [
        sentence
        for block in _blocks(text)
        for sentence in _in_block(block, case_tells=case_tells)
        if _LETTER_OR_DIGIT.search(sentence)
    ]


def _blocks(text: str) -> Iterator[str]:
    """What no sentence reaches beyond: paragraphs, headings, list items without their marks, table rows."""
    start = 0
    for line in _LINE.finditer(text):
        item = _ITEM.match(text, line.start())
        alone = _OF_ITS_OWN.match(text, line.start())
        if item or alone:
            yield text[start : line.start()]
            start = item.end() if item else line.start()
        if alone or line["empty"]:
            yield text[start : line.end()]
            start = line.end()
    yield text[start:]


def _in_block(block: str, *, case_tells: bool) -> Iterator[str]:
    start = 0
    for end in _END.finditer(block):
        if _ends(block, start, end, case_tells=case_tells):
            yield block[start : end.end()].strip()
            start = end.end()
    yield block[start:].strip()


def _ends(block: str, start: int, end: re.Match[str], *, case_tells: bool) -> bool:
    """Whether the sentence that begins at `start` ends with the marks that `end` found."""
    behind = block[end.end() : end.end() + 1]
    if end["wide"] is not None:
        # 「行こう。」と言った: what is quoted is a part of the sentence around it.
        return not end["wide_closed"] or not behind or not _LETTER_OR_DIGIT.match(behind)
    if behind and not behind.isspace():
        return False
    following = _NEXT_WORD.match(block, end.end())
    word = following["word"] if following else ""
    goes_on = case_tells and word.islower() and word[0].islower()
    marks = end["spaced"]
    if marks == ".":
        return not goes_on and not _is_abbreviation(block, start, end.start(), word)
    if "…" in marks or ".." in marks:
        return not goes_on and word != "I"
    return not (goes_on and end["closed"])


def _is_abbreviation(block: str, start: int, stop: int, following: str) -> bool:
    """Whether the full stop at `stop` belongs to the word before it, given the word behind it."""
    before = block[max(start, stop - _LONGEST_WORD) : stop].split()
    if stop - start <= _LONGEST_WORD and len(before) == 1 and _NUMBER_OF_ITEM.fullmatch(before[0]):
        return True
    written = before[-1].lstrip("\"'“‘«([{*_") if before else ""
    word, first = written.lower(), following.lower()
    if word in _NEVER_LAST:
        return True
    if word in _NOT_BEFORE_NUMBERS and following[:1].isdigit():
        return True
    if word in _OFTEN_LAST:
        return first in _NOT_FIRST_AFTER_THOSE or following[:1].isdigit()
    is_initial = _INITIALS.fullmatch(written) and written != "I" and (len(written) > 1 or written.isupper())
    return bool(following) and (word in _SELDOM_LAST or bool(is_initial)) and first not in _TYPICAL_FIRST
