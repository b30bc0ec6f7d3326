"""Approximation: how far a smooth surrogate is from the measure it approximates."""

from pages.ui import page
from pages.views import approximation

page.show(approximation.PAGE)
