"""Data: what is in it, and a place for your own files."""

from pages.ui import page, upload
from pages.views import data

page.show(data.PAGE, controls=upload.panel)
