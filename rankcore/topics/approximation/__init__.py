"""Errors of smooth surrogates against the measures that they approximate."""
