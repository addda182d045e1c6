from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertions.size import MAX_SENTENCES_TEXT
from eval_pipeline.domain.sentences import sentences
from eval_pipeline_tests.domain.strategies import any_text

sentence_like = st.text(st.sampled_from("aZ05.!?…。」\"'”)]*(#-| \n\r\u2028\u00a0\ud83d"), max_size=40)

ONE = [
    "Dr. Lee paid 3.50 at 5 p.m. today.",
    "At 5 p.m. Mr. Smith left.",
    "The meeting is at 9 a.m. Monday.",
    "He works for the U.S. Government.",
    "I was born in the U.S. in 1990.",
    "The U.K., i.e. Britain, has 67 million people.",
    "J. R. R. Tolkien wrote it.",
    "My name is John Q. Public.",
    "Prof. Jones and Mrs. Hall vs. Mr. King met on Jan. 5 at St. Mary's.",
    "Figs. 2 and 3 (see p. 4, vol. 2, no. 7) show it, cf. Smith et al. 2020.",
    "Apples, pears, etc. are fruit.",
    "She has a Ph.D. in physics.",
    "It was No. 1 in the charts.",
    "Well... I think so.",
    "They left... and never came back.",
    "Hello world… this goes on.",
    "“Are you sure?” she asked.",
    'He said "Stop!" and left.',
    "See https://example.com/a.b?c=d!e for version 2.0.1 of main.py",
    "This sentence is wrapped\nover two lines.",
    "No full stop at the end",
    "「行きましょう。」と彼は言った。",
    "Mail a.b@example.com and ask about Node.js",
]
TWO = [
    "We met at 5 p.m. It was late.",
    "He lives in the U.S. He works in Paris.",
    "J.R.R. Tolkien wrote it. I read it.",
    "We sell apples, pears, etc. They are fruit.",
    "This is plan B. We use it.",
    "So do I. He does too.",
    "The answer is no. I am sure.",
    "Ask about Node.js. Then go home.",
    "It costs $5. Buy it.",
    "Visit www.example.org. It is good.",
    "Wait... What happened?",
    "Hello world… This is new.",
    "What?! No way.",
    "Is this you? it is me.",
    "i went home. it was late.",
    '"I am sure." He left.',
    "(This is a sentence.) This is another.",
    "It is **bold.** It is true.",
    "It is known.[1] It is proven.[23]",
    "Hi! 😀 How are you? 😀",
    "It is new. iPhones are not.",
    "First line\n\nSecond paragraph",
    "First line\r\n \t\r\nSecond paragraph",
    "# Heading\nSome text.",
    "- buy milk\n- buy eggs",
    "1. Open the door.\n2. Close it.",
    "1. Open the door. 2. Close it.",
    "| a | b |\n| c | d |",
    "¿Cómo estás? Estoy bien.",
    "Die Straße ist lang. Der Weg ist z.B. kurz.",
    "यह एक वाक्य है। यह दूसरा है।",
    "今天天气很好。我们去公园吧!",
    "你好！我叫李明",
]
MORE = [
    ("", 0),
    (" \n ", 0),
    ("... !? - 。", 0),
    ("Is it 5? Yes. No.", 3),
    ('He said: "Go home. Sleep." Then he left.', 3),
    ("To do:\n- buy milk\n* buy eggs\n3) go", 4),
    ("One. Two! Three? Four…", 4),
]


@pytest.mark.parametrize(
    ("text", "count"), [*((text, 1) for text in ONE), *((text, 2) for text in TWO), *MORE]
)
def test_sentences_are_what_readers_count(text: str, count: int) -> None:
    found = sentences(text)
    assert len(found) == count, found


def test_a_sentence_is_given_without_white_space_and_marks_of_lists() -> None:
    assert sentences("  1. Open it.  Then\nwait. \n\n- Go") == ["Open it.", "Then\nwait.", "Go"]


@pytest.mark.parametrize(("name", "count"), [("text-10-readability-abbrev.txt", 1), ("text-12-cjk.txt", 2)])
def test_sentences_of_unusual_writing_are_counted_by_the_rule(
    name: str, count: int, shared_cases: Path
) -> None:
    assert len(sentences((shared_cases / name).read_text())) == count


@given(any_text | sentence_like)
def test_sentences_stand_in_the_text_in_their_order(text: str) -> None:
    position = 0
    for sentence in sentences(text):
        assert sentence == sentence.strip()
        position = text.index(sentence, position) + len(sentence)


@given(any_text | sentence_like, any_text | sentence_like)
def test_an_empty_line_always_divides(above: str, below: str) -> None:
    both = f"{above}a A\n\nA a{below}"
    assert len(sentences(both)) == len(sentences(f"{above}a A")) + len(sentences(f"A a{below}"))


@pytest.mark.parametrize(
    "unit",
    [".", "a. ", "a.", "\n", "a\n", ". (", '."', '. "', "1. ", "# a\n", " -", "- a\n", "!? ", "。", "\t\n"],
)
def test_sentences_of_a_long_text_are_counted_within_a_second(unit: str) -> None:
    text = (unit * MAX_SENTENCES_TEXT)[:MAX_SENTENCES_TEXT]
    started = time.process_time()
    sentences(text)
    assert time.process_time() - started < 1
