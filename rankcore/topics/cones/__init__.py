"""Cones of document differences."""
