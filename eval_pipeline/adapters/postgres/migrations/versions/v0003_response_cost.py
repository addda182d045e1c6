"""What every response cost."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("model_response", sa.Column("cost_usd", sa.Double(), nullable=True))
    op.create_check_constraint("cost_usd_finite", "model_response", "cost_usd >= 0 and cost_usd < 'infinity'")
