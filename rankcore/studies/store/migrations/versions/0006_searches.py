"""Cells unknown before their runs have ended, and the schedule of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns; existing sweeps knew all cells when they began."""
    op.add_column("rankscope_sweeps", sa.Column("measured_every", sa.Integer()))
    op.add_column("rankscope_cells", sa.Column("own", sa.JSON()))
