"""Data sets: how they are made, found by name, read from files and divided."""
