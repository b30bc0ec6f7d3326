"""The cost of doing without features."""
