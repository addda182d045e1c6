r"""IFEval's instructions as assertions of this package, built from the parameters of each instruction.

What counts there as a word, a paragraph or a highlighted section is IFEval's own, so most are patterns.
`\A(?>...){3}` says "at least three": each step ends where it first can, as a search without overlap does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Declared = str | Mapping[str, Any]
Ways = Sequence[Sequence[Declared]]
"""An instruction is met when every assertion of one way passes."""
Parameters = Mapping[str, Any]

AT_LEAST, LESS_THAN = "at least", "less than"
CAPITAL, SMALL = r"\p{Lu}", r"\p{Ll}"


def _regex(pattern: str, flags: str = "su") -> Declared:
    return {"type": "regex", "pattern": pattern, "flags": flags}


def _not_regex(pattern: str, flags: str = "su") -> Declared:
    return {"type": "not_regex", "pattern": pattern, "flags": flags}


def _times(step: str, relation: str, count: int, flags: str = "su") -> Declared:
    """What `step` ends with occurs at least `count` times, or less often."""
    several = rf"\A(?>{step}){{{count}}}"
    return _regex(several, flags) if relation == AT_LEAST else _not_regex(several, flags)


def _between(given: Parameters, count: str) -> Mapping[str, int]:
    """The bounds of a count, as the assertions on size write them."""
    return {"min": given[count]} if given["relation"] == AT_LEAST else {"max": given[count] - 1}


def _capital_words(given: Parameters) -> Ways:
    word = rf"(?<![^\W_])(?=\p{{N}}*+{CAPITAL})(?:{CAPITAL}|\p{{N}})++(?![^\W_])"
    return [[_times(f".*?{word}", given["capital_relation"], given["capital_frequency"])]]


def _two_responses(_: Parameters) -> Ways:
    mark = r"\*{6}"
    response = rf"(?!{mark})\S(?:(?:(?!{mark}).)*(?!{mark})\S)?"
    end = rf"\s*+(?:{mark}\s*+)?\z"
    return [[_regex(rf"\A(?:\s*+{mark})?+\s*+({response})\s*+{mark}\s*+(?!\1{end}){response}{end}")]]


def _postscript(given: Parameters) -> Ways:
    markers = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
    return [[_regex(markers[given["postscript_marker"]], "iu")]]


def _bullets(given: Parameters) -> Ways:
    bullet, count = r"(?s:.*?)^\s*+(?:\*[^*].*|-.*)$", given["num_bullets"]
    return [[_times(bullet, AT_LEAST, count, "mu"), _times(bullet, LESS_THAN, count + 1, "mu")]]


def _highlights(given: Parameters) -> Ways:
    """Sections between single asterisks and sections between double ones are counted apart, and added."""
    count, single, double = given["num_highlights"], _next_filled(r"\*"), _next_filled(r"\*\*")
    return [
        [_times(single, AT_LEAST, singles), _times(double, AT_LEAST, count - singles)]
        for singles in range(count + 1)
    ]


def _next_filled(mark: str) -> str:
    """Up to and with the next section of one line between two marks; blank ones are passed over."""
    start = rf"(?>.*?(?={mark}[^\n*]*+{mark}))"
    return rf"(?:{start}{mark}(?:(?!\n)\s)*+{mark})*+{start}{mark}[^\n*]++{mark}"


def _first_word(given: Parameters) -> Ways:
    paragraph = r"\S(?:(?!\n\n).)*+\s*+"
    first_word = rf"(?:(?!\n\n)\s)*+'*+\"*+{re.escape(given['first_word'])}(?=[\s.,?!'\"]|\z)"
    return [
        [
            _regex(rf"\A\s*+(?:{paragraph}){{{given['num_paragraphs']}}}\z"),
            _regex(rf"\A(?:(?:(?!\n\n).)*+\n\n){{{given['nth_paragraph'] - 1}}}{first_word}", "sui"),
        ]
    ]


def _paragraphs(given: Parameters) -> Ways:
    mark, paragraph = r"\*\*\*", r"\s*+(?!\*\*\*)\S(?:(?!\*\*\*).)*+"
    others = rf"(?:{mark}{paragraph}){{{given['num_paragraphs'] - 1}}}"
    return [[_regex(rf"\A(?:\s*+{mark})?+{paragraph}{others}(?:{mark}\s*+)?\z")]]


EXPRESSED: Mapping[str, Callable[[Parameters], Ways]] = {
    "change_case:capital_word_frequency": _capital_words,
    "combination:repeat_prompt": lambda given: [
        [{"type": "starts_with", "value": given["prompt_to_repeat"], "ignore_case": True}]
    ],
    "combination:two_responses": _two_responses,
    "detectable_content:number_placeholders": lambda given: [
        [_times(r"(?s:.*?)\[.*?\]", AT_LEAST, given["num_placeholders"], "u")]
    ],
    "detectable_content:postscript": _postscript,
    "detectable_format:constrained_response": lambda _: [
        [{"contains_any": ["My answer is yes.", "My answer is no.", "My answer is maybe."]}]
    ],
    "detectable_format:json_format": lambda _: [
        ["valid_json"],
        [{"type": "valid_json", "extract": "fenced"}],
    ],
    "detectable_format:multiple_sections": lambda given: [
        [_times(rf".*?{re.escape(given['section_spliter'])}\s?\d++", AT_LEAST, given["num_sections"])]
    ],
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:title": lambda _: [[_regex(r"<<[^\n]*[^\s<>][^\n]*>>")]],
    "keywords:existence": lambda given: [
        [{"type": "contains_all", "value": given["keywords"], "ignore_case": True}]
    ],
    "keywords:forbidden_words": lambda given: [
        [_not_regex(rf"\b(?:{'|'.join(map(re.escape, given['forbidden_words']))})\b", "iu")]
    ],
    "keywords:frequency": lambda given: [
        [_times(f".*?{re.escape(given['keyword'])}", given["relation"], given["frequency"], "siu")]
    ],
    "keywords:letter_frequency": lambda given: [
        [_times(f".*?{re.escape(given['letter'])}", given["let_relation"], given["let_frequency"], "siu")]
    ],
    "length_constraints:nth_paragraph_first_word": _first_word,
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:number_words": lambda given: [
        [_times(r"\W*+\w++", given["relation"], given["num_words"])]
    ],
    "punctuation:no_comma": lambda _: [[{"not_contains": ","}]],
    "startend:end_checker": lambda given: [
        [{"type": "ends_with", "value": given["end_phrase"], "ignore_case": True}]
    ],
    "startend:quotation": lambda _: [[{"starts_with": '"'}, {"ends_with": '"'}]],
}
"""Kinds that reproduce every recorded outcome."""

ALMOST: Mapping[str, Callable[[Parameters], Ways]] = {
    "change_case:english_capital": lambda _: [[_regex(CAPITAL), _not_regex(SMALL)]],
    "change_case:english_lowercase": lambda _: [[_regex(SMALL), _not_regex(CAPITAL)]],
    "length_constraints:number_sentences": lambda given: [
        [{"sentence_count_between": _between(given, "num_sentences")}]
    ],
    "length_constraints:number_words": lambda given: [[{"word_count_between": _between(given, "num_words")}]],
}
"""Kinds in the plain assertions that a user would take. There, a text must also be recognised as English
to be in upper or lower case, sentences end elsewhere, and "don't" is two words."""

NOT_COVERED = {"language:response_language": "no assertion expects a language"}
"""Kinds that no assertion can express, with the reason."""
