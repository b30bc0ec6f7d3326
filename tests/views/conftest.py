"""Pages run through the frame: the fixtures of `tests.pages`."""

from tests.pages.conftest import drawn, own_main, run_app, run_page, scanned_once

__all__ = ["drawn", "own_main", "run_app", "run_page", "scanned_once"]
