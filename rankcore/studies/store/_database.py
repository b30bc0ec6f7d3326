"""Opening of a store's database, with migration of its tables."""

import errno
import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from filelock import FileLock, Timeout
from sqlalchemy import Connection, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DatabaseError, OperationalError, SQLAlchemyError

from rankcore.studies.store._tables import HEAD, VERSION_TABLE, metadata

VARIABLE = "RANKSCOPE_DATABASE_URL"
FILE = "runs.sqlite"
WAIT_SECONDS = 5.0
# Maximum seconds for checking a file on opening: some hundred megabytes.
CHECK_SECONDS = 0.3
# Maximum seconds to wait for a process that creates a store.
PATIENCE_SECONDS = 120.0
_STEPS_BETWEEN_LOOKS = 10_000
# Matches names of servers, sockets, users and files in messages of PostgreSQL and its
# driver.
_NAMES = r"""( (at|on socket))? (("[^"]*")|('[^']*'))( \([^)]*\))?(, port \d+)?"""
# PostgreSQL's advisory lock under which one process migrates.
_LOCK = 72_1965_2014
# Alembic has one context per process: of two threads with different databases, one
# would create the tables of the other.
_MIGRATING = threading.Lock()


class StoreError(RuntimeError):
    """The run store cannot be used; the message gives the reason and a remedy.

    Attributes
    ----------
    public : str
        The message without the store's location, for the visitors of a server.
    """

    def __init__(self, sentence: str, public: str = "") -> None:
        super().__init__(sentence)
        self.public = public or sentence


class _DamagedError(SQLAlchemyError):
    """An SQLite file is damaged or not a database."""


def address(url: str | None) -> URL:
    """Return the location of the store: a URL, by default the environment's, or the
    user's file. Raises StoreError for an invalid URL or folder."""
    text = url or os.environ.get(VARIABLE, "")
    if not text:
        return URL.create("sqlite", database=str(_own_file()))
    try:
        target = make_url(text)
    except SQLAlchemyError as error:
        raise StoreError(
            f"{text!r} is not the address of a database. Write "
            "sqlite:////folder/runs.sqlite or postgresql://user@host/name.",
            f"{VARIABLE} is not the address of a database.",
        ) from error
    kind = target.get_backend_name()
    if kind == "postgresql":
        return target.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise StoreError(f"Runs can be stored in SQLite or PostgreSQL, not in {kind}.")
    return target


def _own_file() -> Path:
    from platformdirs import user_data_path

    folder = user_data_path("rankscope", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"{error.strerror}. Runs are not kept; set {VARIABLE} to keep them "
        problem += "elsewhere."
        raise StoreError(f"{folder}: {problem}", problem) from error
    return folder / FILE


class Database:
    """An open database with up-to-date tables.

    An SQLite file that is damaged or empty is renamed, never deleted, and a new one is
    created. If the open file has been replaced or removed, the new one is opened, or
    one is created. A read-only file is only read.

    Parameters
    ----------
    warn : callable
        Called with a sentence if a file is renamed or missing.

    Raises
    ------
    StoreError
        If the connection fails, or the tables have another version.
    """

    def __init__(self, url: URL, warn: Callable[[str], None]) -> None:
        self.url = url
        self._warn = warn
        sqlite = url.get_backend_name() == "sqlite"
        stored = sqlite and url.database and url.database != ":memory:"
        self._path = Path(str(url.database)) if stored else None
        self._renewing = threading.Lock()
        # Device and inode of the open file.
        self._file: object = None
        with self.telling():
            self.engine = create_engine(
                url, json_deserializer=from_json, **self._options()
            )
            if sqlite:
                event.listen(self.engine, "connect", self._set_up)
                event.listen(self.engine, "begin", _begin_sqlite)
            self._open()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Provide a connection to read from. Raises StoreError if that fails."""
        with self.telling():
            self._renew()
            with self.engine.connect() as connection:
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Provide a write transaction, which waits for other writers. Raises StoreError
        if that fails."""
        with self.telling():
            self._renew()
            with self._transaction() as connection:
                yield connection

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn errors of the database into a StoreError."""
        try:
            yield
        except (SQLAlchemyError, ImportError, OSError) as error:
            if _unreadable(error):
                # It is checked again before the next use.
                self._file = None
            raise _failure(self.url, error) from error

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        opened = self.engine.connect().execution_options(writes=True)
        with opened as connection, connection.begin():
            yield connection

    def _options(self) -> dict[str, Any]:
        if self._read_only:
            # Without the file of pending changes, nothing is written.
            log = Path(f"{self._path}-wal").exists()
            kind = "mode=ro" if log else "immutable=1"
            name = f"file:{quote(str(self._path))}?{kind}"
            only = partial(sqlite3.connect, name, uri=True, check_same_thread=False)
            return {"creator": only}
        if self.url.get_backend_name() == "sqlite":
            return {"connect_args": {"timeout": WAIT_SECONDS}}
        return {"pool_pre_ping": True, "connect_args": {"connect_timeout": 5}}

    @cached_property
    def _read_only(self) -> bool:
        """Return whether a file exists, and it or its folder is read-only."""
        path = self._path
        return (
            path is not None
            and path.exists()
            and not all(os.access(one, os.W_OK) for one in (path, path.parent))
        )

    def _set_up(self, connection: Any, record: object) -> None:
        _set_up_sqlite(connection, write_ahead=not self._read_only)

    def _renew(self) -> None:
        """Open the current file if it has been replaced."""
        if self._path is None or self._file == (_identity(self._path) or ()):
            return
        with self._renewing:
            there = _identity(self._path)
            if self._file == (there or ()):
                return
            self.engine.dispose()
            if there is None:
                self._warn(
                    f"{self._path} was removed while it was in use: its runs are gone, "
                    "and a new run store is begun."
                )
            self._open()

    def _open(self) -> None:
        try:
            if not self._up_to_date():
                # An open database may be a file that another process has renamed.
                self.engine.dispose()
                with self._alone():
                    self._begin()
        except BaseException:
            self.engine.dispose()
            raise
        self._file = self._path and _identity(self._path)

    def _up_to_date(self) -> bool:
        """Return whether there is an intact database with current tables."""
        if self._path is not None and not _size(self._path):
            return False
        try:
            with self.engine.connect() as connection:
                _check(connection)
                current = _version(connection) == HEAD
        except (_DamagedError, DatabaseError) as error:
            if not _unreadable(error) or self._read_only:
                raise
            return False
        if self._read_only and not current:
            problem = (
                "is of an earlier version of RankScope, and cannot be written: copy it "
                "to a folder that can."
            )
            raise StoreError(
                f"The run store {self._path} {problem}", f"The run store {problem}"
            )
        return current

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let only one process at a time create or migrate a file."""
        if self._path is None:
            yield
            return
        if not self._path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "There is no such folder")
        try:
            with FileLock(f"{self._path}.lock", timeout=PATIENCE_SECONDS):
                yield
        except Timeout as error:
            begin = "Another process has been creating the run store"
            remedy = f"for {PATIENCE_SECONDS:.0f} seconds: end it, or try again."
            raise StoreError(
                f"{begin} {self._path} {remedy}", f"{begin} {remedy}"
            ) from error

    def _begin(self) -> None:
        """Create or migrate the file, after renaming a damaged one."""
        try:
            self._migrate()
        except (_DamagedError, DatabaseError) as error:
            if self._path is None or not _unreadable(error):
                raise
            self.engine.dispose()
            self._warn(_set_aside(self._path))
            self._migrate()

    def _migrate(self) -> None:
        new = self._path is not None and not self._path.exists()
        if self._path is not None and not new and not _size(self._path):
            raise _DamagedError("It is empty")
        if new:
            # Remains of a removed file; SQLite would apply them to the new one.
            for suffix in ("-wal", "-shm"):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        try:
            with self.engine.connect() as connection:
                _check(connection)
                current = _version(connection) == HEAD
            if not current:
                with self._transaction() as connection:
                    migrate(connection)
        except BaseException:
            # For example, the disk is full.
            if new and self._path is not None and not _size(self._path):
                self.engine.dispose()
                self._path.unlink(missing_ok=True)
            raise


def from_json(text: str) -> Any:
    """Return the value of a JSON column, or the text itself if damaged; no column
    contains plain text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file at a path; None if it does not exist."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _set_up_sqlite(connection: Any, write_ahead: bool) -> None:
    # Transactions begin by `_begin_sqlite`, not by the driver.
    connection.isolation_level = None
    cursor = connection.cursor()
    if write_ahead:
        _write_ahead(cursor)
    for pragma in ("synchronous = NORMAL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _write_ahead(cursor: Any) -> None:
    """Set the write-ahead log. SQLite does not wait if another process does so at the
    same time."""
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
    # A transaction that reads first and writes later would fail on a write between.
    writes = connection.get_execution_options().get("writes", False)
    statement = "BEGIN IMMEDIATE" if writes else "BEGIN"
    # By the driver: SQLAlchemy takes five times as long for each transaction.
    opened: Any = connection.connection.dbapi_connection
    try:
        opened.execute(statement)
    except sqlite3.Error as error:
        raise OperationalError(statement, None, error) from error


def _check(connection: Connection) -> None:
    """Check an SQLite file for damage within a time limit."""
    if connection.dialect.name != "sqlite":
        return
    opened: Any = connection.connection.dbapi_connection
    until = time.monotonic() + CHECK_SECONDS
    opened.set_progress_handler(lambda: time.monotonic() > until, _STEPS_BETWEEN_LOOKS)
    try:
        state = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    except OperationalError as error:
        if "interrupted" not in str(error.orig):
            raise
        state = "ok"
    finally:
        opened.set_progress_handler(None, 0)
    if state != "ok":
        raise _DamagedError(state)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    versions = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    return versions.scalar()


def _make_tables(connection: Connection) -> None:
    """Create all current tables, which is quicker than migrations: "Building an Up to
    Date Database from Scratch" in the cookbook of Alembic."""
    metadata.create_all(connection)
    key = f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)"
    connection.execute(
        text(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, {key})")
    )
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')"))


def migrate(connection: Connection) -> None:
    """Migrate the tables, one process and one thread at a time. Raises StoreError if
    their version is unknown."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    if not {VERSION_TABLE, *metadata.tables} & {*inspect(connection).get_table_names()}:
        _make_tables(connection)
        return

    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    try:
        with _MIGRATING:
            command.upgrade(config, "head")
    except CommandError as error:
        raise StoreError(
            "The run store was written by a newer version of RankScope: use that "
            f"version, or set {VARIABLE} to another database."
        ) from error


def _unreadable(error: Exception) -> bool:
    """Return whether an SQLite file is damaged or not a database."""
    cause = getattr(error, "orig", None)
    damaged = ("not a database", "disk image is malformed", "file is encrypted")
    return isinstance(error, _DamagedError) or (
        isinstance(cause, sqlite3.Error) and any(word in str(cause) for word in damaged)
    )


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


def cause_of(error: Exception) -> str:
    """Return a database's error message without a full stop."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(getattr(error, "orig", None) or error).strip().rstrip(".")


def nameless(cause: str) -> str:
    """Return the first line of a database's message, without names of servers, users
    and files, which are in quotation marks.

    Examples
    --------
    >>> nameless('connection to server at "db" (10.0.0.5), port 5432 failed: no route')
    'connection to server failed: no route'
    """
    first = cause.partition("\n")[0]
    return re.sub(_NAMES, "", first)


def _failure(url: URL, error: Exception) -> StoreError:
    cause = cause_of(error)
    # SQLite's messages about files that cannot be created or written.
    barred = ("disk I/O error", "unable to open database file", "readonly database")
    barred_here = isinstance(error, OSError) or any(words in cause for words in barred)
    remedy = (
        f" Make sure that the disk has room and that its folder can be written, or set "
        f"{VARIABLE} to keep runs elsewhere."
    )
    more, name = remedy * barred_here, url.render_as_string(hide_password=True)
    return StoreError(
        f"The run store {name} cannot be used: {cause}.{more}",
        f"The run store cannot be used: {nameless(cause)}.{more}",
    )
