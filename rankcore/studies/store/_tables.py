"""The tables of a store. A change here needs a migration; a test compares them."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from types import NoneType
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
    RowMapping,
    String,
    Table,
    Text,
    TypeDecorator,
    false,
)

# Other libraries that share the database may use Alembic's default name.
VERSION_TABLE = "rankscope_alembic_version"
HEAD = "0009"

metadata = MetaData()


class Moment(TypeDecorator[datetime]):
    """A time in UTC: SQLite stores no time zones, and PostgreSQL returns times in its
    session's zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        """Return a stored time in UTC."""
        if value is None:
            return None
        moment: datetime = value if value.tzinfo else value.replace(tzinfo=UTC)
        return moment.astimezone(UTC)

    def result_processor(self, dialect: Any, coltype: Any) -> Any:
        """Return a reader of the column; damaged times become `DAMAGED_MOMENT`."""
        read: Any = super().result_processor(dialect, coltype)

        def lenient(value: Any) -> datetime | None:
            try:
                moment: datetime | None = read(value)
            except (ValueError, TypeError, OverflowError):
                return DAMAGED_MOMENT
            return moment

        return lenient


DAMAGED_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)


def _filled(kind: Any, *names: str) -> list[Column[Any]]:
    """Return columns of a type that are never null."""
    return [Column(name, kind, nullable=False) for name in names]


def _parent(name: str, table: Table) -> Column[Any]:
    """Return a column with the parent row, whose removal also removes the row."""
    key = ForeignKey(table.c.id, ondelete="CASCADE")
    return Column(name, key, primary_key=True)


runs = Table(
    "rankscope_runs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created", Moment(), nullable=False, index=True),
    *_filled(Moment(), "updated"),
    Column("status", String(16), nullable=False, index=True),
    *_filled(Text, "reason", "title"),
    Column("algorithm", String(64), nullable=False, index=True),
    *_filled(JSON, "hyperparameters", "changes"),
    # Past and future changes; unknown for runs before version 0002.
    Column("planned", JSON),
    *_filled(JSON, "settings"),
    Column("seed", Integer),
    *_filled(Text, "data"),
    *_filled(String(64), "fingerprint"),
    Column("valid_fingerprint", String(64)),
    Column("normalisation", String(16)),
    *_filled(JSON, "feature_names", "measures"),
    *_filled(String(16), "convention", "empty"),
    Column("max_iterations", Integer),
    Column("max_seconds", Float),
    Column("started_from", LargeBinary),
    *_filled(JSON, "versions", "machine"),
    *_filled(Text, "host"),
    *_filled(String(64), "process"),
    *_filled(Integer, "iterations"),
    *_filled(Float, "seconds"),
    *_filled(JSON, "best", "last"),
    # A short picture of the run: see _recorder.
    Column("curve", JSON),
    *_filled(Text, "notes"),
    *_filled(JSON, "tags"),
    *_filled(Boolean, "deleted"),
    # The app's visitor; runs of the command line and of Python belong to everybody.
    Column("visitor", String(32)),
)

# Content of the JSON columns of runs and of sweeps.
KINDS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("hyperparameters", "settings", "versions", "machine"), dict),
    **dict.fromkeys(("best", "last", "folds", "stop"), dict),
    **dict.fromkeys(("changes", "feature_names", "measures", "tags", "cells"), list),
    "planned": (dict, NoneType),
    "curve": (list, NoneType),
    **dict.fromkeys(("created", "updated"), datetime),
}


def sound(
    row: RowMapping, names: Collection[str] = KINDS.keys()
) -> tuple[dict[str, Any], str]:
    """Return a row, with damaged columns empty, and a phrase with the damaged ones
    among these columns."""
    values, damaged = dict(row), []
    for name in values.keys() & set(names):
        kind = KINDS[name]
        if not isinstance(values[name], kind) or values[name] is DAMAGED_MOMENT:
            damaged.append(name)
            if kind is not datetime:
                values[name] = None if isinstance(kind, tuple) else kind()
    if damaged and "title" in values:
        values["title"] = f"{values['title']} (damaged)"
    return values, ", ".join(sorted(damaged))


# Metrics of some iterations, written together.
pieces = Table(
    "rankscope_pieces",
    metadata,
    _parent("run", runs),
    Column("first", Integer, primary_key=True),
    *_filled(JSON, "columns"),
    *_filled(LargeBinary, "figures"),
)

# Models of some iterations; the best and the last also have these names.
models = Table(
    "rankscope_models",
    metadata,
    _parent("run", runs),
    Column("name", String(16), primary_key=True),
    *_filled(Integer, "iteration"),
    *_filled(LargeBinary, "arrays"),
)

# Measures of each query for the best or the last model.
queries = Table(
    "rankscope_queries",
    metadata,
    _parent("run", runs),
    Column("name", String(16), primary_key=True),
    *_filled(String(16), "split"),
    *_filled(JSON, "ids", "measures"),
    *_filled(LargeBinary, "values"),
)

# One entry each; a cell becomes a run when opened.
sweeps = Table(
    "rankscope_sweeps",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created", Moment(), nullable=False, index=True),
    *_filled(Text, "title"),
    *_filled(String(64), "algorithm"),
    # Hyperparameters common to all cells.
    *_filled(JSON, "hyperparameters", "folds"),
    # Null for each cell of a search, until it is proposed.
    *_filled(JSON, "cells", "measures"),
    *_filled(String(16), "convention", "empty"),
    *_filled(JSON, "stop"),
    # Iterations between measurements; unknown for sweeps before version 0006.
    Column("measured_every", Integer),
    # Whether each cell started from the previous cell's model, as on a path.
    Column("warm", Boolean),
    # The app's visitor; sweeps of the command line and of Python belong to everybody.
    Column("visitor", String(32)),
    Column("deleted", Boolean, nullable=False, server_default=false()),
    # Key shared by the sweeps of one study; null: a single sweep.
    Column("study", String(32)),
)

# Metrics of a cell's run, by its number in the sweep.
cells = Table(
    "rankscope_cells",
    metadata,
    _parent("sweep", sweeps),
    Column("cell", Integer, primary_key=True),
    *_filled(JSON, "figures"),
    # The cell itself, if it was unknown when the sweep began.
    Column("own", JSON),
)

# The furthest step of each lesson that a visitor of the app has opened, by its name.
progress = Table(
    "rankscope_progress",
    metadata,
    Column("visitor", String(32), primary_key=True),
    *_filled(Moment(), "updated"),
    *_filled(JSON, "steps"),
)
