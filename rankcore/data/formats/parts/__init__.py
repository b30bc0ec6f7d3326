"""Shared parts of the formats of files."""
