"""Golden prompts and golden prompt sets: what is asked, how, and what is expected of the answers.

Valid by construction: a set that exists has unique, usable prompts. Not here: how prompts become
conversations (`rendering.py`) and what makes two sets the same (`set_hashes.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from eval_pipeline.domain.assertions import Assertion
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.model_catalogue import without_reserved
from eval_pipeline.domain.rendering import render
from eval_pipeline.domain.responses import Message
from eval_pipeline.domain.set_hashes import Hashes, content_hash_of, set_hashes
from eval_pipeline.domain.text import are_storable, is_blank
from eval_pipeline.domain.validation import closest

if TYPE_CHECKING:
    from eval_pipeline.domain.evaluation import RowEvaluation

ROLES = ("system", "user", "assistant")
_IDENTIFIER = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
_MAX_IDENTIFIER = 200
_UNSTORABLE = "a text holds U+0000 or a lone surrogate, which can neither be sent nor stored"
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class TagGate(BaseModel):
    """What the prompts of one tag must keep to, beside the gate of the whole set.

    Attributes:
        min_pass_rate: The floor of the tag's pass rate; none sets no floor.
        max_pass_rate_drop: The tag's own tolerance; none, with none for the score either, compares
            nothing for the tag by itself.
        max_mean_score_drop: Likewise for the mean score.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    min_pass_rate: Share | None = None
    max_pass_rate_drop: Share | None = None
    max_mean_score_drop: Share | None = None


class Gate(BaseModel):
    """What a result must keep to. Rates and shares are between 0 and 1; drops are absolute.

    Attributes:
        min_pass_rate: The floor of the pass rate; none sets no floor.
        max_pass_rate_drop: The largest drop against the baseline that is no regression.
        max_mean_score_drop: Likewise for the mean score.
        max_error_share: The largest share of prompts in error at which a result is complete.
        tags: What single tags must keep to besides.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    min_pass_rate: Share | None = None
    max_pass_rate_drop: Share = 0.1
    max_mean_score_drop: Share = 0.1
    max_error_share: Share = 0.01
    tags: dict[str, TagGate] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GoldenPrompt:
    """One prompt with the expectations of its answer.

    Attributes:
        id: Unique in its set; a text, compared exactly.
        prompt: The text that is asked, instead of the set's template.
        messages: The conversation that is asked, instead of `prompt` and the set's template.
        vars: Values for `{{name}}` in the text, the template and the system prompt.
        assertions: All must hold for the prompt to pass.
        evaluation: What a class expects of the answer besides.
        reference: A right answer, for a judge and for readers.
        must_pass: Whether the set's gate fails when this prompt does not pass.
        tags: For selecting prompts and for breakdowns.

    Raises:
        DefinitionError: Neither assertion nor reference, or another fault.
    """

    id: str
    prompt: str | None = None
    messages: Sequence[Message] | None = None
    vars: Mapping[str, str] = field(default_factory=dict)
    assertions: Sequence[Assertion] = ()
    reference: str | None = None
    must_pass: bool = False
    tags: Sequence[str] = ()
    evaluation: RowEvaluation | None = None

    def __post_init__(self) -> None:
        texts = ("id", "prompt", "reference")
        reasons = list(_made_of(self, texts, messages=Message, assertions=Assertion, tags=str))
        if not _is_text_mapping(self.vars):
            reasons.append(f"'vars' is a mapping of texts to texts, found {self.vars!r:.80}")
        reasons = reasons or list(self._faults())
        if reasons:
            prompt_id = self.id if isinstance(self.id, str) and self.id else None
            raise DefinitionError(Fault(reason, prompt_id=prompt_id) for reason in reasons)

    def _faults(self) -> Iterable[str]:
        if is_blank(self.id) or self.id != self.id.strip() or not self.id.isprintable():
            yield f"the id {self.id!r} of a prompt is empty, or has blanks around it or control characters in it"
        if self.prompt is not None and self.messages is not None:
            yield "a prompt has either 'prompt' or 'messages', not both"
        if self.prompt is not None and is_blank(self.prompt):
            yield "the prompt is empty"
        if self.messages is not None:
            yield from message_faults(self.messages)
        texts = [self.id, self.prompt, self.reference, *self.vars.values(), *self.tags]
        texts += [message.content for message in self.messages or ()]
        definitions = [assertion.definition() for assertion in self.assertions]
        if not are_storable([*texts, *definitions]):
            yield _UNSTORABLE
        if not self.assertions and self.evaluation is None and self.reference is None:
            yield "a prompt needs at least one assertion or a reference answer: nothing could be graded"
        if self.reference is not None and is_blank(self.reference):
            yield "the reference answer is empty"
        yield from self._assertion_faults()

    def _assertion_faults(self) -> Iterable[str]:
        for assertion in self.assertions:
            yield from (f"assertion {assertion.kind}: {fault}" for fault in assertion.declared_faults())
        for judged in (False, True):
            weights = [assertion.weight for assertion in self.assertions if assertion.judged is judged]
            if weights and not sum(weights):
                yield "the weights of all assertions are 0: no score could be computed"


@dataclass(frozen=True)
class GoldenPromptSet:
    """A named collection of golden prompts, and how they are asked.

    Attributes:
        id: Lowercase segments of letters, digits and underscores, joined by single dots.
        prompts: At least one; ids are unique.
        name, description, owner: For people. The name is the id unless given.
        models: The model keys that the set is meant for; empty means the project's default model.
        template: The text that prompts without a text of their own are asked with.
        messages: Likewise, as a conversation.
        system_prompt: Precedes every conversation that does not open with a system message itself.
        parameters: Sampling parameters, over the model's own.
        gate: What a result must keep to.

    Raises:
        DefinitionError: All faults found.
    """

    id: str
    prompts: Sequence[GoldenPrompt]
    name: str = ""
    description: str = ""
    owner: str | None = None
    models: Sequence[str] = ()
    template: str | None = None
    messages: Sequence[Message] | None = None
    system_prompt: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    gate: Gate = field(default_factory=Gate)

    def __post_init__(self) -> None:
        texts = ("id", "name", "description", "owner", "template", "system_prompt")
        faults = list(map(Fault, _made_of(self, texts, prompts=GoldenPrompt, models=str, messages=Message)))
        faults = faults or list(self._faults())
        if faults:
            raise DefinitionError(fault.located(set_id=str(self.id)) for fault in faults)
        object.__setattr__(self, "name", self.name or self.id)

    @cached_property
    def hashes(self) -> Hashes:
        """What tells this set from other versions of it, by kind of change."""
        return set_hashes(self)

    @cached_property
    def content_hash(self) -> str:
        """One hash over everything in this set that an evaluation depends on."""
        return content_hash_of(self)

    def _faults(self) -> Iterable[Fault]:
        if not _IDENTIFIER.fullmatch(self.id) or len(self.id) > _MAX_IDENTIFIER:
            yield Fault(
                f"the id {self.id!r} of a set is not lowercase segments of letters, digits and underscores"
                " joined by single dots, such as acme.support_faq"
            )
        if not self.prompts:
            yield Fault("the set has no prompts: nothing could be measured")
        yield from map(Fault, self._treatment_faults())
        yield from self._duplicates()
        known_tags = {tag for prompt in self.prompts for tag in prompt.tags}
        for tag in self.gate.tags.keys() - known_tags:
            yield Fault(f"gate: no prompt has the tag '{tag}'; {closest(tag, known_tags)}")
        for prompt in self.prompts:
            try:
                render(self, prompt)
            except DefinitionError as error:
                yield from error.faults

    def _treatment_faults(self) -> Iterable[str]:
        if self.template is not None and self.messages is not None:
            yield "a set has either 'template' or 'messages', not both"
        if self.messages is not None:
            yield from message_faults(self.messages)
        for name in ("template", "system_prompt"):
            if (text := getattr(self, name)) is not None and is_blank(text):
                yield f"'{name}' is empty"
        texts = [self.template, self.system_prompt, *(message.content for message in self.messages or ())]
        if not are_storable([*texts, self.parameters]):
            yield _UNSTORABLE
        try:
            without_reserved(dict(self.parameters))
        except ValueError as error:
            yield f"parameters: {error}"

    def _duplicates(self) -> Iterable[Fault]:
        positions: dict[str, int] = {}
        for position, prompt in enumerate(self.prompts, start=1):
            first = positions.setdefault(prompt.id, position)
            if first != position:
                yield Fault(
                    f"the id is given twice, to the prompts number {first} and {position}",
                    prompt_id=prompt.id,
                )


def _made_of(owner: object, texts: Iterable[str], **sequences: type) -> Iterable[str]:
    """What is not of its type in a declaration made in Python; sequences become tuples on the way."""
    for name in texts:
        value = getattr(owner, name)
        if value is not None and not isinstance(value, str):
            yield f"'{name}' is a text, found {value!r:.80}"
    for name, kind in sequences.items():
        value = getattr(owner, name)
        if value is None:
            continue
        if isinstance(value, str | Mapping | BaseModel) or not isinstance(value, Iterable):
            yield f"'{name}' is a list, found {value!r:.80}"
            continue
        object.__setattr__(owner, name, tuple(value))
        for member in getattr(owner, name):
            if not isinstance(member, kind):
                yield f"'{name}' is a list of {kind.__name__}, found {member!r:.80} in it"


def _is_text_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(text, str) for pair in value.items() for text in pair
    )


def message_faults(messages: Sequence[Message]) -> Iterable[str]:
    """What is wrong with a declared conversation."""
    if not messages:
        yield "'messages' is empty"
    for message in messages:
        if message.role not in ROLES:
            yield f"unknown role {message.role!r} of a message; known are: {', '.join(ROLES)}"
        if is_blank(message.content):
            yield "a message is empty"
