"""Exports: reports, links, commands and Python."""
