"""Stored runs beside each other."""
