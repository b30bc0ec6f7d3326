"""The runs and the toy ranking of the home page."""
