"""Sweeps that were deleted stay until they are cleared, as runs do."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column; no sweep that is there was deleted."""
    op.add_column(
        "rankscope_sweeps",
        sa.Column("deleted", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
