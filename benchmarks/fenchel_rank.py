"""FenchelRank compared with NumPy on an array of pairs, and with a conic solver.

A step is the gradient and an exact line search. NumPy receives the differences of all
pairs precomputed; it computes products with them and finds the step by sorting the
pairs' breakpoints. The conic solver, Clarabel through CVXPY, minimises the same
objective on the same ball, for a small collection, to its own tolerance; ours ends when
its gap is below a millionth.
"""

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
from _lists import SHAPES, SMALL, Shape, linear
from _rows import Row, interleaved, seconds_of, show
from rank_svm import differences
from threadpoolctl import threadpool_limits

from rankcore import FenchelRank, RankingDataset
from rankcore.algorithms.fenchel_rank import SquaredHinge
from rankcore.training import Stop, drive

REPEATS = 5
RADIUS = 3.0
STEPS = 30
IN_A_ROW = 5
TARGETS = {"OHSUMED": 10.0, "TD2003": 4.0, "MQ2007": 3.0}
TARGET_FIT = 15.0


def exact_step(u: np.ndarray, d: np.ndarray) -> float:
    """Return the step in [0, 1] that minimises the mean squared hinge of u + eta d."""
    with np.errstate(divide="ignore", invalid="ignore"):
        breaks = (1 - u) / d
    inside = (breaks > 0) & (breaks < 1)
    order = np.argsort(breaks[inside])
    at = np.concatenate(([0.0], breaks[inside][order]))
    active = (u < 1) | ((u == 1) & (d < 0))
    slope = -(active * (1 - u) * d).sum()
    rise = (active * d * d).sum()
    changes = np.where(d < 0, 1.0, -1.0)[inside][order]
    steps = changes * (d[inside] ** 2)[order]
    moments = changes * (-(1 - u) * d)[inside][order]
    slopes = slope + np.concatenate(([0.0], np.cumsum(moments)))
    rises = rise + np.concatenate(([0.0], np.cumsum(steps)))
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = -slopes / rises
    ends = np.append(at[1:], 1.0)
    places = np.flatnonzero((roots >= at) & (roots <= ends))
    return float(roots[places[0]]) if len(places) else 1.0


def one_pass(shape: Shape, rng: np.random.Generator) -> Row:
    """Return a gradient and a line search after some steps."""
    dataset = linear(shape, rng).normalise("minmax")
    K, signs = differences(dataset)
    K *= signs[:, None]
    model = FenchelRank(radius=RADIUS, gap_tolerance=0.0)
    run = drive(model, dataset, stop=Stop(max_iterations=STEPS), measures=())
    w = list(run)[-1].coef
    loss = SquaredHinge(dataset)
    scores, u, p = dataset.X @ w, K @ w, len(K)

    def corner(slopes: np.ndarray) -> tuple[int, float]:
        j = int(np.abs(slopes).argmax())
        return j, float(np.copysign(RADIUS, slopes[j]))

    def ours() -> float:
        return [step() for _ in range(IN_A_ROW)][-1]

    def step() -> float:
        loss(scores)
        j, size = corner(-loss.gradient())
        return loss.search(scores, size * dataset.X[:, j] - scores, 1.0)

    def theirs() -> float:
        j, size = corner(2 / p * (np.maximum(0, 1 - u) @ K))
        return exact_step(u, size * K[:, j] - u)

    if abs(ours() - theirs()) > 1e-9:
        raise SystemExit(f"The steps differ: {ours()} here, {theirs()} there.")
    note = f"{p} pairs, {K.nbytes / 1e6:.0f} MB of differences there"
    median, other = interleaved(ours, theirs, REPEATS)
    name = f"FenchelRank pass, {shape.name}"
    return Row(name, "NumPy pairs", median / IN_A_ROW, other, TARGETS[shape.name], note)


def fit(rng: np.random.Generator) -> Row:
    """Return a complete fit of a small collection, compared with Clarabel."""
    dataset = linear(SMALL, rng).normalise("minmax")
    model = FenchelRank(radius=RADIUS, variant="pairwise", gap_tolerance=1e-6)

    def ours() -> float:
        stop = Stop(max_iterations=5_000)
        return list(drive(model, dataset, stop=stop, measures=()))[-1].objective

    name = "FenchelRank fit, 800 documents"
    if find_spec("cvxpy") is None:
        return Row(name, "Clarabel", seconds_of(ours, REPEATS), None, TARGET_FIT)
    theirs = conic(dataset)
    objective, other = ours(), theirs()
    if not abs(objective - other) <= 1e-5:
        raise SystemExit(f"The objectives differ: {objective} here, {other} there.")
    return Row(name, "Clarabel", *interleaved(ours, theirs, 3), TARGET_FIT)


def conic(dataset: RankingDataset):
    import cvxpy

    K, signs = differences(dataset)
    K *= signs[:, None]
    w = cvxpy.Variable(K.shape[1])
    loss = cvxpy.sum_squares(cvxpy.pos(1 - K @ w)) / len(K)
    problem = cvxpy.Problem(cvxpy.Minimize(loss), [cvxpy.norm1(w) <= RADIUS])
    return lambda: problem.solve(solver=cvxpy.CLARABEL)


def rows() -> Iterator[Row]:
    """Yield a pass of each shape, then a fit."""
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        for shape in SHAPES:
            yield one_pass(shape, rng)
        yield fit(rng)


if __name__ == "__main__":
    show(rows())
