"""Gains of NDCG, divided by what the best order of the query gains."""

from itertools import pairwise

import numpy as np

from rankcore.mathematics.elementary import Floats, exp2
from rankcore.mathematics.products import dot
from rankcore.measures import discounts


def normalised_gains(
    labels: np.ndarray, offsets: np.ndarray, cutoff: int | None
) -> Floats:
    r"""Gains :math:`(2^y - 1) / N_k`; 0 throughout a query without relevant documents.

    Parameters
    ----------
    labels : (n,) int64
    offsets : (q + 1,) int64
    cutoff : int or None
        k; None for the whole list.

    Returns
    -------
    (n,) float64
    """
    gains = exp2(labels) - 1.0
    for begin, end in pairwise(offsets):
        best = np.sort(gains[begin:end])[::-1][:cutoff]
        ideal = dot(best, discounts(np.arange(1.0, len(best) + 1.0)))
        if ideal > 0.0:
            gains[begin:end] /= ideal
    return gains
