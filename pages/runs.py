"""Runs: the stored training runs."""

from pages.ui import frame
from pages.views import runs

frame.show(runs.PAGE)
