"""Bands of training curves, against the interval of each iteration alone."""

import itertools

import numpy as np
import pytest

from rankcore import load_dataset, measures
from rankcore.algorithms import get_algorithm
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.statistics import mean_interval
from rankcore.measures import Rules
from rankcore.topics.train import bands
from rankcore.topics.train.bands import mean_band
from rankcore.topics.train.curves import run_curves
from rankcore.topics.train.race_figure import RunInRace, race_figure
from rankcore.topics.train.training_figure import Drawn, run_figure
from rankcore.training import Stop, drive

DATA = load_dataset("planted")


def begun(name="RSRank", iterations=5, **details):
    run = drive(get_algorithm(name)(), DATA.train, DATA.valid, **details)
    list(itertools.islice(run, iterations + 1))
    return run


def expected(run, record, measure="nDCG@10"):
    """The interval from the model of one record."""
    scores = run.algorithm.scores(run.valid.X, record.coef)
    table = measures.evaluate(run.valid, scores, measure, *run.rules)
    return mean_interval(table[measure])


@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_a_band_has_the_interval_of_each_iteration(measure):
    run = begun(measures=("nDCG@10", "AP"))
    band = mean_band(run, measure)
    assert band.x.tolist() == list(range(6))
    for record, low, high in zip(run.history, band.low, band.high, strict=True):
        alone = expected(run, record, measure)
        assert (low, high) == (alone.low, alone.high)
        assert low < record.valid[measure] < high
    assert (band.queries, band.split) == (DATA.valid.n_queries, "validation")
    assert band.method == (
        f"Band: 95% interval of the mean over {DATA.valid.n_queries} validation "
        "queries."
    )


def test_a_band_grows_with_its_run_and_equal_models_have_equal_ones():
    run, other = begun(), begun(iterations=8)
    before = mean_band(run, "nDCG@10")
    list(itertools.islice(run, 3))
    after, same = mean_band(run, "nDCG@10"), mean_band(other, "nDCG@10")
    np.testing.assert_array_equal(after.low[:6], before.low)
    np.testing.assert_array_equal(after.low, same.low)
    np.testing.assert_array_equal(after.high, same.high)
    seconds = mean_band(run, "nDCG@10", "seconds").x
    np.testing.assert_array_equal(seconds, run.history.column("seconds"))


def test_a_forest_has_a_band():
    run = begun("RankBoost")
    band = mean_band(run, "nDCG@10")
    last = expected(run, run.history[-1])
    assert (band.low[-1], band.high[-1]) == pytest.approx((last.low, last.high))


def test_only_iterations_whose_model_is_kept_have_an_interval():
    """A run of the store has the models of some iterations, in place of the others."""
    run, again = begun(iterations=6), begun(iterations=0)
    coef = run.history[4].coef
    records = [
        record if i < 3 else record.__class__(**vars(record) | {"coef": coef})
        for i, record in enumerate(run.history)
    ]
    again.recall(records[1:], 0, None)
    assert mean_band(again, "nDCG@10").x.tolist() == [0, 1, 2, 4]


def test_there_is_no_band_without_two_queries():
    alone = RankingDataset.from_arrays(DATA.train.X[:9], np.arange(9) % 3)
    run = drive(get_algorithm("RSRank")(), alone, measures=("nDCG@10",))
    assert mean_band(run, "nDCG@10") is None
    next(run)
    assert mean_band(run, "nDCG@10") is None
    assert mean_band(begun(), "RR@3") is None


def test_queries_that_are_left_out_do_not_count():
    X = np.random.default_rng(1).random((12, 2))
    data = RankingDataset.from_arrays(X, [1, 0, 0, 0, 0, 0] * 2, [1, 1, 2, 2, 3, 3] * 2)
    rules = Rules("standard", "skip")
    run = drive(get_algorithm("RSRank")(), data, measures=("AP",), rules=rules)
    list(itertools.islice(run, 2))
    assert mean_band(run, "AP") is None
    counted = Rules("standard", "zero")
    run = drive(get_algorithm("RSRank")(), data, measures=("AP",), rules=counted)
    list(itertools.islice(run, 2))
    band = mean_band(run, "AP")
    assert band.queries == 3
    assert band.method.endswith("queries. 3 queries are too few to trust the interval.")


def test_long_data_have_a_band_at_fewer_iterations(monkeypatch):
    monkeypatch.setattr(bands, "MOST_SCORED", 0)
    run = begun(iterations=60, stop=Stop(max_iterations=60))
    band = mean_band(run, "nDCG@10")
    assert len(band.x) == bands.FEWEST_POINTS
    assert (band.x[0], band.x[-1]) == (0, 60)


def test_bands_are_shaded_below_the_lines_and_within_the_axis():
    run = begun()
    band = mean_band(run, "nDCG@10")
    curves = run_curves(run.history, "nDCG@10", run.best)
    drawn = Drawn(curves, "#0060a0", "", band)
    picture = run_figure(drawn, [drawn._replace(label="other")])
    names = [trace.get("name") for trace in picture.data]
    assert names[:2] == ["band", "band"]
    assert picture.data[0]["fill"] == "toself"
    assert "band" not in [
        t.get("name") for t in run_figure(drawn._replace(band=None)).data
    ]

    entered = [RunInRace.of("one", run, banded=True)]
    picture = race_figure(entered)
    low, high = picture.layout["yaxis"]["range"]
    assert low < band.low.min() < band.high.max() < high
    assert [trace.get("name") for trace in picture.data].count("band") == 1


def test_a_band_of_weighted_queries_is_that_of_their_mean():
    weights = np.linspace(1.0, 4.0, DATA.valid.n_queries)
    valid = DATA.valid.with_query_weights(weights, "traffic")
    run = drive(get_algorithm("RSRank")(), DATA.train, valid)
    list(itertools.islice(run, 4))
    band = mean_band(run, "nDCG@10")
    assert band.x.tolist() == list(range(4))
    for record, low, high in zip(run.history, band.low, band.high, strict=True):
        scores = run.algorithm.scores(valid.X, record.coef)
        values = measures.evaluate(valid, scores, "nDCG@10")["nDCG@10"]
        alone = mean_interval(values, weights=weights)
        assert (low, high) == (alone.low, alone.high)
    assert "queries, weighted by traffic, effective number 18.6." in band.method
