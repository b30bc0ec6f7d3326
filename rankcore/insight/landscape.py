"""A measure as a function along a line of models: exactly, as the steps it consists of.

Scores are linear along the line, so the order of a query changes only where two scores
cross, and no measure of ranks has any other values than those between the crossings.
"""

import numpy as np
from numpy.typing import ArrayLike

from rankcore.algorithms._line_search import LineSearch, StepFunction
from rankcore.dataset import RankingDataset
from rankcore.measures import Measure

__all__ = ["StepFunction", "along_line"]


def along_line(
    dataset: RankingDataset,
    start: ArrayLike,
    end: ArrayLike,
    measure: str | Measure = "nDCG@10",
    convention: str = "standard",
    empty: str = "zero",
) -> StepFunction:
    """The mean of a measure at the models (1 - t) ``start`` + t ``end``, for all t.

    Parameters
    ----------
    dataset : RankingDataset
    start, end : (d,) float64
        Coefficients of two linear models; t = 0 is the first and t = 1 the second.
    measure : str or Measure
        nDCG, AP, RR, P or WTA, with or without a cutoff.
    convention, empty : str
        As in `rankcore.measures.evaluate`.

    Returns
    -------
    StepFunction
        The values of t from minus to plus infinity at which the mean changes, and its
        value between each two. Exactly at such a point, where scores are equal, the
        order of the input decides, as it does wherever two scores are equal.

    Raises
    ------
    ValueError
        For models that do not fit the data, or another measure.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import RankingDataset
    >>> data = RankingDataset.from_arrays(np.eye(2), [1, 0])
    >>> steps = along_line(data, [0.0, 1.0], [1.0, 0.0], "RR")
    >>> steps.times.tolist(), steps.values.tolist()
    ([0.5], [0.5, 1.0])
    """
    first, last = (np.asarray(w, dtype=np.float64) for w in (start, end))
    for w in (first, last):
        if w.shape != (dataset.n_features,) or not np.isfinite(w).all():
            raise ValueError(
                f"A model on the line must have {dataset.n_features} finite "
                f"coefficients, one a feature; the shape of one is {w.shape}."
            )
    search = LineSearch(dataset, measure, convention, empty)
    return search.along(dataset.X @ first, dataset.X @ (last - first))
