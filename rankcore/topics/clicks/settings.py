"""Simulations on planted data in which weighted learning gains, loses, or needs the
affine correction."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset
from rankcore.data.planted import planted
from rankcore.topics.clicks.learning import (
    PENALTIES,
    affine_weights,
    best_of,
    click_weights,
    learn,
    quality,
)
from rankcore.topics.clicks.simulation import ClickBehaviour, ClickSimulation, relevant

# Ends of the training, validation and test queries.
_ENDS = 60, 80, 106
_GRADE = 2
Weighing = Literal["naive", "propensity", "affine"]
Models = Callable[[RankingDataset, Floats, int], list[Floats]]


@dataclass(frozen=True)
class ClickSetting:
    """Planted data, the ranker that logs, and users; documents of label 2 are relevant.

    Attributes
    ----------
    feature : int
        The feature whose values are the scores of the logging ranker, counted from 0.
    cutoff : int
        Documents that are shown.
    mean_length : int
        Mean number of documents per query.
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

    def weights(self, log: ClickLog, weighing: Weighing) -> Floats:
        """Return the weight of each document by the true parameters of users."""
        if weighing == "affine":
            return affine_weights(log, *self.behaviour.affine(self.cutoff))
        if weighing == "propensity":
            return click_weights(log, self.behaviour.examination(self.cutoff))
        return click_weights(log, np.ones(self.cutoff))

    def shares(
        self,
        seeds: int,
        models: Models | None = None,
        weighings: tuple[Weighing, ...] = ("naive", "propensity"),
    ) -> Floats:
        """Return test nDCG@10 of learning from clicks by that of learning from labels.

        Parameters
        ----------
        models : callable, optional
            Returns candidates' coefficients from data, weights of documents and a
            number of clicks; true validation labels select one. By default RankSVM's
            with several C.
        weighings : tuple of {"naive", "propensity", "affine"}
            Every click counts 1; its inverse propensity; see `affine_weights`.

        Returns
        -------
        (seeds, weighings) float64
        """
        train, valid, test = self.parts()

        def tested(weights: Floats, n_clicks: float) -> float:
            learnt = (models or rank_svms)(train, weights, int(n_clicks))
            return quality(test, learnt[best_of(learnt, valid)])

        labels = relevant(train, _GRADE)
        full = tested(labels, labels.sum())
        shares = np.empty((seeds, len(weighings)))
        for seed in range(seeds):
            log = self.simulation(train, seed).log(self.sessions)
            for column, weighing in enumerate(weighings):
                weights = self.weights(log, weighing)
                shares[seed, column] = tested(weights, log.n_clicks) / full
        return shares


def rank_svms(train: RankingDataset, weights: Floats, n_clicks: int) -> list[Floats]:
    """Return the coefficients of RankSVM with several C."""
    return [learn(train, weights, n_clicks, C, 1e-3).coef for C in PENALTIES]


# Nearly all documents are shown, so weights can compensate for their positions.
GAINING = ClickSetting(ClickBehaviour(severity=1.0, noise=0.1), 3, 60, 40_000, 50)
# The ranker puts good documents last and shows few, and clicks on irrelevant documents
# far down get weights up to 400.
LOSING = ClickSetting(ClickBehaviour(severity=2.0, noise=0.1), 29, 20, 20_000, 152)
# Trust gives bad documents at the top most clicks; propensities do not correct this.
TRUSTING = replace(
    GAINING, behaviour=ClickBehaviour(severity=1.0, noise=0.05, trust=0.9), feature=29
)
