"""The terms of measures, and lists made by hand."""
