"""Margins: how a structured SVM scores a whole list, and how it is trained."""

from pages.ui import frame
from pages.views import margins

frame.show(margins.PAGE)
