"""Whose a sweep is, and whether it is a path."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns; sweeps that are there are everybody's, and no paths."""
    op.add_column("rankscope_sweeps", sa.Column("visitor", sa.String(32)))
    op.add_column("rankscope_sweeps", sa.Column("warm", sa.Boolean))
