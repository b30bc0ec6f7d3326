"""How large the parts are in which files are read."""

# Bytes of LETOR text: it takes some five times as much in memory meanwhile.
BYTES = 16 * 2**20
# Feature values, and lines of LETOR text.
CELLS = 2**21
ROWS = 2**17
# Values that are in memory at once to find medians.
GATHERED = 2**25
