r"""Regular expressions of JavaScript, written for PCRE2 with the same meaning.

promptfoo compiles patterns without flags. There `.` and `\s` know more line ends and blanks than in PCRE2, `$` is the
very end, `\v` one character, and a bracket may be empty. What PCRE2 would read differently is rewritten; what
cannot be rewritten, or what JavaScript itself refuses, is reported. Characters beyond U+FFFF count as two in
JavaScript and as one here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from eval_pipeline.adapters.promptfoo.findings import NoCounterpart

_BLANKS = r"\s\p{Z}\x{FEFF}"
_ANY_BUT_LINE_ENDS = r"[^\n\r\x{2028}\x{2029}]"
_QUANTIFIER = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_GROUP = re.compile(r"\(\?(?::|=|!|<=|<!|<[A-Za-z_][A-Za-z0-9_]*>)")
_KIND = re.compile(r"\\[dDwWsS]")
_SAME_ESCAPES = set("dDwWfnrt")
_HEXADECIMAL = {"x": re.compile("[0-9a-fA-F]{2}"), "u": re.compile("[0-9a-fA-F]{4}")}


@dataclass(frozen=True, slots=True)
class PcrePattern:
    """A pattern of PCRE2.

    Attributes:
        pattern: Without delimiters.
        flags: Those that it needs.
    """

    pattern: str
    flags: str


def to_pcre(pattern: str) -> PcrePattern:
    """The pattern of PCRE2 that matches what JavaScript's `pattern` matches.

    Raises:
        NoCounterpart: There is none, or `pattern` is faulty.
    """
    scanner = _Scanner(pattern)
    scanner.run()
    return PcrePattern("".join(scanner.written), "D" if scanner.ends else "")


@dataclass(slots=True)
class _Scanner:
    source: str
    position: int = 0
    written: list[str] = field(default_factory=list)
    ends: bool = False
    after_kind: bool = False
    groups: list[str] = field(default_factory=list)

    def run(self) -> None:
        while self.position < len(self.source):
            self._outside()

    def _take(self, length: int, written: str) -> None:
        self.position += length
        self.written.append(written)

    def _outside(self) -> None:
        char = self.source[self.position]
        match char:
            case "\\":
                self._escape(in_class=False)
            case "[":
                self._class()
            case ".":
                self._take(1, _ANY_BUT_LINE_ENDS)
            case "$":
                self.ends = True
                self._take(1, char)
            case "(":
                self._group()
            case ")":
                self._close()
            case "{":
                found = _QUANTIFIER.match(self.source, self.position)
                self._take(len(found[0]), found[0]) if found else self._take(1, r"\{")
                if found:
                    self._after_quantifier()
            case "*" | "+" | "?":
                self._take(1, char)
                self._after_quantifier()
            case _:
                self._refuse_split(char)
                self._take(1, char)

    def _after_quantifier(self) -> None:
        """A quantifier may be made lazy; possessive ones are PCRE2's alone."""
        if self.source[self.position : self.position + 1] == "?":
            self._take(1, "?")
        following = self.source[self.position : self.position + 1]
        if following and (following in "*+?" or _QUANTIFIER.match(self.source, self.position)):
            raise NoCounterpart(f"JavaScript refuses the pattern: '{following}' repeats a repetition")

    def _close(self) -> None:
        self._take(1, ")")
        opening = self.groups.pop() if self.groups else ""
        following = self.source[self.position : self.position + 1]
        repeated = following in set("*+?") or _QUANTIFIER.match(self.source, self.position) is not None
        if opening in ("(?<=", "(?<!") and repeated:
            raise NoCounterpart("JavaScript refuses the pattern: it repeats a look behind")

    def _group(self) -> None:
        if self.source[self.position : self.position + 2] not in ("(?", "(*"):
            self.groups.append("(")
            self._take(1, "(")
            return
        opening = _GROUP.match(self.source, self.position)
        if opening is None:
            shown = self.source[self.position : self.position + 6]
            raise NoCounterpart(f"JavaScript refuses {shown!r}, or not every version of it knows it")
        self.groups.append(opening[0])
        self._take(len(opening[0]), opening[0])

    def _escape(self, *, in_class: bool) -> None:
        following = self.source[self.position + 1 : self.position + 2]
        if following in _HEXADECIMAL:
            self._code_point(following)
        elif following == "":
            raise NoCounterpart("JavaScript refuses the pattern: it ends with a backslash")
        elif following in _SAME_ESCAPES or (following in "bB" and not in_class):
            self._take(2, "\\" + following)
        elif following in "sS":
            self._blanks(following, in_class=in_class)
        elif following == "b":
            self._take(2, r"\x{08}")
        elif following == "v":
            self._take(2, r"\x{0B}")
        elif following == "0" and not self.source[self.position + 2 : self.position + 3].isdigit():
            self._take(2, r"\x{00}")
        elif following.isdigit() or following == "k":
            raise NoCounterpart(
                "a back-reference: in JavaScript one to a group that took no part matches the empty text"
            )
        elif following.isalpha():
            raise NoCounterpart(f"JavaScript without flags reads \\{following} as the letter {following}")
        else:
            self._take(2, "\\" + following if following.isascii() else following)

    def _blanks(self, letter: str, *, in_class: bool) -> None:
        if not in_class:
            self._take(2, f"[{_BLANKS}]" if letter == "s" else f"[^{_BLANKS}]")
        elif letter == "s":
            self._take(2, _BLANKS)
        else:
            raise NoCounterpart(r"\S in brackets: it leaves out more blanks in JavaScript than here")

    def _code_point(self, letter: str) -> None:
        digits = _HEXADECIMAL[letter].match(self.source, self.position + 2)
        if digits is None:
            raise NoCounterpart(f"JavaScript without flags reads this \\{letter} as the letter {letter}")
        code, length = int(digits[0], 16), 2 + len(digits[0])
        if 0xD800 <= code <= 0xDFFF:
            raise NoCounterpart("half of a surrogate pair: write the character itself")
        self._take(length, f"\\x{{{code:0{len(digits[0])}X}}}")

    def _class(self) -> None:
        for whole, same in (
            ("[]", "(?!)"),
            ("[^]", r"[\s\S]"),
            (r"[\s\S]", r"[\s\S]"),
            (r"[\S\s]", r"[\s\S]"),
        ):
            if self.source.startswith(whole, self.position):
                self._take(len(whole), same)
                return
        self._take(1, "[")
        self.after_kind = False
        if self.source.startswith("^", self.position):
            self._take(1, "^")
        while True:
            char = self.source[self.position : self.position + 1]
            if char == "":
                raise NoCounterpart("JavaScript refuses the pattern: a bracket is not closed")
            if char == "]":
                self._take(1, char)
                return
            self._in_class(char)

    def _in_class(self, char: str) -> None:
        kind = _KIND.match(self.source, self.position) is not None
        if char == "\\":
            self._escape(in_class=True)
        elif char == "[":
            self._take(1, r"\[")
        elif char == "-" and (self.after_kind or _KIND.match(self.source, self.position + 1)):
            self._take(1, r"\-")  # beside a kind of characters a hyphen makes no range
        elif ord(char) > 0xFFFF:
            raise NoCounterpart(f"{char} in brackets: JavaScript takes it for two characters")
        else:
            self._take(1, char)
        self.after_kind = kind

    def _refuse_split(self, char: str) -> None:
        """In JavaScript a quantifier behind a character beyond U+FFFF repeats only its second half."""
        following = self.source[self.position + 1 : self.position + 2]
        if ord(char) > 0xFFFF and following and following in "*+?{":
            raise NoCounterpart(f"{char} is repeated: JavaScript takes it for two characters")
