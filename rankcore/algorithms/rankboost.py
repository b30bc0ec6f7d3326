r"""RankBoost: boosting of threshold features on weighted pairs.

A weak ranker tests whether one feature of a document exceeds a threshold,
:math:`h(x) = 1\{x_f > \theta\}`. Pairs have weights D, which are equal at first. Each
round chooses the weak ranker with the largest :math:`|\rho|` and gives it the weight

.. math::

    \rho = \sum_{y_i > y_j} D_{ij} \big(h(x_i) - h(x_j)\big), \qquad
    \alpha = \frac12 \ln \frac{1 + \rho}{1 - \rho}, \qquad
    D_{ij} \leftarrow \frac{D_{ij}\, e^{-\alpha (h(x_i) - h(x_j))}}{Z},

which lowers the exponential loss, the mean over all pairs of
:math:`e^{-(s_i - s_j)}`, by the normaliser :math:`Z \le \sqrt{1 - \rho^2} < 1`. The
model is a sum of step functions of single features.

:math:`D_{ij}` is :math:`e^{s_j} e^{-s_i}` up to a constant, so no pair is ever formed:
a round costs O(n d) and stores one byte per value in addition to the data.

Deviations and readings

- This is the paper's third way of choosing :math:`\alpha`, which needs no joint
  optimisation with :math:`\rho`. A negative :math:`\alpha` reverses a weak ranker.
- The paper gives documents that lack a feature a separate score; here every document
  has a value of every feature.
- Thresholds lie halfway between neighbouring values of a feature; where a feature has
  more values than ``n_thresholds``, at quantiles.
- :math:`\rho = \pm 1` would make :math:`\alpha` infinite; it is taken to be at most
  1 - 1e-6, so no weight exceeds 7.25.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.forces import Forces
from rankcore.algorithms.parts.ranker import NOTHING_TO_LEARN, QueryWeights
from rankcore.algorithms.parts.scales import graded_queries
from rankcore.algorithms.parts.trees.boosting import rounds
from rankcore.algorithms.parts.trees.forest import ForestRanker
from rankcore.algorithms.parts.trees.forests import GrowingForest, stump
from rankcore.base.hyperparameters import logarithmic
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import log
from rankcore.training.steps import Start, Step, Steps

_LARGEST_RHO = 1.0 - 1e-6
_SMALLEST_RHO = 1e-9
_SMALLEST_LOSS = 1e-12
_WIDEST = 1400.0


class WeightedPairs:
    """All pairs of a data set, weighted by e^-(s_i - s_j) for the better document i.

    Attributes
    ----------
    scores : (n,) float64
        The scores at which `weigh` computes the weights of the pairs.
    potentials : (n,) float64
        Total weight of the pairs in which a document is the better one, minus that of
        the pairs in which it is the worse one, at the last call of `weigh`.
    count : int
        Number of pairs.
    widest : float
        Largest difference of two scores in a query, at the last call of `weigh`.
    """

    def __init__(self, dataset: RankingDataset) -> None:
        self._y, self._offsets = dataset.grades, dataset.offsets
        query = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
        self._members = np.lexsort((dataset.y, query))
        self.scores = np.zeros(dataset.n_documents)
        self.potentials = np.zeros(dataset.n_documents)
        self.widest = 0.0
        # At zero scores every pair has weight 1.
        self.count = round(self.weigh())

    def weigh(self) -> float:
        """Sum over all pairs of e^-(s_i - s_j) at the present scores."""
        from rankcore._kernels.losses.rankboost import pair_potentials

        loss, self.widest = pair_potentials(
            self.scores, self._members, self._y, self._offsets, self.potentials
        )
        return loss


class Thresholds:
    """The thresholds of every feature, and the bin of each document.

    Parameters
    ----------
    X : (n, d) float64
    most : int
        Maximum number of thresholds per feature, up to 255.

    Attributes
    ----------
    values : list of d arrays
        Rising.
    bins : (d, n) uint8
        Number of thresholds that a document exceeds.
    """

    def __init__(self, X: np.ndarray, most: int) -> None:
        self.values = []
        self.bins = np.empty(X.shape[::-1], dtype=np.uint8)
        for feature, column in enumerate(X.T):
            values = _thresholds(np.sort(column), most)
            self.values.append(values)
            self.bins[feature] = np.searchsorted(values, column)
        self._n_bins = np.array([len(values) + 1 for values in self.values])

    def best(self, potentials: np.ndarray) -> tuple[int, int, float]:
        """Return the best feature, its threshold, and the potentials beyond."""
        from rankcore._kernels.losses.rankboost import best_threshold

        return best_threshold(self.bins, potentials, self._n_bins)

    def add(
        self, scores: np.ndarray, feature: int, threshold: int, weight: float
    ) -> None:
        """Raise in place the scores of the documents beyond a threshold."""
        from rankcore._kernels.losses.rankboost import add_beyond

        add_beyond(scores, self.bins[feature], threshold, weight)


def _thresholds(column: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` values that divide a sorted column."""
    steps = np.flatnonzero(column[1:] > column[:-1])
    if len(steps) > most:
        wanted = np.linspace(0, len(column) - 1, most + 2)[1:-1]
        steps = steps[np.minimum(np.searchsorted(steps, wanted), len(steps) - 1)]
        steps = np.unique(steps)
    low, high = column[steps], column[steps + 1]
    middle = 0.5 * low + 0.5 * high
    # Neighbouring floating-point numbers have no number between them.
    return np.where((low <= middle) & (middle < high), middle, low)


def weight_of(rho: float) -> float:
    """Return the weight of a weak ranker with correlation rho."""
    rho = min(max(rho, -_LARGEST_RHO), _LARGEST_RHO)
    return 0.5 * float(log((1.0 + rho) / (1.0 - rho)))


@dataclass(eq=False, repr=False, kw_only=True)
class RankBoost(ForestRanker):
    """RankBoost on threshold features.

    The model is a sum of steps: a document gets the weight of each threshold it
    exceeds. The objective reported is the mean exponential loss over all pairs.
    """

    title = "RankBoost"
    family = "boosting"
    summary = (
        "Adds one threshold of one feature per round: the one that best orders the "
        "pairs that are still in the wrong order."
    )
    whole_labels = ""
    equation = (
        r"\min_s \sum_{y_i > y_j} e^{-(s_i - s_j)}, \quad "
        r"s = \sum_t \alpha_t 1\{x_{f_t} > \theta_t\}, \quad"
        r"\alpha_t = \frac12 \ln \frac{1 + \rho_t}{1 - \rho_t}, \quad"
        r"\rho_t = \sum_{y_i > y_j} D_{ij} (h_t(x_i) - h_t(x_j))"
    )
    paper = (
        "Y. Freund, R. Iyer, R. E. Schapire, Y. Singer: An efficient boosting "
        "algorithm for combining preferences. JMLR 4:933-969, 2003."
    )
    query_weights = QueryWeights(
        False, "Boosting sets the weights of pairs itself, starting from equal ones."
    )
    presets = {
        "Every threshold": {"n_thresholds": 255},
        "One threshold a feature": {"n_thresholds": 1},
    }
    weights_title = "Weight of thresholds"

    n_thresholds: int = logarithmic(
        10,
        (1, 255),
        maximum=255,
        label="Thresholds",
        meaning="Maximum number of thresholds tried per feature.",
        sweep=(1, 3, 10, 30, 100, 255),
    )
    max_iter: int = rounds(100)

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces:
        pairs = WeightedPairs(dataset)
        pairs.scores[:] = scores
        value, n = pairs.weigh(), max(pairs.count, 1)
        return Forces(value / n, pairs.potentials / n)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the empty model, then the model after each round.

        Diagnostics are the normaliser Z, rho and the weight of the last round, and the
        number of thresholds so far.
        """
        self.reject_start(start)
        forest, pairs = GrowingForest(), WeightedPairs(dataset)
        loss = float(pairs.count)

        def step(iteration: int, shrink: float, rho: float, alpha: float) -> Step:
            figures = {
                "normaliser": shrink,
                "rho": rho,
                "weight of the last": alpha,
                "thresholds": float(iteration),
            }
            mean = loss / max(pairs.count, 1)
            return Step(iteration, forest.nodes(), mean, figures)

        yield step(0, 1.0, 0.0, 0.0)
        if not graded_queries(dataset).any():
            return NOTHING_TO_LEARN
        thresholds, iteration = Thresholds(dataset.X, self.n_thresholds), 0
        while True:
            feature, threshold, correlation = thresholds.best(pairs.potentials)
            rho = correlation / loss
            if abs(rho) < _SMALLEST_RHO:
                return "No threshold orders the weighted pairs better than chance."
            alpha = weight_of(rho)
            value = float(thresholds.values[feature][threshold])
            forest.add(stump(feature, value, 0.0, alpha, gain=abs(alpha)))
            thresholds.add(pairs.scores, feature, threshold, alpha)
            before, loss = loss, pairs.weigh()
            iteration += 1
            yield step(iteration, loss / before, rho, alpha)
            if loss < _SMALLEST_LOSS * pairs.count:
                return "All pairs are in order by a wide margin."
            if pairs.widest > _WIDEST:
                return (
                    "Scores lie further apart than the exponential loss can be "
                    "computed for."
                )
