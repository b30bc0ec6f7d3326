"""The quota of a store, and its present size."""

import os
import re
import sqlite3

from sqlalchemy import Connection, Engine

from rankcore.studies.store._database import StoreError

LIMIT_VARIABLE = "RANKSCOPE_STORE_LIMIT"
DEFAULT_LIMIT = "2 GB"
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def limit() -> int:
    """Return the maximum number of bytes for storing new runs: from the environment, or
    2 GB. Raises StoreError if the environment variable is not a size."""
    text = os.environ.get(LIMIT_VARIABLE) or DEFAULT_LIMIT
    parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    unit = parts[2].upper() if parts else None
    if parts is None or unit not in _UNITS:
        raise StoreError(
            f"{LIMIT_VARIABLE} is {text!r}. Write a size such as 500 MB or 2 GB."
        )
    return int(float(parts[1]) * _UNITS[unit])


def as_text(count: int) -> str:
    """Return a number of bytes in the largest unit that fits, with three digits."""
    unit = max(
        (name for name in ("KB", "MB", "GB") if _UNITS[name] <= count),
        key=lambda name: _UNITS[name],
        default="B",
    )
    return f"{count / _UNITS[unit]:.3g} {unit}"


def size(connection: Connection) -> int:
    """Return the bytes used by the database, without pages of removed runs."""
    query = (
        "SELECT (page_count - freelist_count) * page_size "
        "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
    )
    whole = "SELECT pg_database_size(current_database())"
    sqlite = connection.dialect.name == "sqlite"
    return int(connection.exec_driver_sql(query if sqlite else whole).scalar_one())


def check(connection: Connection) -> None:
    """Refuse a new run if the store is full. Raises StoreError with a remedy."""
    n_bytes, most = size(connection), limit()
    if n_bytes >= most:
        raise StoreError(
            f"The run store takes {as_text(n_bytes)}, and its limit is "
            f"{as_text(most)}. Delete runs and remove them permanently on the Runs "
            f"page or by `rankscope runs clear`, or set {LIMIT_VARIABLE}, such as 5 GB."
        )


def shrink(engine: Engine) -> None:
    """Free the disk space of removed runs in an SQLite file.

    If another process is writing, the file keeps its size, and new runs use the space.
    """
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("VACUUM")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
    finally:
        connection.close()
