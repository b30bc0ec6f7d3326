"""Weights of queries in comparisons: importances, not numbers of observations."""

from dataclasses import replace

import numpy as np
import pytest

from rankcore import RankingDataset, get_algorithm, measures
from rankcore.data.readers import Splits
from rankcore.mathematics.differences import (
    against,
    differences,
    selection_optimism,
)
from rankcore.mathematics.statistics import (
    SEED,
    difference_interval,
    mean_interval,
    mean_intervals,
    randomisation_test,
)
from rankcore.studies.results import SharedTerms
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep
from rankcore.topics.compare.agreement import agreement
from rankcore.topics.compare.comparable import comparable
from rankcore.topics.compare.comparison import compare, contenders
from rankcore.topics.compare.replacing import replacement
from rankcore.topics.compare.slices import slice_differences, slices
from rankcore.topics.compare.trained import from_store, from_sweep
from rankcore.topics.compare.wins import wins
from rankcore.training import Stop, drive

RNG = np.random.default_rng(5)
VALUES = RNG.random((3, 20))
WEIGHTS = RNG.uniform(0.5, 4.0, 20)
PAIRS = [(0, 1), (2, 1)]
STOP = Stop(max_iterations=4)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    y = np.tile([2, 0, 1, 0], 16)
    X = rng.normal(size=(64, 3)) + y[:, None] * [1.0, 0.2, 0.0]
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(16), 4), name="shop")


def results(data, *names, weights=None):
    """Results of a run of each algorithm."""
    if weights is not None:
        data = data.with_query_weights(weights, "traffic")
    splits = Splits(data.subset(np.arange(8)), data.subset(np.arange(8, 16)))
    values = []
    for name in names:
        ranker = get_algorithm(name)()
        (row,) = sweep(ranker, *splits[:2], over={}, seeds=(0,), stop=STOP)
        assert not row.failed, row.reason
        values.append(from_sweep(row, ranker, splits, stop=STOP))
    return values


@pytest.fixture(scope="module")
def heavy():
    return np.linspace(1.0, 5.0, 16)


@pytest.mark.parametrize("weight", [1.0, 2.0, 7.0])
def test_equal_weights_give_the_bits_of_none(weight):
    same = np.full(20, weight)
    assert differences(VALUES, PAIRS, weights=same) == differences(VALUES, PAIRS)
    assert (mean_intervals(VALUES, weights=same) == mean_intervals(VALUES)).all()
    assert (against(VALUES, 1, weights=same) == against(VALUES, 1)).all()
    assert selection_optimism(VALUES, weights=same) == selection_optimism(VALUES)


def test_weighted_differences_are_those_of_each_pair_alone():
    for (one, other), result in zip(
        PAIRS, differences(VALUES, PAIRS, weights=WEIGHTS), strict=True
    ):
        first, second = VALUES[one], VALUES[other]
        assert result.mean == pytest.approx(np.average(first - second, weights=WEIGHTS))
        alone = difference_interval(first, second, weights=WEIGHTS)
        assert (result.low, result.high) == pytest.approx((alone.low, alone.high))
        test = randomisation_test(second, first, weights=WEIGHTS)
        assert result.p_value == pytest.approx(test.p_value, abs=2e-4)
        assert result.effective == pytest.approx(
            WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum()
        )
        # The error of a weighted mean, and so of a t-test, is that of its residuals.
        residuals = WEIGHTS / WEIGHTS.mean() * (first - second - result.mean)
        assert result.deviation == pytest.approx(
            np.sqrt((residuals**2).sum() / (len(residuals) - 1))
        )
    each = mean_intervals(VALUES, weights=WEIGHTS)
    for values, (low, high) in zip(VALUES, each, strict=True):
        assert mean_interval(values, weights=WEIGHTS)[1:3] == (low, high)


def test_a_query_of_weight_two_is_no_second_observation():
    first, second = np.full(8, 0.6), np.full(8, 0.5)
    second[:2] = 0.7
    heavy = np.where(np.arange(8) < 2, 1.0, 2.0)
    (result,) = differences([first, second], [(0, 1)], weights=heavy)
    twice = np.repeat(np.arange(8), heavy.astype(int))
    (seen,) = differences([first[twice], second[twice]], [(0, 1)])
    assert result.mean == pytest.approx(seen.mean)
    assert result.p_value > seen.p_value
    assert result.high - result.low > seen.high - seen.low
    doubled = differences([first, second], [(0, 1)], weights=2.0 * heavy)
    assert doubled == [result]


def test_the_best_of_weighted_means_is_too_high_by_what_resampling_tells():
    drawn = np.random.default_rng(SEED).integers(0, 20, (4000, 20))
    w, v = WEIGHTS[drawn], VALUES[:, drawn]
    means = (w * v).sum(axis=2) / w.sum(axis=1)
    whole = np.average(VALUES, axis=1, weights=WEIGHTS)
    chosen = means.argmax(axis=0)
    expected = (means.max(axis=0) - whole[chosen]).mean()
    optimism = selection_optimism(VALUES, weights=WEIGHTS, resamples=4000)
    assert optimism == pytest.approx(expected, rel=1e-9)


def test_means_of_compared_models_are_those_that_training_records(data, heavy):
    runs = results(data, "ListNet", "RSRank", weights=heavy)
    result = compare(contenders(runs), "nDCG@10")
    assert result.weights.tolist() == heavy[8:].tolist()
    for mean, values in zip(result.means, result.values, strict=True):
        assert mean == pytest.approx(np.average(values, weights=heavy[8:]))
    best = result.contenders[0]
    assert best.value("nDCG@10") == result.means[0]
    assert best.first.valid["nDCG@10"] == pytest.approx(result.means[0], rel=1e-12)
    effective = heavy[8:].sum() ** 2 / (heavy[8:] ** 2).sum()
    assert result.effective == pytest.approx(effective)
    assert result.pairs[0].difference.effective == pytest.approx(effective)
    assert result.weighting == f"weighted by traffic, effective number {effective:.2f}"
    assert result.sentences[-1] == (
        "Means and differences are weighted by traffic: 8 queries count as "
        f"{effective:.2f} of equal weight, their effective number."
    )


def test_weights_of_one_compare_as_none(data):
    names = "ListNet", "RSRank"
    plain, ones = (
        compare(contenders(results(data, *names, weights=weights)), "nDCG@10")
        for weights in (None, np.ones(16))
    )
    assert ones.weights is None
    assert not ones.weighting
    assert ones.pairs == plain.pairs
    assert ones.sentences == plain.sentences
    assert (ones.means == plain.means).all()
    assert (ones.intervals == plain.intervals).all()


def test_runs_of_other_weights_are_left_out(data, heavy):
    runs = [
        *results(data, "ListNet", "RSRank", weights=heavy),
        *results(data, "ListNet"),
    ]
    result = comparable(runs, "nDCG@10")
    assert result.runs == tuple(runs[:2])
    (one,) = result.left_out
    assert one.reason == "queries of equal weight, not weighted by traffic"


def test_terms_keep_weights_to_the_bit(data, heavy):
    (weighted,) = results(data, "ListNet", weights=heavy / 3.0)
    assert SharedTerms.from_json(weighted.terms.to_json()) == weighted.terms
    (plain,) = results(data, "ListNet")
    assert "weights" not in plain.terms.to_json()


def test_stored_runs_keep_weights(data, heavy, tmp_path):
    weighted = data.with_query_weights(heavy / 3.0, "traffic")
    train, valid = weighted.subset(np.arange(8)), weighted.subset(np.arange(8, 16))
    run = drive(get_algorithm("ListNet")(), train, valid, stop=STOP)
    with open_store(f"sqlite:///{tmp_path}/runs.sqlite") as store:
        with store.recording(run) as recorder:
            list(run)
        stored = store.load(recorder.id)
        terms, written = from_store(stored).terms, stored.to_json()
    assert terms.weights == tuple(valid.weights.tolist())
    assert terms.weighting == "weighted by traffic"
    with open_store(f"sqlite:///{tmp_path}/other.sqlite") as store:
        assert from_store(store.load(store.add(written))).terms == terms


def test_slices_wins_and_agreement_are_weighted(data, heavy):
    weighted = data.with_query_weights(heavy, "traffic")
    first, second = RNG.random((2, 16))
    rows = slice_differences(
        slices(weighted, "f1"), weighted.query_ids, first, second, heavy
    )
    for group, row in zip(slices(weighted, "f1"), rows, strict=True):
        at = [weighted.query_ids.index(name) for name in group.ids]
        assert row.first == pytest.approx(np.average(first[at], weights=heavy[at]))
        assert row.difference.mean == pytest.approx(row.first - row.second)
        number = heavy[at].sum() ** 2 / (heavy[at] ** 2).sum()
        assert row.row("f1", "a", "b")["effective queries"] == pytest.approx(number)
    result = wins(weighted.query_ids, first, second, 0.1, weights=heavy)
    won = heavy[first - second > 0.1].sum() / heavy.sum()
    lost = heavy[second - first > 0.1].sum() / heavy.sum()
    assert result.weight_shares == pytest.approx((won, lost))
    assert lost > 0.0
    assert sorted(result.rows()["weight"]) == heavy.tolist()
    scores = RNG.random((2, 64))
    alone = [
        agreement([s[4 * q : 4 * q + 4] for s in scores], [0, 4]) for q in range(16)
    ]
    whole = agreement(scores, weighted.offsets, weights=heavy)
    for kind in ("tau", "overlap_biased"):
        each = [getattr(one, kind)[0, 1] for one in alone]
        mean = np.average(each, weights=heavy)
        assert getattr(whole, kind)[0, 1] == pytest.approx(mean)


def test_a_replacement_is_weighted_as_its_data(data, heavy):
    weighted = data.with_query_weights(heavy, "traffic")
    scores, others = data.X[:, 0], data.X[:, 1]
    result = replacement(weighted, scores, others, "RR")
    assert result.value == measures.means(weighted, scores, "RR")["RR"]
    assert result.weighting.startswith("weighted by traffic, effective number ")
    (row,) = result.slices["list length"]
    assert row.first == pytest.approx(result.value, rel=1e-12)
    ones = replacement(replace(data, query_weights=np.ones(16)), scores, others, "RR")
    assert ones == replacement(data, scores, others, "RR")
