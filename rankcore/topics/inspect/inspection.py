"""One query under a model: forces, effects of swaps, and contributions."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rankcore.algorithms import LinearRanker, Ranker, get_algorithm, list_algorithms
from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import three_digits
from rankcore.data.dataset import Query, RankingDataset
from rankcore.measures import Measure
from rankcore.topics.inspect.ranking import Order, QueryValue


class Side(NamedTuple):
    """An order of a query's documents, and its name.

    Attributes
    ----------
    scores : (m,) float64 or None
        Scores of the documents by places in the query; None without a model.
    """

    name: str
    order: Order
    scores: Floats | None = None


class Inspection(NamedTuple):
    """A query's documents in several orders, the model's first.

    Attributes
    ----------
    query : Query
        With changed features and labels, if any.
    sides : sequence of Side
        The model, the ideal order, and a second order if there is one.
    before : (m,) int64
        Each document's place in the model's order without changes, 0 = top.
    effects : (k,) float64
        See `swap_effects`; of the first documents.
    forces : (m,) float64 or None
        See `rankcore.algorithms.Forces`; by the documents' places in the query.
    surrogate : str
        The algorithm that exerts the forces.
    edited : sequence of int
        The documents with changes.
    trained_here : bool
        Whether the model was trained here rather than by another program.
    """

    query: Query
    sides: Sequence[Side]
    measure: str
    before: Integers
    effects: Floats
    forces: Floats | None
    surrogate: str
    edited: Sequence[int] = ()
    trained_here: bool = True

    @property
    def best_swap(self) -> tuple[int, float] | None:
        """The lower place of the swap that raises the measure most, from 0, with the
        increase; None if no swap raises it."""
        effects = np.nan_to_num(self.effects)
        best = int(np.argmax(effects))
        return (best, float(effects[best])) if effects[best] > 0.0 else None

    def sentences(self, rows: int) -> list[str]:
        """Return sentences on documents below the first rows, and on missing parts."""
        parts = []
        hidden = len(self.query) - rows
        if hidden > 0:
            parts.append(f"{hidden} more documents are further down.")
        if math.isnan(self.sides[0].order.value):
            parts.append(f"{self.measure} is undefined: no document is relevant.")
        name = self.surrogate
        if self.forces is None and not self.trained_here:
            parts.append(
                "Forces come from an objective, which a model file does not have: "
                "choose the algorithm whose forces are shown."
            )
        elif self.forces is None:
            parts.append("This algorithm's objective exerts no forces on scores.")
        elif largest := float(np.abs(self.forces).max()):
            size = f"the largest is {three_digits(largest)}"
            parts.append(f"Forces of {name}: {size}.")
        else:
            parts.append(f"The forces of {name} vanish.")
        return parts

    def table(self) -> list[dict[str, object]]:
        """Return one row per document, in the model's order."""
        query, model = self.query, self.sides[0]
        names = query.doc_names
        others = {f"rank, {s.name}": s.order.places + 1 for s in self.sides[1:]}
        rows = []
        for place, row in enumerate(model.order.rows.tolist()):
            cells: dict[str, object] = {
                "rank": place + 1,
                "document": names[row],
                "label": query.y[row].item(),
            }
            if model.scores is not None:
                cells["score"] = float(model.scores[row])
            cells |= {name: int(ranks[row]) for name, ranks in others.items()}
            has_effect = place < len(self.effects) and not np.isnan(self.effects[place])
            cells["effect of a swap"] = (
                float(self.effects[place]) if has_effect else None
            )
            if self.forces is not None:
                cells["force"] = float(self.forces[row])
            rows.append(cells)
        return rows


def swap_effects(
    order: Order,
    labels: Integers,
    measure: Measure,
    convention: str = "standard",
    most: int | None = None,
) -> Floats:
    """Return changes of the measure if a document and the one above it swap places.

    Parameters
    ----------
    labels : (m,) int64
        By the documents' places in the query.
    convention : str
        As in `rankcore.measures.evaluate`.
    most : int, optional
        Limit to the first documents.

    Returns
    -------
    (k,) float64
        By place in the order; NaN for the first place, or if the measure is undefined.
    """
    m = len(order.rows)
    k = m if most is None else min(most, m)
    ranks = np.tile(np.arange(1.0, m + 1.0), (k, 1))
    below = np.arange(1, k)
    ranks[below, below], ranks[below, below - 1] = below, below + 1
    offsets = np.arange(k + 1) * m
    values = measure(ranks.ravel(), np.tile(labels[order.rows], k), offsets, convention)
    effects = np.asarray(values - values[0], dtype=np.float64)
    effects[0] = np.nan
    return effects


@cache
def surrogates() -> dict[str, type[Ranker]]:
    """Return, by name, the algorithms whose objective has forces on scores."""
    algorithms = {name: get_algorithm(name) for name in list_algorithms()}
    return {name: c for name, c in algorithms.items() if c.forces is not Ranker.forces}


def forces(algorithm: Ranker | None, query: Query, scores: Floats) -> Floats | None:
    """(m,) forces of an algorithm's surrogate on the documents of one query.

    None if it has no forces, or cannot train on these labels.

    Parameters
    ----------
    algorithm : Ranker or None
        With its hyperparameters; it need not be fitted.
    scores : (m,) float64
    """
    one = RankingDataset.from_arrays(
        np.asarray(scores, dtype=np.float64)[:, None], query.y, doc_ids=query.doc_ids
    )
    if algorithm is None or algorithm.unsupported_reason(one) is not None:
        return None
    forces_of = algorithm.forces(one, one.X[:, 0])
    # This removes the sign of zeros.
    return None if forces_of is None else forces_of.by_score + 0.0


def parts(
    algorithm: Ranker, coef: Floats, features: Floats, train: RankingDataset
) -> dict[str, list[Any]]:
    """Return the features of a document as a table, the most important one first.

    Parameters
    ----------
    coef : array
        The model, see `rankcore.algorithms.Step`.
    features : (d,) float64
        Features of the document.
    train : RankingDataset
        The training data.

    Returns
    -------
    dict of str to list
        For a linear model also the coefficients, and the contributions of features,
        which sum to the score.
    """
    names, d = train.feature_names, train.n_features
    weights = algorithm.feature_weights(coef, d)
    importances = algorithm.importances(weights, train)
    columns = {"value": features, "importance": importances}
    if isinstance(algorithm, LinearRanker):
        contributions = algorithm.contributions(coef, features)
        columns |= {"coefficient": weights, "contribution": contributions}
    order = np.argsort(-np.abs(importances), kind="stable")
    values = {name: column[order].tolist() for name, column in columns.items()}
    return {"feature": [names[j] for j in order], **values}


def matching(
    dataset: RankingDataset, rows: Sequence[QueryValue], words: str
) -> list[QueryValue]:
    """Return the queries whose name or text contains some words, ignoring case."""
    wanted = words.strip().casefold()
    texts = dataset.query_texts
    return [
        row
        for row in rows
        if wanted in dataset.query_names[row.position].casefold()
        or (texts is not None and wanted in texts[row.position].casefold())
    ]
