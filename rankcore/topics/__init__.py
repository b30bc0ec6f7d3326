"""Subjects: the numbers and figures of each side by side."""
