"""Importance of each feature of a model: by permutation, and by retraining without it.

A feature is permuted *within* each query, so that only the order of its values among
the query's documents is lost; the loss of a measure, averaged over the permutations,
has an interval over queries. All models and features share the permutations, which
depend on the query's id and the document's values and label, so the order of rows
matters only by rounding. Correlated features may each seem unimportant, because the
model has the other one: `partners` names them. See L. Breiman, *Random forests*,
Machine Learning 45, 2001, and A. Fisher, C. Rudin, F. Dominici, *All models are wrong,
but many are useful*, JMLR 20, 2019.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankcore import measures
from rankcore.algorithms import LinearRanker, Ranker
from rankcore.algorithms.parts.signs import SignedRanker, signs_among
from rankcore.algorithms.parts.trees.imported import Imported
from rankcore.base.cancellation import cancel_point
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import product
from rankcore.mathematics.statistics import Interval, difference_interval
from rankcore.measures import Rules
from rankcore.studies.models import document_scores, model_features

FEWEST, SEED = 20, 0
CORRELATED = 0.8


class Importance(NamedTuple):
    """The loss of a model without the information in a feature.

    Attributes
    ----------
    weight : float
        `feature_weights` of the model: a coefficient, or the gain of splits.
    loss : float
        Mean over queries of the measure with the feature minus that without it.
    low, high : float
        The 95% interval of that mean over queries.
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
        Fitted models.
    dataset : RankingDataset
        At least two queries, preferably not training queries.
    rules : Rules, optional
    repeats : int
        Number of permutations, at least 20.

    Returns
    -------
    list of list of Importance
        The features of each model, the largest loss first.

    Raises
    ------
    ValueError
        For too few permutations or queries, or other features than the model's.
    """
    if repeats < FEWEST:
        raise ValueError(f"Give at least {FEWEST} permutations, not {repeats}.")
    orders, chosen = permutations(dataset, repeats, seed), rules or Rules()
    results = []
    for model in models:
        scaled, coef = model_features(model, dataset), model.parameters_
        losses = permutation_losses(
            model, coef, scaled, orders, range(scaled.n_features), measure, chosen
        )
        results.append(_sorted(scaled.feature_names, _weights(model), losses))
    return results


def permutations(
    dataset: RankingDataset, repeats: int = FEWEST, seed: int = SEED
) -> list[np.ndarray]:
    """Return permutations of rows within queries, drawn for documents sorted by query
    id, values and label."""
    rng = np.random.default_rng(seed)
    _, ids = np.unique(dataset.query_ids, return_inverse=True)
    query = np.repeat(ids, dataset.lengths)
    rows = np.lexsort((dataset.y, *dataset.X.T, query))
    orders = np.empty((repeats, len(rows)), dtype=np.int64)
    for order in orders:
        order[rows] = rows[np.lexsort((rng.random(len(rows)), query[rows]))]
    return list(orders)


def permutation_losses(
    model: Ranker,
    coef: Any,
    dataset: RankingDataset,
    orders: Sequence[np.ndarray],
    features: Iterable[int],
    measure: str,
    rules: Rules,
) -> Iterator[Interval]:
    """Yield the mean losses of a model when each of some features is permuted.

    Parameters
    ----------
    coef : array
        See `rankcore.algorithms.Step`.
    dataset : RankingDataset
        Data with the features of the model, in its order and scaling.
    orders : sequence of (n,) int64
        From `permutations`.
    """
    X = np.array(dataset.X, dtype=np.float64)
    weights = model.feature_weights(coef, dataset.n_features)

    def values() -> np.ndarray:
        cancel_point()
        return _by_query(dataset, model.scores(X, coef), measure, rules)

    whole = values()
    for j in features:
        column, mean = X[:, j].copy(), np.zeros(len(whole))
        if isinstance(model, LinearRanker) and weights[j] == 0.0:
            mean = whole
        else:
            for order in orders:
                X[:, j] = column[order]
                mean += values() / len(orders)
            X[:, j] = column
        yield difference_interval(whole, mean, weights=dataset.query_weights)


def refitted(
    model: Ranker,
    train: RankingDataset,
    dataset: RankingDataset,
    measure: str = "nDCG@10",
    rules: Rules | None = None,
) -> list[Importance]:
    """Return the importance of the features of a linear model by retraining it without
    each, with the same hyperparameters and seed.

    The loss is relative to the same training with all features.

    Raises
    ------
    ValueError
        If the model is not linear or was trained by another program.
    """
    problem = no_refits(model, model.provenance_.feature_names)
    if problem:
        raise ValueError(problem)
    scaled = model_features(model, train)
    if model.provenance_.normalisation == "standard":
        scaled = scaled.normalise("standard")
    names = scaled.feature_names
    losses = refit_losses(model, scaled, dataset, names, measure, rules or Rules())
    return _sorted(names, _weights(model), losses)


def refit_losses(
    model: Ranker,
    train: RankingDataset,
    dataset: RankingDataset,
    features: Iterable[str],
    measure: str,
    rules: Rules,
) -> Iterator[Interval]:
    """Yield the losses of a linear model when it is retrained without each of some
    features.

    Parameters
    ----------
    model : Ranker
        A model accepted by `no_refits`, with its hyperparameters and seed.
    train : RankingDataset
        Training data in the scaling of the model.
    dataset : RankingDataset
        Data for the measure.
    """

    def values(names: Sequence[str]) -> np.ndarray:
        cancel_point()
        again = type(model)(**model.get_params())
        if isinstance(again, SignedRanker):
            again.signs = signs_among(again.signs, names)
        again.fit_dataset(train.with_features(names))
        scores = document_scores(again, dataset.with_features(names))
        return _by_query(dataset, scores, measure, rules)

    names = train.feature_names
    whole = values(names)
    for feature in features:
        others = values([name for name in names if name != feature])
        yield difference_interval(whole, others, weights=dataset.query_weights)


def no_refits(model: Ranker, feature_names: Sequence[str]) -> str:
    """Return why a model cannot be retrained without a feature; empty if it can."""
    if not isinstance(model, LinearRanker) or isinstance(model, Imported):
        problem = f"{type(model).__name__} cannot be retrained without a feature"
        return f"{problem}: only linear models can."
    if len(feature_names) < 2:
        return "The model has only one feature, and none would remain."
    return ""


def partners(dataset: RankingDataset) -> dict[str, tuple[str, float]]:
    """Return each correlated feature's partner within queries, and r.

    The partner has the largest absolute r, which is at least 0.8. Features with missing
    values are left out.
    """
    X = np.array(dataset.X, dtype=np.float64)
    lengths = np.diff(dataset.offsets)
    # A feature that is constant within a query is then exactly 0.
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


def _by_query(
    dataset: RankingDataset, scores: np.ndarray, measure: str, rules: Rules
) -> np.ndarray:
    (values,) = measures.by_query(dataset, scores, measure, *rules).values()
    return values


def _weights(model: Ranker) -> np.ndarray:
    n_features = len(model.provenance_.feature_names)
    return model.feature_weights(model.parameters_, n_features)


def _sorted(
    names: Sequence[str], weights: np.ndarray, losses: Iterable[Interval]
) -> list[Importance]:
    rows = [
        Importance(name, weight, *loss[:3])
        for name, weight, loss in zip(names, weights.tolist(), losses, strict=True)
    ]
    return sorted(rows, key=lambda one: -one.loss)
