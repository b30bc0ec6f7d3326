"""Forests of decision trees: growing, boosting and reading them."""
