"""Maps, searches, sensitivity and trade-offs of hyperparameters."""
