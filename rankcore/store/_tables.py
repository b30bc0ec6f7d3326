"""The tables of a store. A change here needs a migration; a test compares them."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    false,
)

# Alembic's default name is that of other libraries, which may share the database.
VERSION_TABLE = "rankscope_alembic_version"
HEAD = "0007"

metadata = MetaData()


class Moment(TypeDecorator[datetime]):
    """A time, UTC: SQLite keeps no time zones, and PostgreSQL gives times in that of
    its session."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        """Return a time as it was kept, in UTC."""
        if value is None:
            return None
        found: datetime = value if value.tzinfo else value.replace(tzinfo=UTC)
        return found.astimezone(UTC)


runs = Table(
    "rankscope_runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created", Moment(), nullable=False, index=True),
    Column("updated", Moment(), nullable=False),
    Column("status", String(16), nullable=False, index=True),
    Column("reason", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("algorithm", String(64), nullable=False, index=True),
    Column("hyperparameters", JSON, nullable=False),
    Column("changes", JSON, nullable=False),
    # Made and to come; of runs before version 0002 nothing is known.
    Column("planned", JSON),
    Column("settings", JSON, nullable=False),
    Column("seed", Integer),
    Column("data", Text, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("valid_fingerprint", String(64)),
    Column("normalisation", String(16)),
    Column("feature_names", JSON, nullable=False),
    Column("measures", JSON, nullable=False),
    Column("convention", String(16), nullable=False),
    Column("empty", String(16), nullable=False),
    Column("max_iterations", Integer),
    Column("max_seconds", Float),
    Column("started_from", LargeBinary),
    Column("versions", JSON, nullable=False),
    Column("machine", JSON, nullable=False),
    Column("host", Text, nullable=False),
    Column("process", String(64), nullable=False),
    Column("iterations", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("best", JSON, nullable=False),
    Column("last", JSON, nullable=False),
    # A short picture of the run: see _recorder.
    Column("curve", JSON),
    Column("notes", Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("deleted", Boolean, nullable=False),
    # Of the app; runs of the command line and of Python are everybody's.
    Column("visitor", String(32)),
)

# The figures of some iterations, which were written together.
pieces = Table(
    "rankscope_pieces",
    metadata,
    Column("run", ForeignKey(runs.c.id, ondelete="CASCADE"), primary_key=True),
    Column("first", Integer, primary_key=True),
    Column("columns", JSON, nullable=False),
    Column("figures", LargeBinary, nullable=False),
)

# The models of some iterations; those kept as best and last are also named so.
models = Table(
    "rankscope_models",
    metadata,
    Column("run", ForeignKey(runs.c.id, ondelete="CASCADE"), primary_key=True),
    Column("name", String(16), primary_key=True),
    Column("iteration", Integer, nullable=False),
    Column("arrays", LargeBinary, nullable=False),
)

# Measures of each query under the best or the last model.
queries = Table(
    "rankscope_queries",
    metadata,
    Column("run", ForeignKey(runs.c.id, ondelete="CASCADE"), primary_key=True),
    Column("name", String(16), primary_key=True),
    Column("split", String(16), nullable=False),
    Column("ids", JSON, nullable=False),
    Column("measures", JSON, nullable=False),
    Column("values", LargeBinary, nullable=False),
)

# One entry each; a cell becomes a run when it is opened.
sweeps = Table(
    "rankscope_sweeps",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created", Moment(), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("algorithm", String(64), nullable=False),
    # Those that all cells share.
    Column("hyperparameters", JSON, nullable=False),
    Column("folds", JSON, nullable=False),
    # Of a search null each: they are known when they come.
    Column("cells", JSON, nullable=False),
    Column("measures", JSON, nullable=False),
    Column("convention", String(16), nullable=False),
    Column("empty", String(16), nullable=False),
    Column("stop", JSON, nullable=False),
    # Iterations between two that are measured; of sweeps before version 0006 unknown.
    Column("measured_every", Integer),
    # Whether each cell began from the model of the one before, as on a path.
    Column("warm", Boolean),
    # Of the app; sweeps of the command line and of Python are everybody's.
    Column("visitor", String(32)),
    Column("deleted", Boolean, nullable=False, server_default=false()),
)

# What the run of a cell reached, by its number in the sweep.
cells = Table(
    "rankscope_cells",
    metadata,
    Column("sweep", ForeignKey(sweeps.c.id, ondelete="CASCADE"), primary_key=True),
    Column("cell", Integer, primary_key=True),
    Column("figures", JSON, nullable=False),
    # The cell itself, where the sweep did not know it when it began.
    Column("own", JSON),
)
