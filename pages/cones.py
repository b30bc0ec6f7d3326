"""Cones: a cone of document differences, and the ranking that it defines."""

from pages.ui import frame
from pages.views import cones

frame.show(cones.PAGE)
