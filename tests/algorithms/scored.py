"""All algorithms; lists of scored documents with ties, huge scores and missing grades;
small problems and training on them."""

import numpy as np
import pytest
from hypothesis import strategies as st

from rankcore.algorithms import Ranker, get_algorithm, list_algorithms
from rankcore.algorithms.parts.content_order import content_order
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive

ALGORITHMS = [get_algorithm(name) for name in list_algorithms()]


def every(base=Ranker):
    """A mark by which a test runs with every algorithm that has this base."""
    kinds = [algorithm for algorithm in ALGORITHMS if issubclass(algorithm, base)]
    return pytest.mark.parametrize("algorithm", kinds, ids=lambda kind: kind.__name__)


def problem(cuts):
    """Five queries of twelve documents; labels rise at these sums of two features."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 4))
    y = np.digitize(X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(60), cuts)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(5), 12))


def trained(algorithm, dataset, passes=2000, start=None, **settings):
    """Each step of training, and why it ended."""
    model = algorithm(**settings)
    run = drive(model, dataset, stop=Stop(passes), measures=(), start=start)
    return list(run), run.reason


def curvature_within(found, dataset, weigh, units):
    """Whether a curvature is that of the squared hinge at the ideal order: the largest
    eigenvalue of its Hessian, features in these units, pairs weighed as by
    ``weigh(scores, labels)``."""
    hessian = np.zeros((len(units), len(units)))
    _, rows, offsets = content_order(dataset)
    for item in np.split(rows, offsets[1:-1]):
        X, y = dataset.X[item], dataset.y[item]
        w = weigh(y.astype(float), y)
        for i, j in zip(*np.nonzero(w), strict=True):
            z = units * (X[i] - X[j])
            hessian += 2 * w[i, j] * np.outer(z, z)
    largest = np.linalg.eigvalsh(hessian)[-1]
    return 0.95 * largest <= found <= largest * (1 + 1e-12)


def scored(labels, longest, largest=1e12):
    """A strategy for the scores (n,) and the labels (n,) of a list of documents."""
    score = st.one_of(
        st.integers(-3, 3).map(lambda v: v / 2),
        st.floats(-largest, largest, allow_subnormal=False),
    )
    documents = st.tuples(score, st.sampled_from(labels))
    return st.lists(documents, min_size=1, max_size=longest).map(
        lambda found: tuple(map(np.array, zip(*found, strict=True)))
    )


def phi(v):
    """RSRank's loss of a margin."""
    return np.where(v < -1, -4 * v, np.where(v <= 1, (v - 1) ** 2, 0.0))


def phi_slope(v):
    return np.where(v < -1, -4.0, np.where(v <= 1, 2 * (v - 1), 0.0))


def discounts(n):
    return 1 / np.log2(2 + np.arange(n))


def pair_weights(scores, labels):
    """|Delta NDCG| of every pair with y_i > y_j, straight from the definition.

    Where documents are scores alone, those of equal ones go by rising label.
    """
    order = np.lexsort((labels, -scores))
    b = np.empty(len(scores))
    b[order] = discounts(len(scores))
    a = 2.0**labels - 1
    ideal = np.sort(a)[::-1] @ discounts(len(scores))
    weights = np.abs((a[:, None] - a) * (b[:, None] - b))
    return np.where(labels[:, None] > labels, weights, 0.0) / (ideal or 1.0)
