"""Units whose repetition makes text that is hard to analyse."""

from __future__ import annotations

HOSTILE = (
    "a", ".", "(", "[", ">", "😀", " ", "\n", "*", "`", '"', "'", "-", "&", "\x00", "\ud800", "今", "1", "#", "~",
    "a ", "the ", "a. ", "a,", "1.", "- ", "a-b_", '" a', "([{", "(a ", "<b>", "![", "[a](b)", "http://", "a@",
    "he go ", "could of ", "|a", "x\n> ", "```\n", "a\u0301", "\u202e", "e.g. ", "organise-",
)  # fmt: skip
