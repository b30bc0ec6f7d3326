"""Claims of the ConeRank paper, each with its check."""
