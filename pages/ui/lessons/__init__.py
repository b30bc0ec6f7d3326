"""Lessons: their files, the store of them, the bar on every page, the Lessons page."""
