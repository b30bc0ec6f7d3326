"""Speed of simulating clicks, and of the loss for learning from them."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import numpy as np
from _rows import Row, interleaved, seconds_of

from rankcore import RankingDataset
from rankcore.topics.clicks.examination import by_all_pairs
from rankcore.topics.clicks.learning import ClickedHinge, click_data, click_weights
from rankcore.topics.clicks.settings import GAINING
from rankcore.topics.clicks.simulation import ClickBehaviour, ClickSimulation, relevant

IMPRESSIONS = 1_000_000
CUTOFF = 10
REPEATS = 5
USERS = {
    "position": ClickBehaviour(severity=1.0, noise=0.1, trust=0.2),
    "cascade": ClickBehaviour("cascade", noise=0.1),
}


def numpy_hinge(
    dataset: RankingDataset, weights: np.ndarray, n_clicks: int, w: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the smoothed hinge and its gradient from matrices of pairs."""
    value, force = 0.0, np.zeros(dataset.n_documents)
    scores = dataset.X @ w
    for lo, hi in pairwise(dataset.offsets):
        rows = lo + np.flatnonzero(weights[lo:hi])
        t = np.maximum(1.0 - (scores[rows, None] - scores[lo:hi]), 0.0)
        t[np.arange(len(rows)), rows - lo] = 0.0
        near = np.minimum(t, 1.0)
        value += weights[rows] @ (near * (2.0 * t - near)).sum(axis=1)
        slopes = 2.0 * weights[rows, None] * near
        force[lo:hi] += slopes.sum(axis=0)
        force[rows] -= slopes.sum(axis=1)
    scale = 0.5 / n_clicks
    return scale * value, scale * (dataset.X.T @ force)


def rows() -> Iterator[Row]:
    """Simulate, estimate, evaluate the loss, train."""
    from rankcore import ListNet

    train, _, _ = GAINING.parts()
    rankers = tuple(train.X[:, feature] for feature in (3, 8, 17))
    for name, users in USERS.items():
        engine = ClickSimulation(train, relevant(train, 2), rankers, users, CUTOFF)
        seconds = seconds_of(partial(engine.log, IMPRESSIONS // CUTOFF), REPEATS)
        note = f"{IMPRESSIONS / seconds / 1e6:.1f} million impressions a second"
        yield Row(f"10⁶ impressions, {name}", "allowed", seconds, 1.0, 1.0, note)
    engine = ClickSimulation(
        train, relevant(train, 2), rankers, USERS["position"], CUTOFF
    )
    log = engine.log(IMPRESSIONS // CUTOFF)
    seconds = seconds_of(partial(by_all_pairs, log), REPEATS)
    yield Row("AllPairs, 10⁶ impressions", "allowed", seconds, 1.0, 1.0)
    weights = click_weights(log, users.examination(CUTOFF))
    w = np.random.default_rng(0).normal(size=train.n_features)
    ours = partial(ClickedHinge(train, weights, log.n_clicks), w)
    theirs = partial(numpy_hinge, train, weights, log.n_clicks, w)
    for our_value, other in zip(ours(), theirs(), strict=True):
        assert np.allclose(our_value, other)
    yield Row(
        "clicked hinge and gradient",
        "NumPy, pairs",
        *interleaved(ours, theirs, REPEATS),
        1.0,
    )
    learner = ListNet(l2=0.001)
    data = click_data(learner, train, weights)
    seconds = seconds_of(partial(learner.fit_dataset, data), REPEATS)
    yield Row("ListNet on weighted clicks", "allowed", seconds, 1.0, 1.0)
