"""A short curve of each run, and its future changes."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns; existing runs have neither."""
    op.add_column("rankscope_runs", sa.Column("planned", sa.JSON))
    op.add_column("rankscope_runs", sa.Column("curve", sa.JSON))
