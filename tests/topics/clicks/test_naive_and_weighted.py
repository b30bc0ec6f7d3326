"""Weighted learning comes near full information where naive learning does not.

Planted data of some 50 documents a query, all of them shown by one feature's order;
examination (1/k)^1, noise .1.
"""

import numpy as np
import pytest

from rankcore.data.planted import planted
from rankcore.mathematics.products import times_vector
from rankcore.measures import evaluate
from rankcore.topics.clicks.learning import click_weights, learn
from rankcore.topics.clicks.simulation import (
    ClickBehaviour,
    ClickSimulation,
    relevant,
)

PENALTIES = (0.01, 0.1, 1.0)
CUTOFF = 60


def quality(data, coef):
    values = evaluate(data, times_vector(data.X, coef), "nDCG@10")
    return float(values.to_numpy(np.float64).mean())


def shares(seeds, sessions, penalties=PENALTIES):
    """nDCG@10 of naive and weighted learning by that of full information, (seeds, 2).

    C is chosen on true validation labels for each.
    """
    data = planted(mean_length=50)
    train, valid, test = (
        data.subset(range(*ends)) for ends in ((0, 60), (60, 80), (80, 106))
    )
    labels = relevant(train, 2)
    behaviour = ClickBehaviour(severity=1.0, noise=0.1)

    def tested(weights, n_clicks):
        models = [learn(train, weights, n_clicks, C, 1e-3).coef for C in penalties]
        return quality(test, max(models, key=lambda coef: quality(valid, coef)))

    full = tested(labels, int(labels.sum()))
    found = []
    for seed in range(seeds):
        log = ClickSimulation(
            train, labels, (train.X[:, 3],), behaviour, CUTOFF, seed=seed
        ).log(sessions)
        examined = behaviour.examination(CUTOFF)
        found.append([
            tested(click_weights(log, examination), log.n_clicks) / full
            for examination in (np.ones(CUTOFF), examined)
        ])  # fmt: skip
    return np.array(found)


def test_weighted_learning_is_better_in_a_sample():
    naive, weighted = shares(1, 40_000)[0]
    assert naive < 0.93
    assert weighted > 0.97


@pytest.mark.soak
def test_weighted_learning_reaches_97_percent_and_naive_stays_below_93():
    both = shares(20, 40_000)
    error = both.std(axis=0, ddof=1) / np.sqrt(20)
    naive, weighted = both.mean(axis=0)
    assert naive + 1.96 * error[0] < 0.93
    assert weighted - 1.96 * error[1] > 0.97
