"""Whose a sweep is."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; sweeps that are there are everybody's."""
    op.add_column("rankscope_sweeps", sa.Column("visitor", sa.String(32)))
