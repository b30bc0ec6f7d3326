"""Errors, numbers as text, arrays, cancellation and hyperparameters, for all rooms."""
