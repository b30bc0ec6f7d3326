"""Runs, the figures of their iterations, their models, and measures of each query."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    text, json = sa.Text, sa.JSON
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "rankscope_runs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("created", moment, nullable=False),
        sa.Column("updated", moment, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("reason", text, nullable=False),
        sa.Column("title", text, nullable=False),
        sa.Column("algorithm", sa.String(64), nullable=False),
        sa.Column("hyperparameters", json, nullable=False),
        sa.Column("changes", json, nullable=False),
        sa.Column("settings", json, nullable=False),
        sa.Column("seed", sa.Integer),
        sa.Column("data", text, nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("valid_fingerprint", sa.String(64)),
        sa.Column("normalisation", sa.String(16)),
        sa.Column("feature_names", json, nullable=False),
        sa.Column("measures", json, nullable=False),
        sa.Column("convention", sa.String(16), nullable=False),
        sa.Column("empty", sa.String(16), nullable=False),
        sa.Column("max_iterations", sa.Integer),
        sa.Column("max_seconds", sa.Float),
        sa.Column("started_from", sa.LargeBinary),
        sa.Column("versions", json, nullable=False),
        sa.Column("machine", json, nullable=False),
        sa.Column("host", text, nullable=False),
        sa.Column("process", sa.String(64), nullable=False),
        sa.Column("iterations", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("best", json, nullable=False),
        sa.Column("last", json, nullable=False),
        sa.Column("notes", text, nullable=False),
        sa.Column("tags", json, nullable=False),
        sa.Column("deleted", sa.Boolean, nullable=False),
    )
    for name in ("created", "status", "algorithm"):
        op.create_index(f"ix_rankscope_runs_{name}", "rankscope_runs", [name])
    op.create_table(
        "rankscope_pieces",
        _run(),
        sa.Column("first", sa.Integer, primary_key=True),
        sa.Column("columns", json, nullable=False),
        sa.Column("figures", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "rankscope_models",
        _run(),
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("iteration", sa.Integer, nullable=False),
        sa.Column("arrays", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "rankscope_queries",
        _run(),
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("split", sa.String(16), nullable=False),
        sa.Column("ids", json, nullable=False),
        sa.Column("measures", json, nullable=False),
        sa.Column("values", sa.LargeBinary, nullable=False),
    )


def _run() -> sa.Column:
    to_run = sa.ForeignKey("rankscope_runs.id", ondelete="CASCADE")
    return sa.Column("run", sa.String(32), to_run, primary_key=True)
