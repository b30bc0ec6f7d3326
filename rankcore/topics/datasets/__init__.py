"""The content of data sets, and doubts about it."""
