"""The progress of visitors in lessons."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "rankscope_progress",
        sa.Column("visitor", sa.String(32), primary_key=True),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.Column("steps", sa.JSON, nullable=False),
    )
