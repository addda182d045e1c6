"""Values for property tests: any text and any JSON."""

from __future__ import annotations

import sys

from hypothesis import strategies as st

LARGEST_SAFE_INTEGER = 2**53 - 1

any_text = st.text(st.characters() | st.sampled_from("\x00\ud83d\udfff"))
text = st.text()
storable_text = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
names = st.text(min_size=1)
safe_integers = st.integers(-LARGEST_SAFE_INTEGER, LARGEST_SAFE_INTEGER)
finite_floats = st.floats(allow_nan=False, allow_infinity=False)
any_number = st.integers() | finite_floats


def json_values(
    numbers: st.SearchStrategy[int | float] = any_number,
    texts: st.SearchStrategy[str] = text,
) -> st.SearchStrategy[object]:
    """Any value that JSON can denote."""
    return st.recursive(
        st.none() | st.booleans() | numbers | texts,
        lambda values: st.lists(values, max_size=4) | st.dictionaries(texts, values, max_size=4),
        max_leaves=12,
    )


def frames_left(wanted: int) -> int:
    """How many frames to add to the stack so that about `wanted` are left."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return sys.getrecursionlimit() - depth - wanted
