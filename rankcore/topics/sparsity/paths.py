"""The cost of removing features, computed from a path.

After Z. Sun, T. Qin, Q. Tao, J. Wang, "Robust sparse rank learning for non-smooth
ranking measures", SIGIR 2009: the ratio of NDCG with to NDCG without sparsity at each
cutoff (figure 3), and NDCG and the number of features against g (figures 4 and 5).

The paper computes the share of features kept at a tolerated loss (table 1) from the
mean of nDCG@1 to nDCG@10 on test data. Here a model is chosen by one measure on
validation data (`smallest`), and only then compared with the full model, the one with
the most features, on test data (`against_full`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rankcore import measures as _measures
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import counted
from rankcore.data.dataset import Query, RankingDataset
from rankcore.studies.paths import CUTOFFS, Path
from rankcore.studies.results import SPLITS
from rankcore.topics.inspect.ranking import QueryRanking, query_ranking
from rankcore.topics.sparsity.changes import RelativeChange, relative_change


class SparsityCurves(NamedTuple):
    """A measure and the features in use along one or several paths.

    Attributes
    ----------
    values : (m,) float64
        Values of the hyperparameter.
    nonzeros : (m,) float64
        Mean number of features in use over the paths.
    measured : dict of str to (m,) float64
        Mean of the measure on each split.
    """

    values: Floats
    nonzeros: Floats
    measured: dict[str, Floats]


class Smallest(NamedTuple):
    """The smallest model whose measure is close enough to the best one of a path.

    Attributes
    ----------
    at : int
        Position of the model on the path, from 0.
    value : float
        Value of the hyperparameter, one for all paths.
    left : int
        Features in use, summed over the paths.
    features : int
        All features, summed over the paths.
    part : {"valid", "train"}
        The data that chooses the model.
    tolerance : float
        0.01 for 1%.
    measured : float
        The measure at this point.
    best_at : int
        The position of the largest value of the measure.
    best : float
        That largest value; NaN if the measure is undefined.
    floor : float
        The smallest tolerated value.
    """

    at: int
    value: float
    left: int
    features: int
    part: str
    measure: str
    tolerance: float
    measured: float
    best_at: int
    best: float
    floor: float

    @property
    def fraction(self) -> float:
        """The share of features kept."""
        return self.left / self.features

    @property
    def rule(self) -> str:
        """The rule of the choice: "within 1% of the best nDCG@10 (validation)"."""
        where = "validation" if self.part == "valid" else "training, no validation data"
        share = f"{100 * self.tolerance:g}%"
        return f"within {share} of the best {self.measure} ({where})"


class Changed(NamedTuple):
    """The values of two models by query of a data set, largest difference first.

    Attributes
    ----------
    query_ids, query_names : list of q str
    before, after : (q,) float64
        The measure with either model; NaN where it has no value.
    moved : (q,) int64
        Number of documents that enter the top of the list.
    positions : (q,) int64
        Positions of the queries in the data set, from 0.
    """

    query_ids: list[str]
    query_names: list[str]
    before: Floats
    after: Floats
    moved: Integers
    positions: Integers

    @property
    def differing(self) -> int:
        """Number of queries whose value changes; undefined values are ignored."""
        return int((np.nan_to_num(self.before - self.after) != 0.0).sum())

    def names(self, most: int) -> dict[str, str]:
        """Return the names of the first ``most`` queries, with both values, by id."""
        return {
            query: f"{name}: {_three(was)} → {_three(now)}"
            for query, name, was, now in zip(
                self.query_ids[:most],
                self.query_names,
                self.before,
                self.after,
                strict=False,
            )
        }

    def columns(self) -> dict[str, Any]:
        """Return the numbers of every query, by column."""
        return {
            "query": self.query_names,
            "full model": self.before,
            "this model": self.after,
            "new in the top 10": self.moved,
        }

    def text(self, place: int, full: int, value: str, count: int, measure: str) -> str:
        """Return a sentence on both models for one query.

        Parameters
        ----------
        place : int
            Place of the query.
        full, count : int
            Features of the full model, and of this one.
        value, measure : str
            Texts for this model and for the measure.
        """
        return (
            f"Left: full model, {counted(full, 'features')}, {measure} "
            f"{_three(self.before[place])}. Right: {value}, "
            f"{counted(count, 'features')}, "
            f"{_three(self.after[place])}."
        )


class KeptFeatures(NamedTuple):
    """The features of one model of a path, the most important first.

    Attributes
    ----------
    names : tuple of m str
    importances : (m,) float64
    coef : (m,) float64
        Not 0.
    dense : (m,) float64
        Their coefficients in the model with the most features.
    """

    names: tuple[str, ...]
    importances: Floats
    coef: Floats
    dense: Floats

    def columns(self) -> dict[str, Any]:
        """Return the columns of a table."""
        titles = ("feature", "importance", "coefficient", "full model")
        return dict(zip(titles, self, strict=True))


class Certificate(NamedTuple):
    """Upper bounds on the distance of each model of a path from the optimum.

    Attributes
    ----------
    values : (m,) float64
        Values of the hyperparameter.
    gaps : (m,) float64
        The smallest duality gap of the run: an upper bound on the objective's distance
        from its minimum.
    objectives : (m,) float64
    """

    values: Floats
    gaps: Floats
    objectives: Floats


def densest(path: Path) -> int:
    """Return the index of the first point of a path with the most features."""
    return int(np.argmax([point.nonzeros for point in path.points]))


def changed(
    dataset: RankingDataset,
    before: Floats,
    after: Floats,
    measure: str = "nDCG@10",
    convention: str = "standard",
    top: int = 10,
) -> Changed:
    """Return the rankings that change from one linear model to another.

    Parameters
    ----------
    before, after : (d,) float64
        Coefficients.
    measure, convention : str
        As in `rankcore.measures.evaluate`.
    top : int
        Positions that count as the first of the list.
    """
    values, ranks = [], []
    for coef in (before, after):
        scores = linear_scores(dataset.X, coef)
        table = _measures.evaluate(dataset, scores, [measure], convention)
        values.append(table[measure].to_numpy())
        ranks.append(_measures.exact_ranks(scores, dataset.offsets))
    joined = (ranks[1] <= top) & (ranks[0] > top)
    moves = np.add.reduceat(joined.astype(np.int64), dataset.offsets[:-1])
    differences = np.abs(values[1] - values[0])
    order = np.lexsort((-moves, -np.nan_to_num(differences)))
    return Changed(
        [dataset.query_ids[i] for i in order],
        [dataset.query_names[i] for i in order],
        values[0][order],
        values[1][order],
        moves[order],
        order,
    )


def moved_ranking(
    query: Query,
    before: Floats,
    after: Floats,
    measure: str = "nDCG@10",
    convention: str = "standard",
) -> QueryRanking:
    """Return a query ranked by one linear model, with the ranks under another.

    Parameters
    ----------
    before, after : (d,) float64
        Coefficients.
    measure, convention : str
        Measure and convention of the first order's value.

    Returns
    -------
    QueryRanking
        Its ``ideal`` holds positions under the model after.
    """
    counted = _measures.parse(measure)
    listed = query_ranking(query, linear_scores(query.X, before), counted, convention)
    offsets = np.array([0, len(query)])
    order = np.argsort(
        _measures.exact_ranks(linear_scores(query.X, before), offsets), kind="stable"
    )
    ranks = _measures.exact_ranks(linear_scores(query.X, after), offsets).astype(
        np.int64
    )
    return listed._replace(ideal=ranks[order] - 1)


def certificate(path: Path) -> Certificate | None:
    """Return the duality gaps along a path, or None if its algorithm has none."""
    if not all("best gap" in point.diagnostics for point in path.points):
        return None
    return Certificate(
        np.array([point.cell.value for point in path.points]),
        np.array([point.diagnostics["best gap"] for point in path.points]),
        np.array([point.objective for point in path.points]),
    )


def curves(paths: Path | Sequence[Path], measure: str = "nDCG@10") -> SparsityCurves:
    """Return a measure and the features in use against the hyperparameter.

    Parameters
    ----------
    paths : Path or sequence of Path
        Paths of folds over the same values, without points missing in one.
    measure : str
        A measure of the paths.
    """
    folds = _folds(paths)
    ready = _ready(folds)
    parts = [part for part in SPLITS if getattr(folds[0].points[0], part)]
    return SparsityCurves(
        values=np.array([point.cell.value for point in folds[0].points[:ready]]),
        nonzeros=np.mean(
            [[point.nonzeros for point in fold.points[:ready]] for fold in folds],
            axis=0,
        ),
        measured={
            part: _table(folds, ready, part, (measure,)).mean(axis=0)[:, 0]
            for part in parts
        },
    )


def ratios(
    paths: Path | Sequence[Path],
    part: str = "test",
    measures: Sequence[str] = CUTOFFS,
    reference: int = 0,
) -> Floats:
    """Return each measure divided by that of the reference point, as in figure 3.

    Parameters
    ----------
    paths : Path or sequence of Path
        For several folds, the means of the measures are divided, as in the paper.
    part : {"train", "valid", "test"}
    reference : int
        The point to compare with: the first one, which has no penalty in a path over
        RSRank's g; -1 for a path over FenchelRank's radius.

    Returns
    -------
    (m, k) float64
        One row per point, one column per measure; NaN where the reference is 0.
    """
    folds = _folds(paths)
    means = _table(folds, _ready(folds), part, measures).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = means / means[reference]
    return np.where(means[reference] > 0.0, shares, np.nan)


def choice_part(path: Path) -> str:
    """Return the data on which a model of a path is chosen.

    Validation data, or training data where there are none; never test data.
    """
    return "valid" if path.points[0].valid else "train"


def smallest(
    paths: Path | Sequence[Path], measure: str = "nDCG@10", tolerance: float = 0.03
) -> Smallest:
    """Return the model with the fewest features within ``tolerance`` of the best one.

    The best one has the largest measure of all models on the path. Both are measured on
    the data of `choice_part`. Among models with equally few features, the first one
    with the largest measure is returned.

    Parameters
    ----------
    paths : Path or sequence of Path
        For several folds, one value is chosen for all, by the mean over folds.
    measure : str
        A measure of the paths.
    tolerance : float
        Tolerated relative loss: 0.03 means 3%. A model that ranks nothing is neither
        chosen nor counted as best.

    Returns
    -------
    Smallest
        The model with the most features if the measure is NaN at all points.
    """
    folds = _folds(paths)
    part = choice_part(folds[0])
    counts = np.array(
        [[point.nonzeros for point in fold.points[: _ready(folds)]] for fold in folds]
    )
    left = counts.sum(axis=0)
    ranks = [all(fold.points[i].ranks for fold in folds) for i in range(len(left))]
    judged = np.where(ranks, curves(folds, measure).measured[part], np.nan)
    best_at = int(np.argmax(np.nan_to_num(judged, nan=-np.inf)))
    near = np.flatnonzero(judged >= (1.0 - tolerance) * judged[best_at])
    if not len(near):
        near = np.flatnonzero(left == left.max())[:1]
    at = int(near[np.lexsort((-judged[near], left[near]))[0]])
    best = float(judged[best_at])
    return Smallest(
        at=at,
        value=folds[0].points[at].cell.value,
        left=int(left[at]),
        features=sum(len(fold.feature_names) for fold in folds),
        part=part,
        measure=measure,
        tolerance=tolerance,
        measured=float(judged[at]),
        best_at=best_at,
        best=best,
        floor=(1.0 - tolerance) * best,
    )


def against_full(
    path: Path,
    at: int,
    dataset: RankingDataset,
    measure: str = "nDCG@10",
    rules: _measures.Rules = _measures.STANDARD,
) -> RelativeChange:
    """Compare a model of a path with the full model, the one with the most features.

    Parameters
    ----------
    at : int
        The position of the model, as in `Smallest.at`.
    dataset : RankingDataset
        Data used neither for training nor for choosing.
    rules : Rules
        Evaluation rules.

    Returns
    -------
    RelativeChange
        From the full model to this one, with an interval over queries.
    """
    before, after = (
        _measures.evaluate(
            dataset,
            point.model.scores(dataset.X, point.coef),
            measure,
            *rules,
        )[measure].to_numpy()
        for point in (path.points[densest(path)], path.points[at])
    )
    return relative_change(before, after, weights=dataset.weights)


def _folds(paths: Path | Sequence[Path]) -> list[Path]:
    folds = [paths] if isinstance(paths, Path) else list(paths)
    if len({(fold.name, fold.values) for fold in folds}) > 1:
        raise ValueError("The paths must run over the same values; train them alike.")
    if not folds or not _ready(folds):
        raise ValueError("There is no point yet: train at least one on each path.")
    return folds


def _ready(folds: Sequence[Path]) -> int:
    """Return the number of points that all folds have."""
    return min((len(fold.points) for fold in folds), default=0)


def _table(
    folds: Sequence[Path], ready: int, part: str, measures: Sequence[str]
) -> Floats:
    """Return the means, (folds, points, measures)."""
    return np.array(
        [
            [
                [getattr(point, part)[m] for m in measures]
                for point in fold.points[:ready]
            ]
            for fold in folds
        ]
    )


def _three(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.3f}"


def kept_features(path: Path, at: int, train: RankingDataset) -> KeptFeatures:
    """Return the features that a model of a path uses.

    Parameters
    ----------
    path : Path
        A path of a linear algorithm.
    at : int
        Position of the model.
    train : RankingDataset
        The training data.
    """
    point, dense = path.points[at], path.points[densest(path)]
    importances = point.model.importances(point.coef, train)
    # A feature in use may have no spread in this data.
    order = np.lexsort((-np.abs(importances), point.coef == 0.0))[: point.nonzeros]
    names = tuple(path.feature_names[j] for j in order)
    return KeptFeatures(names, importances[order], point.coef[order], dense.coef[order])
