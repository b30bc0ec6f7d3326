"""L-BFGS's search direction, from the latest steps and gradient changes.

J. Nocedal, *Updating quasi-Newton matrices with limited storage*, Mathematics of
Computation 35:773-782, 1980: the two-loop recursion.
"""

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.products import dot


@kernel
def direction(gradient, steps, changes, curvatures, newest, count, weights, move):
    """Write the direction to ``move`` (d,).

    Parameters
    ----------
    gradient : (d,) float64
    steps, changes : (m, d) float64
        Ring buffers of the latest steps and of the gradient changes along them.
    curvatures : (m,) float64
        Products of each step with its change, above 0.
    newest : int
        Row of the last step.
    count : int
        Number of steps in the ring; with 0, the direction is that of steepest descent.
    weights : (m,) float64
        Work space.
    """
    m, d = steps.shape
    for j in range(d):
        move[j] = -gradient[j]
    for k in range(count):
        i = (newest - k) % m
        weight = dot(steps[i], move) / curvatures[i]
        weights[i] = weight
        for j in range(d):
            move[j] -= weight * changes[i, j]
    if count > 0:
        scale = curvatures[newest] / dot(changes[newest], changes[newest])
        for j in range(d):
            move[j] *= scale
    for k in range(count - 1, -1, -1):
        i = (newest - k) % m
        weight = weights[i] - dot(changes[i], move) / curvatures[i]
        for j in range(d):
            move[j] += weight * steps[i, j]
