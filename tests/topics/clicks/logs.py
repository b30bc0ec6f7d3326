"""Logs of clicks whose counts are chosen, and small simulations."""

import numpy as np

from rankcore.data.clicks import ClickLog
from rankcore.data.planted import planted
from rankcore.topics.clicks.simulation import (
    ClickBehaviour,
    ClickSimulation,
    relevant,
)

DATA = planted(n_queries=40, mean_length=20)
RELEVANCE = relevant(DATA)
RANKERS = DATA.X[:, 3], DATA.X[:, 8], DATA.X[:, 17]


def counted(*cells):
    """A log of documents: document, position, impressions, clicks; a session each."""
    document, position, shown, clicks = np.array(cells).T
    rows = np.repeat(np.arange(len(cells)), shown)
    within = np.concatenate([np.arange(n) for n in shown])
    documents = int(document.max()) + 1
    return ClickLog(
        "counted",
        ("q",),
        tuple(map(str, range(documents))),
        np.zeros(documents, np.int64),
        np.arange(len(rows)),
        document[rows],
        position[rows],
        within < clicks[rows],
    )


def simulation(seed=0, rankers=RANKERS, swaps=False, cutoff=4, **behaviour):
    return ClickSimulation(
        DATA, RELEVANCE, rankers, ClickBehaviour(**behaviour), cutoff, swaps, seed
    )
