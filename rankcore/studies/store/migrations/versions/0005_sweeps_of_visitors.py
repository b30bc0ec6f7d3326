"""Owners of sweeps, and whether a sweep is a path."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns; existing sweeps belong to everybody and are not paths."""
    op.add_column("rankscope_sweeps", sa.Column("visitor", sa.String(32)))
    op.add_column("rankscope_sweeps", sa.Column("warm", sa.Boolean))
