r"""Coordinate ascent on a ranking measure, with an exact line search.

The measure itself is maximised, not a surrogate: one coefficient after the other is set
to the value that maximises the mean of the measure over the training queries,

.. math::

    \max_w \frac{1}{|Q|} \sum_q M\big(\pi(Xw), y\big), \qquad
    w_j \leftarrow \arg\max_t M\big(\pi(Xw + t X e_j), y\big).

Along a coordinate every score is linear in t, so the order of a query changes only
where two scores cross, and the mean measure is a step function with those breakpoints.
The whole function is computed, for t from minus to plus infinity, and the coefficient
moves to the middle of the interval with the largest value, the widest one if there are
several, so that the order is as far as possible from changing.

Paper
-----
D. Metzler, W. B. Croft, "Linear feature-based models for information retrieval",
Information Retrieval 10(3), 2007, section 4.1; the exact line search along a step
function is that of F. J. Och, "Minimum error rate training in statistical machine
translation", ACL 2003, section 4.

Complexity
----------
A line costs O(n + c log n) for a query of n documents in which c pairs swap among the
positions that the measure reads: a few hundred for nDCG@10, up to n^2 / 2 without a
cutoff. An iteration searches one line per feature. Memory is O(n) in addition to the
data, plus the changes of value along one line.

Deviations from the paper and from RankLib
------------------------------------------
- RankLib and others try growing steps in both directions and keep the best one. Here
  the exact maximum along the line is found, so there is no step length to choose.
- Random starts are uniform between -1 and 1, in units of the features' ranges. RankLib
  begins each restart at equal weights.
- During training, tied documents are ranked in their worst order, independent of the
  order of the rows: along a line a measure then changes only where two scores meet.
- Coefficients are divided by the sum of their absolute values after each iteration, as
  in RankLib, which changes no order.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.line_search import LineSearch
from rankcore.algorithms.parts.ranker import (
    BINARY_LOSS,
    NOTHING_TO_LEARN,
    LinearRanker,
    QueryWeights,
)
from rankcore.algorithms.parts.scales import reciprocal_or_zero, widest_ranges
from rankcore.base.cancellation import cancel_point
from rankcore.base.hyperparameters import choice, logarithmic
from rankcore.data.dataset import RankingDataset
from rankcore.measures import means
from rankcore.training.steps import Start, Step, Steps

_GAIN = 1e-9
_ROUNDING = 1e-12


@dataclass(eq=False, repr=False, kw_only=True)
class CoordinateAscent(LinearRanker):
    """Coordinate ascent on a measure (Metzler and Croft, 2007), searched exactly."""

    title = "Coordinate ascent"
    family = "direct"
    summary = (
        "Sets one coefficient at a time to the value that maximises the measure "
        "itself, found exactly from the points where two scores cross."
    )
    equation = (
        r"w_j \leftarrow \arg\max_t \frac{1}{|Q|} \sum_q "
        r"M\big(\pi(Xw + t\,X e_j),\, y\big), \qquad j = 1, \dots, d, 1, \dots"
    )
    paper = (
        "D. Metzler, W. B. Croft: Linear feature-based models for information "
        "retrieval. Information Retrieval 10(3), 2007."
    )
    iteration_cost = 64
    other_gain = "another measure"
    whole_labels = BINARY_LOSS
    maximises = True
    query_weights = QueryWeights(
        False,
        "It maximises the plain mean of a measure over queries.",
    )
    presets = {
        "nDCG@10": {"criterion": "nDCG@10"},
        "Average precision": {"criterion": "AP"},
        "First relevant document": {"criterion": "RR@10"},
        "Five restarts, as RankLib": {"n_restarts": 5},
    }

    criterion: str = choice(
        "nDCG@10",
        ("nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10", "nDCG", "AP", "RR@10", "P@10"),
        symbol="M",
        label="Measure to maximise",
        meaning="The measure that is maximised on the training queries.",
        sweep=("nDCG@10", "AP"),
    )
    n_restarts: int = logarithmic(
        1,
        (1, 50),
        label="Restarts",
        meaning="Number of starts, one after the other; the best result comes last.",
        sweep=(1, 5),
    )
    init: str = choice(
        "equal",
        ("equal", "random"),
        symbol="w_0",
        label="Start of the first",
        meaning="Start of the first restart: equal or random weights; all others start "
        "at random.",
    )
    tolerance: float = logarithmic(
        1e-3,
        (1e-6, 0.1),
        label="Smallest gain",
        meaning="A restart ends when an iteration improves the measure by less.",
        advanced=True,
        while_running=True,
    )
    restart_passes: int = logarithmic(
        25,
        (1, 5000),
        label="Iterations per restart",
        meaning="Iterations after which a restart ends even if it still improves.",
        advanced=True,
    )

    @property
    def exponential_gain(self) -> bool:
        return self.criterion.startswith("nDCG")

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield each start and the state after each iteration over all features.

        Diagnostics: the number of the restart, the number of coefficients moved in the
        iteration, and the number of queries whose value depends on the model.
        """
        search = LineSearch(dataset, self.criterion, ties="worst")
        changeable = np.zeros(dataset.n_queries, dtype=np.bool_)
        changeable[search.queries] = True
        units = reciprocal_or_zero(widest_ranges(dataset, changeable))
        best: Step | None = None
        last: Step | None = None
        iteration = -1
        for restart in range(1, self.n_restarts + 1):
            if restart == 1 and start is not None:
                w = self.checked_start(start, dataset)
            else:
                w = self._first(units, rng, restart)
            for coef, value, n_moved in self._climb(dataset, search, w, rng):
                iteration += 1
                diagnostics = {
                    "restart": float(restart),
                    "coefficients moved": float(n_moved),
                    "queries": float(len(search.queries)),
                }
                last = Step(iteration, coef, value, diagnostics)
                yield last
                if best is None or value > best.objective + _ROUNDING:
                    best = last
            if not len(search.queries):
                return NOTHING_TO_LEARN
        if best is not None and best is not last:
            yield Step(iteration + 1, best.coef, best.objective, best.diagnostics)
        return f"An iteration over all features gained less than {self.tolerance:g}."

    def _first(
        self, units: np.ndarray, rng: np.random.Generator, restart: int
    ) -> np.ndarray:
        if restart == 1 and self.init == "equal":
            return _normalised(units)
        return _normalised(units * rng.uniform(-1.0, 1.0, len(units)))

    def _climb(
        self,
        dataset: RankingDataset,
        search: LineSearch,
        w: np.ndarray,
        rng: np.random.Generator,
    ) -> Iterator[tuple[np.ndarray, float, int]]:
        """Yield coefficients, measure and number of moves, at the start and after each
        iteration of one restart."""
        value = self._value(dataset, self.scores(dataset.X, w))
        yield w, value, 0
        if not len(search.queries):
            return
        for _ in range(self.restart_passes):
            before = value
            w, value, n_moved = self._pass(dataset, search, w, value, rng)
            yield w, value, n_moved
            if value - before < self.tolerance:
                return

    def _pass(
        self,
        dataset: RankingDataset,
        search: LineSearch,
        w: np.ndarray,
        value: float,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, float, int]:
        """Search along each feature once, in random order.

        A move is made only if the recomputed measure has risen: the step function is
        unreliable where rounding decides which of two scores is larger.
        """
        w, n_moved = w.copy(), 0
        s = self.scores(dataset.X, w)
        for j in rng.permutation(len(w)):
            cancel_point()
            feature = np.ascontiguousarray(dataset.X[:, j])
            gain, t = search.best(s, feature)
            if gain <= value + _GAIN:
                continue
            scores = s + t * feature
            reached = self._value(dataset, scores)
            if reached > value + _ROUNDING:
                s, value, n_moved = scores, reached, n_moved + 1
                w[j] += t
        w = _normalised(w)
        return w, self._value(dataset, self.scores(dataset.X, w)), n_moved

    def _value(self, dataset: RankingDataset, scores: np.ndarray) -> float:
        return means(dataset, scores, self.criterion, ties="worst")[self.criterion]


def _normalised(w: np.ndarray) -> np.ndarray:
    """Coefficients divided by the sum of their absolute values; all zeros stay."""
    total = float(np.abs(w).sum())
    return w / total if total > 0.0 else w
