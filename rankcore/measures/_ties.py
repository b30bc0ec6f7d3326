"""Documents of equal scores: their number, and models that rank nothing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.numbers import percent
from rankcore.measures._measure import Floats, Integers, checked, numbered_levels
from rankcore.measures._rules import tie_rule

# Share of tied pairs above which a note appears if ties keep the order of the data.
_MANY = 0.1
_FIRST = 64


def ranks_nothing(scores: ArrayLike, offsets: ArrayLike) -> bool:
    """Whether scores rank nothing: all scores within every query are equal.

    Parameters
    ----------
    scores : (n,) float64
    offsets : (q + 1,) int64
        Where each query begins; its documents are contiguous.

    Returns
    -------
    bool
        False if no query has two documents, because there is nothing to rank.

    Examples
    --------
    >>> ranks_nothing([2.0, 2.0, 1.0], [0, 2, 3]), ranks_nothing([2.0, 1.0], [0, 2])
    (True, False)
    """
    keys, starts = np.asarray(scores, np.float64), np.asarray(offsets, np.int64)
    few = int(starts[min(len(starts) - 1, 1)])
    if (keys[1 : min(few, _FIRST)] != keys[: max(min(few, _FIRST) - 1, 0)]).any():
        return False
    within = np.ones(max(len(keys) - 1, 0), dtype=bool)
    inner = starts[(starts > 0) & (starts < len(keys))]
    within[inner - 1] = False
    return bool(within.any()) and not (within & (keys[1:] != keys[:-1])).any()


class Ties(NamedTuple):
    """Documents of equal scores in a data set.

    Attributes
    ----------
    documents : int
        Number of documents that share their score with another one of their query.
    pairs, tied : int
        Numbers of pairs of a query with different labels, and of tied ones of these.
    """

    documents: int
    pairs: int
    tied: int

    @property
    def share(self) -> float:
        """Share of tied pairs among pairs with different labels; 0 without any."""
        return self.tied / self.pairs if self.pairs else 0.0

    def sentence(self, convention: str = "standard", ties: str | None = None) -> str:
        """Return a note on pairs that only the order of the data ranks; empty if they
        are few or averaged."""
        if tie_rule(convention, ties) != "input" or self.share <= _MANY:
            return ""
        return (
            f"{percent(self.share)} of the pairs of documents with different labels "
            "have equal scores and keep the order of the data, which may be that of "
            "their labels; the rule `mean` for ties counts the mean over their orders."
        )


def ties_of(scores: ArrayLike, labels: ArrayLike, offsets: ArrayLike) -> Ties:
    """Count the documents of equal scores.

    Parameters
    ----------
    scores : (n,) float64
    labels : (n,) int64
    offsets : (q + 1,) int64
        Where each query begins; its documents are contiguous.

    Examples
    --------
    >>> ties_of([1.0, 1.0, 0.0], [1, 0, 0], [0, 3])
    Ties(documents=2, pairs=2, tied=1)
    """
    numbers, _ = numbered_levels(labels)
    keys, grades, starts = checked(scores, numbers, offsets, "scores")
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    # Zeros of either sign are equal, but differ in bits.
    group = _numbers(query, keys + 0.0)
    sizes = np.bincount(group)
    every = _pairs(np.bincount(query)) - _pairs(np.bincount(_numbers(query, grades)))
    tied = _pairs(sizes) - _pairs(np.bincount(_numbers(group, grades)))
    return Ties(int(sizes[sizes > 1].sum()), every, tied)


def _numbers(groups: Integers, values: Floats | Integers) -> Integers:
    """Return number the groups of equal values within groups."""
    order = np.lexsort((values, groups))
    one, other = order[:-1], order[1:]
    new = (groups[one] != groups[other]) | (values[one] != values[other])
    numbers = np.zeros(len(order), dtype=np.int64)
    numbers[order[1:]] = np.cumsum(new)
    return numbers


def _pairs(sizes: Integers) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
