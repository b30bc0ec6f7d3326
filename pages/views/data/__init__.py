"""Data: sizes, labels, features and queries of a data set."""

from rankcore.views import Page

PAGE = Page(__name__, "Data", "Inspect the data before training")
