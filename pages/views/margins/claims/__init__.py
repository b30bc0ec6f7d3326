"""Claims of the slides on structured losses, each with its check."""
