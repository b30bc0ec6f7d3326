"""One query under a model: its order, forces, swaps and explanations."""
