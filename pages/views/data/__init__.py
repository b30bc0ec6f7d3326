"""Data: sizes, labels, features and queries of a data set."""

from pages.ui.view import Page

PAGE = Page(__name__, "Data", "Inspect the data before training")
