"""IFEval: instructions that a program can check, recorded answers, and how far assertions agree with the outcomes.

How each kind of instruction is expressed is in `ifeval_instructions.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.ifeval_instructions import Parameters, Ways
from benchmarks.labelled import status
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.assertions import read_assertion

Outcome = Literal["strict", "loose"]
"""Whether an answer must follow an instruction as it is, or may in any of its `loosened` forms."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of IFEval with a recorded answer.

    Attributes:
        key: The key of its prompt.
        kind: The kind of instruction, and `given` its parameters.
        answer: The recorded answer; none when the prompt has none.
        strict: Whether the answer follows it, as recorded; none where the reference itself is unstable.
        loose: Whether any of the `loosened` answers follows it.
    """

    key: int
    kind: str
    given: Parameters
    answer: str | None
    strict: bool | None
    loose: bool | None


def instructions(data: Path) -> Iterator[Instruction]:
    """All instructions of IFEval, with the answers of GPT-4; these are found by the text of the prompt."""
    folder = data / "ifeval"
    answers = {
        row["prompt"]: row["response"] for row in _rows(folder / "responses" / "gpt4_20231107_145030.jsonl")
    }
    outcomes = {row["key"]: row for row in _rows(folder / "outcomes" / "gpt4_20231107.jsonl")}
    for row in _rows(folder / "input_data.jsonl"):
        outcome = outcomes[row["key"]]
        recorded = zip(
            row["instruction_id_list"], row["kwargs"], outcome["strict"], outcome["loose"], strict=True
        )
        for kind, given, strict, loose in recorded:
            yield Instruction(row["key"], kind, given, answers.get(row["prompt"]), strict, loose)


def _rows(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def loosened(answer: str) -> Sequence[str]:
    """The answer, also without its first line, its last line and both; and each without asterisks."""
    lines = answer.split("\n")
    shortened = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    variants = [answer, *shortened]
    return variants + [variant.replace("*", "") for variant in variants]


@dataclass(slots=True)
class Agreement:
    """How far assertions agree with the recorded outcomes of one kind of instruction.

    Attributes:
        agree: Verdicts as recorded.
        unstable: Instructions whose recorded outcome changes from run to run.
        differ, unmatched: The keys of prompts with another verdict than recorded, and of those without an answer.
    """

    agree: int = 0
    unstable: int = 0
    differ: list[int] = field(default_factory=list)
    unmatched: list[int] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many instructions there are."""
        return self.agree + self.unstable + len(self.differ) + len(self.unmatched)


def agreements(
    found: Iterable[Instruction],
    expressed: Mapping[str, Callable[[Parameters], Ways]],
    outcome: Outcome,
) -> Mapping[str, Agreement]:
    """The agreement of each kind of instruction that is expressed."""
    by_kind = {kind: Agreement() for kind in sorted(expressed)}
    for instruction in found:
        if instruction.kind not in expressed:
            continue
        agreement = by_kind[instruction.kind]
        recorded = instruction.strict if outcome == "strict" else instruction.loose
        if instruction.answer is None:
            agreement.unmatched.append(instruction.key)
        elif recorded is None:
            agreement.unstable += 1
        else:
            texts = [instruction.answer] if outcome == "strict" else loosened(instruction.answer)
            if is_followed(expressed[instruction.kind](instruction.given), texts) is recorded:
                agreement.agree += 1
            else:
                agreement.differ.append(instruction.key)
    return by_kind


def is_followed(ways: Ways, texts: Sequence[str]) -> bool | None:
    """Whether one of `texts` meets all assertions of one way; none where an assertion could not tell."""
    assertions = [[read_assertion(declared) for declared in way] for way in ways]
    statuses = [
        [status(assertion, text) for assertion in way] for way in assertions for text in texts if text.strip()
    ]
    if any(Status.ERROR in found for found in statuses):
        return None
    return any(set(found) == {Status.PASS} for found in statuses)
