"""Measures of rankings, and the intervals and resampled sums of their means."""
