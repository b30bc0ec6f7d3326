"""Clicks: what clicks say about relevance, and what they say about position."""

from pages.ui import frame
from pages.views import clicks

frame.show(clicks.PAGE)
