"""Pages run through the frame: the fixtures of `tests.pages`."""

from types import SimpleNamespace

import pytest

from pages.ui.data import derived
from rankcore.studies.store import open_store
from rankcore.views import past
from tests.pages.conftest import (
    drawn,
    no_browser,
    own_main,
    run_app,
    run_page,
    scanned_once,
)

__all__ = [
    "drawn",
    "no_browser",
    "own_main",
    "prepared",
    "run_app",
    "run_page",
    "scanned_once",
]


@pytest.fixture
def prepared(monkeypatch):
    """A server that has prepared, whatever pages of other tests have begun."""
    monkeypatch.setattr(derived, "BACKGROUND", SimpleNamespace(at_work=False))


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty store of the test's own, which pages open."""
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path / 'own.sqlite'}")
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    with open_store() as opened:
        yield opened
