"""Losses, weights, line searches and optimisers that several algorithms share."""
