"""Structured SVMs, which score whole lists."""
