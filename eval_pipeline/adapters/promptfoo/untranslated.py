"""Why types of promptfoo's assertions have no counterpart here, and what to do instead."""

from __future__ import annotations

_SCRIPT = "a script is not run: write an assertion of your own (eval-pipeline new assertion NAME)"
_JUDGE = "needs a judging model; give the prompt a reference answer, or write the expectation as assertions"
_EMBEDDING = "needs a model of embeddings; similar compares characters or words instead"
_COMPARES = "compares the answers of several models or prompts with one another: eval-pipeline compare"
_SERVICE = "needs a service or a model of its own"
_TRACES = "looks at traces of an application, which are not kept here"
_OVERLAP = "is a measure that is not computed here; similar with rouge_l or levenshtein is another one"
_TOOLS = "there is no such check of calls of tools here; tool_called checks a name and its arguments"

_REASONS = {
    **dict.fromkeys(("javascript", "python", "ruby", "webhook"), _SCRIPT),
    **dict.fromkeys(
        (
            "agent-rubric",
            "answer-relevance",
            "citation-faithfulness",
            "context-faithfulness",
            "context-recall",
            "context-relevance",
            "conversation-relevance",
            "factuality",
            "g-eval",
            "llm-rubric",
            "model-graded-closedqa",
            "model-graded-factuality",
            "noise-sensitivity",
            "research-rubric",
            "search-rubric",
            "trajectory:goal-success",
            "video-rubric",
        ),
        _JUDGE,
    ),
    **dict.fromkeys(("similar", "similar:cosine", "similar:dot", "similar:euclidean"), _EMBEDDING),
    **dict.fromkeys(("max-score", "select-best"), _COMPARES),
    **dict.fromkeys(("classifier", "guardrails", "moderation", "pi"), _SERVICE),
    **dict.fromkeys(("bleu", "gleu", "meteor", "rouge-n"), _OVERLAP),
    **dict.fromkeys(
        ("perplexity", "perplexity-score"), "needs probabilities of tokens, which are not kept here"
    ),
    **dict.fromkeys(
        (
            "is-valid-function-call",
            "is-valid-openai-function-call",
            "is-valid-openai-tools-call",
            "tool-call-f1",
        ),
        _TOOLS,
    ),
    **dict.fromkeys(("contains-html", "is-html"), "there is no check of HTML here"),
    **dict.fromkeys(("contains-sql", "is-sql"), "there is no check of SQL here"),
    "assert-set": "a set of assertions cannot be negated",
    "contains-json": "looks for JSON anywhere in the answer; valid_json and json_schema with extract: fenced accept"
    " one fenced block instead",
    "contains-xml": "looks for XML anywhere in the answer; valid_xml with extract: fenced accepts one fenced block"
    " instead",
    "finish-reason": "why a model stopped is kept and flagged, but not asserted",
    "human": "a person's verdict is not an assertion",
    "levenshtein": "counts single changes; similar with levenshtein takes a share of the length, which is another bound",
    "skill-used": _TRACES,
    "word-count": "counts what stands between blanks; word_count_between counts words of letters, which differs"
    " at dashes and signs",
}

TYPES = _REASONS.keys()
"""Types that are known to have no counterpart."""


def reason(kind: str) -> str:
    """Why the type `kind`, without `not-`, has no counterpart."""
    if kind in _REASONS:
        return _REASONS[kind]
    if kind.startswith(("trace-", "trajectory:")):
        return _TRACES
    if kind.startswith("promptfoo:redteam:"):
        return "red-teaming has no counterpart here"
    return "an unknown type of assertion"
