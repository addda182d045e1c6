r"""Perl-compatible regular expressions, as PHP writes them and with PCRE2's own meaning, bounded.

`\d`, `\w` and friends are ASCII unless the flag `u` asks for Unicode properties, as in PCRE2; text
is always matched by characters, never by bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import pcre2
from pcre2 import _cy as engine

from eval_pipeline.domain.text import without_surrogates

MAX_SUBJECT = 1_000_000
"""The longest text, in characters, that a pattern is matched against."""

_UTF, _UCP, _ALT_BSUX = 0x0008_0000, 0x0002_0000, 0x0000_0002
_OPTIONS = {
    "i": 0x0000_0008,  # PCRE2_CASELESS
    "m": 0x0000_0400,  # PCRE2_MULTILINE
    "s": 0x0000_0020,  # PCRE2_DOTALL
    "x": 0x0000_0080,  # PCRE2_EXTENDED
    "A": 0x8000_0000,  # PCRE2_ANCHORED
    "D": 0x0000_0010,  # PCRE2_DOLLAR_ENDONLY
    "J": 0x0000_0040,  # PCRE2_DUPNAMES
    "U": 0x0004_0000,  # PCRE2_UNGREEDY
    "n": 0x0000_2000,  # PCRE2_NO_AUTO_CAPTURE
    "u": _UCP,
    # PCRE2 always studies patterns and always refuses unknown escapes, so these two change nothing.
    "S": 0,
    "X": 0,
}
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}


class PatternFault(ValueError):
    """A pattern is faulty, or could not be matched within its bounds."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern.

    Attributes:
        fast: Compiled to machine code, whose stack is small: ordinary loops exhaust it on long answers.
        thorough: Interpreted, for those.
    """

    fast: pcre2.Pattern
    thorough: pcre2.Pattern

    def matches(self, text: str) -> bool:
        """Whether the pattern matches somewhere in `text`.

        Raises:
            PatternFault: Matching was given up at PCRE2's match limit.
        """
        text = without_surrogates(text)
        try:
            return self.fast.search(text) is not None
        except pcre2.LibraryError as error:
            if "JIT stack" not in str(error):
                raise PatternFault(f"the pattern was given up on this answer: {error}") from None
        try:
            return self.thorough.search(text) is not None
        except pcre2.LibraryError as error:
            raise PatternFault(f"the pattern was given up on this answer: {error}") from None


def split_delimited(written: str) -> tuple[str, str]:
    """The pattern and the flags of `/pattern/flags`, by PHP's rules for delimiters.

    Raises:
        PatternFault: There is no delimiter, or no closing one.
    """
    written = written.lstrip()
    opening = written[:1]
    if not opening or opening.isalnum() or opening == "\\" or opening.isspace() or not opening.isascii():
        raise PatternFault(
            f"{written!r:.80} has no delimiters: write it as /pattern/flags, or give it as pattern"
        )
    closing = _BRACKETS.get(opening, opening)
    end = _closing_position(written, opening, closing)
    if end is None:
        raise PatternFault(f"the pattern {written!r:.80} lacks its closing '{closing}'")
    return written[1:end], written[end + 1 :].rstrip("\r\n")


def compile_pattern(source: str, flags: str) -> Pattern:
    """The compiled pattern `source` under `flags`.

    Raises:
        PatternFault: An unknown flag, a control character, an empty or a faulty pattern.
    """
    if not source:
        raise PatternFault("the pattern is empty: every answer would match it")
    for char in source:
        if ord(char) < 32 and char not in "\t\n\r":
            raise PatternFault(
                f"the pattern holds the control character U+{ord(char):04X}; in YAML, write patterns in single"
                " quotes, where a backslash stays a backslash"
            )
    options = 0
    for flag in flags:
        if flag not in _OPTIONS:
            raise PatternFault(f"unknown flag '{flag}' of a pattern; known are: {' '.join(_OPTIONS)}")
        options |= _OPTIONS[flag]
    try:
        return Pattern(_compiled(source, options, jit=True), _compiled(source, options, jit=False))
    except pcre2.LibraryError as error:
        raise PatternFault(f"the pattern {source!r:.80} is faulty: {error}") from None
    except UnicodeEncodeError:
        raise PatternFault("the pattern holds a lone surrogate") from None


def _compiled(source: str, options: int, *, jit: bool) -> pcre2.Pattern:
    # The public compile() always turns Unicode properties on, and \x{41} into 41 letters x.
    disabled = _ALT_BSUX | (0 if options & _UCP else _UCP)
    code = engine.compile(source, options | _UTF, disabled)
    if jit:
        engine.jit_compile(code)
    return pcre2.Pattern(code, source, pcre2.NOFLAG, jit, None)


def _closing_position(written: str, opening: str, closing: str) -> int | None:
    depth, position = 1, 1
    while position < len(written):
        char = written[position]
        if char == "\\":
            position += 1
        elif char == closing:
            depth -= 1
            if depth == 0:
                return position
        elif char == opening:
            depth += 1
        position += 1
    return None
