"""Sentiment of English text, by VADER, sentence by sentence."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version
from itertools import islice
from typing import Any

from eval_pipeline.adapters.detectors.sentiment_phrasing import WORDS, literally

DEFAULT_THRESHOLD = 0.05
"""From this sentiment on, a text counts as positive: the boundary that the authors of VADER advise."""
_PHRASING_VERSION = 1
"""Grows with every change of the words and phrases that are added to VADER."""
_SENTENCE_END = re.compile(r"(?<=[.!?\N{HORIZONTAL ELLIPSIS}])\s+|(?<=[a-z][.!?])(?=[A-Z])|\n+")
_LONGEST_PART = 40
"""In words: VADER's time grows with the square of them."""
_LONGEST_WORD = 40
"""In characters: beyond, it is an address or noise."""
_MOST_PICTURES = 5
"""Emoji in one sentence that count: VADER reads each as the words that describe it."""
_PICTURE = re.compile("[\u2190-\U0010ffff]")


class SentimentByVader:
    """The mean over the sentences of a text, each from -1 to 1 by the words in it and what turns them.

    Sentences without sentiment count as 0, so that one kind word does not make a long report positive.
    """

    languages = frozenset({"en"})

    @property
    def identity(self) -> str:
        """See `Detector.identity`."""
        return f"vaderSentiment {version('vaderSentiment')} (phrasing {_PHRASING_VERSION})"

    def sentiment(self, text: str) -> float:
        """See `SentimentDetector.sentiment`."""
        scores = [_analyser().polarity_scores(literally(part))["compound"] for part in _parts(text)]
        return float(sum(scores) / len(scores)) if scores else 0.0


@cache
def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()
    analyser.lexicon.update(WORDS)
    return analyser


def _parts(text: str) -> list[str]:
    """The sentences, without what is no word, the long ones cut."""
    sentences = (
        [word for word in sentence.split() if len(word) <= _LONGEST_WORD]
        for sentence in _SENTENCE_END.split(text)
    )
    return [
        _with_few_pictures(" ".join(words[start : start + _LONGEST_PART]))
        for words in sentences
        for start in range(0, len(words), _LONGEST_PART)
    ]


def _with_few_pictures(part: str) -> str:
    counted = list(islice(_PICTURE.finditer(part), _MOST_PICTURES))
    if len(counted) < _MOST_PICTURES:
        return part
    end = counted[-1].end()
    return part[:end] + _PICTURE.sub("", part[end:])
