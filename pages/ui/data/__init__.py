"""The data sets and hand-made lists that views show."""
