"""Places within a pass: where they are, and that nothing depends on them."""

import time

import numpy as np
import pytest

from rankcore import get_algorithm
from rankcore.algorithms.parts import cones
from rankcore.base.cancellation import cancel_points
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.stub_algorithm import Given, line

PASSES = 3


def passes(name, data, between):
    """The records of some passes, and how often each could have been paused."""
    run = drive(get_algorithm(name)(), data, stop=Stop(max_iterations=PASSES))
    places, records = [], []
    count = 0

    def counted():
        nonlocal count
        count += 1
        between()

    with cancel_points(counted):
        for record in run:
            places.append(count)
            records.append(record)
            count = 0
    return records, places


@pytest.mark.parametrize(
    "name",
    ["ApproxNDCG", "CoordinateAscent", "ConeRank", "DORM", "McRank", "RankSVM"],
)
def test_a_pass_can_be_paused_within_and_is_the_same(name, small, monkeypatch):
    monkeypatch.setattr(cones, "_PAIRS_PER_CHUNK", 20)
    whole = drive(get_algorithm(name)(), small, stop=Stop(max_iterations=PASSES))
    paused, places = passes(name, small, lambda: time.sleep(0.001))

    assert len(places) > 1
    assert min(places[1:]) > 0
    assert max(places[1:]) > 1
    for there, here in zip(whole, paused, strict=True):
        np.testing.assert_array_equal(there.coef, here.coef)


def test_the_parts_of_acones_pass_make_the_whole(small, monkeypatch):
    learner = get_algorithm("ConeRank")()
    differences = learner.differences(small)
    basis = differences.sample(3, np.random.default_rng(0))

    whole = cones.fold_in(differences, basis, cones.Folding())
    monkeypatch.setattr(cones, "_PAIRS_PER_CHUNK", 20)
    parts = cones.fold_in(differences, basis, cones.Folding())

    for there, here in zip(whole, parts, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-12)


@pytest.mark.parametrize("rate", [0.0, 0.01])
def test_the_pieces_of_a_long_query_make_the_whole(small, monkeypatch, rate):
    differences = get_algorithm("ConeRank")().differences(small)
    # No pairs themselves: rounding would choose among the weights that explain them.
    basis = np.random.default_rng(0).standard_normal((3, small.n_features))

    whole = cones.fold_in(differences, basis, cones.Folding(), basis_rate=rate, cap=2)
    monkeypatch.setattr(cones, "_PAIRS_PER_PIECE", 7)
    pieces = cones.fold_in(differences, basis, cones.Folding(), basis_rate=rate, cap=2)

    assert differences.n_pairs.max() > 7 * 2
    for there, here in zip(whole, pieces, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-11, atol=1e-12)


class Stopped(Exception):  # noqa: N818
    """Raised where training may end."""


def test_acones_pass_may_end_within_a_query_of_a_hundred_million_pairs():
    y = np.repeat([0, 1], 10_000)
    data = RankingDataset.from_arrays(np.sin(np.arange(40_000.0)).reshape(-1, 2), y)
    places = iter(range(3))

    def stop():
        if next(places, None) is None:
            raise Stopped

    model = get_algorithm("ConeRank")()
    assert model.unsupported_reason(data) is None
    with cancel_points(stop), pytest.raises(Stopped):
        next(model.steps(data, np.random.default_rng(0)))


def test_pairs_are_counted_as_one_counts_them(small):
    n_pairs = cones.Differences(small).n_pairs
    labels = [small.query(q).y for q in range(small.n_queries)]

    assert n_pairs.tolist() == [(y[:, None] > y).sum() for y in labels]


def test_waiting_within_a_pass_is_no_training():
    run = drive(Given(loop=True, parts=4), line())
    with cancel_points(lambda: time.sleep(0.1)):
        next(run)
        waited = next(run)

    assert waited.seconds < 0.2


def test_what_is_raised_within_a_pass_ends_it():
    class Enough(BaseException):
        pass

    def enough():
        raise Enough

    run = drive(get_algorithm("ApproxNDCG")(), line())
    next(run)
    with cancel_points(enough), pytest.raises(Enough):
        next(run)
    assert next(run, None) is None
