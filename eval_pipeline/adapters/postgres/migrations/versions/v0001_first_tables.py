"""The first tables: snapshots of sets, runs, responses, gradings and results."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table('evaluation_run',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('project', sa.Text(), nullable=False),
    sa.Column('set_id', sa.Text(), nullable=False),
    sa.Column('model_key', sa.Text(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('partial', sa.Boolean(), nullable=False),
    sa.Column('prompt_count', sa.Integer(), nullable=False),
    sa.Column('inputs_hash', sa.Text(), nullable=False),
    sa.Column('treatment_hash', sa.Text(), nullable=False),
    sa.Column('expectations_hash', sa.Text(), nullable=False),
    sa.Column('provider_instance', sa.Text(), nullable=False),
    sa.Column('outbound_model', sa.Text(), nullable=False),
    sa.Column('parameters', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('orchestration_run_id', sa.Text(), nullable=True),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True),
    sa.CheckConstraint("status in ('running', 'finished', 'interrupted')", name='status'),
    sa.CheckConstraint('prompt_count >= 0', name='prompt_count_range'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('evaluation_run_of_orchestration', 'evaluation_run', ['orchestration_run_id'], unique=False)
    op.create_index('evaluation_run_of_pair', 'evaluation_run', ['project', 'set_id', 'model_key', sa.literal_column('started_at desc'), sa.literal_column('id desc')], unique=False)
    op.create_table('golden_prompt',
    sa.Column('project', sa.Text(), nullable=False),
    sa.Column('set_id', sa.Text(), nullable=False),
    sa.Column('content_hash', sa.Text(), nullable=False),
    sa.Column('prompt_id', sa.Text(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('document', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('inputs_hash', sa.Text(), nullable=False),
    sa.Column('treatment_hash', sa.Text(), nullable=False),
    sa.Column('expectations_hash', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('project', 'set_id', 'content_hash', 'prompt_id')
    )
    op.create_table('golden_prompt_set',
    sa.Column('project', sa.Text(), nullable=False),
    sa.Column('set_id', sa.Text(), nullable=False),
    sa.Column('content_hash', sa.Text(), nullable=False),
    sa.Column('document', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('prompt_count', sa.Integer(), nullable=False),
    sa.Column('recorded_at', sa.DateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('project', 'set_id', 'content_hash')
    )
    op.create_table('grading_pass',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('run_id', sa.BigInteger(), nullable=False),
    sa.Column('grader', sa.Text(), nullable=False),
    sa.Column('yardstick', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('graded_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['evaluation_run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('grading_pass_of_run', 'grading_pass', ['run_id', 'grader'], unique=False)
    op.create_table('model_response',
    sa.Column('run_id', sa.BigInteger(), nullable=False),
    sa.Column('prompt_id', sa.Text(), nullable=False),
    sa.Column('repeat', sa.Integer(), nullable=False),
    sa.Column('request_key', sa.Text(), nullable=False),
    sa.Column('messages', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('text', sa.Text(), nullable=True),
    sa.Column('text_original', sa.Text(), nullable=True),
    sa.Column('reasoning', sa.Text(), nullable=True),
    sa.Column('tool_calls', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('finish_reason', sa.Text(), nullable=True),
    sa.Column('error', sa.Text(), nullable=True),
    sa.Column('provider_instance', sa.Text(), nullable=True),
    sa.Column('outbound_model', sa.Text(), nullable=True),
    sa.Column('reported_model', sa.Text(), nullable=True),
    sa.Column('input_tokens', sa.BigInteger(), nullable=True),
    sa.Column('output_tokens', sa.BigInteger(), nullable=True),
    sa.Column('latency_ms', sa.Double(), nullable=True),
    sa.Column('flags', sa.ARRAY(sa.Text()), nullable=False),
    sa.Column('received_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("latency_ms >= 0 and latency_ms < 'infinity'", name='latency_ms_finite'),
    sa.CheckConstraint('input_tokens >= 0', name='input_tokens_range'),
    sa.CheckConstraint('output_tokens >= 0', name='output_tokens_range'),
    sa.ForeignKeyConstraint(['run_id'], ['evaluation_run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('run_id', 'prompt_id', 'repeat')
    )
    op.create_table('evaluation_result',
    sa.Column('id', sa.BigInteger(), nullable=False),
    sa.Column('run_id', sa.BigInteger(), nullable=False),
    sa.Column('project', sa.Text(), nullable=False),
    sa.Column('set_id', sa.Text(), nullable=False),
    sa.Column('model_key', sa.Text(), nullable=False),
    sa.Column('grader', sa.Text(), nullable=False),
    sa.Column('run_date', sa.DateTime(timezone=True), nullable=False),
    sa.Column('model_id', sa.Text(), nullable=True),
    sa.Column('partial', sa.Boolean(), nullable=False),
    sa.Column('incomplete_because', sa.Text(), nullable=True),
    sa.Column('prompt_count', sa.Integer(), nullable=False),
    sa.Column('graded_count', sa.Integer(), nullable=False),
    sa.Column('passed_count', sa.Integer(), nullable=False),
    sa.Column('error_count', sa.Integer(), nullable=False),
    sa.Column('skipped_count', sa.Integer(), nullable=False),
    sa.Column('pass_rate', sa.Double(), nullable=True),
    sa.Column('pass_rate_low', sa.Double(), nullable=True),
    sa.Column('pass_rate_high', sa.Double(), nullable=True),
    sa.Column('mean_score', sa.Double(), nullable=True),
    sa.Column('standard_error', sa.Double(), nullable=True),
    sa.Column('input_tokens', sa.BigInteger(), nullable=True),
    sa.Column('output_tokens', sa.BigInteger(), nullable=True),
    sa.Column('cost_usd', sa.Double(), nullable=True),
    sa.Column('latency_p50_ms', sa.Double(), nullable=True),
    sa.Column('latency_p95_ms', sa.Double(), nullable=True),
    sa.Column('not_passed', sa.ARRAY(sa.Text()), nullable=False),
    sa.Column('flags', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('breakdown', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('gate', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('inputs_hash', sa.Text(), nullable=False),
    sa.Column('treatment_hash', sa.Text(), nullable=False),
    sa.Column('expectations_hash', sa.Text(), nullable=False),
    sa.Column('yardstick', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.Column('provenance', postgresql.JSONB(none_as_null=True), nullable=True),
    sa.CheckConstraint("cost_usd >= 0 and cost_usd < 'infinity'", name='cost_usd_finite'),
    sa.CheckConstraint("latency_p50_ms >= 0 and latency_p50_ms < 'infinity'", name='latency_p50_ms_finite'),
    sa.CheckConstraint("latency_p95_ms >= 0 and latency_p95_ms < 'infinity'", name='latency_p95_ms_finite'),
    sa.CheckConstraint("standard_error >= 0 and standard_error < 'infinity'", name='standard_error_finite'),
    sa.CheckConstraint('(mean_score is null) = (graded_count = 0)', name='mean_score_present'),
    sa.CheckConstraint('(pass_rate is null) = (graded_count = 0)', name='pass_rate_present'),
    sa.CheckConstraint('(pass_rate_low is null) = (pass_rate_high is null)', name='pass_rate_bounds_paired'),
    sa.CheckConstraint('input_tokens >= 0', name='input_tokens_range'),
    sa.CheckConstraint('mean_score >= 0 and mean_score <= 1', name='mean_score_range'),
    sa.CheckConstraint('output_tokens >= 0', name='output_tokens_range'),
    sa.CheckConstraint('pass_rate >= 0 and pass_rate <= 1', name='pass_rate_range'),
    sa.CheckConstraint('pass_rate_high >= 0 and pass_rate_high <= 1', name='pass_rate_high_range'),
    sa.CheckConstraint('pass_rate_low <= pass_rate_high', name='pass_rate_bounds_ordered'),
    sa.CheckConstraint('pass_rate_low >= 0 and pass_rate_low <= 1', name='pass_rate_low_range'),
    sa.CheckConstraint('passed_count between 0 and graded_count and error_count >= 0 and skipped_count >= 0', name='counts_range'),
    sa.CheckConstraint('prompt_count = graded_count + error_count + skipped_count', name='counts_add_up'),
    sa.ForeignKeyConstraint(['id'], ['grading_pass.id'], ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['run_id'], ['evaluation_run.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('evaluation_result_newest', 'evaluation_result', ['project', 'set_id', 'model_key', 'grader', sa.literal_column('run_date desc'), sa.literal_column('id desc')], unique=False)
    op.create_table('prompt_grading',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('grading_id', sa.BigInteger(), nullable=False),
    sa.Column('prompt_id', sa.Text(), nullable=False),
    sa.Column('repeat', sa.Integer(), nullable=False),
    sa.Column('status', sa.Text(), nullable=False),
    sa.Column('score', sa.Double(), nullable=True),
    sa.Column('reason', sa.Text(), nullable=False),
    sa.Column('assertions', postgresql.JSONB(none_as_null=True), nullable=False),
    sa.CheckConstraint("(score is null) = (status in ('error', 'skipped'))", name='score_present'),
    sa.CheckConstraint("status in ('pass', 'fail', 'error', 'skipped')", name='status'),
    sa.CheckConstraint('score >= 0 and score <= 1', name='score_range'),
    sa.ForeignKeyConstraint(['grading_id'], ['grading_pass.id'], ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('grading_id', 'prompt_id', 'repeat', name='prompt_grading_once')
    )


def downgrade() -> None:
    for table in (
        "evaluation_result",
        "prompt_grading",
        "grading_pass",
        "model_response",
        "evaluation_run",
        "golden_prompt",
        "golden_prompt_set",
    ):
        op.drop_table(table)
