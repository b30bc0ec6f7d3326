"""Sorting, ranks, ties, and measures along a line of models."""
