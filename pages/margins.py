"""Margins: how a structured SVM scores a whole list, and how it is trained."""

from pages.ui import page
from pages.views import margins

page.show(margins.PAGE)
