"""Claims of Qin, Liu and Li on smooth positions and measures, each with its check."""
