"""Keys of studies, such as comparisons, that several sweeps share."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; it is unknown for existing sweeps."""
    op.add_column("rankscope_sweeps", sa.Column("study", sa.String(32)))
