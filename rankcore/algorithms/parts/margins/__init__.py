"""Structured large-margin ranking by cutting planes."""
