"""The runs and the list of the first page."""
