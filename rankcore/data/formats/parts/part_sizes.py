"""Sizes of the parts in which files are read."""

# Bytes of LETOR text, which takes about five times as much memory meanwhile.
BYTES = 16 * 2**20
# Feature values, and lines of LETOR text.
CELLS = 2**21
ROWS = 2**17
# Values held in memory at once to find medians.
GATHERED = 2**25
