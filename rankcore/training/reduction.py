r"""The reduction of ranking by NDCG to importance-weighted classification of pairs.

*NDCG-Train* turns the documents of each query into ordered pairs :math:`(x_i, x_j)` of
different labels. The target is whether the second is preferred,
:math:`c(x_i, x_j) = \mathbf 1\{y_j > y_i\}`, and the weight is the change of NDCG if
the two swap places in the order of the previous round's classifier,

.. math:: w_{ij} = \tfrac1N \, |(2^{y_i} - 2^{y_j})(D(\pi_i) - D(\pi_j))|, \qquad
    D(\pi) = 1 / \log_2(1 + \pi).

*NDCG-Test* ranks by wins: :math:`\mathrm{pos}(x_i)` is 1 plus the number of documents
that beat :math:`x_i`.

Z. Sun, T. Qin, Q. Tao, J. Wang, "Robust sparse rank learning for non-smooth ranking
measures", SIGIR 2009, procedures 1 and 2.

Deviations from the paper
-------------------------
- Procedure 1 gives the learner the target :math:`\mathbf 1\{y_i > y_j\}`, the opposite
  of c everywhere else in the paper.
- Documents with equal numbers of wins share a position in the paper; in a cycle all do,
  and all weights vanish. Here the order of the input breaks ties.
- The classifier predicts each pair in both orders and the two predictions are averaged,
  so that no document wins by coming first. A linear classifier on differences would
  need only one order, but is treated alike.
- The initial order, which the paper leaves open, is random.

Only this module forms pairs: :math:`O(n^2)` per query, query by query. A classifier's
``fit`` needs the pairs of all queries in one array; with ``stream=True`` its
``partial_fit`` gets those of one query at a time. Wins are counted in blocks. `RSRank`
minimises a convex bound of the same loss without forming any.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from rankcore.base.draws import standard_normal
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp2
from rankcore.mathematics.products import dot
from rankcore.measures import discounts
from rankcore.training.estimators import (
    ABSENT,
    Queries,
    QueryScorer,
    documents,
    queries_of_fit,
    training_data,
)

_BLOCK = 65_536


@dataclass(frozen=True)
class Pairs:
    """The ordered pairs of different labels of one query.

    Attributes
    ----------
    first, second : (p,) int64
        Rows of the data set; each pair occurs in both orders.
    target : (p,) int64
        1 if the second document is preferred, else 0.
    weight : (p,) float64
        The absolute change of NDCG by a swap.
    """

    first: np.ndarray
    second: np.ndarray
    target: np.ndarray
    weight: np.ndarray


def train_pairs(dataset: RankingDataset, ranks: np.ndarray) -> Iterator[Pairs]:
    """Yield the classification problem of NDCG-Train, query by query.

    Parameters
    ----------
    ranks : (n,) array
        Rank of each document within its query in the current order, 1 = best.

    Yields
    ------
    Pairs
        One for each query with two different labels.
    """
    for query in map(dataset.query, range(dataset.n_queries)):
        gains = exp2(query.y) - 1.0
        table = discounts(np.arange(1, len(query) + 1))
        ideal = dot(np.sort(gains)[::-1], table)
        i, j = np.nonzero(query.y[:, None] != query.y)
        if len(i) == 0:
            continue
        b = table[np.asarray(ranks[query.slice], dtype=np.int64) - 1]
        yield Pairs(
            first=query.slice.start + i,
            second=query.slice.start + j,
            target=(query.y[j] > query.y[i]).astype(np.int64),
            weight=np.abs((gains[i] - gains[j]) * (b[i] - b[j])) / ideal,
        )


class PairwiseReduction(QueryScorer, BaseEstimator):
    """Ranking with any scikit-learn classifier that supports sample weights.

    Parameters
    ----------
    classifier : estimator, optional
        Its ``fit`` must accept ``sample_weight``; by default logistic regression.
    n_rounds : int
        Number of rounds; each computes weights from the order of the previous
        classifier and trains a new one.
    pair_features : {"difference", "both"}
        Features of a pair: the difference of the two documents' features, or all
        features of both.
    stream : bool
        Pass the pairs of one query at a time to the classifier's ``partial_fit``,
        instead of all in one array to its ``fit``.
    random_state : int or None
        Seed of the order before the first classifier.

    Attributes
    ----------
    classifier_ : estimator
        The classifier of the last round.
    losses_ : list of float
        Importance-weighted error of each round: the mean over queries of the summed
        weights of the pairs that the round's classifier predicts wrongly.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [0.2], [1.0]]), np.array([0, 1, 2])
    >>> PairwiseReduction().fit(X, y, qid=None).predict(X).tolist()
    [0.0, 1.0, 2.0]
    """

    def __init__(
        self,
        classifier: Any = None,
        n_rounds: int = 3,
        pair_features: str = "difference",
        stream: bool = False,
        random_state: int | None = 0,
    ) -> None:
        self.classifier = classifier
        self.n_rounds = n_rounds
        self.pair_features = pair_features
        self.stream = stream
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray, qid: Queries = ABSENT) -> Self:
        """Train on documents in any order (NDCG-Train).

        Parameters
        ----------
        X : (n, d) array
        y : (n,) array of int
            Labels, 0 = irrelevant.
        qid : (n,) array or None
            The query of each document; None says that all belong to one query, as
            leaving it out does with a `MissingQueryWarning`.

        Raises
        ------
        ValueError
            For data without pairs, or invalid parameters.
        """
        if self.pair_features not in ("difference", "both"):
            raise ValueError(
                "pair_features must be 'difference' or 'both', not "
                f"{self.pair_features!r}."
            )
        if self.n_rounds < 1:
            raise ValueError(f"n_rounds must be at least 1, not {self.n_rounds}.")
        dataset = training_data(self, X, y, queries_of_fit(self, qid))
        dataset.check_gain()
        rng = np.random.default_rng(self.random_state)
        ranks = _ranks(dataset, standard_normal(rng, dataset.n_documents))
        self.losses_: list[float] = []
        for _ in range(self.n_rounds):
            self._fit_round(dataset, ranks)
            ranks = _ranks(dataset, self._wins(dataset))
        return self

    def _fit_round(self, dataset: RankingDataset, ranks: np.ndarray) -> None:
        sums = [(len(p.weight), p.weight.sum()) for p in train_pairs(dataset, ranks)]
        if not sums:
            raise ValueError(
                "No query has two different labels, so there are no pairs to learn "
                "from; give data in which some query has."
            )
        count, total = map(sum, zip(*sums, strict=True))
        # A mean weight of 1 preserves the relative strength of the classifier's
        # regularisation.
        scale = count / total if total > 0.0 else 1.0
        self.classifier_ = self._new_classifier()
        if self.stream:
            for features, target, weight in self._blocks(dataset, ranks):
                self.classifier_.partial_fit(
                    features, target, classes=(0, 1), sample_weight=scale * weight
                )
        else:
            columns = zip(*self._blocks(dataset, ranks), strict=True)
            features, target, weight = map(np.concatenate, columns)
            self.classifier_.fit(features, target, sample_weight=scale * weight)
        lost = sum(
            float(weight[self.classifier_.predict(features) != target].sum())
            for features, target, weight in self._blocks(dataset, ranks)
        )
        # Each pair occurs in both orders.
        self.losses_.append(lost / (2 * dataset.n_queries))

    def _new_classifier(self) -> Any:
        if self.classifier is None:
            from sklearn.linear_model import LogisticRegression

            return LogisticRegression()
        return clone(self.classifier)

    def _blocks(
        self, dataset: RankingDataset, ranks: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield features, targets and weights of the pairs, query by query."""
        for pairs in train_pairs(dataset, ranks):
            X, first, second = dataset.X, pairs.first, pairs.second
            yield self._features(X[first], X[second]), pairs.target, pairs.weight

    def predict(self, X: np.ndarray, qid: np.ndarray | None = None) -> np.ndarray:
        """Return the number of wins (n,) of each document within its query (NDCG-Test).

        Parameters
        ----------
        X : (n, d) array
        qid : (n,) array, optional
            The query of each document; without it, all belong to one query.

        Returns
        -------
        (n,) float64
            Higher is better; half a win if the classifier's two predictions disagree.
        """
        check_is_fitted(self)
        X = documents(self, X)
        dataset = RankingDataset.from_arrays(X, np.zeros(len(X), dtype=np.int64), qid)
        wins = np.empty(len(X))
        wins[dataset.rows] = self._wins(dataset)
        return wins

    def _predicted(self, X: np.ndarray, queries: np.ndarray | None) -> np.ndarray:
        return self.predict(X, queries)

    def tournament(self, X: np.ndarray) -> np.ndarray:
        """Return pairwise preferences among the documents ``X`` (m, d) of one query.

        Returns
        -------
        (m, m) float64
            In row i, column j: 1 if j is preferred to i in both orders, 0.5 if the two
            predictions disagree, else 0; 0 on the diagonal.
        """
        m = len(X)
        beaten = np.zeros((m, m))
        rows = max(_BLOCK // max(m, 1), 1)
        for begin in range(0, m, rows):
            some = np.arange(begin, min(begin + rows, m))
            i, j = np.repeat(some, m), np.tile(np.arange(m), len(some))
            preferred = (
                self._predictions(X[i], X[j]) + 1.0 - self._predictions(X[j], X[i])
            )
            beaten[some] = 0.5 * preferred.reshape(len(some), m)
        np.fill_diagonal(beaten, 0.0)
        return beaten

    def _wins(self, dataset: RankingDataset) -> np.ndarray:
        queries = map(dataset.query, range(dataset.n_queries))
        return np.concatenate(
            [self.tournament(query.X).sum(axis=0) for query in queries]
        )

    def _predictions(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self.classifier_.predict(self._features(first, second)).astype(float)

    def _features(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        if self.pair_features == "difference":
            return second - first
        return np.hstack([first, second])


def _ranks(dataset: RankingDataset, scores: np.ndarray) -> np.ndarray:
    from rankcore.measures import exact_ranks

    return exact_ranks(scores, dataset.offsets)
