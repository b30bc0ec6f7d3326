"""Losses over the documents of a query, with their gradients."""
