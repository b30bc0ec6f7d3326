"""Data: what is in it, and a place for your own files."""

from pages.ui import frame
from pages.ui.data import upload
from pages.views import data

frame.show(data.PAGE, controls=upload.panel)
