"""Sweeps, and the figures of their cells."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "rankscope_sweeps",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("algorithm", sa.String(64), nullable=False),
        sa.Column("hyperparameters", sa.JSON, nullable=False),
        sa.Column("folds", sa.JSON, nullable=False),
        sa.Column("cells", sa.JSON, nullable=False),
        sa.Column("measures", sa.JSON, nullable=False),
        sa.Column("convention", sa.String(16), nullable=False),
        sa.Column("empty", sa.String(16), nullable=False),
        sa.Column("stop", sa.JSON, nullable=False),
    )
    op.create_index("ix_rankscope_sweeps_created", "rankscope_sweeps", ["created"])
    to_sweep = sa.ForeignKey("rankscope_sweeps.id", ondelete="CASCADE")
    op.create_table(
        "rankscope_cells",
        sa.Column("sweep", sa.String(32), to_sweep, primary_key=True),
        sa.Column("cell", sa.Integer, primary_key=True),
        sa.Column("figures", sa.JSON, nullable=False),
    )
