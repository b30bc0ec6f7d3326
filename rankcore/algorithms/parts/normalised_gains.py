"""Gains of NDCG, divided by the DCG of the ideal order of the query."""

from itertools import pairwise

import numpy as np

from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import Floats, exp2
from rankcore.mathematics.products import dot
from rankcore.measures import discounts


def relative_weights(dataset: RankingDataset) -> Floats | None:
    """Return the weights (n,) of documents divided by the largest in their query; None
    if all are 1."""
    if not dataset.has_document_weights:
        return None
    weights = np.asarray(dataset.document_weights)
    largest = np.maximum.reduceat(weights, dataset.offsets[:-1])
    return weights / np.repeat(largest, dataset.lengths)


def normalised_gains(
    labels: np.ndarray,
    offsets: np.ndarray,
    cutoff: int | None,
    weights: Floats | None = None,
) -> Floats:
    r"""Gains :math:`v (2^y - 1) / N_k`; 0 in a query without relevant documents.

    Parameters
    ----------
    labels : (n,) int64
    offsets : (q + 1,) int64
    cutoff : int or None
        k; None for the whole list.
    weights : (n,) float64, optional
        v, by default 1; see `relative_weights`.

    Returns
    -------
    (n,) float64
    """
    gains = exp2(labels) - 1.0
    if weights is not None:
        gains *= weights
    for begin, end in pairwise(offsets):
        best = np.sort(gains[begin:end])[::-1][:cutoff]
        ideal = dot(best, discounts(np.arange(1.0, len(best) + 1.0)))
        if ideal > 0.0:
            gains[begin:end] /= ideal
    return gains
