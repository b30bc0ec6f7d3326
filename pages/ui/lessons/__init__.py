"""Lessons: their files and store, the bar on every page, the Lessons page."""
