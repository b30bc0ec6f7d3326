"""Runs: the training runs that are kept."""

from pages.ui import frame
from pages.views import runs

frame.show(runs.PAGE)
