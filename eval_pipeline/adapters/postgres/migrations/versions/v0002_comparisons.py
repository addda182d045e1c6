"""Repeats, treatments, declared identities, regradings, verdicts of record, and decisions by hand."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"


def part(*names: str) -> str:
    parts = ", ".join(f"provenance -> 'generators' -> 0 ->> '{name}'" for name in names)
    value = f"coalesce({parts})" if len(names) > 1 else f"({parts})"
    return f"case when length({value}) > 100 then md5({value}) else {value} end"


GENERATED = {
    "generator_status": "provenance ->> 'status'",
    "generator_instance": part("provider_instance"),
    "generator_model": part("outbound_model"),
    "generator_snapshot": part("reported_model", "declared_name"),
}
ELIGIBLE = "incomplete_because is null and not partial and provenance ->> 'status' in ('one', 'declared')"


def upgrade() -> None:
    op.add_column("evaluation_run", sa.Column("repeats", sa.Integer(), server_default="1", nullable=False))
    op.add_column("evaluation_run", sa.Column("content_hash", sa.Text(), nullable=True))
    op.add_column("evaluation_run", sa.Column("treatment", postgresql.JSONB(none_as_null=True), nullable=True))
    op.create_check_constraint("repeats_range", "evaluation_run", "repeats >= 1")
    # Snapshots were kept under the hash of the canonical JSON of the three hashes.
    op.execute(
        "update evaluation_run set content_hash = encode(sha256(convert_to("
        " format('[\"%s\",\"%s\",\"%s\"]', inputs_hash, treatment_hash, expectations_hash), 'UTF8')), 'hex')"
    )
    op.alter_column("evaluation_run", "content_hash", nullable=False)

    op.add_column("model_response", sa.Column("declared_name", sa.Text(), nullable=True))
    op.add_column("model_response", sa.Column("declared_version", sa.Text(), nullable=True))

    op.add_column("grading_pass", sa.Column("orchestration_run_id", sa.Text(), nullable=True))
    op.add_column("grading_pass", sa.Column("regraded_from", sa.BigInteger(), nullable=True))
    op.create_foreign_key(None, "grading_pass", "grading_pass", ["regraded_from"], ["id"], ondelete="SET NULL")
    op.create_index("grading_pass_of_orchestration", "grading_pass", ["orchestration_run_id"])
    op.execute(
        "update grading_pass set orchestration_run_id = run.orchestration_run_id"
        " from evaluation_run run where run.id = grading_pass.run_id"
    )

    op.add_column("evaluation_result", sa.Column("regraded_from", sa.BigInteger(), nullable=True))
    op.create_foreign_key(
        None, "evaluation_result", "grading_pass", ["regraded_from"], ["id"], ondelete="SET NULL"
    )
    # A result is as old as what was asked, however often it is graded.
    op.execute(
        "update evaluation_result set run_date = run.started_at"
        " from evaluation_run run where run.id = evaluation_result.run_id"
    )
    for name, expression in GENERATED.items():
        text = sa.Text(collation="C") if name == "generator_instance" else sa.Text()
        op.add_column("evaluation_result", sa.Column(name, text, sa.Computed(expression, persisted=True)))
    op.add_column("evaluation_result", sa.Column("eligible", sa.Boolean(), sa.Computed(ELIGIBLE, persisted=True)))
    op.create_index(
        "evaluation_result_of_generator",
        "evaluation_result",
        [
            "project",
            "grader",
            "set_id",
            "model_key",
            "generator_instance",
            "generator_model",
            "generator_snapshot",
            sa.text("run_date desc"),
            sa.text("id desc"),
        ],
        postgresql_where=sa.text("eligible is true"),
    )
    op.create_index(
        "evaluation_result_of_model",
        "evaluation_result",
        [
            "project",
            "grader",
            "set_id",
            "generator_model",
            "generator_instance",
            sa.text("run_date desc"),
            sa.text("id desc"),
        ],
        postgresql_where=sa.text("eligible is true"),
    )
    op.create_index("evaluation_result_of_run", "evaluation_result", ["run_id"])

    op.create_table(
        "result_verdict",
        sa.Column("result_id", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("not_accepted_because", sa.Text(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("baseline_id", sa.BigInteger(), nullable=True),
        sa.Column("checks", postgresql.JSONB(none_as_null=True), nullable=False),
        sa.Column("comparison", postgresql.JSONB(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["result_id"], ["evaluation_result.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("result_id"),
    )
    op.create_table(
        "result_decision",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("result_id", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("action in ('accept', 'withdraw', 'pin', 'unpin')", name="action"),
        sa.CheckConstraint("action <> 'accept' or reason <> ''", name="reason_given"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "result_decision_of_result", "result_decision", ["project", "result_id", sa.text("id desc")]
    )


def downgrade() -> None:
    op.drop_table("result_decision")
    op.drop_table("result_verdict")
    for index in ("of_run", "of_model", "of_generator"):
        op.drop_index(f"evaluation_result_{index}")
    for column in ("eligible", *GENERATED, "regraded_from"):
        op.drop_column("evaluation_result", column)
    op.drop_index("grading_pass_of_orchestration")
    op.drop_column("grading_pass", "regraded_from")
    op.drop_column("grading_pass", "orchestration_run_id")
    op.drop_column("model_response", "declared_version")
    op.drop_column("model_response", "declared_name")
    for column in ("treatment", "content_hash", "repeats"):
        op.drop_column("evaluation_run", column)
