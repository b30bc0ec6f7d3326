r"""The constraints of a cutting-plane trainer, and their optimal coefficients."""

import numpy as np

from rankcore.algorithms.parts.signs import Bounds
from rankcore.mathematics.products import combination, dot, times_vector

# At the tolerance itself, a difference in the last digit of the coefficients would lead
# to another solution: the solver goes on to this share of the tolerance, at which such
# solutions differ by less than 1e-6.
_EXACTNESS = 1e-6


class WorkingSet:
    r"""Constraints :math:`w^\top p_i \ge \Delta_i - \xi_b` and their multipliers.

    Minimising :math:`w^\top w + \sum_b C_b \xi_b` under them is done in the dual, see
    `rankcore._kernels.structured.simplex_dual`: it starts from the last multipliers, so
    that its value never falls, and any multipliers give a lower bound.

    General solvers were tried on the 89 working sets of one training, OHSUMED with one
    slack and C = 1000. Clarabel took 0.36 s (duality gap 1e-8 C), OSQP 0.49 s (2e-6 C),
    DAQP 0.06 s for the dual with a ridge added (8e-7 C), without a warm start or
    blocks, and for the primal, whose slack has no curvature, some of its solutions were
    wrong by more than C.

    Coefficients with signs have the additional constraints :math:`\pm w_j \ge 0`, each
    with a multiplier :math:`\mu_j \ge 0`. The optimal w for multipliers :math:`\alpha`
    is then the point with these signs nearest to :math:`\tfrac12 \sum_i \alpha_i p_i`,
    the optimal :math:`\mu` is twice the difference, and the dual is
    :math:`\sum_i \alpha_i \Delta_i - w^\top w` as without signs: the certificate holds
    for every :math:`\alpha` and any :math:`\mu` of the solver.

    Parameters
    ----------
    bounds : (B,) float64
        :math:`C_b`, one for each slack variable.
    signs : Bounds, optional
        The signs of coefficients; by default they have none.
    most_work : float
        Approximate limit on the solver's multiplications over all rounds.

    Attributes
    ----------
    w : (d,) float64
        The coefficients of the current solution.
    dual : float
        A lower bound on the minimum of the whole problem.
    slacks : (B,) float64
        The smallest slacks that ``w`` requires for the stored constraints.
    """

    def __init__(
        self,
        bounds: np.ndarray,
        n_features: int,
        signs: Bounds | None = None,
        most_work: float = np.inf,
    ) -> None:
        self._bounds, self._work_left = bounds, most_work
        self._signs = signs or Bounds.none(n_features)
        ways = self._signs.directions
        self._signed = np.flatnonzero(ways)
        self._sides = np.diag(ways.astype(np.float64))[self._signed]
        self._planes = np.empty((0, n_features))
        self._losses = np.empty(0)
        self._blocks = np.empty(0, dtype=np.int64)
        self._alpha = np.empty(0)
        self._idle = np.empty(0, dtype=np.int64)
        self.w = np.zeros(n_features)
        self.dual = 0.0
        self.slacks = np.zeros(len(bounds))

    def __len__(self) -> int:
        return len(self._losses)

    def add(self, blocks: np.ndarray, planes: np.ndarray, losses: np.ndarray) -> None:
        """Add a constraint for each of ``blocks`` (k,): planes (k, d), losses (k,)."""
        new = np.zeros(len(blocks))
        if self._signs.fixed.any():
            planes = np.where(self._signs.fixed, 0.0, planes)
        both = np.concatenate([self._blocks, blocks])
        order = np.argsort(both, kind="stable")
        self._blocks = both[order]
        self._planes = np.concatenate([self._planes, planes])[order]
        self._losses = np.concatenate([self._losses, losses])[order]
        self._alpha = np.concatenate([self._alpha, new])[order]
        self._idle = np.concatenate([self._idle, new.astype(np.int64)])[order]

    def drop(self, rounds: int) -> None:
        """Remove constraints whose multiplier has been 0 for ``rounds`` solutions."""
        busy = self._idle < rounds
        if not busy.all():
            self._blocks, self._planes = self._blocks[busy], self._planes[busy]
            self._losses, self._alpha = self._losses[busy], self._alpha[busy]
            self._idle = self._idle[busy]

    @property
    def is_exhausted(self) -> bool:
        """Whether the solver has reached its limit of multiplications."""
        return self._work_left <= 0.0

    def solve(self, tolerance: float, max_sweeps: int = 1000) -> None:
        """Maximise the dual to well within ``tolerance``."""
        from rankcore._kernels.structured.simplex_dual import ascend, block_grams

        n_blocks, n_signs = len(self._bounds), len(self._signed)
        starts = np.searchsorted(self._blocks, np.arange(n_blocks + 1))
        free = combination(0.5 * self._alpha, self._planes)
        away = np.abs(self._signs.nearest(free) - free)[self._signed]
        planes = np.concatenate([self._planes, self._sides])
        alpha = np.concatenate([self._alpha, 2.0 * away])
        ends = np.append(starts, starts[-1] + np.arange(1, n_signs + 1))
        self._work_left -= ascend(
            planes,
            np.append(self._losses, np.zeros(n_signs)),
            ends,
            np.append(self._bounds, self._most(starts)),
            block_grams(planes, ends),
            alpha,
            combination(0.5 * alpha, planes),
            _EXACTNESS * tolerance,
            max_sweeps,
            self._work_left,
        )
        self._alpha = alpha[: len(self._losses)]
        self.w = self._signs.nearest(combination(0.5 * self._alpha, self._planes))
        self.dual = dot(self._alpha, self._losses) - dot(self.w, self.w)
        self.slacks = np.zeros(n_blocks)
        lacking = self._losses - times_vector(self._planes, self.w)
        np.maximum.at(self.slacks, self._blocks, lacking)
        self._idle = np.where(self._alpha > 0.0, 0, self._idle + 1)

    def _most(self, starts: np.ndarray) -> np.ndarray:
        """Return an upper bound (m,) on the multiplier of each sign."""
        filled = np.flatnonzero(np.diff(starts))
        sizes = np.abs(self._planes[:, self._signed])
        largest = np.maximum.reduceat(sizes, starts[filled]) if len(filled) else sizes
        return combination(self._bounds[filled], largest)
