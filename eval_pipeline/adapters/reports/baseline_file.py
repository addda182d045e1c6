"""An exported result as a baseline, where there is no shared database. It is verified like a row.

Not here: writing such files (`result_json.py`). A run that reads one never writes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from eval_pipeline.application.baseline import FileBaseline
from eval_pipeline.domain.aggregates import Aggregate, EvaluationSummary
from eval_pipeline.domain.assertion_results import Status
from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.json_text import read_json
from eval_pipeline.domain.pairing import PromptOutcome, Side
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.responses import TokenUsage
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.set_hashes import Hashes
from eval_pipeline.domain.text import are_storable
from eval_pipeline.domain.validation import reasons

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Read(BaseModel):
    """A file says more than a baseline needs; what is needed is read strictly."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _GradingEntry(_Read):
    prompt_id: str
    repeat: Count
    inputs: str | None
    status: Annotated[Status, Field(strict=False)]
    score: Share | None


class _HashesEntry(_Read):
    inputs: str
    treatment: str
    expectations: str


class _ResultEntry(_Read):
    set: str
    model_key: str
    grader: str
    run_id: int
    result_id: int
    run_date: Annotated[AwareDatetime, Field(strict=False)]
    model_id: str | None
    partial: bool
    incomplete_because: str | None
    prompt_count: Count
    graded_count: Count
    passed_count: Count
    error_count: Count
    skipped_count: Count
    provenance: Any
    yardstick: dict[str, Any]
    hashes: _HashesEntry
    treatment: dict[str, Any] | None
    gate: Gate
    accepted: bool
    gradings: list[_GradingEntry]


class _File(_Read):
    results: list[_ResultEntry]


def read_baseline(path: Path, set_id: str, model_key: str, grader: str) -> FileBaseline:
    """The result of a set, a model and a grader in an exported file.

    Raises:
        DefinitionError: The file cannot be read, is no export, contradicts itself, or holds no such result, or several.
    """
    try:
        document = read_json(path.read_text("utf-8-sig"))
        results = _File.model_validate(document).results
    except OSError as error:
        raise _fault(path, f"the baseline cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise _fault(path, "the baseline is not UTF-8") from None
    except ValidationError as error:
        found = (
            f"{'.'.join(map(str, place))}: {reason}" if place else reason
            for place, reason in reasons(error, _File)
        )
        advice = "write a baseline with eval-pipeline results export RESULT"
        raise DefinitionError(
            Fault(f"no exported result: {reason}; {advice}", str(path)) for reason in list(found)[:5]
        ) from None
    except ValueError as error:
        raise _fault(path, f"the baseline is not JSON: {error}") from None
    if not are_storable(document):
        raise _fault(path, "the baseline holds U+0000 or a lone surrogate in a text")
    wanted = (set_id, model_key, grader)
    matching = [entry for entry in results if (entry.set, entry.model_key, entry.grader) == wanted]
    if len(matching) != 1:
        present = ", ".join(f"{entry.set} · {entry.model_key} · {entry.grader}" for entry in results)
        raise _fault(
            path,
            f"the baseline holds {len(matching)} results of {' · '.join(wanted)}, and one is needed; found: {present or 'none'}",
        )
    for contradiction in _contradictions(matching[0]):
        raise _fault(path, f"the baseline contradicts itself: {contradiction}")
    return FileBaseline(path.name, _side(matching[0]), matching[0].accepted)


def _fault(path: Path, reason: str) -> DefinitionError:
    return DefinitionError([Fault(reason, str(path))])


def _contradictions(entry: _ResultEntry) -> Iterator[str]:
    statuses = Counter(grading.status for grading in entry.gradings)
    counted = {
        "prompt_count": len(entry.gradings),
        "passed_count": statuses[Status.PASS],
        "graded_count": statuses[Status.PASS] + statuses[Status.FAIL],
        "error_count": statuses[Status.ERROR],
        "skipped_count": statuses[Status.SKIPPED],
    }
    for name, count in counted.items():
        if getattr(entry, name) != count:
            yield f"{name} is {getattr(entry, name)}, its gradings say {count}"
    measured = entry.graded_count + entry.error_count
    allowed = Fraction(str(entry.gate.max_error_share))
    if entry.incomplete_because is None and (
        entry.partial or not measured or Fraction(entry.error_count, measured) > allowed
    ):
        yield "it says that it is complete, and is not"
    once = Counter((grading.prompt_id, grading.repeat) for grading in entry.gradings)
    if any(count > 1 for count in once.values()):
        yield "a prompt is graded twice"
    inputs = {(grading.prompt_id, grading.inputs) for grading in entry.gradings}
    if len(inputs) > len({prompt_id for prompt_id, _ in inputs}):
        yield "the repeats of a prompt have different hashes of its inputs"
    for grading in entry.gradings:
        if (grading.score is None) == (grading.status in (Status.PASS, Status.FAIL)):
            yield f"prompt {grading.prompt_id} is '{grading.status}' with score {grading.score}"
        if grading.inputs is None:
            yield f"prompt {grading.prompt_id} has no hash of its inputs"


def _side(entry: _ResultEntry) -> Side:
    gradings = sorted(entry.gradings, key=lambda grading: grading.prompt_id)
    outcomes = {
        prompt_id: PromptOutcome.of(
            Grading(prompt_id, grading.repeat, grading.status, grading.score, "") for grading in same
        )
        for prompt_id, same in groupby(gradings, key=lambda grading: grading.prompt_id)
    }
    return Side(
        result=_result(entry),
        treatment=entry.treatment,
        inputs={grading.prompt_id: grading.inputs or "" for grading in entry.gradings},
        outcomes=outcomes,
    )


def _result(entry: _ResultEntry) -> EvaluationResult:
    """What a comparison looks at of the result; aggregates are drawn from pairs, and are not read."""
    provenance = GeneratorProvenance.decoded(entry.provenance).verified_against(
        prompt_count=entry.prompt_count, graded_count=entry.graded_count, model_id=entry.model_id
    )
    total = Aggregate(
        entry.prompt_count,
        entry.graded_count,
        entry.passed_count,
        entry.error_count,
        entry.skipped_count,
        pass_rate=None,
        pass_rate_bounds=None,
        mean_score=None,
        standard_error=None,
    )
    return EvaluationResult(
        id=entry.result_id,
        run_id=entry.run_id,
        set_id=entry.set,
        model_key=entry.model_key,
        grader=entry.grader,
        run_date=entry.run_date,
        partial=entry.partial,
        incomplete_because=entry.incomplete_because,
        summary=EvaluationSummary(total, {}, provenance, TokenUsage(), None, (), {}),
        yardstick=entry.yardstick,
        gate=entry.gate,
        set_hashes=Hashes(entry.hashes.inputs, entry.hashes.treatment, entry.hashes.expectations),
        cost_usd=None,
    )
