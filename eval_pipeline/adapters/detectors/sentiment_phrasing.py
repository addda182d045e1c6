"""What VADER misreads in English, put so that it reads it right, and words that it does not know.

VADER adds up the values of single words, turned by negations and intensifiers nearby. These are turns of
phrase that mean something else than the sum of their words. Not here: VADER.
"""

from __future__ import annotations

import re

WORDS = {
    **dict.fromkeys(
        """acceptable affordable bargain capable crisp delicious delightful durable effortless effortlessly exactly
        fast fastest flawlessly handy highly hooked incredible incredibly insightful lightweight memorable polite
        prompt promptly quick quickly reliable reliably remarkable rocks seamless seamlessly simple smooth
        smoother smoothly sleek spacious speedy stellar sturdy stylish tasty thorough thoroughly timely
        tremendous unbeatable versatile works worked affordable attentive courteous knowledgeable""".split(),
        1.5,
    ),
    **dict.fromkeys(
        """bogus breaks buggy bulky cheaply clumsy clunky crashed crashes cracked dated dies died
        flawed flimsy frustratingly garbage glitchy hassle illogical inaccurate incomplete incorrect
        inferior insufficient junk lacking laggy lacks lousy mediocre malfunction malfunctioned malfunctions mushy
        outdated overpriced refund refunded returned scratchy shoddy sloppy slow sluggish static
        substandard tedious tinny unable unclear uncooperative unhelpful unprofessional unreliable
        unresponsive unusable useless worse""".split(),
        -1.5,
    ),
}
"""Words of plain praise and blame, on VADER's scale from -4 to 4."""

_PUT_AS = (
    # Nothing can top it.
    (
        r"\b(?:can|could)(?:n['’]?t|not| not)(?: have)? (?:be(?:en)?|ask(?:ed)?(?: for)?|get)"
        r"(?: any)? (?:more|better|\w+ier|simpler)\b(?: (?:happy|pleased|satisfied))?",
        "excellent",
    ),
    (r"\b(?:can|could)(?:n['’]?t|not| not) (?:be beat(?:en)?|go wrong|beat)\b", "excellent"),
    # A warning, not a waste that was avoided.
    (r"\b(?:do not|don['’]?t|never) (?:waste|bother)\b", "worthless"),
    # What was wished for was missing.
    (r"\b(?:I|we)(?:['’]d| had| was| were| would have)? (?:expected|hoped|hoping)\b[^.;!?]*", "disappointed"),
    (r"\b(?:I|we) wish(?:ed)? (?!you|him|her|them|everyone)[^.;!?]*", "disappointed"),
    # Comparing, not being fond of.
    (r"(?<!\bI )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bto )(?<!['’]t )(?<!lly )(?<!\bdo )\blike\b", "as"),
    # Rather, not beautiful; and also, not in a good way.
    (r"\bpretty (?=[a-z])", "rather "),
    (r"\bas well\b", "also"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), plainly) for pattern, plainly in _PUT_AS)


def literally(sentence: str) -> str:
    """`sentence` with the turns of phrase replaced by words that say what they mean."""
    for pattern, plainly in _PATTERNS:
        sentence = pattern.sub(plainly, sentence)
    return sentence
