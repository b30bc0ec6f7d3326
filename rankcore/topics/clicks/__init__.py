"""Clicks, and their evidence about relevance and about position."""
