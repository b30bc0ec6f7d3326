"""Groups of similar queries, and two models' differences in each."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.differences import Difference, differences
from rankcore.mathematics.statistics import (
    SIGNIFICANT,
    effective_number,
    few_differ,
    holm,
    weighted_means,
)

LENGTH = "list length"
RELEVANT = "relevant documents"
GROUPS = 4
_FEWEST = 2


class Slice(NamedTuple):
    """A group of similar queries.

    Attributes
    ----------
    name : str
        The range of the grouping property, such as ``"5 to 12"``.
    ids : tuple of str
        Ids of the queries.
    """

    name: str
    ids: tuple[str, ...]


class SliceDifference(NamedTuple):
    """Two models compared in one slice.

    Attributes
    ----------
    first, second : float
        Means of the two models.
    difference : Difference or None
        None for a single query.
    adjusted : float
        The p-value of the randomisation test after Holm, over the slices; NaN for a
        single query.
    effective : float or None
        The effective number of queries, (Σw)²/Σw²; None where all count alike.
    """

    name: str
    queries: int
    first: float
    second: float
    difference: Difference | None
    adjusted: float
    effective: float | None = None

    def row(self, by: str, first: str, second: str) -> dict[str, Any]:
        """Return it as a row of a table, given the grouping property and the models'
        names."""
        number = {} if self.effective is None else {"effective queries": self.effective}
        return {
            by: self.name,
            "queries": self.queries,
            **number,
            first: self.first,
            second: self.second,
            "difference": self.first - self.second,
            "p, Holm": self.adjusted,
        }

    @property
    def undecided(self) -> str:
        """Why no test can decide, as a sentence; empty where one can."""
        test = self.difference
        return "" if test is None else few_differ(test.differing, test.queries)

    @property
    def verdict(self) -> str:
        """``"worse"`` if the first model is significantly below the second, ``"lower"``
        if it is below but not significantly, otherwise empty."""
        if self.first >= self.second:
            return ""
        return "worse" if self.adjusted <= SIGNIFICANT else "lower"


def query_figures(dataset: RankingDataset, by: str) -> Floats:
    """Return the figures that group queries.

    Parameters
    ----------
    by : str
        `LENGTH`, `RELEVANT`, or a feature, by its mean in the query.

    Returns
    -------
    (q,) float64

    Raises
    ------
    ValueError
        If there is no such feature.
    """
    if by == LENGTH:
        return dataset.lengths.astype(np.float64)
    starts = dataset.offsets[:-1]
    if by == RELEVANT:
        return np.add.reduceat(dataset.y > 0, starts, dtype=np.float64)
    if by not in dataset.feature_names:
        raise ValueError(f"There is no feature {by!r} in {dataset.name}.")
    column = dataset.filled().X[:, dataset.feature_names.index(by)]
    return np.add.reduceat(column, starts) / dataset.lengths


def default_groups(dataset: RankingDataset) -> list[str]:
    """Return the default properties for grouping queries."""
    return [LENGTH, RELEVANT, *(dataset.query_groups or {})]


def slices(dataset: RankingDataset, by: str, groups: int = GROUPS) -> list[Slice]:
    """Return groups of queries: by the text in a column, or of about equal size by
    rising figures.

    Parameters
    ----------
    by : str
        One of the data's ``query_groups``, or as in `query_figures`.
    groups : int
        Maximum number of groups; queries with equal figures are in one group.
    """
    words = (dataset.query_groups or {}).get(by)
    if words is not None:
        ids_of: dict[str, list[str]] = {word: [] for word in sorted(set(words))}
        for word, query in zip(words, dataset.query_ids, strict=True):
            ids_of[word].append(query)
        return [Slice(word, tuple(ids)) for word, ids in ids_of.items()]
    figures = query_figures(dataset, by)
    distinct = np.unique(figures)
    if len(distinct) <= groups:
        edges = distinct
    else:
        edges = np.unique(np.quantile(figures, np.arange(groups) / groups))
    group = np.searchsorted(edges, figures, side="right") - 1
    every = []
    for number in np.unique(group):
        members = np.flatnonzero(group == number)
        low, high = float(figures[members].min()), float(figures[members].max())
        name = _number(low) if low == high else f"{_number(low)} to {_number(high)}"
        every.append(Slice(name, tuple(dataset.query_ids[i] for i in members)))
    return every


def slice_differences(
    slices: Sequence[Slice],
    ids: Sequence[str],
    first: Floats,
    second: Floats,
    weights: Floats | None = None,
) -> list[SliceDifference]:
    """Compare two models in each slice.

    Parameters
    ----------
    ids : sequence of q str
        Ids of the queries with values; others are left out.
    first, second : (q,) float64
        A measure of each query under either model.
    weights : (q,) float64, optional
        Weight of each query in means, above 0.

    Returns
    -------
    list of SliceDifference
        The differences, without slices that have no query.
    """
    place = {name: i for i, name in enumerate(ids)}
    values = np.stack([first, second])
    rows = []
    for one in slices:
        members = [place[name] for name in one.ids if name in place]
        if members:
            both, count = values[:, members], len(members)
            shares = None if weights is None else weights[members]
            enough = count >= _FEWEST
            tests = differences(both, [(0, 1)], weights=shares) if enough else [None]
            mean, other = weighted_means(both, shares).tolist()
            effective = None if weights is None else effective_number(shares) or count
            row = SliceDifference(
                one.name, count, mean, other, tests[0], np.nan, effective
            )
            rows.append(row)
    tested = [row.difference.p_value for row in rows if row.difference is not None]
    adjusted = iter(holm(tested) if tested else [])
    return [
        row if row.difference is None else row._replace(adjusted=float(next(adjusted)))
        for row in rows
    ]


def _number(value: float) -> str:
    if value == int(value):
        return str(int(value))
    return three_digits(value).replace("-", "−")
