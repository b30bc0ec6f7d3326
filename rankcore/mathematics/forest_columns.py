"""The columns of the array a forest is; `rankcore._kernels.forest` says what they hold.

They stand apart from the kernels so that who only names them loads no compiler.
"""

TREE, OUTPUT, FEATURE, THRESHOLD, LEFT, RIGHT, VALUE, GAIN = range(8)
COLUMNS = 8
