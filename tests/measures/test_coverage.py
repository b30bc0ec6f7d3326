"""How often intervals of means hold the true mean; ``benchmarks/intervals.py`` has more
populations and other methods."""

import numpy as np
import pytest

from rankcore.mathematics.statistics import difference_interval, mean_interval
from tests.soaking import soak

pytestmark = pytest.mark.unit


def with_zeros(share, positive):
    return lambda rng, n: np.where(rng.random(n) < share, 0.0, positive(rng, n))


def beta(rng, n):
    return rng.beta(2.0, 2.0, n)


def reciprocal_ranks(rng, n):
    return 1.0 / rng.integers(1, 5, n)


def signed(rng, n):
    return rng.choice([-1.0, 1.0], n) * rng.beta(1.0, 4.0, n)


MEANS = {beta: 0.5, reciprocal_ranks: np.mean(1.0 / np.arange(1, 5)), signed: 0.0}


def coverage(share, positive, queries, draws):
    """The share of intervals that hold the mean, and those of the percentiles of drawn
    queries."""
    rng, mean = np.random.default_rng(0), (1.0 - share) * MEANS[positive]
    draw = with_zeros(share, positive)
    held, percentile = 0, 0
    for _ in range(draws):
        values = draw(rng, queries)
        if positive is signed:
            interval = difference_interval(values, np.zeros(queries))
        else:
            interval = mean_interval(values)
        held += interval.low <= mean <= interval.high
        drawn = values[rng.integers(0, queries, (400, queries))].mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        percentile += low <= mean <= high
    return held / draws, percentile / draws


@pytest.mark.parametrize(
    ("share", "positive", "queries", "draws"),
    [
        (0.9, beta, 10, 300),
        (0.5, reciprocal_ranks, 10, 300),
        (0.5, signed, 10, 300),
        *(
            soak(share, positive, queries, 4000)
            for share in (0.9, 0.5, 0.1)
            for positive in MEANS
            for queries in (10, 30, 100)
        ),
    ],
)
def test_intervals_cover_what_they_say(share, positive, queries, draws):
    """Nominal 95%, with three standard errors of the simulation."""
    held, percentile = coverage(share, positive, queries, draws)
    assert held >= 0.935 - 3.0 * np.sqrt(0.05 * 0.95 / draws)
    assert held >= percentile - 0.01
