"""The tables. Changing one takes a migration in `migrations/versions`.

Prefixed by a project's slug in a column, so that several projects share a database. Texts of prompts
and answers are here and nowhere else. Order in time is `(run_date, id)`.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Computed,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Json = JSONB(none_as_null=True)


class Base(DeclarativeBase):
    """Maps Python's types to PostgreSQL's for all tables."""

    type_annotation_map = {  # noqa: RUF012
        str: Text,
        int: Integer,
        float: Double,
        datetime: DateTime(timezone=True),
        dict[str, Any]: Json,
        list[Any]: Json,
        list[str]: ARRAY(Text),
    }


_INDEXED_LENGTH = 100


def _part(*names: str) -> str:
    """The first known of some parts of the one generator in a record, short enough for an index; see `indexed`."""
    parts = ", ".join(f"provenance -> 'generators' -> 0 ->> '{name}'" for name in names)
    value = f"coalesce({parts})" if len(names) > 1 else f"({parts})"
    return f"case when length({value}) > {_INDEXED_LENGTH} then md5({value}) else {value} end"


def indexed(part: str | None) -> str:
    """A part of a generator as the generated columns have it: what is too long for an index by its digest."""
    value = part or ""
    return (
        hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()
        if len(value) > _INDEXED_LENGTH
        else value
    )


def _share(column: str) -> CheckConstraint:
    # NaN is greater than every number to PostgreSQL, so this keeps it out too.
    return CheckConstraint(f"{column} >= 0 and {column} <= 1", name=f"{column}_range")


def _amount(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} >= 0 and {column} < 'infinity'", name=f"{column}_finite")


def _count(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} >= 0", name=f"{column}_range")


class GoldenPromptSetRow(Base):
    """A golden prompt set as it once was; `content_hash` covers inputs, treatment and expectations."""

    __tablename__ = "golden_prompt_set"

    project: Mapped[str] = mapped_column(primary_key=True)
    set_id: Mapped[str] = mapped_column(primary_key=True)
    content_hash: Mapped[str] = mapped_column(primary_key=True)
    document: Mapped[dict[str, Any]]
    prompt_count: Mapped[int]
    recorded_at: Mapped[datetime]


class GoldenPromptRow(Base):
    """A prompt of such a set."""

    __tablename__ = "golden_prompt"

    project: Mapped[str] = mapped_column(primary_key=True)
    set_id: Mapped[str] = mapped_column(primary_key=True)
    content_hash: Mapped[str] = mapped_column(primary_key=True)
    prompt_id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    document: Mapped[dict[str, Any]]
    inputs_hash: Mapped[str]
    treatment_hash: Mapped[str]
    expectations_hash: Mapped[str]


class EvaluationRunRow(Base):
    """One asking of a set by a model."""

    __tablename__ = "evaluation_run"
    __table_args__ = (
        CheckConstraint("status in ('running', 'finished', 'interrupted')", name="status"),
        _count("prompt_count"),
        CheckConstraint("repeats >= 1", name="repeats_range"),
        Index(
            "evaluation_run_of_pair",
            "project",
            "set_id",
            "model_key",
            text("started_at desc"),
            text("id desc"),
        ),
        Index("evaluation_run_of_orchestration", "orchestration_run_id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    project: Mapped[str]
    set_id: Mapped[str]
    model_key: Mapped[str]
    status: Mapped[str]
    partial: Mapped[bool]
    prompt_count: Mapped[int]
    repeats: Mapped[int] = mapped_column(server_default="1")
    inputs_hash: Mapped[str]
    treatment_hash: Mapped[str]
    expectations_hash: Mapped[str]
    content_hash: Mapped[str]
    treatment: Mapped[dict[str, Any] | None]
    provider_instance: Mapped[str]
    outbound_model: Mapped[str]
    parameters: Mapped[dict[str, Any]]
    orchestration_run_id: Mapped[str | None]
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class ModelResponseRow(Base):
    """One request and its response. `text_original` holds, as escaped JSON, a text that had to be changed."""

    __tablename__ = "model_response"
    __table_args__ = (
        _amount("latency_ms"),
        _amount("cost_usd"),
        *map(_count, ("input_tokens", "output_tokens")),
    )

    run_id: Mapped[int] = mapped_column(ForeignKey("evaluation_run.id", ondelete="CASCADE"), primary_key=True)
    prompt_id: Mapped[str] = mapped_column(primary_key=True)
    repeat: Mapped[int] = mapped_column(primary_key=True)
    request_key: Mapped[str]
    messages: Mapped[list[Any]]
    text: Mapped[str | None]
    text_original: Mapped[str | None]
    reasoning: Mapped[str | None]
    tool_calls: Mapped[list[Any]]
    finish_reason: Mapped[str | None]
    error: Mapped[str | None]
    provider_instance: Mapped[str | None]
    outbound_model: Mapped[str | None]
    reported_model: Mapped[str | None]
    declared_name: Mapped[str | None]
    declared_version: Mapped[str | None]
    input_tokens: Mapped[int | None] = mapped_column(BigInteger)
    output_tokens: Mapped[int | None] = mapped_column(BigInteger)
    latency_ms: Mapped[float | None]
    cost_usd: Mapped[float | None]
    flags: Mapped[list[str]]
    received_at: Mapped[datetime]


class GradingPassRow(Base):
    """One grading of a run by a grader."""

    __tablename__ = "grading_pass"
    __table_args__ = (
        Index("grading_pass_of_run", "run_id", "grader"),
        Index("grading_pass_of_orchestration", "orchestration_run_id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("evaluation_run.id", ondelete="CASCADE"))
    grader: Mapped[str]
    yardstick: Mapped[dict[str, Any]]
    graded_at: Mapped[datetime]
    orchestration_run_id: Mapped[str | None]
    regraded_from: Mapped[int | None] = mapped_column(ForeignKey("grading_pass.id", ondelete="SET NULL"))


class PromptGradingRow(Base):
    """The grading of one response. `id` keeps the order of the set."""

    __tablename__ = "prompt_grading"
    __table_args__ = (
        UniqueConstraint("grading_id", "prompt_id", "repeat", name="prompt_grading_once"),
        CheckConstraint("status in ('pass', 'fail', 'error', 'skipped')", name="status"),
        _share("score"),
        CheckConstraint("(score is null) = (status in ('error', 'skipped'))", name="score_present"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    grading_id: Mapped[int] = mapped_column(ForeignKey("grading_pass.id", ondelete="CASCADE"))
    prompt_id: Mapped[str]
    repeat: Mapped[int]
    status: Mapped[str]
    score: Mapped[float | None]
    reason: Mapped[str]
    assertions: Mapped[list[Any]]


class EvaluationResultRow(Base):
    """A result. `provenance` is versioned and content-free; `model_id` is empty unless one generator served all.

    The generated columns repeat what `provenance` says, so that results can be looked up by it; a reader
    verifies the record besides. `eligible` is what can be a baseline, or count for quality, at all.
    """

    __tablename__ = "evaluation_result"
    __table_args__ = (
        Index(
            "evaluation_result_newest",
            "project",
            "set_id",
            "model_key",
            "grader",
            text("run_date desc"),
            text("id desc"),
        ),
        Index(
            "evaluation_result_of_generator",
            "project",
            "grader",
            "set_id",
            "model_key",
            "generator_instance",
            "generator_model",
            "generator_snapshot",
            text("run_date desc"),
            text("id desc"),
            postgresql_where=text("eligible is true"),
        ),
        Index(
            "evaluation_result_of_model",
            "project",
            "grader",
            "set_id",
            "generator_model",
            "generator_instance",
            text("run_date desc"),
            text("id desc"),
            postgresql_where=text("eligible is true"),
        ),
        Index("evaluation_result_of_run", "run_id"),
        *map(_share, ("pass_rate", "pass_rate_low", "pass_rate_high", "mean_score")),
        CheckConstraint("(pass_rate is null) = (graded_count = 0)", name="pass_rate_present"),
        CheckConstraint("(mean_score is null) = (graded_count = 0)", name="mean_score_present"),
        CheckConstraint("prompt_count = graded_count + error_count + skipped_count", name="counts_add_up"),
        CheckConstraint(
            "passed_count between 0 and graded_count and error_count >= 0 and skipped_count >= 0",
            name="counts_range",
        ),
        CheckConstraint("(pass_rate_low is null) = (pass_rate_high is null)", name="pass_rate_bounds_paired"),
        CheckConstraint("pass_rate_low <= pass_rate_high", name="pass_rate_bounds_ordered"),
        *map(_amount, ("standard_error", "cost_usd", "latency_p50_ms", "latency_p95_ms")),
        *map(_count, ("input_tokens", "output_tokens")),
    )

    id: Mapped[int] = mapped_column(ForeignKey("grading_pass.id", ondelete="CASCADE"), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("evaluation_run.id", ondelete="CASCADE"))
    project: Mapped[str]
    set_id: Mapped[str]
    model_key: Mapped[str]
    grader: Mapped[str]
    run_date: Mapped[datetime]
    model_id: Mapped[str | None]
    partial: Mapped[bool]
    incomplete_because: Mapped[str | None]
    prompt_count: Mapped[int]
    graded_count: Mapped[int]
    passed_count: Mapped[int]
    error_count: Mapped[int]
    skipped_count: Mapped[int]
    pass_rate: Mapped[float | None]
    pass_rate_low: Mapped[float | None]
    pass_rate_high: Mapped[float | None]
    mean_score: Mapped[float | None]
    standard_error: Mapped[float | None]
    input_tokens: Mapped[int | None] = mapped_column(BigInteger)
    output_tokens: Mapped[int | None] = mapped_column(BigInteger)
    cost_usd: Mapped[float | None]
    latency_p50_ms: Mapped[float | None]
    latency_p95_ms: Mapped[float | None]
    not_passed: Mapped[list[str]]
    flags: Mapped[dict[str, Any]]
    breakdown: Mapped[dict[str, Any]]
    gate: Mapped[dict[str, Any]]
    inputs_hash: Mapped[str]
    treatment_hash: Mapped[str]
    expectations_hash: Mapped[str]
    yardstick: Mapped[dict[str, Any]]
    provenance: Mapped[dict[str, Any] | None]
    generator_status: Mapped[str | None] = mapped_column(Computed("provenance ->> 'status'", persisted=True))
    # By code points, as Python orders texts, because look-ups step from one instance to the next.
    generator_instance: Mapped[str | None] = mapped_column(
        Text(collation="C"), Computed(_part("provider_instance"), persisted=True)
    )
    generator_model: Mapped[str | None] = mapped_column(Computed(_part("outbound_model"), persisted=True))
    generator_snapshot: Mapped[str | None] = mapped_column(
        Computed(_part("reported_model", "declared_name"), persisted=True)
    )
    eligible: Mapped[bool | None] = mapped_column(
        Computed(
            "incomplete_because is null and not partial and provenance ->> 'status' in ('one', 'declared')",
            persisted=True,
        )
    )
    regraded_from: Mapped[int | None] = mapped_column(ForeignKey("grading_pass.id", ondelete="SET NULL"))


class ResultVerdictRow(Base):
    """The verdict of record on a result: what its checks said, and the comparison. Holds no text of answers."""

    __tablename__ = "result_verdict"

    result_id: Mapped[int] = mapped_column(
        ForeignKey("evaluation_result.id", ondelete="CASCADE"), primary_key=True
    )
    decided_at: Mapped[datetime]
    accepted: Mapped[bool]
    not_accepted_because: Mapped[str | None]
    verdict: Mapped[str]
    baseline_id: Mapped[int | None] = mapped_column(BigInteger)
    checks: Mapped[list[Any]]
    comparison: Mapped[dict[str, Any]]


class ResultDecisionRow(Base):
    """What a person decided about a result: an audit, to which rows are only added.

    It outlives the result, hence no foreign key.
    """

    __tablename__ = "result_decision"
    __table_args__ = (
        CheckConstraint("action in ('accept', 'withdraw', 'pin', 'unpin')", name="action"),
        CheckConstraint("action <> 'accept' or reason <> ''", name="reason_given"),
        Index("result_decision_of_result", "project", "result_id", text("id desc")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    project: Mapped[str]
    result_id: Mapped[int] = mapped_column(BigInteger)
    action: Mapped[str]
    reason: Mapped[str]
    decided_by: Mapped[str]
    decided_at: Mapped[datetime]
    until: Mapped[datetime | None]
