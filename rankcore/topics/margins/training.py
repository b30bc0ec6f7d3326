"""Structured training as a study, evaluated by measures it was not trained for.

Each study is a `rankcore.studies.Study`, which a background job advances by iterations.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore import measures as _measures
from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.differences import Difference, against, differences
from rankcore.mathematics.statistics import SIGNIFICANT, equally_weighted, query_shares
from rankcore.studies import Findings, Study
from rankcore.topics.datasets.description import PART_WORDS
from rankcore.training import drive

if TYPE_CHECKING:
    from rankcore.algorithms import StructuredRanker


# Returns the training and the test data of a fold when they are needed.
FoldParts = Callable[[], tuple[RankingDataset, RankingDataset]]

MEASURES = ("RR@10", "nDCG@10", "AP", "AUC")


class MismatchRow(NamedTuple):
    """One model evaluated by every measure.

    Attributes
    ----------
    trained : str
        The measure it was trained for.
    values : dict of str to float
        The mean of each measure.
    errors : dict of str to float
        Standard errors of these means over queries, NaN for a single query; if the
        values are means over folds, their standard deviations over folds.
    even : bool
        Whether it ranks nothing, like a zero model.
    queries : dict of str to (q,) float64
        Each measure of each test query; NaN if it is left out.
    weights : (q,) float64, optional
        How much each query counts in the means; by default all count alike.
    """

    trained: str
    values: Mapping[str, float]
    errors: Mapping[str, float]
    even: bool
    queries: Mapping[str, Floats] = MappingProxyType({})
    weights: Floats | None = None


class Mismatch(NamedTuple):
    """Models trained for one measure each and tested by every measure.

    Attributes
    ----------
    trained : tuple of m str
        The measures the models were trained for.
    tested : tuple of k str
        Names of the measures.
    values : (m, k) float64
        Higher is better.
    best : (k,) int64
        The model that is best by each measure, one that ranks nothing if all do.
    errors : (m, k) float64
        As in the rows.
    even : tuple of m bool
        As in the rows; empty if there are none.
    queries : dict of str to (m, q) float64
        Values of queries that have one, by measure.
    weights : dict of str to (q,) float64
        Weights of the same queries by measure; empty if all weigh the same.
    """

    trained: tuple[str, ...]
    tested: tuple[str, ...]
    values: Floats
    best: Integers
    errors: Floats
    even: tuple[bool, ...] = ()
    queries: Mapping[str, Floats] = MappingProxyType({})
    weights: Mapping[str, Floats] = MappingProxyType({})

    def tests(self, measure: str, pairs: Sequence[tuple[int, int]]) -> list[Difference]:
        """Return the paired tests of models by a measure; empty with fewer than two
        queries."""
        values = self.queries.get(measure, np.empty((0, 0)))
        if values.shape[1] < 2:
            return []
        return differences(values, pairs, weights=self.weights.get(measure))

    @property
    def ties(self) -> NDArray[np.bool_]:
        """(m, k) whether each model is the best by each measure, or not significantly
        different from it."""
        tied = np.arange(len(self.trained))[:, None] == self.best
        for j, (measure, best) in enumerate(zip(self.tested, self.best, strict=True)):
            values = self.queries.get(measure, np.empty((0, 0)))
            if values.shape[1] > 1:
                weights = self.weights.get(measure)
                p_values = against(values, int(best), weights=weights)
                tied[:, j] |= p_values > SIGNIFICANT
        tied[[i for i, even in enumerate(self.even) if even]] = False
        return tied


def matrix(rows: Sequence[MismatchRow]) -> Mismatch:
    """Return rows of `mismatch_study` as one matrix."""
    values = np.array([list(row.values.values()) for row in rows])
    ranks = np.array([[not row.even] for row in rows])
    tables = {
        name: np.array([row.queries[name] for row in rows]) for name in rows[0].queries
    }
    valued = {name: ~np.isnan(table).any(axis=0) for name, table in tables.items()}
    weights = rows[0].weights
    return Mismatch(
        trained=tuple(row.trained for row in rows),
        tested=tuple(rows[0].values),
        values=values,
        best=np.argmax(np.where(ranks | ~ranks.any(), values, -np.inf), axis=0),
        errors=np.array([list(row.errors.values()) for row in rows]),
        even=tuple(row.even for row in rows),
        queries={name: table[:, valued[name]] for name, table in tables.items()},
        weights={}
        if weights is None
        else {name: weights[counted] for name, counted in valued.items()},
    )


def aimed(
    algorithms: "Mapping[str, StructuredRanker]",
    dataset: RankingDataset,
    measures: Sequence[str] = MEASURES,
) -> NDArray[np.bool_]:
    """(m, k) whether each algorithm is trained for each measure, cutoffs aside."""
    kinds = [name.partition("@")[0].lower() for name in measures]
    rows = []
    for algorithm in algorithms.values():
        losses = {i.loss.name.lower() for i in algorithm.losses(dataset) if i.C > 0.0}
        rows.append([kind in losses for kind in kinds])
    return np.array(rows, dtype=bool).reshape(len(algorithms), len(kinds))


class MismatchSubject(NamedTuple):
    """The subject of a `mismatch_study`.

    Attributes
    ----------
    algorithms : dict of str to StructuredRanker
        Algorithms by the measure that they are trained for.
    probe : RankingDataset
        A query of the test data, to distinguish the algorithms' losses.
    part : str
        Name of the test split, such as ``"test"``.
    n_queries : int
        Number of test queries.
    n_folds : int
        Number of rows per algorithm; 0 without folds.
    """

    algorithms: "Mapping[str, StructuredRanker]"
    probe: RankingDataset
    part: str
    n_queries: int
    n_folds: int

    @property
    def tested_on(self) -> str:
        """The data that the models are tested on, and the meaning of ±."""
        words = PART_WORDS[self.part]
        if not self.n_folds:
            return f"{self.n_queries} {words} queries, ± standard error over them"
        return (
            f"mean of {self.n_folds} folds, {words} data, ± standard deviation over "
            "them"
        )

    def matrix(self, rows: Sequence[MismatchRow]) -> Mismatch:
        """Return the matrix of some findings, at least one; with folds, means over
        them."""
        return matrix(over_folds(rows) if self.n_folds else rows)

    def aimed(self, mismatch: Mismatch) -> NDArray[np.bool_]:
        """(m, k) whether each model of a matrix was trained for each measure."""
        chosen = {name: self.algorithms[name] for name in mismatch.trained}
        return aimed(chosen, self.probe, mismatch.tested)


def mismatch_study(
    algorithms: "Mapping[str, StructuredRanker]",
    train: RankingDataset,
    test: RankingDataset,
    measures: Sequence[str] = MEASURES,
    rules: _measures.Rules = _measures.STANDARD,
    *,
    part: str = "test",
    folds: Sequence[FoldParts] = (),
) -> Study:
    """Train each algorithm and test it by every measure.

    Parameters
    ----------
    algorithms : dict of str to StructuredRanker
        Algorithms by the measure that they are trained for.
    rules : Rules
        How they are computed.
    part : str
        Name of the test split.
    folds : sequence of callable
        Each returns the training and the test part of a fold when it is needed, instead
        of ``train`` and ``test``; `over_folds` then merges its rows into one per model.

    Returns
    -------
    Study
        It finds a `MismatchRow` for each algorithm, or each algorithm and fold; its
        subject is a `MismatchSubject`.
    """
    probe, loads = test.subset([0]), folds or [lambda: (train, test)]
    subject = MismatchSubject(algorithms, probe, part, test.n_queries, len(folds))
    coming = _rows(algorithms, loads, measures, rules)
    return Study(coming, len(algorithms) * len(loads), "trained models", subject)


def _rows(
    algorithms: "Mapping[str, StructuredRanker]",
    folds: Sequence[FoldParts],
    measures: Sequence[str],
    rules: _measures.Rules,
) -> Findings:
    for name, algorithm in algorithms.items():
        for fold in folds:
            train, test = fold()
            run = drive(algorithm, train, measures=())
            yield from run
            scores = algorithm.scores(test.X, run.best.coef)
            yield mismatch_row(name, test, scores, measures, rules)
    return None


def over_folds(rows: Sequence[MismatchRow]) -> list[MismatchRow]:
    """Means over folds, with the standard deviations over folds as errors.

    Parameters
    ----------
    rows : sequence of MismatchRow
        One row per model and fold; a model's rows share a name.
    """
    results = []
    for name in dict.fromkeys(row.trained for row in rows):
        of_learner = [row for row in rows if row.trained == name]
        columns = {
            m: np.array([row.values[m] for row in of_learner])
            for m in of_learner[0].values
        }
        results.append(
            MismatchRow(
                trained=name,
                values={m: float(column.mean()) for m, column in columns.items()},
                errors={
                    m: float(column.std(ddof=1)) if len(of_learner) > 1 else math.nan
                    for m, column in columns.items()
                },
                even=all(row.even for row in of_learner),
                queries={
                    m: np.concatenate([row.queries[m] for row in of_learner])
                    for m in of_learner[0].queries
                },
                weights=None
                if of_learner[0].weights is None
                else np.concatenate([row.weights for row in of_learner]),
            )
        )
    return results


def mismatch_row(
    name: str,
    dataset: RankingDataset,
    scores: Floats,
    measures: Sequence[str],
    rules: _measures.Rules,
) -> MismatchRow:
    """Return means and standard errors of one model's scores."""
    means = _measures.means(dataset, scores, measures, *rules)
    table = _measures.evaluate(dataset, scores, measures, *rules)
    counted = np.maximum(table.count(), 1)
    weights = dataset.weights if dataset.weighting else None
    errors = table.std(ddof=1) / np.sqrt(counted)
    if weights is not None:
        errors = {measure: _error(table[measure], weights) for measure in means}
    return MismatchRow(
        trained=name,
        values=means,
        errors={measure: float(errors[measure]) for measure in means},
        even=_measures.ranks_nothing(scores, dataset.offsets),
        queries={measure: table[measure].to_numpy(np.float64) for measure in means},
        weights=weights,
    )


def _error(values: ArrayLike, weights: Floats) -> float:
    """Return the standard error of a weighted mean of queries' values, NaN left out."""
    every = np.asarray(values, np.float64)
    counted = ~np.isnan(every)
    each = every[counted]
    if len(each) < 2:
        return math.nan
    alike = equally_weighted(each, query_shares(weights[counted], len(each)))
    return float(alike.std(ddof=1) / np.sqrt(len(each)))
