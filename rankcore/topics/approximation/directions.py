r"""A measure over all directions of two or three features, exactly.

Only the direction of a linear model matters to a measure of ranks. In two features the
directions :math:`(\cos\theta, \sin\theta)` form a circle, and with
:math:`t = \tan\theta` either half of it is a line of models: the measure is the step
function of two lines. In three features they form a sphere, and each of its meridians
is such a line, along which the measure is exact at every latitude.

Two documents with scores :math:`w^\top x_i` and :math:`w^\top x_j` change places where
:math:`w^\top (x_i - x_j) = 0`, two opposite points of the circle or a great circle of
the sphere.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.algorithms.parts.line_search import LineSearch, StepFunction
from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.angles import arctan, arctan2, cos, sin, tan
from rankcore.mathematics.products import times_vector
from rankcore.measures import Measure, Rules
from rankcore.topics.approximation.landscape import EQUAL, NARROW, Profile, joined

DEGREES = 180.0 / math.pi


class Sphere(NamedTuple):
    """A measure over the directions of three features, along meridians.

    Attributes
    ----------
    longitudes : (p,) float64
        In radians from 0 to below 2 pi, evenly spread; 0 is the first feature, pi / 2
        the second, and the third is the north pole.
    meridians : tuple of p StepFunction
        The measure by the tangent of the latitude, from pole to pole, exactly.
    """

    longitudes: Floats
    meridians: tuple[StepFunction, ...]

    def values(self, latitudes: ArrayLike) -> Floats:
        """(r, p) values at latitudes in radians, on every meridian."""
        tangents = tan(latitudes)
        return np.stack([steps.at(tangents) for steps in self.meridians], axis=1)

    @property
    def mean(self) -> float:
        """The mean over the sphere, over all meridians; exact along each."""
        return float(np.mean([_height_mean(steps) for steps in self.meridians]))

    @property
    def best(self) -> float:
        """The largest value on any meridian."""
        return max(float(steps.values.max()) for steps in self.meridians)

    @property
    def share_of_best(self) -> float:
        """The area share of the largest value, over all meridians as the mean."""
        best = self.best - EQUAL
        shares = [
            _height_mean(
                StepFunction(steps.times, (steps.values >= best).astype(float))
            )
            for steps in self.meridians
        ]
        return float(np.mean(shares))


def circle(dataset: RankingDataset, measure: str | Measure) -> Profile:
    """Return a measure in every direction of two features.

    Parameters
    ----------
    dataset : RankingDataset
        With two features.
    measure : str or Measure
        nDCG, AP, RR, P or WTA, with or without a cutoff.

    Returns
    -------
    Profile
        By the angle in degrees, 0 to 360: 0 is the first feature, 90 the second. Means
        are over the queries with relevant documents.

    Raises
    ------
    ValueError
        For another number of features, or another measure.
    """
    _check(dataset, 2)
    search = LineSearch(dataset, measure, Rules(empty="skip"))
    first, second = dataset.X[:, 0].copy(), dataset.X[:, 1].copy()
    ahead, behind = search.along(first, second), search.along(-first, -second)
    starts = np.concatenate(
        [
            [-90.0],
            DEGREES * arctan(ahead.times),
            [90.0],
            180.0 + DEGREES * arctan(behind.times),
        ]
    )
    values = np.concatenate([ahead.values, behind.values])
    return _unrolled(joined(starts, values, 270.0))


def crossings(dataset: RankingDataset) -> Floats:
    """(m,) angles in degrees, 0 to 360, at which documents of one query and different
    labels have equal scores."""
    _check(dataset, 2)
    gaps = _differences(dataset)
    angles = np.mod(DEGREES * arctan2(-gaps[:, 0], gaps[:, 1]), 180.0)
    distinct = _distinct(angles, 180.0)
    return np.concatenate([distinct, distinct + 180.0])


def sphere(
    dataset: RankingDataset, measure: str | Measure, meridians: int = 180
) -> Sphere:
    """Return a measure in the directions of three features.

    Parameters
    ----------
    dataset : RankingDataset
        With three features.
    measure : str or Measure
        As for `circle`.
    meridians : int
        Number of evenly spaced meridians.

    Raises
    ------
    ValueError
        For another number of features, or another measure.
    """
    _check(dataset, 3)
    search = LineSearch(dataset, measure, Rules(empty="skip"))
    longitudes = 2.0 * math.pi * np.arange(meridians) / meridians
    equator = on_circle(DEGREES * longitudes)
    level = [times_vector(dataset.X[:, :2], w) for w in equator]
    upwards = dataset.X[:, 2].copy()
    return Sphere(longitudes, tuple(search.along(s, upwards) for s in level))


def great_circles(dataset: RankingDataset) -> Floats:
    """(m, 3) unit normals of the great circles on which documents of one query and
    different labels have equal scores, each once."""
    _check(dataset, 3)
    gaps = _differences(dataset)
    normals = gaps / np.sqrt((gaps**2).sum(axis=1, keepdims=True))
    # Of two opposite normals keep the one whose first nonzero coordinate is positive.
    leading = np.abs(normals) > NARROW
    first = normals[np.arange(len(normals)), leading.argmax(axis=1)]
    normals = normals * np.sign(first)[:, None]
    # Adding 0 makes -0 and 0 the same.
    _, indices = np.unique(np.round(normals, 9) + 0.0, axis=0, return_index=True)
    return normals[np.sort(indices)]


def on_circle(degrees: ArrayLike) -> Floats:
    """(m, 2) models of length one at angles in degrees."""
    angles = np.asarray(degrees, dtype=np.float64) / DEGREES
    return np.stack([cos(angles), sin(angles)], axis=-1)


def on_sphere(longitudes: ArrayLike, latitudes: ArrayLike) -> Floats:
    """(…, 3) models of length one at longitudes and latitudes in radians."""
    across, up = np.broadcast_arrays(
        np.asarray(longitudes, dtype=np.float64),
        np.asarray(latitudes, dtype=np.float64),
    )
    level = cos(up)
    return np.stack([level * cos(across), level * sin(across), sin(up)], -1)


def most_cells(circles: int) -> int:
    """Return the maximum number of cells between this many great circles."""
    return circles * (circles - 1) + 2 if circles else 1


def _unrolled(cells: Profile) -> Profile:
    """Cells from -90 to 270 degrees as cells from 0 to 360."""
    starts, values = cells.edges[:-1], cells.values
    at_zero = values[np.searchsorted(starts, 0.0, side="right") - 1]
    angles = np.mod(starts, 360.0)
    order = np.argsort(angles, kind="stable")
    starts = np.concatenate([[0.0], angles[order]])
    return joined(starts, np.concatenate([[at_zero], values[order]]), 360.0)


def _height_mean(steps: StepFunction) -> float:
    """Return the mean of a meridian by area, that is by the sine of the latitude."""
    sines = steps.times / np.sqrt(1.0 + steps.times**2)
    widths = np.diff(np.concatenate([[-1.0], sines, [1.0]]))
    return float((steps.values * widths).sum() / 2.0)


def _differences(dataset: RankingDataset) -> Floats:
    """(m, d) differences of documents of one query with different labels."""
    pieces = [np.empty((0, dataset.n_features))]
    for low, high in zip(dataset.offsets[:-1], dataset.offsets[1:], strict=True):
        X, y = dataset.X[low:high], dataset.y[low:high]
        above, below = np.nonzero(y[:, None] > y)
        pieces.append(X[above] - X[below])
    gaps = np.concatenate(pieces)
    return gaps[np.abs(gaps).max(axis=1, initial=0.0) > 0.0]


def _distinct(angles: Floats, period: float) -> Floats:
    """Rising angles, without duplicates that differ only by rounding."""
    rising = np.sort(np.where(angles > period - NARROW, 0.0, angles))
    return rising[np.diff(rising, prepend=-1.0) > NARROW]


def _check(dataset: RankingDataset, wanted: int) -> None:
    if dataset.n_features != wanted:
        raise ValueError(
            f"Directions need {wanted} features, and the data has "
            f"{dataset.n_features}; choose {wanted} of them."
        )
