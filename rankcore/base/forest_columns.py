"""Columns of a forest's array, explained in `rankcore._kernels.models.forest`.

They are separate from the kernels so that importing them does not load the compiler.
"""

TREE, OUTPUT, FEATURE, THRESHOLD, LEFT, RIGHT, VALUE, GAIN = range(8)
COLUMNS = 8
