"""Finding the part of an answer that an assertion is about: by a JSON path, or by a pattern.

Where there are several different parts, none is chosen. Not here: what is expected of the part (`values.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pcre2

from eval_pipeline.domain.assertions.base import Answer
from eval_pipeline.domain.assertions.documents import Extract, NotReadable, json_of
from eval_pipeline.domain.assertions.pcre import Pattern, PatternFault, compile_pattern, split_delimited
from eval_pipeline.domain.errors import NotMeasurable
from eval_pipeline.domain.json_equality import json_equal, json_text
from eval_pipeline.domain.json_path import PathFault, compile_path, values_at
from eval_pipeline.domain.text import excerpt, normalised, without_surrogates

MAX_TEXT = 200_000
"""The longest answer, in characters, in which a pattern or a number is looked for."""
MAX_MATCHES = 1_000
"""The most matches of a pattern that are compared with one another."""


class NotThere(ValueError):
    """The answer has no such part. The message says why."""


def at_path(answer: Answer, path: str, extract: Extract) -> Any:
    """The value at `path` in the JSON of the answer.

    Raises:
        NotThere: The answer is not JSON, or nothing is there.
        NotMeasurable: Different values are there, or the path is too costly to follow.
    """
    try:
        found = values_at(compile_path(normalised(path)), json_of(answer, extract))
    except NotReadable as fault:
        raise NotThere(str(fault)) from None
    except PathFault as fault:
        raise NotMeasurable(str(fault)) from None
    if not found:
        raise NotThere(f"nothing at {path}")
    for other in found[1:]:
        if not json_equal(found[0], other):
            raise NotMeasurable(
                f"there are {len(found)} values at {path}, among them {json_text(found[0])} and {json_text(other)}"
            )
    return found[0]


def by_pattern(answer: Answer, pattern: str, group: int | str | None) -> list[str]:
    """The different texts that a group of `pattern` takes in the answer, in their order; at least one.

    Raises:
        NotThere: The pattern does not match, or its group takes no part in any match.
        NotMeasurable: The pattern was given up, or matches too often.
    """
    text = without_surrogates(answer.text_up_to(MAX_TEXT))
    compiled = checked_pattern(pattern, group)
    wanted = group if group is not None else min(compiled.thorough.groups, 1)
    found: dict[str, None] = {}
    matched = False
    try:
        for count, match in enumerate(compiled.thorough.finditer(text)):
            if count == MAX_MATCHES:
                raise NotMeasurable(f"the pattern matches more than {MAX_MATCHES} times")
            matched = True
            if (part := match.group(wanted)) is not None:
                found[part] = None
    except pcre2.LibraryError as error:
        raise NotMeasurable(f"the pattern was given up on this answer: {error}") from None
    if not found:
        raise NotThere(
            f"the group {wanted} took no part in the match of {excerpt(pattern, 80)}"
            if matched
            else f"no match of {excerpt(pattern, 80)}"
        )
    return list(found)


@lru_cache(maxsize=1024)
def checked_pattern(written: str, group: int | str | None) -> Pattern:
    """The pattern `/pattern/flags`. Those used last are kept.

    Raises:
        PatternFault: The pattern is faulty, or has no such group.
    """
    source, flags = split_delimited(written)
    pattern = compile_pattern(normalised(source), flags)
    known = range(pattern.thorough.groups + 1) if isinstance(group, int) else pattern.thorough.groupindex
    if group is not None and group not in known:
        raise PatternFault(f"the pattern {written!r:.80} has no group {group!r}")
    return pattern
