"""The cost of removing features."""
