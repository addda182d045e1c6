"""What VADER misreads in English, put so that it reads it right, and words that it does not know.

VADER adds up the values of single words, turned by negations and intensifiers nearby. These are turns of
phrase that mean something else than the sum of their words. Not here: VADER.
"""

from __future__ import annotations

import re

_PRAISE = """
    acceptable affordable attentive bargain capable courteous crisp delicious delightful durable
    effortless effortlessly fast fastest handy incredible incredibly insightful knowledgeable polite
    prompt promptly quick quickly reliable reliably remarkable seamless seamlessly sleek smooth
    smoother smoothly spacious speedy stellar sturdy stylish tasty thorough thoroughly timely
    tremendous unbeatable versatile worked works
"""
_BLAME = """
    breaks buggy cheaply clumsy clunky cracked crashed crashes flawed flimsy garbage glitchy hassle
    inaccurate incomplete incorrect inferior insufficient junk lacking lacks laggy lousy mediocre
    malfunction malfunctioned malfunctions outdated overpriced shoddy sloppy slow sluggish
    substandard tedious unable unclear unhelpful unprofessional unreliable unresponsive unusable
    useless worse
"""
WORDS = {**dict.fromkeys(_PRAISE.split(), 1.5), **dict.fromkeys(_BLAME.split(), -1.5)}
"""Words of plain praise and blame, on VADER's scale from -4 to 4."""

_NOTHING_CAN_BE_BETTER = (
    r"\b(?:can|could)(?:n'?t|not| not) (?:have )?(?:be(?:en)?|ask(?:ed)?(?: for)?|get) (?:any )?"
    r"(?:more|better|\w+ier|simpler)\b(?: (?:happy|pleased|satisfied))?"
)
_PUT_AS = (
    (_NOTHING_CAN_BE_BETTER, "excellent"),
    (r"\b(?:can|could)(?:n'?t|not| not) (?:be beat(?:en)?|go wrong|beat)\b", "excellent"),
    # A warning, not a waste that was avoided.
    (r"\b(?:do not|don'?t|never) (?:waste|bother)\b", "worthless"),
    # What was wished for was missing.
    (r"\b(?:I|we)(?:'d| had| was| were| would have)? (?:expected|hoped|hoping)\b[^.;!?]*", "disappointed"),
    (r"\b(?:I|we) wish(?:ed)? (?!you|him|her|them|everyone)[^.;!?]*", "disappointed"),
    # Comparing, not being fond of.
    (r"(?<!\bI )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bto )(?<!'t )(?<!lly )(?<!\bdo )\blike\b", "as"),
    # Rather, not beautiful; and also, not in a good way.
    (r"\bpretty (?=[a-z])", "rather "),
    (r"\bas well\b", "also"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), plainly) for pattern, plainly in _PUT_AS)


def literally(sentence: str) -> str:
    """`sentence` with the turns of phrase replaced by words that say what they mean."""
    sentence = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")  # VADER knows no other apostrophe
    for pattern, plainly in _PATTERNS:
        sentence = pattern.sub(plainly, sentence)
    return sentence
