"""Data sets: what they are, how files of them are read, divided and found by name."""
