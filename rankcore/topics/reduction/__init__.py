"""The guarantees of pairwise accuracy for NDCG."""
