"""What several algorithms share: losses, weights, line searches, optimisers."""
