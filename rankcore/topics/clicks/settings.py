"""Simulations on planted data in which weighted learning gains, and one in which it
loses."""

from dataclasses import dataclass

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.data.planted import planted
from rankcore.mathematics.products import times_vector
from rankcore.measures import evaluate
from rankcore.topics.clicks.learning import click_weights, learn
from rankcore.topics.clicks.simulation import (
    ClickBehaviour,
    ClickSimulation,
    relevant,
)

# Of the queries, up to which they are for training, validation and test.
_ENDS = 60, 80, 106
_GRADE = 2
_PENALTIES = 0.01, 0.1, 1.0


@dataclass(frozen=True)
class ClickSetting:
    """Planted data, the ranker that logs, and users; documents of label 2 are relevant.

    Attributes
    ----------
    behaviour : ClickBehaviour
    feature : int
        The feature whose values are the scores of the logging ranker, counted from 0.
    cutoff : int
        Documents that are shown.
    sessions : int
    mean_length : int
        Documents of a query, on average.
    """

    behaviour: ClickBehaviour
    feature: int
    cutoff: int
    sessions: int
    mean_length: int

    def parts(self) -> tuple[RankingDataset, RankingDataset, RankingDataset]:
        """Return the data for training, validation and test."""
        data = planted(mean_length=self.mean_length)
        begins = 0, *_ENDS
        train, valid, test = (
            data.subset(np.arange(*ends)) for ends in zip(begins, _ENDS, strict=False)
        )
        return train, valid, test

    def simulation(self, train: RankingDataset, seed: int = 0) -> ClickSimulation:
        """Return the search engine on training data."""
        return ClickSimulation(
            train,
            relevant(train, _GRADE),
            (train.X[:, self.feature],),
            self.behaviour,
            self.cutoff,
            seed=seed,
        )

    def shares(self, seeds: int, penalties: tuple[float, ...] = _PENALTIES) -> Floats:
        """Return test nDCG@10 of learning from clicks by that of learning from labels.

        C is chosen on true validation labels for each.

        Returns
        -------
        (seeds, 2) float64
            Naive learning, in which every click counts 1, and learning with the true
            propensities.
        """
        train, valid, test = self.parts()

        def tested(weights: Floats, n_clicks: float) -> float:
            models = [learn(train, weights, int(n_clicks), C, 1e-3) for C in penalties]
            return _quality(
                test, max(models, key=lambda m: _quality(valid, m.coef)).coef
            )

        labels = relevant(train, _GRADE)
        full = tested(labels, labels.sum())
        naive = np.ones(self.cutoff)
        true = self.behaviour.examination(self.cutoff)
        shares = np.empty((seeds, 2))
        for seed in range(seeds):
            log = self.simulation(train, seed).log(self.sessions)
            for column, examination in enumerate((naive, true)):
                weights = click_weights(log, examination)
                shares[seed, column] = tested(weights, log.n_clicks) / full
        return shares


# Nearly all documents are shown, so weights can make up for their positions.
GAINING = ClickSetting(ClickBehaviour(severity=1.0, noise=0.1), 3, 60, 40_000, 50)
# The ranker puts good documents last and shows few, and the clicks that irrelevant ones
# get far down count up to 400 times.
LOSING = ClickSetting(ClickBehaviour(severity=2.0, noise=0.1), 29, 20, 20_000, 152)


def _quality(dataset: RankingDataset, coef: Floats) -> float:
    values = evaluate(dataset, times_vector(dataset.X, coef), "nDCG@10")
    return float(values.to_numpy(np.float64).mean())
