from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.fenced import NoSingleBlock, fenced_block
from eval_pipeline_tests.domain.strategies import any_text


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("```\na\nb\n```", "a\nb"),
        ("```\n```", ""),
        ("````\n```\n````", "```"),
        ("~~~\n```\n~~~", "```"),
        ("```\n  indented\n```", "  indented"),
        ("  ```\n  a\n    b\n c\n  ```", "a\n  b\nc"),
        ("words\r\n```js\r\na\r\n```\r\nwords", "a"),
        ("```\na\n```\n```\nnot closed", "a"),
    ],
)
def test_a_block_is_what_stands_between_its_fences(text: str, block: str) -> None:
    assert fenced_block(text) == block


@pytest.mark.parametrize(
    "text", ["", "a", "``\na\n``", "```a```", "```\na", "```\na\n``` b", "```\n```\n~~~\n~~~"]
)
def test_none_or_several_blocks_are_no_single_block(text: str) -> None:
    with pytest.raises(NoSingleBlock):
        fenced_block(text)


@given(any_text.filter(lambda text: "```" not in text))
def test_any_text_in_fences_comes_out_by_lines(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    assert fenced_block(f"```\n{text}\n```") == lines


@given(st.text(st.sampled_from("`~ \n\ta")))
def test_any_fences_end_in_a_block_or_a_reason(text: str) -> None:
    with contextlib.suppress(NoSingleBlock):
        assert fenced_block(text) in text or " " in text or "\t" in text
