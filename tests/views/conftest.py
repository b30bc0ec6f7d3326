"""Pages run through the frame: the fixtures of `tests.pages`."""

from types import SimpleNamespace

import pytest

from pages.ui.data import derived
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
