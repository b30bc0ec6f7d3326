"""Measures: what each rank adds, and what a measure does as a document moves."""

from pages.ui import page
from pages.views import measures

page.show(measures.PAGE)
