"""Comparisons of trained models on the same queries."""
