"""A measure along a line of models, as its exact steps.

Scores are linear along the line, so the order of a query changes only where two scores
cross, and every measure of ranks is constant between crossings. Its smooth surrogates
are drawn over it; see `directions` for whole circles and spheres of models.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms.parts.line_search import LineSearch, StepFunction
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import combination, product, times_vector
from rankcore.mathematics.small_matrices import solution
from rankcore.measures import STANDARD, Measure, Rules

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation


CUTOFF = 5
# Changes closer together than this count as one, as rounding separates them.
NARROW = 1e-9
EQUAL = 1e-12
# Number of scores computed at a time.
_BLOCK = 200_000


class Profile(NamedTuple):
    """A measure over an interval, as a step function.

    Attributes
    ----------
    edges : (m + 1,) float64
        Ends of the steps, rising.
    values : (m,) float64
        The measure between each two edges.
    """

    edges: Floats
    values: Floats

    def at(self, x: ArrayLike) -> Floats:
        """Values at points of the interval; at an edge, the value after it."""
        step = np.searchsorted(self.edges, x, side="right") - 1
        return self.values[np.clip(step, 0, len(self.values) - 1)]

    @property
    def mean(self) -> float:
        """The mean over the interval, exactly."""
        return float(np.average(self.values, weights=np.diff(self.edges)))

    @property
    def best(self) -> float:
        """The largest value."""
        return float(self.values.max())

    @property
    def share_of_best(self) -> float:
        """The exact share of the interval that has the largest value."""
        widths = np.diff(self.edges)
        return float(widths[self.values >= self.best - EQUAL].sum() / widths.sum())


class Optima(NamedTuple):
    """The maxima of a measure and of its smooth surrogate.

    Attributes
    ----------
    exact : float
        The middle of a step of the largest value, the one nearest to ``smooth``.
    best : float
        That value.
    smooth : float
        Place of the largest smooth value, among the computed places.
    smooth_value : float
        Its value there.
    worth : float
        The exact measure there; its value after the crossing if two scores cross there.
    apart : float
        Distance from ``smooth`` to the nearest end of that step; 0 within it.
    """

    exact: float
    best: float
    smooth: float
    smooth_value: float
    worth: float
    apart: float


def optima(
    profile: Profile, grid: Floats, values: Floats, closed: bool = False
) -> Optima:
    """Find the maxima of a profile and of a smooth curve over it.

    Parameters
    ----------
    grid, values : (p,) float64
        Points of the interval, and the smooth measure there.
    closed : bool
        Whether the interval closes to a circle.
    """
    top = int(np.argmax(values))
    x = float(grid[top])
    low, high = _best_steps(profile, closed)
    whole = float(profile.edges[-1] - profile.edges[0])
    # On a circle, the shorter way counts.
    turns = np.array([-whole, 0.0, whole]) if closed else np.zeros(1)
    beyond = np.maximum(low - x - turns[:, None], x + turns[:, None] - high)
    turn, step = np.unravel_index(np.argmin(beyond), beyond.shape)
    middle = float(low[step] + high[step]) / 2.0
    if closed:
        middle = (middle - profile.edges[0]) % whole + profile.edges[0]
    return Optima(
        exact=float(middle),
        best=profile.best,
        smooth=x,
        smooth_value=float(values[top]),
        worth=float(profile.at(x)),
        apart=max(float(beyond[turn, step]), 0.0),
    )


def _best_steps(profile: Profile, closed: bool) -> tuple[Floats, Floats]:
    """Return the ends of the steps with the largest value; on a circle, a step across
    the seam is one."""
    (best,) = np.nonzero(profile.values >= profile.best - EQUAL)
    low, high = profile.edges[best], profile.edges[best + 1]
    over = closed and len(best) > 1 and best[0] == 0
    if over and best[-1] == len(profile.values) - 1:
        low[0] = low[-1] - (profile.edges[-1] - profile.edges[0])
        low, high = low[:-1], high[:-1]
    return low, high


def along_line(
    dataset: RankingDataset,
    start: ArrayLike,
    end: ArrayLike,
    measure: str | Measure = "nDCG@10",
    rules: Rules = STANDARD,
) -> StepFunction:
    """Return the mean of a measure at the models (1 - t) ``start`` + t ``end``, for all
    t.

    Parameters
    ----------
    start, end : (d,) float64
        Coefficients of two linear models; t = 0 is the first and t = 1 the second.
    measure : str or Measure
        nDCG, AP, RR, P or WTA, with or without a cutoff.
    rules : Rules
        How it is computed.

    Returns
    -------
    StepFunction
        The values of t, from minus to plus infinity, at which the mean changes, and its
        values between them. Exactly at such a point, equal scores keep the order of the
        input, as everywhere.

    Raises
    ------
    ValueError
        For models that do not fit the data, or another measure.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import RankingDataset
    >>> data = RankingDataset.from_arrays(np.eye(2), [1, 0])
    >>> steps = along_line(data, [0.0, 1.0], [1.0, 0.0], "RR")
    >>> steps.times.tolist(), steps.values.tolist()
    ([0.5], [0.5, 1.0])
    """
    first, last = (np.asarray(w, dtype=np.float64) for w in (start, end))
    for w in (first, last):
        if w.shape != (dataset.n_features,) or not np.isfinite(w).all():
            raise ValueError(
                f"A model on the line must have {dataset.n_features} finite "
                f"coefficients, one a feature; the shape of one is {w.shape}."
            )
    search = LineSearch(dataset, measure, rules)
    return search.along(*(linear_scores(dataset.X, w) for w in (first, last - first)))


def line_profile(
    dataset: RankingDataset,
    start: ArrayLike,
    end: ArrayLike,
    measure: str | Measure,
    low: float = -0.25,
    high: float = 1.25,
) -> Profile:
    """`along_line` from ``low`` to ``high``, over the queries with relevant documents.

    Changes less than 1e-9 apart are joined.
    """
    steps = along_line(dataset, start, end, measure, Rules(empty="skip"))
    inside = (steps.times > low) & (steps.times < high)
    first = steps.at(low)
    return joined(
        np.concatenate([[low], steps.times[inside]]),
        np.concatenate([[first], steps.values[1:][inside]]),
        high,
    )


def joined(starts: Floats, values: Floats, end: float) -> Profile:
    """Return a profile from the starts of steps, without narrow steps and empty
    changes.

    Equal times differ by rounding, which would leave steps between them that no model
    has.
    """
    wide = np.diff(starts, append=np.inf) > NARROW
    # A run of narrow steps merges with the wide step that follows it.
    begins = np.concatenate([[True], wide[:-1]])
    starts, values = starts[begins], values[wide]
    changes = np.concatenate([[True], np.abs(np.diff(values)) > EQUAL])
    return Profile(np.append(starts[changes], end), values[changes])


def ground(
    dataset: RankingDataset, directions: ArrayLike, names: Sequence[str]
) -> RankingDataset:
    """Return the data with the scores of a few models as its features.

    Each is scaled so that its largest range within a query is 1: a model of length one
    is then one whose scores spread by about one, and a sharpness means the same
    whatever the features' units.

    Parameters
    ----------
    directions : (k, d) float64
        Coefficients of k models; rows of the identity choose features.
    names : sequence of k str
        Distinct.

    Returns
    -------
    RankingDataset
        With k features.
    """
    X = np.stack(
        [linear_scores(dataset.X, w) for w in np.asarray(directions, np.float64)],
        axis=1,
    )
    begins = dataset.offsets[:-1]
    low, high = np.minimum.reduceat(X, begins), np.maximum.reduceat(X, begins)
    ranges = (high - low).max(axis=0)
    return RankingDataset(
        X=X / np.where(ranges > 0.0, ranges, 1.0),
        y=dataset.y,
        offsets=dataset.offsets,
        query_ids=dataset.query_ids,
        query_texts=dataset.query_texts,
        doc_ids=dataset.doc_ids,
        doc_texts=dataset.doc_texts,
        feature_names=tuple(names),
        name=dataset.name,
    )


def strongest_features(dataset: RankingDataset, count: int = 3) -> list[int]:
    """Return all features, those first that together explain most of the labels.

    The first ``count`` are selected one by one: each has the largest correlation,
    within queries, with the residual of those before it. The others keep their order,
    as does data with no more than ``count`` features.
    """
    d = dataset.n_features
    if d <= count:
        return list(range(d))
    X, y = _centred(dataset, dataset.X), _centred(dataset, dataset.y[:, None])[:, 0]
    norms = np.sqrt((X**2).sum(axis=0))
    norms[norms <= EQUAL * max(norms.max(), 1.0)] = np.inf
    chosen: list[int] = []
    rest = y
    for _ in range(count):
        # Among collinear features choose the first.
        strength = np.round(np.abs(combination(rest, X)) / norms, 12)
        strength[chosen] = -1.0
        chosen.append(int(np.argmax(strength)))
        some = X[:, chosen]
        shares = solution(product(some.T, some), combination(y, some))
        rest = y - times_vector(some, shares)
    return chosen + [j for j in range(d) if j not in chosen]


def smooth_measures(dataset: RankingDataset) -> dict[str, "Approximation"]:
    """Return, by measure, the learner that smooths it, if lines have exact profiles.

    Learners with a cutoff have the cutoff 5; if it is optional, the variant without it
    is included.
    """
    from rankcore.algorithms import Approximation, get_algorithm, list_algorithms
    from rankcore.base.hyperparameters import hyperparameters

    learners: dict[str, Approximation] = {}
    for name in list_algorithms():
        learner = get_algorithm(name)
        if not issubclass(learner, Approximation):
            continue
        cutoff = hyperparameters(learner).get("cutoff")
        models = [] if cutoff is None else [learner().set_params(cutoff=CUTOFF)]
        if cutoff is None or cutoff.optional:
            models.append(learner())
        learners |= {learner.measure(dataset): learner for learner in models}
    return {
        name: learners[name] for name in sorted(learners) if _followable(dataset, name)
    }


def smooth_at(
    learner: "Approximation", dataset: RankingDataset, models: ArrayLike
) -> Floats:
    """Return a smooth measure at many models at once.

    Parameters
    ----------
    learner : Approximation
        Determines the measure and its sharpness.
    models : (m, d) float64

    Returns
    -------
    (m,) float64
        Means over the queries with a relevant document; 0 if there is none.
    """
    w = np.asarray(models, dtype=np.float64)
    weights = learner.document_weights(dataset)
    counted = np.maximum.reduceat(weights, dataset.offsets[:-1]) > 0.0
    size = max(1, _BLOCK // dataset.n_documents)
    blocks = [
        _smooth_block(learner, dataset, weights, counted, w[i : i + size])
        for i in range(0, len(w), size)
    ]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def peaks(values: ArrayLike, closed: bool = False) -> int:
    """Return the number of local maxima of a sampled curve; a flat top counts once.

    A ``closed`` curve continues at its beginning; an open one may peak at its ends.
    """
    y = np.asarray(values, dtype=np.float64)
    steps = np.diff(y, append=y[:1]) if closed else np.diff(y)
    signs = np.sign(steps[np.abs(steps) > NARROW])
    if not len(signs):
        return 0
    if closed:
        return int(((signs > 0) & (np.roll(signs, -1) < 0)).sum())
    signs = np.concatenate([[1.0], signs, [-1.0]])
    return int(((signs[:-1] > 0) & (signs[1:] < 0)).sum())


def _smooth_block(
    learner: "Approximation",
    dataset: RankingDataset,
    weights: Floats,
    counted: NDArray[np.bool_],
    models: Floats,
) -> Floats:
    """Return the data repeated for each model, for evaluation in one pass."""
    from rankcore._kernels.losses.approximation import soft_positions

    m, n = len(models), dataset.n_documents
    scores = product(models, dataset.X.T).ravel()
    many = np.tile(weights, m)
    begins = (dataset.offsets[:-1] + n * np.arange(m)[:, None]).ravel()
    offsets = np.append(begins, m * n)
    queries = np.flatnonzero(np.tile(counted, m))
    positions = soft_positions(scores, many, offsets, float(learner.alpha))
    values = learner.values_and_slopes(
        many, positions, offsets, queries, np.zeros(m * n)
    )
    return values.reshape(m, -1).sum(axis=1) / max(int(counted.sum()), 1)


def _centred(dataset: RankingDataset, columns: NDArray[np.generic]) -> Floats:
    """Columns (n, k) without their means within queries."""
    sums = np.add.reduceat(columns, dataset.offsets[:-1], axis=0)
    means = sums / dataset.lengths[:, None]
    return np.asarray(columns - np.repeat(means, dataset.lengths, axis=0), np.float64)


def _followable(dataset: RankingDataset, measure: str) -> bool:
    try:
        LineSearch(dataset, measure)
    except ValueError:
        return False
    return True
