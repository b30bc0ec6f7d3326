"""Replacing one model by another: the rankings that change, and the groups affected."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore import measures
from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted, label_text
from rankcore.data.dataset import RankingDataset
from rankcore.measures import STANDARD, Rules, exact_ranks
from rankcore.topics.compare import slices
from rankcore.topics.compare.slices import SliceDifference

TOP = 10
MOST_NAMES = 3


class RankingChange(NamedTuple):
    """A query whose first documents change.

    Attributes
    ----------
    position : int
        Position of the query in the data, from 0.
    value, other : float
        The measure under the new model, and under the one in use; NaN if the rules
        leave the query out.
    entering : int
        Number of documents that are among the first only under the new model.
    first, other_first : tuple of str
        The names of the first documents under either, with their labels.
    """

    position: int
    name: str
    value: float
    other: float
    entering: int
    first: tuple[str, ...]
    other_first: tuple[str, ...]

    @property
    def difference(self) -> float:
        """The new value minus the other one; 0 if they are undefined."""
        return float(np.nan_to_num(self.value - self.other))


class Replacement(NamedTuple):
    """A model compared with the one in use, over the queries of a data set.

    Attributes
    ----------
    value, other : float
        Means of the new model and of the one in use.
    slices : dict of str to list of SliceDifference
        Slices, by the property that groups the queries.
    changes : list of RankingChange
        The queries whose first documents change, the largest loss first.
    top : int
        Number of ranks that count as the top.
    weighting : str
        Name of the queries' weights, with their effective number; empty if all weigh
        the same.
    """

    measure: str
    value: float
    other: float
    queries: int
    slices: dict[str, list[SliceDifference]]
    changes: list[RankingChange]
    top: int
    weighting: str = ""

    def slice_rows(self) -> list[dict[str, Any]]:
        """Return the slices as rows of a table."""
        return [
            {
                "queries by": by,
                "group": row.name,
                "queries": row.queries,
                "in use": row.second,
                "this model": row.first,
                "difference": row.first - row.second,
                "verdict": row.verdict,
            }
            for by, rows in self.slices.items()
            for row in rows
        ]

    def change_rows(self, most: int) -> list[dict[str, Any]]:
        """Return the first changes, up to a limit, as rows of a table."""
        return [
            {
                "query": change.name,
                "in use": change.other,
                "this model": change.value,
                "new in the top": change.entering,
                "first in use (label)": ", ".join(change.other_first),
                "first now (label)": ", ".join(change.first),
            }
            for change in self.changes[:most]
        ]

    @property
    def sentence(self) -> str:
        """The number of rankings that change, and of those that lose, as a sentence."""
        losing = sum(change.difference < 0.0 for change in self.changes)
        winning = sum(change.difference > 0.0 for change in self.changes)
        return (
            f"The first {self.top} documents change for {len(self.changes):,} of "
            f"{counted(self.queries, 'queries')}: {self.measure} falls for {losing:,} "
            f"and rises for {winning:,}."
        )

    @property
    def undecided(self) -> str:
        """Sentence on the slices in which no test can decide; empty if none."""
        rows = [row for group in self.slices.values() for row in group]
        few = sum(bool(row.undecided) for row in rows)
        if not few:
            return ""
        groups = "group" if few == 1 else "groups"
        return f"In {few} {groups}, too few queries differ for a test to decide."

    def with_verdict(self, verdict: str) -> list[tuple[str, SliceDifference]]:
        """Return the slices with a verdict, each with the property that groups its
        queries."""
        return [
            (by, row)
            for by, rows in self.slices.items()
            for row in rows
            if row.verdict == verdict
        ]


def replacement(
    dataset: RankingDataset,
    scores: ArrayLike,
    others: ArrayLike,
    measure: str = "nDCG@10",
    rules: Rules = STANDARD,
    by: Sequence[str] = (),
    top: int = TOP,
) -> Replacement:
    """Compare a model with the one in use.

    Parameters
    ----------
    dataset : RankingDataset
        The documents scored by both models.
    scores, others : (n,) float64
        Scores of the new model and of the one in use, higher is better; ties keep the
        order of the documents.
    measure : str
        The measure of both models on each query.
    rules : Rules
        Rules of the evaluation.
    by : sequence of str
        The properties that group queries, see `rankcore.topics.compare.slices.slices`;
        by default the length of the list, the number of relevant documents, and the
        groups of the data.
    top : int
        Number of ranks that count as the top.

    Raises
    ------
    ValueError
        For an unknown measure, scores that do not fit, or an unknown group.
    """
    means, tables = [], []
    for model in (scores, others):
        values = measures.evaluate(dataset, model, measure, *rules)
        name = str(values.columns[0])
        means.append(measures.means(dataset, model, measure, *rules)[name])
        tables.append(values[name].to_numpy())
    defined = ~np.isnan(tables[0]) & ~np.isnan(tables[1])
    weights = dataset.weights[defined] if dataset.weighting else None
    ids = [dataset.query_ids[at] for at in np.flatnonzero(defined)]
    grouped = {
        name: slices.slice_differences(
            slices.slices(dataset, name),
            ids,
            tables[0][defined],
            tables[1][defined],
            weights,
        )
        for name in by or slices.default_groups(dataset)
    }
    changes = _changes(dataset, (scores, others), (tables[0], tables[1]), top)
    return Replacement(
        name,
        means[0],
        means[1],
        dataset.n_queries,
        grouped,
        changes,
        top,
        dataset.weighted_text,
    )


def column_scores(dataset: RankingDataset, column: str) -> Floats:
    """(n,) scores in use, from a column of the data.

    Parameters
    ----------
    column : str
        One of the data's ``doc_scores``, else a feature.

    Raises
    ------
    ValueError
        If there is no such column.
    """
    scores = dataset.doc_scores or {}
    if column in scores:
        return scores[column]
    if column not in dataset.feature_names:
        raise ValueError(
            f"There is no feature or score column {column!r:.60} in {dataset.name}."
        )
    values = dataset.X[:, dataset.feature_names.index(column)]
    return np.ascontiguousarray(values, dtype=np.float64)


def _changes(
    dataset: RankingDataset,
    scores: tuple[ArrayLike, ArrayLike],
    values: tuple[Floats, Floats],
    top: int,
) -> list[RankingChange]:
    ranks, others = (exact_ranks(model, dataset.offsets) for model in scores)
    counted = np.minimum(ranks, others) <= top
    moves = np.add.reduceat(
        counted & (ranks != others), dataset.offsets[:-1], dtype=np.int64
    )
    changes = []
    for at in np.flatnonzero(moves).tolist():
        query = dataset.query(at)
        new, old = ranks[query.slice], others[query.slice]
        names = query.doc_names
        first, second = (
            tuple(
                f"{names[row]} ({label_text(query.y[row])})"
                for row in np.argsort(r, kind="stable")[:MOST_NAMES]
            )
            for r in (new, old)
        )
        entering = int(((new <= top) & (old > top)).sum())
        change = RankingChange(
            at,
            dataset.query_names[at],
            float(values[0][at]),
            float(values[1][at]),
            entering,
            first,
            second,
        )
        changes.append(change)
    return sorted(changes, key=lambda change: change.difference)
