"""Documents in groups of one label each."""

from rankcore._kernels import kernel


@kernel
def group_by_level(level, starts, members):
    """Positions in the order of their levels; level c has ``starts[c:c + 2]``.

    Parameters
    ----------
    level : (n,) int64
        Level of each document, from 0.
    starts : (L + 1,) int64
    members : (n,) int64
        On exit the positions, those of one level in their own order.
    """
    starts[:] = 0
    for c in level:
        starts[c + 1] += 1
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    for k in range(len(level)):
        members[starts[level[k]]] = k
        starts[level[k]] += 1
    for c in range(len(starts) - 1, 0, -1):
        starts[c] = starts[c - 1]
    starts[0] = 0
