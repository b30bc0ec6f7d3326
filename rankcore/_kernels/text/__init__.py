"""Parsers of text files, a byte at a time."""
