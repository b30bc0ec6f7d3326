"""Deleted sweeps, which like runs stay until they are cleared."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column; no existing sweep was deleted."""
    op.add_column(
        "rankscope_sweeps",
        sa.Column("deleted", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
