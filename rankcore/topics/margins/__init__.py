"""Scores of whole lists by a structured SVM."""
