"""Clicks: what clicks say about relevance, and what they say about position."""

from pages.ui import frame
from pages.ui.data import upload_model
from pages.views import clicks

frame.show(clicks.PAGE, controls=upload_model.clicks)
