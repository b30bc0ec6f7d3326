r"""Explanation of two documents' order: the contribution of each feature, and the
smallest change of one feature that would swap them.

For a linear model the contribution of feature j to the difference of scores is
:math:`w_j (x_j - x'_j)`, and a change of it alone by more than
:math:`(s' - s) / w_j` swaps the documents.

For trees the contributions are Shapley values of the game in which a set of features
takes the values of the lower document and all others those of the upper one (the
interventional values of S. M. Lundberg et al., *From local explanations to global
understanding with explainable AI for trees*, Nature Machine Intelligence 2:56-67, 2020,
with one reference): exact, tree by tree. Where the score is a function of several sums
of trees, as in McRank, each sum is attributed in this way, and the function is
integrated along the straight line from the sums of one document to those of the other
(R. J. Aumann, L. S. Shapley, *Values of non-atomic games*, 1974). The smallest change
is searched among the thresholds of the trees, as scores change only there.
"""

import math
from collections.abc import Iterator
from functools import cache, singledispatch
from typing import NamedTuple

import numpy as np

from rankcore.algorithms import ForestRanker, LinearRanker, Ranker
from rankcore.algorithms.parts.trees.forests import GrowingTotals, Tree, trees_of
from rankcore.base.arrays import Floats
from rankcore.base.forest_columns import FEATURE, THRESHOLD
from rankcore.base.numbers import three_digits
from rankcore.data.dataset import Query, RankingDataset
from rankcore.mathematics.products import combination, dot
from rankcore.mathematics.small_matrices import eigenvectors
from rankcore.measures import exact_ranks

# Points and step of the derivative along the line between two documents' sums.
_NODES = 48
_STEP = 1e-4


class FeatureChange(NamedTuple):
    """A change of one feature of the lower document that would swap both.

    Attributes
    ----------
    beyond : float
        The value that the feature has to exceed, or to fall below.
    rises : bool
        Whether it has to exceed it.
    reaches : bool
        Whether ``beyond`` itself suffices, as at a tree's threshold.
    size : float
        Size of the change, in ranges of the feature over the data; infinite for a
        constant feature.
    seen : bool
        Whether the data contains such values.
    """

    feature: int
    now: float
    beyond: float
    rises: bool
    reaches: bool
    size: float
    seen: bool

    @property
    def target(self) -> str:
        """The sufficient values, in words."""
        value = _number(self.beyond)
        if self.reaches:
            return f"{value} or less"
        return f"{'more' if self.rises else 'less'} than {value}"


class Why(NamedTuple):
    """Explanation of why a document is below another one.

    Attributes
    ----------
    upper, lower : str
        Their names.
    upper_values, lower_values : (d,) float64
        Their features.
    feature_names : tuple of d str
    contributions : (d,) float64
        Contributions of the features to the lower document's score minus the upper
        one's; they sum to that difference.
    method : str
        The definition of the contributions, as a sentence.
    changes : tuple of FeatureChange
        One for each feature whose change alone would swap them: first changes to values
        in the data, then others, smallest first.
    """

    upper: str
    lower: str
    upper_score: float
    lower_score: float
    upper_values: Floats
    lower_values: Floats
    feature_names: tuple[str, ...]
    contributions: Floats
    method: str
    changes: tuple[FeatureChange, ...]

    @property
    def question(self) -> str:
        """The question: why one document is below another."""
        return f"Why is {self.lower} below {self.upper}?"

    @property
    def sentence(self) -> str:
        """A sentence on the smallest change of one feature that would swap them."""
        if not self.changes:
            return (
                f"No change of a single feature would lift {self.lower} above "
                f"{self.upper}."
            )
        change = self.changes[0]
        verb = "rose" if change.rises else "fell"
        unseen = "" if change.seen else ", a value that no document here has"
        return (
            f"{self.lower} would pass {self.upper} if “"
            f"{self.feature_names[change.feature]}” {verb} from "
            f"{_number(change.now)} to {change.target}{unseen}."
        )

    def rows(self) -> list[dict[str, object]]:
        """Return one row per feature, the largest contribution first."""
        needed = {change.feature: change.target for change in self.changes}
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        return [
            {
                "feature": self.feature_names[j],
                self.upper: float(self.upper_values[j]),
                self.lower: float(self.lower_values[j]),
                "contribution": float(self.contributions[j]),
                "would swap them": needed.get(int(j), "no change of it alone"),
            }
            for j in order
        ]


def why(
    algorithm: Ranker,
    coef: Floats,
    dataset: RankingDataset,
    query: int | Query,
    place: int | str,
) -> Why:
    """Explain why a document of a query is below its upper neighbour.

    Parameters
    ----------
    algorithm : Ranker
        Linear, or a forest.
    coef : array
        Its model, see `rankcore.algorithms.Step`.
    dataset : RankingDataset
        The data of the query.
    query : int or Query
        Its position, from 0; or its documents, whose features may differ from the
        data's.
    place : int or str
        Place of the lower document in the model's order, from 1, directly below the
        first, to the last; or its name or id. The first document's name, or an unknown
        one, selects the second document.

    Raises
    ------
    ValueError
        For a place without a document above it, or another kind of model.
    """
    lists = query if isinstance(query, Query) else dataset.query(query)
    scores = algorithm.scores(lists.X, coef)
    order = np.argsort(exact_ranks(scores, np.array([0, len(lists)])), kind="stable")
    names = lists.doc_names
    if isinstance(place, str):
        places = {lists.doc_ids[row]: at for at, row in enumerate(order)}
        places |= {names[row]: at for at, row in enumerate(order)}
        place = max(places.get(place, 1), 1)
    if not 1 <= place < len(lists):
        raise ValueError(
            f"place {place} has no document above it: this query has those from 1 to "
            f"{len(lists) - 1}."
        )
    above, below = order[place - 1], order[place]
    upper, lower = lists.X[above], lists.X[below]
    contributions, method = _contributions(algorithm, coef, upper, lower)
    return Why(
        upper=names[above],
        lower=names[below],
        upper_score=float(scores[above]),
        lower_score=float(scores[below]),
        upper_values=upper,
        lower_values=lower,
        feature_names=dataset.feature_names,
        contributions=contributions,
        method=method,
        changes=_changes(dataset, lower, _targets(algorithm, coef, upper, lower)),
    )


@singledispatch
def _contributions(
    algorithm: Ranker, coef: Floats, upper: Floats, lower: Floats
) -> tuple[Floats, str]:
    """Return contributions (d,) to the score of ``lower`` minus that of ``upper``, and
    their definition."""
    raise ValueError(
        f"{type(algorithm).__name__} is neither linear nor a sum of trees, so its "
        "scores cannot be divided among the features."
    )


@_contributions.register
def _linear_contributions(
    algorithm: LinearRanker, coef: Floats, upper: Floats, lower: Floats
) -> tuple[Floats, str]:
    weights = algorithm.feature_weights(coef, len(lower))
    return weights * (lower - upper), "Coefficient × feature difference: exact."


@_contributions.register
def _forest_contributions(
    algorithm: ForestRanker, coef: Floats, upper: Floats, lower: Floats
) -> tuple[Floats, str]:
    totals, outputs = GrowingTotals(np.stack([upper, lower]))(coef)
    places = {float(output): place for place, output in enumerate(outputs)}
    each = np.zeros((len(outputs), len(upper)))
    for output, tree in trees_of(coef):
        _add_shapley(tree, upper, lower, each[places[float(output)]])
    method = "Shapley values between the two documents"
    if len(outputs) < 2:
        return each.sum(axis=0), f"{method}, exact."
    return (
        combination(_slopes(algorithm, totals, outputs), each),
        f"{method}, exact in each sum of trees, along the line between their sums.",
    )


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights (n,) of Gauss and Legendre between -1 and 1, from the
    eigenvectors of Golub and Welsch."""
    k = np.arange(1.0, _NODES)
    beside = np.diag(k / np.sqrt(4.0 * k * k - 1.0), 1)
    nodes, rows = eigenvectors(beside + beside.T)
    return nodes, 2.0 * rows[:, 0] ** 2


def _slopes(algorithm: ForestRanker, totals: Floats, outputs: Floats) -> Floats:
    """Return mean derivatives (k,) of the score with respect to each sum, between the
    rows of ``totals`` (2, k)."""
    nodes, weights = _quadrature()
    start, end = totals
    line = start + np.outer((nodes + 1.0) / 2.0, end - start)
    slopes = np.empty(len(outputs))
    for place in range(len(outputs)):
        step = np.zeros(len(outputs))
        step[place] = _STEP
        ahead = algorithm.combined(line + step, outputs)
        behind = algorithm.combined(line - step, outputs)
        slopes[place] = dot(weights, ahead - behind) / (4.0 * _STEP)
    return slopes


def _add_shapley(tree: Tree, upper: Floats, lower: Floats, shares: Floats) -> None:
    """Add to ``shares`` (d,) the Shapley values of one tree.

    A leaf is reached by sets with all features on its path for which only the lower
    value leads there, and none for which only the upper value does.
    """
    ways: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = [(0, (), ())]
    while ways:
        node, with_lower, with_upper = ways.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            _add_leaf(float(tree.value[node]), with_lower, with_upper, shares)
            continue
        of_lower = tree.child(node, lower[feature])
        of_upper = tree.child(node, upper[feature])
        if of_lower == of_upper or feature in with_lower:
            ways.append((of_lower, with_lower, with_upper))
        elif feature in with_upper:
            ways.append((of_upper, with_lower, with_upper))
        else:
            ways.append((of_lower, (*with_lower, feature), with_upper))
            ways.append((of_upper, with_lower, (*with_upper, feature)))


def _add_leaf(
    value: float,
    with_lower: tuple[int, ...],
    with_upper: tuple[int, ...],
    shares: Floats,
) -> None:
    a, b = len(with_lower), len(with_upper)
    if a:
        share = value / (a * math.comb(a + b, b))
        shares[list(with_lower)] += share
    if b:
        share = value / (b * math.comb(a + b, a))
        shares[list(with_upper)] -= share


# The feature, and what `FeatureChange` has as ``beyond``, ``rises`` and ``reaches``.
_Target = tuple[int, float, bool, bool]


@singledispatch
def _targets(
    algorithm: Ranker, coef: Floats, upper: Floats, lower: Floats
) -> Iterator[_Target]:
    """Return, for each feature of ``lower`` whose change alone gives it the higher
    score, the nearest sufficient value."""
    raise NotImplementedError


@_targets.register
def _linear_targets(
    algorithm: LinearRanker, coef: Floats, upper: Floats, lower: Floats
) -> Iterator[_Target]:
    weights = algorithm.feature_weights(coef, len(lower))
    gap = max(dot(weights, upper - lower), 0.0)
    for j in np.flatnonzero(weights):
        beyond = float(lower[j] + gap / weights[j])
        if math.isfinite(beyond):
            yield int(j), beyond, bool(weights[j] > 0.0), False


@_targets.register
def _forest_targets(
    algorithm: ForestRanker, coef: Floats, upper: Floats, lower: Floats
) -> Iterator[_Target]:
    splits = coef[coef[:, FEATURE] >= 0.0]
    to_beat = algorithm.scores(upper[None, :], coef)[0]
    for j in np.unique(splits[:, FEATURE]).astype(np.int64):
        if np.isnan(lower[j]):  # it is at no distance from a value
            continue
        limits = np.unique(splits[splits[:, FEATURE] == j, THRESHOLD])
        rises = limits >= lower[j]
        tried = np.tile(lower, (len(limits), 1))
        tried[:, j] = np.where(rises, np.nextafter(limits, np.inf), limits)
        enough = algorithm.scores(tried, coef) > to_beat
        if enough.any():
            distances = np.where(enough, np.abs(limits - lower[j]), np.inf)
            best = int(np.argmin(distances))
            up = bool(rises[best])
            yield int(j), float(limits[best]), up, not up


def _changes(
    dataset: RankingDataset, lower: Floats, targets: Iterator[_Target]
) -> tuple[FeatureChange, ...]:
    """Return changes in ranges of the features, smallest first, with changes to values
    in the data before others."""
    least, most = dataset.limits
    changes = []
    for j, beyond, rises, reaches in targets:
        distance, width = abs(beyond - lower[j]), most[j] - least[j]
        # There is no value beyond the last one.
        inside = beyond < most[j] if rises else beyond > least[j]
        reached = reaches and beyond == least[j]
        changes.append(
            FeatureChange(
                feature=j,
                now=float(lower[j]),
                beyond=beyond,
                rises=rises,
                reaches=reaches,
                size=float(distance / width) if width > 0.0 else math.inf,
                seen=bool(inside or reached),
            )
        )
    return tuple(sorted(changes, key=lambda change: (not change.seen, change.size)))


def _number(value: float) -> str:
    return three_digits(value).replace("-", "−")
