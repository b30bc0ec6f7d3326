"""Cones: a cone of document differences, and the ranking that it defines."""

from pages.ui import page
from pages.views import cones

page.show(cones.PAGE)
