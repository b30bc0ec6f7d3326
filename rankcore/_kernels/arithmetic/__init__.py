"""Sums, products and functions of numbers with the same bits on every processor."""
