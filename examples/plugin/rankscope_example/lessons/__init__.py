"""Lessons, one YAML file each."""
