"""Importance of the features of one or two models, over all queries of a split."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankcore.algorithms import ForestRanker, Ranker
from rankcore.base.forest_columns import FEATURE
from rankcore.base.numbers import counted, three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.measures import Rules
from rankcore.studies import Findings, Progress, Study
from rankcore.studies.importance import (
    FEWEST,
    no_refits,
    partners,
    permutation_losses,
    permutations,
    refit_losses,
)

PERMUTATION, REFIT = "permutation", "refit"
MOST_FEATURES = 16
MOST_PAIRS = 3


class FeatureLoss(NamedTuple):
    """The loss of a model without the information of a feature.

    Attributes
    ----------
    loss, low, high : float
        As in `rankcore.studies.importance.Importance`.
    """

    model: str
    feature: str
    loss: float
    low: float
    high: float


class ImportanceSubject(NamedTuple):
    """The subject of `importance_study`.

    Attributes
    ----------
    models : dict of str to str
        The algorithm of each model by its name.
    by : {"permutation", "refit"}
    partners : dict of str to (str, float)
        For features correlated within queries: the other feature and r.
    """

    models: Mapping[str, str]
    by: str
    measure: str
    partners: Mapping[str, tuple[str, float]]


def importance_study(
    models: Mapping[str, tuple[Ranker, Any]],
    train: RankingDataset,
    dataset: RankingDataset,
    by: str,
    measure: str,
    rules: Rules,
) -> Study:
    """Measure the loss of each model without each of its most important features.

    Parameters
    ----------
    models : dict of str to (Ranker, array)
        Algorithm and coefficients, see `rankcore.algorithms.Step`.
    train, dataset : RankingDataset
        The training data, and the split to measure, in the models' scaling.
    by : {"permutation", "refit"}
        Permutation within queries, the same for all models, or retraining.

    Returns
    -------
    Study
        Its findings are `FeatureLoss`, its subject is an `ImportanceSubject`.
    """
    features = leading(models, train)
    names = {name: type(model).__name__ for name, (model, _) in models.items()}
    subject = ImportanceSubject(names, by, measure, partners(dataset))

    def losses() -> Findings:
        orders = permutations(dataset) if by == PERMUTATION else []
        for name, (model, coef) in models.items():
            yield Progress(f"features of {name}")
            if by == PERMUTATION:
                changed = permutation_losses(
                    model, coef, dataset, orders, features, measure, rules
                )
            else:
                chosen = [train.feature_names[j] for j in features]
                changed = refit_losses(model, train, dataset, chosen, measure, rules)
            for j, loss in zip(features, changed, strict=True):
                yield FeatureLoss(name, train.feature_names[j], *loss[:3])
        return f"Complete for {counted(len(features), 'features')}."

    return Study(losses(), len(models) * len(features), "losses", subject)


def refusal(
    models: Mapping[str, tuple[Ranker, Any]],
    train: RankingDataset,
    dataset: RankingDataset,
    by: str,
) -> str | None:
    """Return why `importance_study` is impossible, as a sentence, or None."""
    if dataset.n_queries < 2:
        return "An interval needs at least two queries."
    if by == PERMUTATION:
        return None
    problems = [no_refits(model, train.feature_names) for model, _ in models.values()]
    return next(filter(None, problems), None)


def leading(
    models: Mapping[str, tuple[Ranker, Any]], train: RankingDataset
) -> list[int]:
    """Return the most important features by coefficient × spread, or by splits,
    relative to each model's largest; at most 16.

    Trees from a file without gains are ranked by the number of splits.
    """
    shares = np.zeros(train.n_features)
    for model, coef in models.values():
        weights = model.feature_weights(coef, train.n_features)
        sizes = np.abs(model.importances(weights, train))
        if isinstance(model, ForestRanker) and not sizes.any():
            compared = coef[coef[:, FEATURE] >= 0.0, FEATURE].astype(np.int64)
            sizes = np.bincount(compared, minlength=train.n_features)
        shares = np.maximum(shares, sizes / (sizes.max() or 1.0))
    order = np.argsort(-shares, kind="stable")[:MOST_FEATURES]
    return [int(j) for j in order if shares[j] > 0.0 or j == order[0]]


def importance_text(losses: Sequence[FeatureLoss], subject: ImportanceSubject) -> str:
    """Return sentences on the method, and on correlated features."""
    if subject.by == PERMUTATION:
        text = f"Mean of {FEWEST} permutations within queries, the same for each model."
    else:
        text = (
            "Each model is trained again without the feature, its hyperparameters and "
            "seed as they were, and compared with the same training with all features."
        )
    pairs: dict[frozenset[str], str] = {}
    for name in dict.fromkeys(loss.feature for loss in losses):
        if name in subject.partners:
            other, r = subject.partners[name]
            words = f"{name} and {other} (r {three_digits(r)})"
            pairs.setdefault(frozenset((name, other)), words)
    if not pairs:
        return text
    more = len(pairs) - MOST_PAIRS
    names = ", ".join(list(pairs.values())[:MOST_PAIRS])
    rest = f", and {more} more in the table" if more > 0 else ""
    return f"{text} Correlated features stand in for each other: {names}{rest}."


def importance_table(
    losses: Sequence[FeatureLoss], subject: ImportanceSubject
) -> dict[str, list[Any]]:
    """Return the losses as columns."""
    others = [subject.partners.get(loss.feature) for loss in losses]
    return {
        **{
            name: [getattr(loss, name) for loss in losses]
            for name in FeatureLoss._fields
        },
        "correlated with": [other[0] if other else "" for other in others],
        "r": [other[1] if other else np.nan for other in others],
    }
