"""Measures: what each rank adds, and what a measure does as a document moves."""

from pages.ui import frame
from pages.views import measures

frame.show(measures.PAGE)
