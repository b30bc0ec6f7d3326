"""Subjects, each with its numbers and figures side by side."""
