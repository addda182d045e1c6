"""What makes two golden sets the same: hashes of inputs, treatment and expectations.

They tell apart what can change between two evaluations: changed inputs are another question, a changed
treatment is what is being measured, changed expectations call for grading anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eval_pipeline.domain.canonical import content_hash
from eval_pipeline.domain.responses import Message

if TYPE_CHECKING:
    from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet


@dataclass(frozen=True, slots=True)
class Hashes:
    """SHA-256 hashes, in hexadecimal, of the three things that can change between evaluations.

    Attributes:
        inputs: What is asked: ids, variables, texts of the prompts' own.
        treatment: How it is asked: template, system prompt, parameters.
        expectations: What is expected of the answers: assertions, weights, references. What a result has
            to keep to, as gate and must-pass do, changes no grading and is no part of it.
    """

    inputs: str
    treatment: str
    expectations: str


def prompt_hashes(golden_set: GoldenPromptSet) -> Iterator[tuple[GoldenPrompt, Hashes]]:
    """Every prompt of the set with its own hashes; the treatment is that of the set."""
    treatment = content_hash(_treatment(golden_set))
    for prompt in golden_set.prompts:
        yield prompt, Hashes(content_hash(_inputs(prompt)), treatment, content_hash(_expectations(prompt)))


def set_hashes(golden_set: GoldenPromptSet) -> Hashes:
    """The hashes of a whole set. The order of its prompts, its name and its owner change nothing."""
    prompts = sorted(golden_set.prompts, key=lambda prompt: prompt.id)
    return Hashes(
        inputs=content_hash([_inputs(prompt) for prompt in prompts]),
        treatment=content_hash(_treatment(golden_set)),
        expectations=content_hash([[prompt.id, _expectations(prompt)] for prompt in prompts]),
    )


def content_hash_of(golden_set: GoldenPromptSet) -> str:
    """One hash over everything that an evaluation depends on: the three hashes, gate, must-pass and tags."""
    hashes = golden_set.hashes
    gated = sorted([prompt.id, prompt.must_pass, sorted(prompt.tags)] for prompt in golden_set.prompts)
    gate = golden_set.gate.model_dump()
    return content_hash([hashes.inputs, hashes.treatment, hashes.expectations, gate, gated])


def treatment_fields(golden_set: GoldenPromptSet, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """How a set is asked, as a fingerprint by field, so that a comparison can name what changed.

    Args:
        golden_set: The set.
        parameters: All that is sent, the model's own included.

    Returns:
        Numbers and truth values as they are, of everything else a hash: it holds no text.
    """
    treatment = _treatment(golden_set)
    treatment.pop("parameters", None)
    named = {f"parameters.{name}": value for name, value in parameters.items()}
    return {name: _fingerprint(value) for name, value in sorted((treatment | named).items())}


def _fingerprint(value: Any) -> Any:
    return value if isinstance(value, bool | int | float) else content_hash(value)[:16]


def prompt_document(prompt: GoldenPrompt) -> dict[str, Any]:
    """The prompt as a set file writes it, in the long form, for the stored snapshot."""
    document = _inputs(prompt) | _expectations(prompt) | {"tags": list(prompt.tags)}
    if prompt.must_pass:
        document["must_pass"] = True
    if prompt.evaluation is not None:
        document["columns"] = list(
            prompt.evaluation.row
        )  # the order, which JSON in the database does not keep
    return document


def set_document(golden_set: GoldenPromptSet) -> dict[str, Any]:
    """The set as a set file writes it, without its prompts, for the stored snapshot."""
    return {
        "id": golden_set.id,
        "name": golden_set.name,
        "description": golden_set.description,
        "owner": golden_set.owner,
        "models": list(golden_set.models),
        **_treatment(golden_set),
        "gate": golden_set.gate.model_dump(),
    }


def _inputs(prompt: GoldenPrompt) -> dict[str, Any]:
    inputs: dict[str, Any] = {"id": prompt.id}
    if prompt.vars:
        inputs["vars"] = dict(prompt.vars)
    if prompt.prompt is not None:
        inputs["prompt"] = prompt.prompt
    if prompt.messages is not None:
        inputs["messages"] = _message_documents(prompt.messages)
    return inputs


def _treatment(golden_set: GoldenPromptSet) -> dict[str, Any]:
    treatment: dict[str, Any] = {}
    if golden_set.template is not None:
        treatment["template"] = golden_set.template
    if golden_set.messages is not None:
        treatment["messages"] = _message_documents(golden_set.messages)
    if golden_set.system_prompt is not None:
        treatment["system_prompt"] = golden_set.system_prompt
    if golden_set.parameters:
        treatment["parameters"] = dict(golden_set.parameters)
    return treatment


def _expectations(prompt: GoldenPrompt) -> dict[str, Any]:
    expectations: dict[str, Any] = {"assert": [assertion.definition() for assertion in prompt.assertions]}
    if prompt.evaluation is not None:
        expectations["evaluation"] = prompt.evaluation.definition()
    if prompt.reference is not None:
        expectations["reference"] = prompt.reference
    return expectations


def _message_documents(messages: Iterable[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]
