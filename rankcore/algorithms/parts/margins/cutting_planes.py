r"""Cutting planes: the trainer of all structured large-margin rankers.

.. math::

    \min_{w, \xi \ge 0} w^\top w + \sum_\ell \frac{C_\ell}{|Q|} \sum_q \xi_q^\ell
    \quad\text{with}\quad
    w^\top \delta\phi_q^\ell(y) \ge \Delta_\ell(y) - \xi_q^\ell
    \text{ for all orders } y.

With query weights, the factor of a slack is :math:`C_\ell w_q / \sum w` instead of
:math:`C_\ell / |Q|`.

Each round finds, for the current coefficients, the most violated order of every query
under every loss, adds the violated constraints to a working set, and solves the problem
over that set. One slack per loss (``per_query=False``) adds one constraint per loss and
round, the mean over the queries (T. Joachims, T. Finley, C.-N. Yu, "Cutting-plane
training of structural SVMs", Machine Learning 77, 2009); one slack per query and loss
adds a constraint for each query. The minimum is the same.

A round searches for constraints at a point between the best coefficients so far and the
solution over the working set, which is far off in early rounds; if no constraint is
violated there, it searches at the solution itself (V. Franc, S. Sonnenburg, "Optimized
cutting plane algorithm for large-scale risk minimization", Journal of Machine Learning
Research 10:2157-2192, 2009, who search the line between the two).

The objective at the coefficients of a round is an upper bound on the minimum, the dual
over the working set a lower bound that never falls. Training ends when the best upper
bound is within :math:`\epsilon \sum_\ell C_\ell` of the lower one and the coefficients
have gained at least half of the possible gain over w = 0, which is itself close to the
minimum where C is small.

Where coefficients have signs, these also constrain the problem over the working set and
its dual, see `rankcore.algorithms.parts.margins.working_set`; points between two
solutions satisfy them too.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.margins.margin_losses import MarginLoss
from rankcore.algorithms.parts.margins.working_set import WorkingSet
from rankcore.algorithms.parts.signs import Bounds
from rankcore.base.arrays import read_only
from rankcore.base.blocks import blocks
from rankcore.base.cancellation import cancel_point
from rankcore.base.numbers import three_digits
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import dot, norm, times_vector
from rankcore.training.steps import Step, Steps

_NO_ORDERS = (
    "No query has both kinds of documents, relevant and irrelevant ones, so there is "
    "nothing to learn; the starting model is kept."
)
LIMITED = "The solver reached its limit of work"
_IDLE_ROUNDS = 50
_SOLVER_SHARE, _EARLY_SHARE = 0.1, 0.2
_NEGLIGIBLE = 1e-6
_VIOLATION_SHARE = 0.5
_HELD = 0.75


@dataclass(frozen=True)
class WeightedLoss:
    """A loss and its C."""

    loss: MarginLoss
    C: float


# It makes the losses of a data set.
LossesOf = Callable[[RankingDataset], Sequence[WeightedLoss]]


class _Separation(NamedTuple):
    """The queries of a block in the order of the data, and their losses."""

    X: np.ndarray
    losses: Sequence[MarginLoss]

    def worst(self, w: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the losses (q,) and forces (n,) of the most violated orders at ``w``
        (d,), for each loss."""
        from rankcore._kernels.arithmetic.rows import score_all

        scores = score_all(self.X, read_only(w, np.float64))
        losses = []
        for loss in self.losses:
            cancel_point()
            losses.append(loss.separation_oracle(scores))
        return losses


class _Planes(NamedTuple):
    """The queries of a block in content order; see `content_order`."""

    X: np.ndarray
    rows: np.ndarray
    offsets: np.ndarray

    def each(self, queries: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Return the planes (m, d) of some queries (m,)."""
        from rankcore._kernels.arithmetic.rows import sum_chosen

        return sum_chosen(self.X, self.rows, self.offsets, queries, forces)

    def total(self, forces: np.ndarray) -> tuple[np.ndarray]:
        """Return the sum (1, d) of the planes of all queries."""
        from rankcore._kernels.arithmetic.rows import sum_chosen

        whole, only = self.offsets[[0, -1]], np.zeros(1, dtype=np.int64)
        return (sum_chosen(self.X, self.rows, whole, only, forces),)


class _Oracle:
    """Slacks and constraints of all losses at given coefficients.

    Coefficients are those of features multiplied by ``units``.
    """

    def __init__(
        self,
        dataset: RankingDataset,
        losses_of: LossesOf,
        units: np.ndarray,
        per_query: bool,
    ) -> None:
        self._units, self._per_query = units, per_query
        cut = blocks(dataset.offsets, dataset.n_features)
        parts = [dataset]
        if len(cut) > 1:
            parts = [dataset.part(block.queries) for block in cut]
        losses = [losses_of(part) for part in parts]
        self.weights = [item.C for item in losses[0]]
        self._separation = place(
            [
                _Separation(part.X, [item.loss for item in group])
                for part, group in zip(parts, losses, strict=True)
            ]
        )
        # The solver visits the queries in turn, and rounding may choose between equally
        # good constraints: neither may depend on the order of the rows.
        self._order, self._rows, offsets = content_order(dataset)
        self._lengths = np.diff(offsets)
        self._blocks = blocks(offsets, dataset.n_features)
        self._planes = place(
            [
                _Planes(dataset.X, self._rows[block.rows], block.offsets)
                for block in self._blocks
            ]
        )
        counted = [
            np.concatenate([group[k].loss.counted for group in losses])[self._order]
            for k in range(len(self.weights))
        ]
        self._counted = list(map(np.flatnonzero, counted))
        self._counted_in_block = [
            [np.flatnonzero(flags[block.queries]) for block in self._blocks]
            for flags in counted
        ]
        weights = dataset.weights[self._order]
        self._importance = weights if dataset.is_weighted else None
        self._whole = float(weights.sum())
        self.bounds = np.concatenate(
            [
                C / self._whole * weights[queries] if per_query else np.array([C])
                for C, queries in zip(self.weights, self._counted, strict=True)
            ]
        )

    @property
    def is_empty(self) -> bool:
        """Whether no loss counts any query."""
        return not any(map(len, self._counted))

    def __call__(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the most violated constraints at ``u`` (d,): planes (B, d), losses
        (B,) and the slacks (B,) that ``u`` requires."""
        cancel_point()
        worst = self._separation.call("worst", self._units * u)
        planes, losses = [], []
        for k, queries in enumerate(self._counted):
            cancel_point()
            shares = np.concatenate([group[k][0] for group in worst])[self._order]
            forces = np.concatenate([group[k][1] for group in worst])[self._rows]
            if not self._per_query and self._importance is not None:
                shares = shares * self._importance
                forces = forces * np.repeat(self._importance, self._lengths)
            if self._per_query:
                planes.append(self._each(k, forces))
                losses.append(shares[queries])
            else:
                by_block = [(forces[block.rows],) for block in self._blocks]
                (total,) = self._planes.sum("total", per_part=by_block)
                planes.append(total / self._whole)
                losses.append(shares.sum(keepdims=True) / self._whole)
        plane = np.concatenate(planes) * self._units
        deltas = np.concatenate(losses)
        return plane, deltas, np.maximum(deltas - times_vector(plane, u), 0.0)

    def _each(self, k: int, forces: np.ndarray) -> np.ndarray:
        """Return the planes of the queries that loss ``k`` counts."""
        per_block = [
            (queries, forces[block.rows])
            for block, queries in zip(
                self._blocks, self._counted_in_block[k], strict=True
            )
        ]
        return np.concatenate(self._planes.call("each", per_part=per_block))


def cutting_planes(
    dataset: RankingDataset,
    losses_of: LossesOf,
    units: np.ndarray,
    *,
    epsilon: float,
    per_query: bool = False,
    start: np.ndarray | None = None,
    signs: Bounds | None = None,
    most_work: float = np.inf,
) -> Steps:
    r"""Train; each step is a round.

    Parameters
    ----------
    losses_of : callable
        Makes the losses, at least one, of some queries. Queries that a loss does not
        count have no slack, but they are part of :math:`|Q|`.
    units : (d,) float64
        Factors by which the features are multiplied; the coefficients yielded are those
        of the original features.
    epsilon : float
        Permitted gap, as a share of :math:`\sum_\ell C_\ell`.
    per_query : bool
        Whether each query and loss has a slack, rather than each loss.
    start : (d,) float64, optional
        Coefficients at which the first constraints are sought, by default 0; the zero
        model is a candidate in either case.
    signs : Bounds, optional
        The signs of coefficients, which ``start`` must satisfy; by default none.
    most_work : float
        Approximate limit on the multiplications of the working-set solver; training
        ends after the round that reaches it.

    Yields
    ------
    Step
        Diagnostics: the number of constraints in the working set; the largest violation
        of a new constraint by its solution; the primal objective, the dual and the gap
        between the best primal so far and the dual; the norm of the coefficients, with
        features in ``units``. The last step is the best one.

    Returns
    -------
    str
        The certificate, or the statement that the solver reached ``most_work``.
    """
    oracle = _Oracle(dataset, _weighted(losses_of), units, per_query)
    total = sum(oracle.weights)
    working = WorkingSet(oracle.bounds, dataset.n_features, signs, most_work)
    w = np.zeros(dataset.n_features) if start is None else start
    u = centre = w / units
    if oracle.is_empty:
        yield Step(0, w, dot(u, u))
        return _NO_ORDERS
    best: Step | None = None
    zero = np.zeros_like(u)
    useless = dot(oracle.bounds, oracle(zero)[2]) if u.any() else np.inf
    for iteration in itertools.count():
        planes, deltas, slacks = oracle(u)
        primal = dot(u, u) + dot(oracle.bounds, slacks)
        if not u.any():
            useless = primal
        least = min(primal, useless, np.inf if best is None else best.objective)
        gap = least - working.dual
        violations = deltas - times_vector(planes, working.w) - working.slacks
        diagnostics = {
            "constraints": float(len(working)),
            "violation": max(float(violations.max()), 0.0),
            "primal": primal,
            "dual": working.dual,
            "gap": gap,
            "norm of w": norm(u),
        }
        step = Step(iteration, w, primal, diagnostics)
        yield step
        if best is None or primal < best.objective:
            best, centre = step, u
        enough = gap <= total * _tolerance(epsilon, gap, useless - working.dual)
        if enough or working.is_exhausted:
            break
        wanted = min(gap, epsilon * total)
        violated = np.flatnonzero(violations * total > _VIOLATION_SHARE * wanted)
        working.drop(_IDLE_ROUNDS)
        working.add(violated, planes[violated], deltas[violated])
        working.solve(_SOLVER_SHARE * max(wanted, _EARLY_SHARE * gap))
        held = _HELD if len(violated) else 0.0
        u = (1.0 - held) * working.w + held * centre
        w = units * u
    assert best is not None
    if best.objective > useless:
        diagnostics = {**diagnostics, "primal": useless, "norm of w": 0.0}
        best = Step(iteration, zero, useless, diagnostics)
    if best is not step:
        shown = {**best.diagnostics, "gap": gap, "dual": working.dual}
        yield Step(iteration + 1, best.coef, best.objective, shown)
    return _ending(enough, gap, epsilon * total)


def _tolerance(epsilon: float, gap: float, most: float) -> float:
    """Return the permitted gap: ``epsilon``, once half of the possible gain over w = 0
    (at most ``most``) is reached."""
    return epsilon if most >= 2.0 * gap else _NEGLIGIBLE


def _ending(enough: bool, gap: float, tolerance: float) -> str:
    """Return the reason to stop: the gap to the dual is within its tolerance, or the
    limit of work."""
    value, limit = three_digits(max(gap, 0.0)), three_digits(tolerance)
    if not enough:
        gap_left = f"the duality gap of the objective is {value}, the tolerance {limit}"
        return f"{LIMITED}: {gap_left}."
    return (
        f"The duality gap of the objective, {value}, is within the tolerance, {limit}."
    )


def _weighted(losses_of: LossesOf) -> LossesOf:
    """Return the losses with C > 0, or all if there is none."""

    def weighted(part: RankingDataset) -> Sequence[WeightedLoss]:
        losses = losses_of(part)
        return [item for item in losses if item.C > 0.0] or losses

    return weighted
