"""AdaRank: its formulas, equality with a plain implementation, why it ends."""

import math
from functools import partial

import numpy as np
import pytest

from rankcore.algorithms.adarank import AdaRank, query_weights, ranker_weight
from rankcore.algorithms.parts.gain_sums import MeanOverTies
from rankcore.data.dataset import RankingDataset
from tests.algorithms.scored import trained


def planted(seed=0, queries=12, n=15, d=5, grid=True):
    rng = np.random.default_rng(seed)
    X = rng.random((queries * n, d))
    X = np.round(X, 1) if grid else X  # ties
    truth = X[:, 0] - X[:, 1] + 0.5 * rng.standard_normal(len(X))
    y = np.digitize(truth, [0.2, 0.8])
    return RankingDataset.from_arrays(X, y, np.arange(len(X)) % queries)


train = partial(trained, AdaRank, passes=200)


def test_worked_weights():
    E, P = np.array([1.0, 0.5, 0.25]), np.full(3, 1 / 3)
    expected = 0.5 * math.log((2 + 1.5 + 1.25) / (0 + 0.5 + 0.75))
    assert ranker_weight(P, E) == pytest.approx(expected, rel=1e-15)
    assert expected == pytest.approx(0.667501, abs=5e-7)
    total = math.exp(-1) + math.exp(-0.5) + math.exp(-0.25)
    assert query_weights(E) == pytest.approx(np.exp(-E) / total)
    assert query_weights(E) == pytest.approx([0.209832, 0.345954, 0.444214], abs=5e-7)


def test_a_perfect_ranker_has_a_finite_weight():
    P = np.full(4, 0.25)
    assert ranker_weight(P, np.ones(4)) == pytest.approx(0.5 * math.log(2 / 1e-6))
    assert ranker_weight(P, np.zeros(4)) == 0.0


SETTINGS = {
    "nDCG": {"cutoff": None},
    "nDCG@3": {"cutoff": 3},
    "AP": {"criterion": "average_precision"},
}


def measured(dataset, scores, name):
    return MeanOverTies(dataset, name).of_scores(scores)


def plain_adarank(dataset, name, rounds, once):
    """AdaRank by its definition, with the measures of the package."""
    d = dataset.n_features
    rankers = [(f, sign) for sign in (1.0, -1.0) for f in range(d)]
    E = [measured(dataset, sign * dataset.X[:, f], name) for f, sign in rankers]
    ranges = np.max([np.ptp(q.X, axis=0) for q in map(dataset.query, range(12))], 0)
    P, w, coefs = np.full(len(E[0]), 1 / len(E[0])), np.zeros(d), []
    banned = set()
    for _ in range(rounds):
        best = max(
            (k for k in range(2 * d) if rankers[k][0] not in banned),
            key=lambda k: P @ E[k],
        )
        f, sign = rankers[best]
        alpha = 0.5 * math.log((P @ (1 + E[best])) / (P @ (1 - E[best])))
        w[f] += sign * alpha / ranges[f]
        coefs.append(w.copy())
        P = np.exp(-measured(dataset, dataset.X @ w, name))
        P /= P.sum()
        if once:
            banned.add(f)
    return coefs


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("reuse", ["never", "allowed"])
def test_rounds_are_those_of_a_plain_implementation(name, reuse):
    dataset = planted(grid=False)
    expected = plain_adarank(dataset, name, 5, reuse == "never")
    records, _ = train(dataset, passes=5, reuse=reuse, **SETTINGS[name])
    assert not records[0].coef.any()
    for record, coef in zip(records[1:], expected, strict=True):
        assert record.coef == pytest.approx(coef, rel=1e-9, abs=1e-12)
        value = measured(dataset, dataset.X @ coef, name).mean()
        assert record.objective == pytest.approx(value, rel=1e-9)


def test_each_feature_is_used_once_and_then_it_ends():
    records, reason = train(planted())
    assert [record.nonzeros for record in records] == [0, 1, 2, 3, 4, 5]
    assert reason == "Every feature that varies within a query has been used."


def test_as_published_it_stalls_and_says_so():
    records, reason = train(planted(), reuse="allowed", patience=7)
    objectives = [record.objective for record in records]
    assert reason == "The objective has not improved for 7 rounds."
    assert int(np.argmax(objectives)) == len(objectives) - 1 - 7


def test_it_ends_when_every_query_is_ranked_perfectly():
    y = np.array([0, 1, 2, 0, 2, 1])
    X = np.column_stack([y, [5.0, 1.0, 3.0, 1.0, 5.0, 2.0]])
    dataset = RankingDataset.from_arrays(X, y, [1, 1, 1, 2, 2, 2])
    records, reason = train(dataset, reuse="allowed")
    assert reason == "Every query is ranked perfectly."
    assert len(records) == 2
    assert records[-1].objective == pytest.approx(1.0)
    assert records[-1].coef[0] == pytest.approx(0.5 * math.log(2 / 1e-6) / 2)


def test_features_that_never_vary_are_left_out():
    dataset = planted()
    X = np.column_stack([np.arange(12)[np.arange(180) % 12], dataset.X[dataset.rows]])
    constant = RankingDataset.from_arrays(X, dataset.y[dataset.rows])
    one = RankingDataset.from_arrays(np.ones((3, 2)), [0, 1, 2])
    records, reason = train(one)
    assert len(records) == 1
    assert reason == "Every feature is constant within each query; the start is kept."
    assert constant.n_features == 6


def test_units_of_the_features_do_not_matter():
    dataset, units = planted(grid=False), 4.0 ** np.array([3, -5, 20, 0, 7])
    scaled = RankingDataset.from_arrays(
        dataset.X * units, dataset.y, np.repeat(np.arange(12), 15)
    )
    ours, theirs = train(dataset)[0], train(scaled)[0]
    for one, other in zip(ours, theirs, strict=True):
        assert other.coef * units == pytest.approx(one.coef, rel=1e-12)


def test_it_goes_on_from_a_given_model():
    dataset = planted(grid=False)
    start = np.array([1.0, 0.0, 0.0, 0.0, 0.5])
    records, _ = train(dataset, start=start, passes=1)
    assert records[0].coef.tolist() == start.tolist()
    E = measured(dataset, dataset.X @ start, "nDCG@10")
    assert records[0].objective == pytest.approx(E.mean())
    heaviest = np.exp(-E).max() / np.exp(-E).mean()
    assert records[0].diagnostics["heaviest query"] == pytest.approx(heaviest)
    assert np.count_nonzero(records[1].coef - start) == 1


def test_large_labels_are_refused_by_ndcg_only():
    dataset = RankingDataset.from_arrays([[0.0], [1.0]], [0, 40])
    assert "40 is above 31" in AdaRank().unsupported_reason(dataset)
    assert AdaRank(criterion="average_precision").unsupported_reason(dataset) is None
