"""Opening a store's database, and bringing its tables up to date."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError

from rankcore.store._tables import HEAD, VERSION_TABLE

VARIABLE = "RANKSCOPE_DATABASE_URL"
FILE = "runs.sqlite"
WAIT_SECONDS = 5.0
# A file that is opened is checked for so long at most: some hundred megabytes.
CHECK_SECONDS = 0.3
_STEPS_BETWEEN_LOOKS = 10_000
# PostgreSQL's advisory lock under which one process migrates.
_LOCK = 72_1965_2014


class StoreError(RuntimeError):
    """The run store cannot be used; the sentence says why and what to do."""


class _DamagedError(Exception):
    """An SQLite file is no sound database."""


def address(url: str | None) -> URL:
    """Where the store is: a URL, else that of the environment, else the user's file.

    Raises
    ------
    StoreError
        If it is no such URL, or the folder cannot be made.
    """
    given = url or os.environ.get(VARIABLE, "")
    if not given:
        return URL.create("sqlite", database=str(_own_file()))
    try:
        found = make_url(given)
    except SQLAlchemyError as error:
        raise StoreError(
            f"{given!r} is not the address of a database. Write "
            "sqlite:////folder/runs.sqlite or postgresql://user@host/name."
        ) from error
    kind = found.get_backend_name()
    if kind == "postgresql":
        return found.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise StoreError(f"Runs are kept in SQLite or PostgreSQL, not in {kind}.")
    return found


def _own_file() -> Path:
    from platformdirs import user_data_path

    folder = user_data_path("rankscope", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder}: {error.strerror}. Runs are not kept; set {VARIABLE} to keep "
            "them elsewhere."
        ) from error
    return folder / FILE


def connect(url: URL, warn: Callable[[str], None]) -> Engine:
    """The engine of a database whose tables are up to date.

    An SQLite file that is damaged is renamed, never deleted, and a new one begun;
    ``warn`` is told.

    Raises
    ------
    StoreError
        If there is no connection, or the tables are of a newer version.
    """
    try:
        return _sound(url, warn)
    except (SQLAlchemyError, ImportError, OSError) as error:
        raise StoreError(_why(url, error)) from error


def _sound(url: URL, warn: Callable[[str], None]) -> Engine:
    try:
        return _prepared(url)
    except _DamagedError:
        path = Path(str(url.database))
    # Of processes that find it damaged at once, one sets it aside.
    with FileLock(f"{path}.lock"):
        try:
            return _prepared(url)
        except _DamagedError:
            warn(_set_aside(path))
            return _prepared(url)


def _prepared(url: URL) -> Engine:
    engine = create_engine(url, **_options(url))
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    try:
        with engine.connect() as connection:
            _check(connection)
            current = _version(connection) == HEAD
        if not current:
            with writing(engine) as connection:
                migrate(connection)
    except DatabaseError as error:
        engine.dispose()
        if _unreadable(url, error):
            raise _DamagedError from error
        raise
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection to read from.

    Raises
    ------
    StoreError
        If that fails.
    """
    with told_plainly(engine), engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes; it waits until no other one does."""
    opened = engine.connect().execution_options(writes=True)
    with opened as connection, connection.begin():
        yield connection


@contextmanager
def told_plainly(engine: Engine) -> Iterator[None]:
    """What goes wrong with the database is a StoreError."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(_why(engine.url, error)) from error


def _options(url: URL) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": WAIT_SECONDS}}
    return {"pool_pre_ping": True, "connect_args": {"connect_timeout": 5}}


def _set_up_sqlite(connection: Any, record: object) -> None:
    # Transactions begin as `_begin_sqlite` says, not where the driver would.
    connection.isolation_level = None
    cursor = connection.cursor()
    _write_ahead(cursor)
    for pragma in ("synchronous = NORMAL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _write_ahead(cursor: Any) -> None:
    """Choose the write-ahead log. Where another process does so at the same moment,
    SQLite does not wait by itself."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    # One that reads first and writes later would fail where another writes meanwhile.
    writes = connection.get_execution_options().get("writes", False)
    statement = "BEGIN IMMEDIATE" if writes else "BEGIN"
    # By the driver: SQLAlchemy takes five times as long, at each transaction.
    opened: Any = connection.connection.dbapi_connection
    try:
        opened.execute(statement)
    except sqlite3.Error as error:
        raise OperationalError(statement, None, error) from error


def _check(connection: Connection) -> None:
    """Look for damage in an SQLite file, as far as time allows."""
    if connection.dialect.name != "sqlite":
        return
    opened: Any = connection.connection.dbapi_connection
    until = time.monotonic() + CHECK_SECONDS
    opened.set_progress_handler(lambda: time.monotonic() > until, _STEPS_BETWEEN_LOOKS)
    try:
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    except OperationalError as error:
        if "interrupted" not in str(error.orig):
            raise
        found = "ok"
    finally:
        opened.set_progress_handler(None, 0)
    if found != "ok":
        raise _DamagedError(found)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    return found.scalar()


def migrate(connection: Connection) -> None:
    """Bring the tables up to date, one process at a time.

    Raises
    ------
    StoreError
        If they are of a version that is not known here.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StoreError(
            "The run store was written by a newer version of RankScope: use that "
            f"version, or set {VARIABLE} to another database."
        ) from error


def _unreadable(url: URL, error: DatabaseError) -> bool:
    """Whether an SQLite file is damaged, or no database at all."""
    words = str(error.orig)
    damaged = ("not a database", "malformed", "file is encrypted")
    return url.get_backend_name() == "sqlite" and any(w in words for w in damaged)


def _set_aside(path: Path) -> str:
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(part.with_name(f"{path.name}.unreadable-{now}{suffix}"))
    return (
        f"{path} could not be read. It is kept as {path.name}.unreadable-{now}, and a "
        "new run store is begun."
    )


def _why(url: URL, error: Exception) -> str:
    cause = str(getattr(error, "orig", None) or error).strip().rstrip(".")
    # All that SQLite says where a file of its own cannot be made.
    barred = ("disk I/O error", "unable to open database file", "readonly database")
    remedy = (
        f" Make sure that the disk has room and that its folder can be written, or set "
        f"{VARIABLE} to keep runs elsewhere."
    )
    return (
        f"The run store {url.render_as_string(hide_password=True)} cannot be used: "
        f"{cause}.{remedy if cause in barred else ''}"
    )
