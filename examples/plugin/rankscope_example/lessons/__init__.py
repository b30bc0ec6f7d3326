"""Lessons, a YAML file each."""
