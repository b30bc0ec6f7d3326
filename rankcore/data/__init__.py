"""Data sets: construction, catalogue, readers of files, and splits."""
