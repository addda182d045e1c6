"""For tests of an evaluation project: grade answers by what its sets expect, without asking any model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.detectors.installed import InstalledDetectors
from eval_pipeline.domain.assertion_results import AssertionResult, evaluated
from eval_pipeline.domain.assertions import Answer, Sample, read_assertion
from eval_pipeline.domain.errors import UsageError
from eval_pipeline.domain.grading import DeterministicGrader, Grading
from eval_pipeline.domain.validation import closest


class Project:
    """An evaluation project under test.

    Args:
        folder: The folder with `models.yaml`, `prompts/`, `evaluations/` and `assertions/`.

    Raises:
        DefinitionError: The models file is faulty.
    """

    def __init__(self, folder: Path) -> None:
        self._catalogue = Catalogue.load(folder, os.environ)
        self._detectors = InstalledDetectors()

    def grade(self, set_id: str, prompt_id: str, answer: str | Sample) -> Grading:
        """The grading of an answer to a prompt of a set.

        Args:
            set_id: The identifier of the set, also that of an evaluation.
            prompt_id: The id of the prompt or of the row.
            answer: A text, or a sample with calls of tools, usage, latency, cost and flags.

        Raises:
            DefinitionError: The set is faulty.
            UsageError: There is no such set or prompt.
        """
        golden_set = self._catalogue.golden_prompt_set(set_id)
        prompts = {prompt.id: prompt for prompt in golden_set.prompts}
        if prompt_id not in prompts:
            raise UsageError(f"set {set_id} has no prompt '{prompt_id}'; {closest(prompt_id, prompts)}")
        response = replace(_sample(answer).response(), prompt_id=prompt_id)
        return DeterministicGrader(self._detectors).grade(prompts[prompt_id], response)

    def check(self, declared: Any, answer: str | Sample) -> AssertionResult:
        """What an assertion, declared as in a set file, says of an answer.

        Raises:
            DefinitionError: The assertion is faulty.
        """
        assertion = read_assertion(declared, self._catalogue.kinds)
        return evaluated(assertion, Answer(_sample(answer).response(), self._detectors))


def _sample(answer: str | Sample) -> Sample:
    return Sample(answer) if isinstance(answer, str) else answer
