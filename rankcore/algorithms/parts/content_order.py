"""An order of queries and documents that is independent of the order of the rows.

If sums and ties follow it, training gives the same model to the last bit for any order
of the rows. Descent whose weights jump when two documents swap places needs this: it
amplifies differences in the last digit.
"""

from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.scales import extremes, reciprocal_ranges
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import owned
from rankcore.base.blocks import blocks, row_blocks
from rankcore.base.draws import standard_normal
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset


class ContentOrder(NamedTuple):
    """Queries, and the documents of each, in an order derived from their features.

    Attributes
    ----------
    queries : (q,) int64
    rows : (n,) int64
        Rows of the documents, query after query; documents of equal features by
        ascending label, then by ascending weight.
    offsets : (q + 1,) int64
        The start of each query in ``rows``.
    """

    queries: np.ndarray
    rows: np.ndarray
    offsets: np.ndarray

    @property
    def by_query(self) -> np.ndarray:
        """(n,) int64 rows: queries as in the data, documents in this order."""
        query = np.repeat(self.queries, np.diff(self.offsets))
        return self.rows[np.argsort(query, kind="stable")]

    def of(self, queries: np.ndarray) -> np.ndarray:
        """Return some queries (m,) in this order."""
        return self.queries[np.isin(self.queries, queries)]

    def scores(self, spread: float) -> np.ndarray:
        """Distinct scores (n,) of the documents of each query, from 0 to less than
        ``spread``, in the order of the data."""
        lengths = np.diff(self.offsets)
        place = np.arange(len(self.rows)) - np.repeat(self.offsets[:-1], lengths)
        scores = np.empty(len(self.rows))
        scores[self.rows] = spread * place / np.repeat(lengths, lengths)
        return scores


class _KeyBlock(NamedTuple):
    """The sort keys of the documents of a block."""

    keys: np.ndarray
    worth: np.ndarray
    offsets: np.ndarray

    def order(self) -> np.ndarray:
        """Return the rows of the block, sorted within each query."""
        query = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return np.lexsort((self.worth, self.keys, query))


def content_order(dataset: RankingDataset) -> ContentOrder:
    """Order by a random sum of the features, each in units of its range.

    The random weights are the same each time, and units do not change the order. A
    missing value adds a random number that is fixed for its feature.
    """
    rng, scales = np.random.default_rng(0), reciprocal_ranges(dataset)
    weights = standard_normal(rng, dataset.n_features) * scales
    if dataset.has_missing:
        fillings = standard_normal(rng, dataset.n_features) / scales
        pieces = [dataset.X[rows] for rows in row_blocks(*dataset.X.shape)]
        filled = (owned(np.where(np.isnan(X), fillings, X)) for X in pieces)
        keys = np.concatenate([linear_scores(X, weights) for X in filled])
    else:
        keys = linear_scores(dataset.X, weights)
    low, high = extremes(keys, dataset.offsets)
    queries = np.lexsort((high, low))
    cut = blocks(dataset.offsets, dataset.n_features)
    worth = _worth(dataset)
    parts = [
        _KeyBlock(keys[block.rows], worth[block.rows], block.offsets) for block in cut
    ]
    sorted_in_block = place(parts, local=True).call("order")
    begins = [block.rows.start for block in cut]
    within = np.concatenate(
        [order + begin for order, begin in zip(sorted_in_block, begins, strict=True)]
    )
    lengths = dataset.lengths[queries]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    shifts = np.repeat(dataset.offsets[queries] - offsets[:-1], lengths)
    return ContentOrder(queries, within[np.arange(len(within)) + shifts], offsets)


def _worth(dataset: RankingDataset) -> np.ndarray:
    """Return numbers (n,) that increase with the label and, among equal labels, with
    the weight of the document."""
    if not dataset.has_document_weights:
        return dataset.y
    pairs = np.column_stack([dataset.y, np.asarray(dataset.document_weights)])
    return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
