"""Random collections in the shapes of known data sets."""

from dataclasses import dataclass

import numpy as np

from rankcore import RankingDataset


@dataclass(frozen=True)
class Shape:
    """A collection's size, its distribution of list lengths, and its shares of grades.

    Lengths vary as in the data set, because padding costs time: most lists of MQ2007
    have 40 documents, the longest 147.
    """

    name: str
    n_queries: int
    n_documents: int
    n_features: int
    length_deviation: float
    longest: int
    grades: tuple[float, ...]


SHAPES = (
    Shape("OHSUMED", 63, 9_653, 45, 58.0, 320, (0.65, 0.2, 0.15)),
    Shape("TD2003", 30, 28_849, 64, 40.0, 1000, (0.992, 0.008)),
    Shape("MQ2007", 1_017, 41_234, 46, 7.0, 147, (0.76, 0.17, 0.07)),
)
SMALL = Shape("small", 40, 800, 20, 3.0, 30, (0.6, 0.3, 0.1))


def queries(
    shape: Shape, rng: np.random.Generator, first: int | None = None
) -> np.ndarray:
    """Return the query of each document; the first query's length may be given."""
    n, q = shape.n_documents, shape.n_queries
    lengths = rng.normal(n / q, shape.length_deviation, q).clip(5, shape.longest)
    lengths[0] = first or lengths[0]
    ends = np.round(np.cumsum(lengths) / lengths.sum() * n).astype(int)
    return np.searchsorted(ends, np.arange(n), side="right")


def scored(shape: Shape, rng: np.random.Generator) -> tuple[RankingDataset, np.ndarray]:
    """Return random lists of a shape, and coefficients for scores of deviation 1."""
    qid, n = queries(shape, rng, shape.longest), shape.n_documents
    y = rng.choice(len(shape.grades), size=n, p=shape.grades)
    dataset = RankingDataset.from_arrays(rng.random((n, shape.n_features)), y, qid)
    w = rng.normal(size=shape.n_features)
    return dataset, w / np.std(dataset.X @ w)


def linear(
    shape: Shape, rng: np.random.Generator, noise: float = 0.5
) -> RankingDataset:
    """Return lists with labels from a noisy linear function of the features, with noise
    in units of the function's standard deviation."""
    qid, n = queries(shape, rng), shape.n_documents
    X = rng.random((n, shape.n_features))
    truth = X @ rng.normal(size=shape.n_features)
    truth += noise * truth.std() * rng.normal(size=n)
    y = np.searchsorted(np.quantile(truth, np.cumsum(shape.grades)[:-1]), truth)
    return RankingDataset.from_arrays(X, y, qid)
