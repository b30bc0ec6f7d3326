"""Explore: how the result depends on the settings of an algorithm."""

from pages.ui import frame
from pages.views import explore

frame.show(explore.PAGE)
