"""Opening a store's database, and bringing its tables up to date."""

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
# A file that is opened is checked for so long at most: some hundred megabytes.
CHECK_SECONDS = 0.3
# A process that makes a store is waited for so long.
PATIENCE_SECONDS = 120.0
_STEPS_BETWEEN_LOOKS = 10_000
# Matches names of servers, sockets, users and files in messages of PostgreSQL and its
# driver.
_NAMES = r"""( (at|on socket))? (("[^"]*")|('[^']*'))( \([^)]*\))?(, port \d+)?"""
# PostgreSQL's advisory lock under which one process migrates.
_LOCK = 72_1965_2014
# Alembic has one context a process: of two threads, each with its own database, one
# would make the tables of the other.
_MIGRATING = threading.Lock()


class StoreError(RuntimeError):
    """The run store cannot be used; the sentence says why and what to do.

    Attributes
    ----------
    public : str
        The same without where the store is, for the visitors of a server.
    """

    def __init__(self, sentence: str, public: str = "") -> None:
        super().__init__(sentence)
        self.public = public or sentence


class _DamagedError(SQLAlchemyError):
    """An SQLite file is no sound database."""


def address(url: str | None) -> URL:
    """Where the store is: a URL, else that of the environment, else the user's file.
    Raises StoreError if it is no such URL, or the folder cannot be made."""
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
        raise StoreError(f"Runs are kept in SQLite or PostgreSQL, not in {kind}.")
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
    """A database that is open, its tables up to date.

    An SQLite file that is damaged or empty is renamed, never deleted, and a new one
    begun. Where another file has taken the place of the one that is open, or none has,
    that is opened, or begun, in its stead. A file that cannot be written is read.

    Parameters
    ----------
    warn : callable
        Called with a sentence where a file is renamed or gone.

    Raises
    ------
    StoreError
        If there is no connection, or the tables are of another version.
    """

    def __init__(self, url: URL, warn: Callable[[str], None]) -> None:
        self.url = url
        self._warn = warn
        sqlite = url.get_backend_name() == "sqlite"
        stored = sqlite and url.database and url.database != ":memory:"
        self._path = Path(str(url.database)) if stored else None
        self._renewing = threading.Lock()
        # Device and inode of the file that is open.
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
        """Provide a transaction that writes; it waits until no other one does. Raises
        StoreError if that fails."""
        with self.telling():
            self._renew()
            with self._transaction() as connection:
                yield connection

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Raise what goes wrong with the database as a StoreError."""
        try:
            yield
        except (SQLAlchemyError, ImportError, OSError) as error:
            if _unreadable(error):
                # It is looked at again before it is used again.
                self._file = None
            raise _failure(self.url, error) from error

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        opened = self.engine.connect().execution_options(writes=True)
        with opened as connection, connection.begin():
            yield connection

    def _options(self) -> dict[str, Any]:
        if self._read_only:
            # Without the file of what is not yet in the database, nothing is written.
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
        """Whether there is a file, and it or its folder cannot be written."""
        path = self._path
        return (
            path is not None
            and path.exists()
            and not all(os.access(one, os.W_OK) for one in (path, path.parent))
        )

    def _set_up(self, connection: Any, record: object) -> None:
        _set_up_sqlite(connection, write_ahead=not self._read_only)

    def _renew(self) -> None:
        """Open the file that is there now, if it is another."""
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
                # An open database may be a file that another process has set aside.
                self.engine.dispose()
                with self._alone():
                    self._begin()
        except BaseException:
            self.engine.dispose()
            raise
        self._file = self._path and _identity(self._path)

    def _up_to_date(self) -> bool:
        """Whether there is a sound database with tables of the present version."""
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
        """Of processes that make a file, or bring it up to date, one does at a time."""
        if self._path is None:
            yield
            return
        if not self._path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "There is no such folder")
        try:
            with FileLock(f"{self._path}.lock", timeout=PATIENCE_SECONDS):
                yield
        except Timeout as error:
            begin = "Another process has been making the run store"
            remedy = f"for {PATIENCE_SECONDS:.0f} seconds: end it, or try again."
            raise StoreError(
                f"{begin} {self._path} {remedy}", f"{begin} {remedy}"
            ) from error

    def _begin(self) -> None:
        """Make the file, or bring it up to date; set a damaged one aside before."""
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
            # Left by a file that was removed; SQLite would apply them to the new one.
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
            # The disk is full, say.
            if new and self._path is not None and not _size(self._path):
                self.engine.dispose()
                self._path.unlink(missing_ok=True)
            raise


def from_json(text: str) -> Any:
    """Return the value of a column; the text itself where it is damaged, and no column
    holds a text alone."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of its name; None if there is none."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _set_up_sqlite(connection: Any, write_ahead: bool) -> None:
    # Transactions begin as `_begin_sqlite` says, not where the driver would.
    connection.isolation_level = None
    cursor = connection.cursor()
    if write_ahead:
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
    """Make all tables as they are now, which is quicker than by migrations: "Building
    an Up to Date Database from Scratch" in the cookbook of Alembic."""
    metadata.create_all(connection)
    key = f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)"
    connection.execute(
        text(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, {key})")
    )
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')"))


def migrate(connection: Connection) -> None:
    """Bring the tables up to date, one process and one thread at a time. Raises
    StoreError if they are of a version that is not known here."""
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
    """Whether an SQLite file is damaged, or no database at all."""
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
    """Return what a database says of an error, without a full stop."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(getattr(error, "orig", None) or error).strip().rstrip(".")


def nameless(cause: str) -> str:
    """Return the first line of what a database says, without names of servers, users
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
    # All that SQLite says where a file cannot be made or written.
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
