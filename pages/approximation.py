"""Approximation: how far a smooth surrogate is from the measure it approximates."""

from pages.ui import frame
from pages.views import approximation

frame.show(approximation.PAGE)
