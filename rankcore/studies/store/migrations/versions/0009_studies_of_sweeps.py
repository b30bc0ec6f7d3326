"""Sweeps of one study, such as the algorithms of a comparison, know each other."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; of sweeps that are there it is not known."""
    op.add_column("rankscope_sweeps", sa.Column("study", sa.String(32)))
