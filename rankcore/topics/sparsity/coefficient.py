r"""One coefficient in training: the pull of the data and the penalty of RSRank.

A step of RSRank moves each coefficient by :math:`\eta` times the pull of the data,
:math:`-\partial L / \partial \beta_j`, and then towards zero by :math:`\eta g`, at most
to zero. So a coefficient at zero stays there as long as its pull is between -g and g,
and after convergence the pull on each nonzero coefficient is g or -g.
See `rankcore.algorithms.rsrank`, from whose run all numbers come.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankcore.algorithms.parts.ranker import NOTHING_TO_LEARN
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.arrays import Floats, Integers
from rankcore.base.draws import standard_normal
from rankcore.base.numbers import counted, rounded, three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.plot.numbers import significant
from rankcore.training import Stop, drive

ITERATIONS = 100
MOST_DOCUMENTS = 20_000


class _Numbers(NamedTuple):
    names: tuple[str, ...]
    g: float
    coef: Floats
    pulls: Floats
    rates: Floats
    queries: int


class CoefficientRun(_Numbers):
    """A run of RSRank with the pull of the data on each coefficient.

    Attributes
    ----------
    names : tuple of d str
        The features.
    g : float
        The penalty.
    coef : (n, d) float64
        The coefficients after each step, the start first, of the features that RSRank
        trains on, see `rankcore.RankingDataset.standardised`.
    pulls : (n, d) float64
        Minus the derivative of the loss with respect to each coefficient, with the
        pairs' weights fixed.
    rates : (d,) float64
        The step length η of each coefficient.
    queries : int
        Number of training queries.
    """

    @property
    def last(self) -> int:
        """The last iteration."""
        return len(self.coef) - 1

    @cached_property
    def order(self) -> Integers:
        """The features (d,) by their pull on the last model, the lowest first."""
        return np.argsort(self.pulls[-1], kind="stable")

    @cached_property
    def default_feature(self) -> int:
        """The feature shown first: the removed one with the largest coefficient during
        training, or the largest at the end if none is removed."""
        # The coefficient of a feature that is constant within queries never moves.
        removed = (self.coef[-1] == 0.0) & (self.rates > 0.0)
        if not removed.any():
            return int(np.abs(self.coef[-1]).argmax())
        return int(np.where(removed, np.abs(self.coef).max(axis=0), -1.0).argmax())

    @property
    def limit(self) -> float:
        """The largest pull in pictures: 3g; without g, the largest of the iteration a
        quarter of the way through the run."""
        quarter = self.pulls[self.last // 4]
        return 3.0 * self.g or float(np.abs(quarter).max()) or 1.0

    def features_in_use(self, at: int) -> int:
        """Return the number of features in use after an iteration."""
        return int(np.count_nonzero(self.coef[at]))

    def shrinkage(self, at: int, j: int) -> float:
        """Return the pull of the penalty on a coefficient in the next step: g towards
        zero after the pull of the data, or the part of g that reaches zero."""
        coef, pull = self.coef[at, j], self.pulls[at, j]
        # The coefficient after the pull of the data, divided by the step length.
        goal = pull + (coef / self.rates[j] if coef else 0.0)
        return -float(np.sign(goal)) * min(self.g, float(abs(goal)))

    def facts(self, at: int, j: int) -> list[tuple[str, str, str]]:
        """Return the facts on a coefficient after an iteration: meaning, number,
        note."""
        coef, pull = self.coef[at, j], self.pulls[at, j]
        penalty = self.shrinkage(at, j)
        facts = [
            ("Coefficient β", significant(coef), ""),
            ("Pull of the data", significant(pull), "−∂L/∂β, the weights held fixed"),
            (
                "Pull of the penalty",
                significant(penalty),
                "g towards zero"
                if abs(penalty) == self.g
                else f"to zero; at most g = {rounded(self.g)}",
            ),
        ]
        if at < self.last:
            after = significant(self.coef[at + 1, j])
            eta = f"η = {three_digits(float(self.rates[j]))}"
            facts.append(("β after the next step", after, eta))
        in_use = f"{self.features_in_use(at)} of {len(self.names)}"
        queries = counted(self.queries, "queries")
        note = f"after iteration {at}, trained on {queries}"
        return [*facts, ("Features in use", in_use, note)]

    def caption(self, at: int, j: int) -> str:
        """Return a sentence on the next step of a coefficient, with the reason."""
        coef, pull = self.coef[at, j], self.pulls[at, j]
        if at >= self.last:
            return self._end(j)
        after = self.coef[at + 1, j]
        if not coef:
            if not after:
                return "The pull is not larger than g: the coefficient stays at zero."
            return "The pull is larger than g: the coefficient leaves zero."
        if not after:
            return (
                "After the pull, the coefficient is within ηg of zero: the penalty "
                "removes the feature."
            )
        if coef * after < 0.0:
            return "The data pull the coefficient past zero: it changes its sign."
        if coef * pull < 0.0:
            both = "Data and penalty both move" if self.g else "The data move"
            return f"{both} the coefficient towards zero."
        if abs(pull) == self.g:
            return "The pull equals g: the coefficient does not change."
        more = abs(pull) > self.g
        word, way = ("larger", "grows") if more else ("smaller", "shrinks")
        return f"The pull is {word} than g: the coefficient {way}."

    def _end(self, j: int) -> str:
        """Return a sentence on a coefficient at the end of training."""
        if not self.last:
            return NOTHING_TO_LEARN
        use = "in use" if self.coef[-1, j] else "removed" if self.g else "not in use"
        end = f"After {counted(self.last, 'iterations')} the feature is {use}."
        if not self.g:
            return f"{end} As training converges, all pulls tend to zero."
        return (
            f"{end} As training converges, the pulls of features in use tend to g or "
            "−g, and those of removed features lie between."
        )

    def table(self, at: int) -> dict[str, Any]:
        """Return the features as columns by name."""
        return {
            "feature": self.names,
            "coefficient": self.coef[at],
            "pull of the data": self.pulls[at],
        }


def coefficient_run(dataset: RankingDataset, g: float, seed: int = 0) -> CoefficientRun:
    """Train RSRank and record the pull of the data on every coefficient.

    Parameters
    ----------
    dataset : RankingDataset
        If it has more than `MOST_DOCUMENTS` documents, only the first queries are used.
    g : float
        The penalty.
    seed : int
        Seed of the small random start.

    Returns
    -------
    CoefficientRun
        With at most `ITERATIONS` iterations.
    """
    train = dataset.first_queries(dataset.n_queries, MOST_DOCUMENTS).standardised
    algorithm = RSRank(g=g, random_state=seed)
    run = drive(algorithm, train, stop=Stop(ITERATIONS), measures=())
    coef = np.array([record.coef for record in run])
    loss, rng = algorithm.loss(train), np.random.default_rng(seed)
    # The start is the first random draw of a run.
    standard_normal(rng, train.n_features)
    rates = algorithm.step_lengths(loss, rng)
    pulls = np.array([-loss(beta)[1] for beta in coef])
    return CoefficientRun(
        tuple(train.feature_names), g, coef, pulls, rates, train.n_queries
    )
