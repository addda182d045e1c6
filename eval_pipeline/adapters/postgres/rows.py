"""Between the domain's objects and the tables' rows.

Whatever PostgreSQL cannot hold is replaced here and nowhere else; the text of an answer keeps its
original beside it, so that grading sees what the model said.
"""

from __future__ import annotations

import json
from typing import Any

from eval_pipeline.adapters.postgres.tables import (
    EvaluationRunRow,
    GradingPassRow,
    ModelResponseRow,
    PromptGradingRow,
)
from eval_pipeline.application.ports import Exchange
from eval_pipeline.domain.assertion_results import AssertionResult, Status
from eval_pipeline.domain.grading import Grading
from eval_pipeline.domain.responses import (
    MAX_TOKENS,
    REPLACED_CHARACTERS,
    ModelResponse,
    Reply,
    ServedBy,
    TokenUsage,
)
from eval_pipeline.domain.results import GradingPass
from eval_pipeline.domain.runs import EvaluationRun, RunStatus
from eval_pipeline.domain.set_hashes import Hashes
from eval_pipeline.domain.text import storable, with_texts


def response_row(run_id: int, exchange: Exchange) -> dict[str, Any]:
    """The columns of a `model_response`, but for the time."""
    request, response = exchange.request, exchange.response
    reply = response.reply or Reply(text=None)
    return {
        "run_id": run_id,
        "prompt_id": response.prompt_id,
        "repeat": response.repeat,
        "request_key": response.request_key,
        "messages": [
            {"role": message.role, "content": storable(message.content)} for message in request.messages
        ],
        "text": _storable(reply.text),
        "text_original": _original(reply.text),
        "reasoning": _storable(reply.reasoning),
        "tool_calls": with_texts(reply.tool_calls, storable),
        "finish_reason": _storable(reply.finish_reason),
        "error": _storable(response.error),
        "provider_instance": _storable(response.served_by.provider_instance),
        "outbound_model": _storable(response.served_by.outbound_model),
        "reported_model": _storable(response.served_by.reported_model),
        "declared_name": _storable(response.served_by.declared_name),
        "declared_version": _storable(response.served_by.declared_version),
        "input_tokens": _count(reply.usage.input_tokens),
        "output_tokens": _count(reply.usage.output_tokens),
        "latency_ms": response.latency_ms,
        "cost_usd": response.cost_usd,
        "flags": _flags(reply),
    }


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _count(tokens: int | None) -> int | None:
    return tokens if tokens is not None and 0 <= tokens <= MAX_TOKENS else None


def _flags(reply: Reply) -> list[str]:
    replaced = [REPLACED_CHARACTERS] if _original(reply.text) is not None else []
    return list(dict.fromkeys([*reply.flags, *replaced]))


def _original(text: str | None) -> str | None:
    return json.dumps(text) if text is not None and storable(text) != text else None


RESPONSE_COLUMNS = tuple(
    column
    for column in ModelResponseRow.__table__.columns
    if column.name not in ("run_id", "messages", "received_at")
)
"""What `response_of` needs; plain rows, because sets are large and the mapper is slow."""


def response_of(row: Any) -> ModelResponse:
    """The response of a row of `RESPONSE_COLUMNS`, its text as the model gave it."""
    reply = None
    if row.error is None:
        reply = Reply(
            text=json.loads(row.text_original) if row.text_original is not None else row.text,
            reasoning=row.reasoning,
            tool_calls=tuple(row.tool_calls),
            finish_reason=row.finish_reason,
            reported_model=row.reported_model,
            usage=TokenUsage(row.input_tokens, row.output_tokens),
            flags=tuple(row.flags),
        )
    return ModelResponse(
        prompt_id=row.prompt_id,
        repeat=row.repeat,
        request_key=row.request_key,
        served_by=ServedBy(
            row.provider_instance,
            row.outbound_model,
            row.reported_model,
            row.declared_name,
            row.declared_version,
        ),
        reply=reply,
        error=row.error,
        latency_ms=row.latency_ms,
        cost_usd=row.cost_usd,
    )


def run_of(row: EvaluationRunRow) -> EvaluationRun:
    """The run of a row."""
    return EvaluationRun(
        id=row.id,
        set_id=row.set_id,
        model_key=row.model_key,
        status=RunStatus(row.status),
        partial=row.partial,
        prompt_count=row.prompt_count,
        repeats=row.repeats,
        set_hashes=Hashes(row.inputs_hash, row.treatment_hash, row.expectations_hash),
        content_hash=row.content_hash,
        treatment=row.treatment,
        provider_instance=row.provider_instance,
        outbound_model=row.outbound_model,
        parameters=row.parameters,
        orchestration_run_id=row.orchestration_run_id,
        started_at=row.started_at,
    )


def grading_pass_of(row: GradingPassRow) -> GradingPass:
    """The grading pass of a row."""
    return GradingPass(
        row.id,
        row.run_id,
        row.grader,
        row.yardstick,
        row.graded_at,
        row.orchestration_run_id,
        row.regraded_from,
    )


def grading_row(grading_id: int, grading: Grading) -> dict[str, Any]:
    """The columns of a `prompt_grading`."""
    return {
        "grading_id": grading_id,
        "prompt_id": grading.prompt_id,
        "repeat": grading.repeat,
        "status": grading.status.value,
        "score": grading.score,
        "reason": storable(grading.reason),
        "assertions": [
            {
                "assertion": storable(result.assertion),
                "status": result.status.value,
                "message": storable(result.message),
                "expected": storable(result.expected),
                "actual": storable(result.actual),
                "weight": result.weight,
            }
            for result in grading.assertions
        ],
    }


GRADING_COLUMNS = tuple(PromptGradingRow.__table__.columns)
"""What `grading_of` needs."""


def grading_of(row: Any) -> Grading:
    """The grading of a row of `GRADING_COLUMNS`."""
    return Grading(
        prompt_id=row.prompt_id,
        repeat=row.repeat,
        status=Status(row.status),
        score=row.score,
        reason=row.reason,
        assertions=tuple(
            AssertionResult(**{**result, "status": Status(result["status"])}) for result in row.assertions
        ),
    )
