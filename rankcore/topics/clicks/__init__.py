"""Clicks: what they say about relevance, and what they say about position."""
