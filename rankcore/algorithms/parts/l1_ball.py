"""The l1 ball and the steps of Frank-Wolfe's method on it.

The ball is the convex hull of its 2 d corners, one per signed coordinate. A point in it
is a mixture of the corners that its coefficients point at and, with the remaining
weight, of the origin. For a feature with a sign, the hull contains only the corner of
that sign, which restricts the ball to the permitted coefficients.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.signs import Bounds
from rankcore.mathematics.products import dot

_NEGLIGIBLE = 1e-12

Corner = list[tuple[int, float]]


@dataclass(frozen=True)
class Move:
    """The direction ``keep * w + sum of amount * e_j`` at a point w.

    Attributes
    ----------
    keep : float
        -1 towards a corner, 1 away from a corner, 0 from one corner to another.
    corners : list of (int, float)
        Coordinates and amounts.
    longest : float
        The step to the boundary of the ball, or to zero weight of a corner.
    emptied : int or None
        The coordinate that is zero after the longest step.
    """

    keep: float
    corners: Corner
    longest: float
    emptied: int | None = None

    def scores(self, scores: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Return the change (n,) of the scores (n,) at w per unit step."""
        direction = self.keep * scores
        for j, amount in self.corners:
            direction += np.multiply(amount, X[:, j], dtype=np.float64)
        return direction

    def taken(self, w: np.ndarray, eta: float) -> np.ndarray:
        """Return the point after a step of length ``eta``."""
        point = (1.0 + eta * self.keep) * w
        for j, amount in self.corners:
            point[j] += eta * amount
        if self.emptied is not None and eta == self.longest:
            point[self.emptied] = 0.0
        return point


class L1Ball:
    """All w with an l1 norm of ``w / units`` of at most ``radius``, and their signs.

    Parameters
    ----------
    units : (d,) float64
    bounds : Bounds, optional
        The signs of coefficients; by default they have none.
    """

    def __init__(
        self, radius: float, units: np.ndarray, bounds: Bounds | None = None
    ) -> None:
        self.radius = radius
        self._units, self._bounds = units, bounds or Bounds.none(len(units))

    def norm(self, w: np.ndarray) -> float:
        """Return the l1 norm of ``w`` in the units of the ball."""
        return float(np.abs(w / self._units).sum())

    def reach(self, slopes: np.ndarray) -> float:
        """Return the largest product of ``slopes`` (d,) with a point of the ball."""
        return self.radius * float(self._pulls(slopes).max())

    def _pulls(self, slopes: np.ndarray) -> np.ndarray:
        """Return the product (d,) of each feature's better corner with ``slopes``; 0
        where the only permitted corner has a negative one."""
        return np.abs(self._bounds.nearest(slopes * self._units))

    def projected(self, w: np.ndarray) -> np.ndarray:
        """``w`` restricted to the signs, or the nearest point of the ball in its units.

        J. Duchi et al., "Efficient projections onto the l1-ball for learning in high
        dimensions", ICML 2008.
        """
        if self.norm(w) <= self.radius:
            return w
        v = w / self._units
        falling = np.sort(np.abs(v))[::-1]
        thresholds = (np.cumsum(falling) - self.radius) / np.arange(1, len(v) + 1)
        threshold = thresholds[np.flatnonzero(falling > thresholds)[-1]]
        return self._units * np.sign(v) * np.maximum(np.abs(v) - threshold, 0.0)

    def moves(self, w: np.ndarray, slopes: np.ndarray, variant: str) -> Iterator[Move]:
        """Yield the step of a variant, then the plain step if that differs.

        Parameters
        ----------
        w, slopes : (d,) float64
            A point of the ball and the direction of steepest descent there.
        variant : {"plain", "away", "pairwise"}
        """
        pulls = self._pulls(slopes)
        steepest = int(pulls.argmax())
        size = self.radius * float(self._units[steepest])
        towards = [(steepest, float(np.copysign(size, slopes[steepest])))]
        if pulls[steepest] == 0.0:
            # No corner is better than the origin.
            towards = []
        plain = Move(-1.0, towards, 1.0)
        if variant != "plain":
            weight, corner = self._least_helpful(w, slopes)
            left = corner[0][0] if corner else None
            back = [(j, -amount) for j, amount in corner]
            if variant == "pairwise":
                yield Move(0.0, [*towards, *back], weight, left)
            elif weight < 1.0 and self._away_is_steeper(w, slopes, corner):
                yield Move(1.0, back, weight / (1.0 - weight), left)
        yield plain

    def _least_helpful(self, w: np.ndarray, slopes: np.ndarray) -> tuple[float, Corner]:
        """Return the weight and the corner (None for the origin) of the mixture w to
        move away from."""
        weights = np.abs(w) / (self.radius * self._units)
        helps = np.where(weights > 0.0, np.sign(w) * slopes * self._units, np.inf)
        worst = int(helps.argmin())
        rest = 1.0 - float(weights.sum())
        if rest > _NEGLIGIBLE and helps[worst] >= 0.0:
            return rest, []
        size = self.radius * float(self._units[worst])
        return float(weights[worst]), [(worst, float(np.copysign(size, w[worst])))]

    def _away_is_steeper(
        self, w: np.ndarray, slopes: np.ndarray, corner: Corner
    ) -> bool:
        here = dot(slopes, w)
        there = sum(slopes[j] * amount for j, amount in corner)
        return here - there > self.reach(slopes) - here
