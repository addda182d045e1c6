"""What graded a result, down to the definitions: only results by one yardstick can be compared.

It says nothing of what produced the answers: different models graded by one yardstick may be compared
side by side, gradings by two yardsticks never.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eval_pipeline.domain.assertions import Assertion
from eval_pipeline.domain.canonical import content_hash
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.grading import Grader
from eval_pipeline.domain.results import EvaluationResult

Yardstick = Mapping[str, Any]


def yardstick_of(grader: Grader, golden_set: GoldenPromptSet) -> Yardstick:
    """What `grader` grades the set by.

    It names the grader and its version, the hash of everything that is expected, the version of every kind of
    assertion in the set, so that a kind whose meaning changes affects only the results that used it, and the
    detectors that these kinds ask. An evaluation class may use any kind: of all it could use, there is a hash.
    """
    kinds = {type(assertion) for prompt in golden_set.prompts for assertion in prompt.assertions}
    evaluation = next((prompt.evaluation for prompt in golden_set.prompts if prompt.evaluation), None)
    offered = set(evaluation.kinds.values()) if evaluation is not None else set()
    return {
        "grader": grader.name,
        "version": grader.version,
        "expectations": golden_set.hashes.expectations,
        **_instruments(grader, kinds),
        **({"offered": content_hash(_instruments(grader, offered))} if offered else {}),
    }


def _instruments(grader: Grader, kinds: Iterable[type[Assertion]]) -> dict[str, Any]:
    """The versions of the kinds of assertions that need no judge, and of the detectors that they ask."""
    used = sorted((kind for kind in kinds if not kind.judged), key=lambda kind: kind.kind)
    detectors = {name.value: grader.detectors.identity(name) for kind in used for name in kind.detectors}
    versions = {kind.kind: kind.source or kind.version for kind in used}
    return {"assertions": versions} | ({"detectors": dict(sorted(detectors.items()))} if detectors else {})


def shares_one_yardstick(*results: EvaluationResult) -> bool:
    """Whether all results were graded by the same yardstick, whatever models they are of.

    A result without a yardstick shares none, not even with itself.
    """
    yardsticks = [result.yardstick for result in results]
    return all(yardsticks) and all(yardstick == yardsticks[0] for yardstick in yardsticks)
