"""Where the run store is: for those who run the server, and for no visitor."""

import logging

import pytest

from rankcore.studies.store import StoreError, open_store
from rankcore.studies.store._database import nameless
from rankcore.views import Notice, flat, past
from tests.viewing import shown, view

SERVER = "postgresql://ranker:hidden@127.0.0.1:1/secretbase"


@pytest.fixture(params=["folder", "file", "server", "no address", "newer"])
def told(request, tmp_path, monkeypatch):
    """The parts of an address of a store that cannot be opened."""
    place = tmp_path / "private place"
    if request.param == "folder":
        address = f"sqlite:///{place}/runs.sqlite"
    elif request.param == "file":
        place.write_text("no folder")
        address = f"sqlite:///{place}/runs.sqlite"
    elif request.param == "server":
        pytest.importorskip("psycopg")
        address = SERVER
    elif request.param == "no address":
        address = f"{place}/runs.sqlite"
    else:
        address = f"sqlite:///{tmp_path}/runs.sqlite"
        with open_store(address) as store, store._writing() as connection:
            connection.exec_driver_sql(
                "UPDATE rankscope_alembic_version SET version_num = '99'"
            )
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", address)
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    return [str(tmp_path), "private place", "127.0.0.1", "ranker", "secretbase"]


def test_pages_give_the_reason_and_the_log_has_the_address(told, caplog):
    with caplog.at_level(logging.INFO, "rankscope.store"):
        (notice,) = [
            one
            for one in flat(shown(view("runs", "Kept runs")).blocks)
            if isinstance(one, Notice)
        ]
        past.store()
    assert notice.text.startswith("Runs are not kept after a restart: ")
    assert not [part for part in told if part in f"{notice.text} {past.problem()}"]
    with pytest.raises(StoreError) as error:
        open_store()
    # Once, though every page asks.
    assert caplog.messages == [f"Runs are not kept: {error.value}"]


@pytest.mark.parametrize(
    ("said", "public"),
    [
        ("disk I/O error", "disk I/O error"),
        ('server at "10.0.0.5", port 5432 failed: a\nb', "server failed: a"),
        ('server at "db" (10.0.0.5), port 5432 failed', "server failed"),
        ('server on socket "/run/x/.s.PGSQL.5432" failed', "server failed"),
        ('authentication failed for user "me"', "authentication failed for user"),
        ("resolve host 'db': [Errno -2]", "resolve host: [Errno -2]"),
        ('extend file "base/16384/1249": No space', "extend file: No space"),
    ],
)
def test_what_a_database_says_has_no_names(said, public):
    assert nameless(said) == public
