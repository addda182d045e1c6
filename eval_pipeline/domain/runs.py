"""One asking of a golden set by one model: what was asked, of whom, and how far it came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet
from eval_pipeline.domain.model_catalogue import ResolvedModel
from eval_pipeline.domain.rendering import render
from eval_pipeline.domain.responses import ModelRequest, request_key
from eval_pipeline.domain.set_hashes import Hashes
from eval_pipeline.domain.validation import closest


class RunStatus(StrEnum):
    """How far a run came."""

    RUNNING = "running"
    FINISHED = "finished"
    """Every prompt selected has a response, which may be an error."""
    INTERRUPTED = "interrupted"
    """It was stopped; what had arrived is stored."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which prompts of a set are asked. Everything given must hold; nothing given means all.

    Attributes:
        prompt_ids: Only these prompts.
        tags: Only prompts that carry one of these tags.
        limit: Only the first so many of the prompts that remain.
    """

    prompt_ids: Sequence[str] | None = None
    tags: Sequence[str] = ()
    limit: int | None = None

    def of(self, golden_set: GoldenPromptSet) -> list[GoldenPrompt]:
        """The prompts selected, in the order of the set.

        Raises:
            UsageError: A prompt or a tag does not exist, or nothing is selected.
        """
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"a limit of {self.limit} selects nothing of set {golden_set.id}")
        known = [prompt.id for prompt in golden_set.prompts]
        for prompt_id in set(self.prompt_ids or ()).difference(known):
            raise UsageError(f"set {golden_set.id} has no prompt '{prompt_id}'; {closest(prompt_id, known)}")
        known_tags = {tag for prompt in golden_set.prompts for tag in prompt.tags}
        for tag in set(self.tags) - known_tags:
            raise UsageError(
                f"no prompt of set {golden_set.id} has the tag '{tag}'; {closest(tag, known_tags)}"
            )
        selected = [
            prompt
            for prompt in golden_set.prompts
            if (self.prompt_ids is None or prompt.id in self.prompt_ids)
            and (not self.tags or set(self.tags) & set(prompt.tags))
        ][: self.limit]
        if not selected:
            raise UsageError(f"nothing of set {golden_set.id} is selected")
        return selected


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """A run as it is recorded.

    Attributes:
        id: Given by the store.
        set_id, model_key: The pair that is evaluated.
        status: How far it came.
        partial: Whether only a part of the set was selected.
        prompt_count: Responses that are wanted: prompts selected, times repeats.
        repeats: How many times each prompt is asked.
        set_hashes: The hashes of the whole set at the time of asking.
        content_hash: Likewise over everything: the set's snapshot is kept under it.
        treatment: How it is asked, as a fingerprint by field; see `set_hashes.treatment_fields`. None
            where that was not recorded yet.
        provider_instance, outbound_model: Where requests were meant to go; no evidence of what served.
        parameters: Sent with every request.
        orchestration_run_id: The Dagster run, where one asked.
        started_at: Aware, in UTC.
    """

    id: int
    set_id: str
    model_key: str
    status: RunStatus
    partial: bool
    prompt_count: int
    repeats: int
    set_hashes: Hashes
    content_hash: str
    treatment: Mapping[str, Any] | None
    provider_instance: str
    outbound_model: str
    parameters: Mapping[str, Any]
    orchestration_run_id: str | None
    started_at: datetime


@dataclass(frozen=True, slots=True)
class AskPlan:
    """What a run is going to ask, complete before the first request is sent.

    Attributes:
        golden_set: The whole set.
        model: The model.
        requests: In the order of the set; the repeats of a prompt one after the other.
        repeats: How many times each prompt is asked.
    """

    golden_set: GoldenPromptSet
    model: ResolvedModel
    requests: tuple[ModelRequest, ...]
    repeats: int = 1

    @classmethod
    def of(
        cls, golden_set: GoldenPromptSet, model: ResolvedModel, selection: Selection, repeats: int = 1
    ) -> AskPlan:
        """The plan to ask `model` the selected prompts. A set's parameters go over the model's own.

        Raises:
            UsageError: The selection does not fit the set, or nothing is to be asked.
        """
        if repeats < 1:
            raise UsageError(f"{repeats} repeats ask nothing of set {golden_set.id}")
        parameters = {**model.parameters, **golden_set.parameters}
        requests = []
        for prompt in selection.of(golden_set):
            messages = render(golden_set, prompt)
            for repeat in range(repeats):
                key = request_key(model.provider_key, model.outbound_model, messages, parameters, repeat)
                requests.append(ModelRequest(prompt.id, repeat, messages, parameters, key))
        return cls(golden_set, model, tuple(requests), repeats)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What is sent with every request."""
        return self.requests[0].parameters

    @property
    def partial(self) -> bool:
        """Whether prompts of the set are left out."""
        return len(self.requests) < len(self.golden_set.prompts) * self.repeats
