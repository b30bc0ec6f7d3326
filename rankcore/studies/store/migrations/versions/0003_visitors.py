"""Owners of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; existing runs belong to everybody."""
    op.add_column("rankscope_runs", sa.Column("visitor", sa.String(32)))
