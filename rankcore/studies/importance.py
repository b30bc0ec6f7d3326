"""How much each feature of a model counts: by its permutation, and by its absence.

A feature is permuted *within* each query, so that its values stay those of the query's
documents and only their order is lost; the loss of a measure, averaged over the
permutations, has an interval over queries. All models and features have the same
permutations. They go by the query's id and the document's values and label, so that the
order of the rows does not matter but for rounding. Of correlated features each may seem
to count little, as the model has the other one: `partners` names them. See L. Breiman,
*Random forests*, Machine Learning 45, 2001, and A. Fisher, C. Rudin, F. Dominici, *All
models are wrong, but many are useful*, JMLR 20, 2019.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankcore import measures
from rankcore.algorithms import LinearRanker, Ranker
from rankcore.algorithms.parts.imported import Imported
from rankcore.algorithms.parts.signs import SignedRanker, signs_among
from rankcore.base.cancellation import cancel_point
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import product
from rankcore.mathematics.statistics import difference_interval
from rankcore.measures import Rules
from rankcore.studies.models import document_scores, model_features

FEWEST, SEED = 20, 0
CORRELATED = 0.8


class Importance(NamedTuple):
    """What a model loses without the information of a feature.

    Attributes
    ----------
    feature : str
    weight : float
        `feature_weights` of the model: a coefficient, or the gain of splits.
    loss : float
        Mean over queries of the measure with the feature less that without.
    low, high : float
        The 95 % interval of that mean over queries.
    """

    feature: str
    weight: float
    loss: float
    low: float
    high: float


def permuted(
    models: Sequence[Ranker],
    dataset: RankingDataset,
    measure: str = "nDCG@10",
    rules: Rules | None = None,
    repeats: int = FEWEST,
    seed: int = SEED,
) -> list[list[Importance]]:
    """Return the importance of the features of each model by permutation.

    Parameters
    ----------
    models : sequence of Ranker
        Fitted.
    dataset : RankingDataset
        With at least two queries, better not those of training.
    measure : str
    rules : Rules, optional
    repeats : int
        Permutations, at least 20.
    seed : int

    Returns
    -------
    list of list of Importance
        Of each model, its features, the largest loss first.

    Raises
    ------
    ValueError
        For fewer permutations or queries, or other features.
    """
    if repeats < FEWEST:
        raise ValueError(f"Give at least {FEWEST} permutations, not {repeats}.")
    orders = list(_orders(dataset, repeats, seed))
    chosen = rules or Rules()

    def values(scores: np.ndarray) -> np.ndarray:
        (found,) = measures.by_query(dataset, scores, measure, *chosen).values()
        return found

    results = []
    for model in models:
        X = np.array(model_features(model, dataset).X, dtype=np.float64)
        names, weights = model.provenance_.feature_names, _weights(model)
        whole = values(model.scores(X, model.parameters_))
        rows = []
        for j, name in enumerate(names):
            cancel_point()
            column, mean = X[:, j].copy(), np.zeros(len(whole))
            if _uses(model, j):
                for order in orders:
                    X[:, j] = column[order]
                    mean += values(model.scores(X, model.parameters_)) / repeats
                X[:, j] = column
            else:
                mean = whole
            rows.append(_importance(name, weights[j], whole, mean, dataset))
        results.append(_sorted(rows))
    return results


def refitted(
    model: Ranker,
    train: RankingDataset,
    dataset: RankingDataset,
    measure: str = "nDCG@10",
    rules: Rules | None = None,
) -> list[Importance]:
    """Return the importance of the features of a linear model by training it again
    without each, its hyperparameters and seed as they were.

    The loss is that against the same training with all features.

    Raises
    ------
    ValueError
        If the model is not linear or was trained by another program.
    """
    if not isinstance(model, LinearRanker) or isinstance(model, Imported):
        problem = f"{type(model).__name__} is not trained again without a feature"
        raise ValueError(f"{problem}: only linear models are.")  # noqa: TRY004
    scaled = model_features(model, train)
    if model.provenance_.normalisation == "standard":
        scaled = scaled.normalise("standard")

    def values(names: Sequence[str]) -> np.ndarray:
        cancel_point()
        again = type(model)(**model.get_params())
        if isinstance(again, SignedRanker):
            again.signs = signs_among(again.signs, names)
        again.fit_dataset(scaled.with_features(names))
        scores = document_scores(again, dataset.with_features(names))
        (found,) = measures.by_query(
            dataset, scores, measure, *(rules or Rules())
        ).values()
        return found

    names, weights = scaled.feature_names, _weights(model)
    if len(names) < 2:
        raise ValueError("The model has one feature only, and none would be left.")
    whole = values(names)
    return _sorted(
        _importance(
            name, weight, whole, values([n for n in names if n != name]), dataset
        )
        for name, weight in zip(names, weights, strict=True)
    )


def partners(dataset: RankingDataset) -> dict[str, tuple[str, float]]:
    """Return, of features that are correlated within queries, the other and r.

    Of several, it is the one of the largest absolute r, which is at least 0.8. Features
    with missing values are left out.
    """
    X = np.array(dataset.X, dtype=np.float64)
    lengths = np.diff(dataset.offsets)
    # What is constant within a query is exactly 0 then.
    X -= np.repeat(X[dataset.offsets[:-1]], lengths, 0)
    X -= np.repeat(
        np.add.reduceat(X, dataset.offsets[:-1]) / lengths[:, None], lengths, 0
    )
    sizes = np.sqrt((X**2).sum(axis=0))
    X /= np.where(sizes > 0.0, sizes, 1.0)
    r = np.nan_to_num(product(X.T, X))
    np.fill_diagonal(r, 0.0)
    names, others = dataset.feature_names, np.abs(r).argmax(axis=1)
    return {
        names[j]: (names[other], float(r[j, other]))
        for j, other in enumerate(others.tolist())
        if abs(r[j, other]) >= CORRELATED
    }


def _orders(dataset: RankingDataset, repeats: int, seed: int) -> Iterator[np.ndarray]:
    """Yield permutations of rows within queries, drawn for the documents sorted by
    query id, values and label."""
    rng = np.random.default_rng(seed)
    _, ids = np.unique(dataset.query_ids, return_inverse=True)
    query = np.repeat(ids, dataset.lengths)
    rows = np.lexsort((dataset.y, *dataset.X.T, query))
    for _ in range(repeats):
        order = np.empty_like(rows)
        order[rows] = rows[np.lexsort((rng.random(len(rows)), query[rows]))]
        yield order


def _weights(model: Ranker) -> np.ndarray:
    n_features = len(model.provenance_.feature_names)
    return model.feature_weights(model.parameters_, n_features)


def _uses(model: Ranker, feature: int) -> bool:
    """Whether the scores of a model may depend on a feature."""
    return not isinstance(model, LinearRanker) or model.coef_[feature] != 0.0


def _importance(
    name: str,
    weight: float,
    whole: np.ndarray,
    without: np.ndarray,
    dataset: RankingDataset,
) -> Importance:
    found = difference_interval(whole, without, weights=dataset.query_weights)
    return Importance(name, float(weight), found.estimate, found.low, found.high)


def _sorted(rows: Any) -> list[Importance]:
    return sorted(rows, key=lambda one: -one.loss)
