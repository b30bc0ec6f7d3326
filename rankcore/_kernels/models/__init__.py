"""Scores of trees, and passes that build cones."""
