"""Faults of grammar in English prose: chosen rules of Harper.

Of Harper's many rules those are on that speak of grammar, are right on well written text, and do not depend
on a dictionary: names, brands and technical words are never a fault. What those rules take for a fault on
good text is sorted out here. Not here: misspelt words, style, capitals and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from threading import Lock
from typing import Any

from eval_pipeline.adapters.detectors.plain_faults import plain_faults
from eval_pipeline.adapters.detectors.prose import parts, prose
from eval_pipeline.domain.detectors import LanguageFault, Span

_RULES = frozenset([
    "AnA", "RepeatedWords", "DoubleModal", "PronounVerbAgreement", "PronounInflectionBe", "HavePronoun",
    "IAmAgreement", "ModalOf", "SimplePastToPastParticiple", "DidPast", "AdjectiveDoubleDegree",
    "ThenThan", "DefiniteArticle", "TheirToThere", "ItsContraction", "SubjectPronoun",
])  # fmt: skip
_SELECTION_VERSION = 1
"""Grows with every change of what counts as a fault."""
_AUXILIARIES = frozenset(
    {("have", "has"), ("has", "have"), ("do", "does"), ("does", "do"), ("don't", "doesn't")}
    | {("doesn't", "don't"), ("goes", "go"), ("am", "is"), ("was", "were"), ("were", "was")}
    | {("is", "are"), ("are", "is"), ("is", "am"), ("are", "am"), ("haven't", "hasn't")}
    | {("hasn't", "haven't"), ("wasn't", "weren't"), ("weren't", "wasn't")}
)
_PAST_LIKE_PRESENT = frozenset([
    "beat", "bet", "broadcast", "burst", "bust", "cast", "dove", "fed", "forecast", "ground", "hid",
    "input", "knit", "misread", "offset", "output", "reset", "rid", "slit", "spat", "split", "sweat",
    "thrust", "upset", "wed",
])  # fmt: skip
_BEHIND_A_LETTER = frozenset([
    "a", "and", "are", "as", "at", "be", "but", "can", "do", "does", "equals", "for", "from", "has", "if",
    "in", "into", "is", "it", "of", "on", "onto", "or", "over", "plus", "the", "then", "times", "to",
    "was", "were", "when", "will", "with",
])  # fmt: skip
"""Behind these, "a" is the name of something."""
_EITHER_ARTICLE = frozenset([
    "herb", "herbal", "herbs", "heroic", "historian", "historians", "historic", "historical",
    "historically", "hotel", "hotels", "habitual", "hallucination", "hallucinations", "hysterical",
    "uber", "ubuntu",
])  # fmt: skip
_RIGHT_AFTER_ALL = frozenset([
    "had had", "that that", "very very", "bye bye", "ha ha", "no no", "so so", "blah blah", "knock knock",
    "really really", "most number", "did used", "its might",
])  # fmt: skip
_ARTICLE_AND_WORD = re.compile(r"(?P<article>[Aa]n?)[ \t]+\n?[ \t]*(?P<word>[A-Za-z]+)(?!\w)")
_CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"
_WORD = re.compile(rf"[\w'{_CURLY}]+")
_LOOK = 24
"""How many characters around a fault are looked at."""


class HarperGrammar:
    """Agreement of pronoun and verb, articles, doubled words and forms of verbs, by rules of Harper."""

    languages = frozenset({"en"})

    @property
    def identity(self) -> str:
        """See `Detector.identity`."""
        return f"harper-py {version('harper-py')} (selection {_SELECTION_VERSION})"

    def grammar_faults(self, text: str) -> Sequence[LanguageFault]:
        """See `GrammarDetector.grammar_faults`."""
        shown = prose(text)
        found: dict[Span, LanguageFault] = {fault.span: fault for fault in plain_faults(shown)}
        for start, part in parts(shown):
            for rule, lint in _checked(part):
                at = Span(start + lint.span.start, start + lint.span.end)
                proposals = [proposal.replacement_text for proposal in lint.suggestions]
                if _is_fault(rule, shown, at, proposals):
                    proposal = "An" if proposals[:1] == ["AN"] else "".join(proposals[:1])
                    found[at] = LanguageFault(at, lint.message, proposal)
        return sorted(found.values(), key=lambda fault: fault.span.start)


@cache
def _linter() -> tuple[Any, Lock]:
    """Harper and what keeps two threads from using it at once, which it refuses."""
    from harper import Linter

    linter = Linter()
    linter.set_lint_config({rule: rule in _RULES for rule in linter.get_default_lint_config()})
    return linter, Lock()


_loading = Lock()


def _checked(part: str) -> Iterator[tuple[str, Any]]:
    with _loading:
        linter, lock = _linter()
    with lock:
        lints = linter.organized_lints(part) if linter.lint(part) else {}
    yield from ((rule, lint) for rule in sorted(lints) for lint in lints[rule])


def _is_fault(rule: str, text: str, at: Span, proposals: Sequence[str]) -> bool:
    problem = text[at.start : at.end]
    before = _WORD.findall(text[max(0, at.start - _LOOK) : at.start])
    behind = _WORD.match(text[at.end : at.end + _LOOK].lstrip(" "))
    following = behind.group().casefold() if behind else ""
    phrases = {problem.casefold(), f"{problem} {following}".casefold(), *_pairs(before[-1:], problem)}
    if phrases & _RIGHT_AFTER_ALL or "-" in (text[at.start - 1 : at.start], text[at.end : at.end + 1]):
        return False
    if rule == "AnA":
        return _is_wrong_article(text, at)
    if rule == "RepeatedWords":
        return "\n" not in problem and not all(word[:1].isupper() for word in _WORD.findall(problem))
    if rule == "PronounVerbAgreement":
        return _disagrees(problem.casefold(), "".join(proposals[:1]).casefold(), before)
    return True


def _pairs(before: Sequence[str], problem: str) -> Iterator[str]:
    yield from (f"{first} {second}".casefold() for first, second in pairwise([*before, problem]))


def _is_wrong_article(text: str, at: Span) -> bool:
    """Whether it is an article at all, before a word whose sound shows in its letters."""
    found = _ARTICLE_AND_WORD.match(text, at.start)
    if found is None or text[at.start - 1 : at.start].isalnum():
        return False
    word = found["word"]
    if found["article"][0].isupper() and (word[0].isupper() or _is_within_sentence(text, at.start)):
        return False
    pronounceable = word[1:].islower() and re.search("[aeiouy]", word, re.IGNORECASE)
    return bool(pronounceable) and word.lower() not in _BEHIND_A_LETTER | _EITHER_ARTICLE


def _is_within_sentence(text: str, position: int) -> bool:
    before = text[max(0, position - _LOOK) : position].rstrip(" ")
    return bool(before) and (before[-1].isalnum() or before[-1] == ",")


def _disagrees(verb: str, proposal: str, before: Sequence[str]) -> bool:
    """Whether a verb does not agree with the pronoun that was taken for its subject."""
    subject = before[-1].casefold() if before else ""
    joined = len(before) > 1 and before[-2].casefold() in {"and", "or"}
    if joined or verb in _PAST_LIKE_PRESENT:
        return False
    if not proposal:
        return verb == "is" and subject == "we"
    if (
        verb.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
        proposal.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
    ) in _AUXILIARIES:
        return True
    lacks_s = proposal in {f"{verb}s", f"{verb}es", f"{verb[:-1]}ies"}
    has_s = verb in {f"{proposal}s", f"{proposal}es", f"{proposal[:-1]}ies"}
    return lacks_s or (has_s and subject != "you")
