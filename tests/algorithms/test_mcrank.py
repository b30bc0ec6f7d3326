"""McRank: scikit-learn's own classifier as the oracle, losses and gains by formula."""

import importlib.util
import math

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from rankcore.algorithms import mcrank
from rankcore.algorithms.mcrank import McRank
from rankcore.algorithms.parts.trees.forests import (
    GrowingForest,
    GrowingTotals,
    leaf,
    roots_of,
)
from rankcore.algorithms.parts.trees.histogram_trees import tree_of
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive

LIGHTGBM = importlib.util.find_spec("lightgbm") is not None
KINDS = [
    (classes, trees)
    for classes in ("multinomial", "ordinal")
    for trees in ("scikit-learn", *(["lightgbm"] if LIGHTGBM else []))
]
each_kind = pytest.mark.parametrize(("classes", "trees"), KINDS)


def planted(n=500, labels=(0, 1, 2)):
    rng = np.random.default_rng(0)
    X = rng.random((n, 4))
    truth = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    y = np.digitize(truth, np.quantile(truth, [0.6, 0.85]))
    return RankingDataset.from_arrays(X, np.array(labels)[y], np.arange(n) % 10)


def records_of(model, dataset, passes=8):
    return list(drive(model, dataset, stop=Stop(max_iterations=passes), measures=()))


def sums(dataset, record):
    return GrowingTotals(dataset.X)(record.coef)[0]


@pytest.fixture(autouse=True)
def one_thread():
    """The public classifier's threads would wait for cores that others use."""
    with threadpool_limits(1):
        yield


def classified(model, X, y):
    """What the public classifier says after 8 rounds with the model's settings."""
    public = HistGradientBoostingClassifier(
        max_iter=8,
        early_stopping=False,
        learning_rate=model.learning_rate,
        max_leaf_nodes=model.n_leaves,
        min_samples_leaf=20,
        l2_regularization=model.l2,
    )
    return public.fit(X, y).decision_function(X)


def test_multinomial_training_is_scikit_learns_own():
    dataset, model = planted(), McRank(n_leaves=9, l2=0.3)
    expected = classified(model, dataset.X, dataset.y)
    last = records_of(model, dataset)[-1]
    # Gradients are rounded to single precision, after sums in another order.
    assert sums(dataset, last) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_ordinal_training_is_a_classifier_for_each_threshold():
    dataset, model = planted(), McRank(classes="ordinal", n_leaves=9)
    result = sums(dataset, records_of(model, dataset)[-1])
    for k in (1, 2):
        expected = classified(model, dataset.X, dataset.y >= k)
        assert result[:, k] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_scikit_learns_trees_are_scored_as_it_does():
    dataset = planted()
    public = HistGradientBoostingClassifier(max_iter=20, early_stopping=False)
    public.fit(dataset.X, dataset.y)
    forest = GrowingForest()
    for k, prior in enumerate(public._baseline_prediction[0]):
        forest.add(leaf(prior), k)
    for trees in public._predictors:
        for k, tree in enumerate(trees):
            forest.add(tree_of(tree.nodes), k)
    thresholds = forest.nodes()[:, 3]
    X = np.random.default_rng(1).choice(thresholds, (300, 4))
    for documents in (dataset.X, X):
        expected = public.decision_function(documents)
        result = GrowingTotals(documents)(forest.nodes())[0]
        assert result == pytest.approx(expected, rel=1e-12, abs=1e-13)


@each_kind
def test_it_starts_at_the_shares_of_the_labels_and_learns(classes, trees):
    dataset = planted()
    model = McRank(classes=classes, trees=trees, n_leaves=7)
    records = records_of(model, dataset, 30)
    shares = np.bincount(dataset.y) / 500
    p = McRank(classes=classes).probabilities(sums(dataset, records[0]))
    assert p == pytest.approx(np.tile(shares, (500, 1)))
    if classes == "multinomial":
        assert records[0].objective == pytest.approx(-(shares @ np.log(shares)))
    objectives = [record.objective for record in records]
    assert objectives == sorted(objectives, reverse=True)
    assert records[0].diagnostics["right labels"] == pytest.approx(0.6)
    assert records[-1].diagnostics["right labels"] > 0.85
    per_round = 3 if classes == "multinomial" else 2
    assert records[-1].diagnostics["trees"] == 30 * per_round
    assert len(roots_of(records[-1].coef)) == 3 + 30 * per_round


@each_kind
def test_the_objective_is_the_loss_of_the_probabilities(classes, trees):
    dataset = planted()
    model = McRank(classes=classes, trees=trees, n_leaves=7)
    last = records_of(model, dataset)[-1]
    p = model.probabilities(sums(dataset, last))
    if classes == "multinomial":
        expected = log_loss(dataset.y, p)
    else:
        at_least = [p[:, k:].sum(axis=1) for k in (1, 2)]
        expected = sum(
            log_loss(dataset.y >= k, q) for k, q in enumerate(at_least, start=1)
        )
    assert last.objective == pytest.approx(expected, rel=1e-9)
    assert p.sum(axis=1) == pytest.approx(np.ones(500))


def test_the_score_is_the_gain_to_be_expected():
    outputs = np.array([0.0, 1.0, 4.0])
    totals = np.log([[0.5, 0.3, 0.2]])
    expected = 0.3 * (2**1 - 1) + 0.2 * (2**4 - 1)
    assert McRank().combined(totals, outputs) == pytest.approx([expected])
    linear = McRank(gain="linear").combined(totals, outputs)
    assert linear == pytest.approx([0.3 * 1 + 0.2 * 4])

    def logit(q):
        return math.log(q / (1 - q))

    ordinal = McRank(classes="ordinal")
    totals = np.array([[99.0, logit(0.5), logit(0.2)]])
    assert ordinal.combined(totals, outputs) == pytest.approx([expected])


@each_kind
def test_labels_may_have_gaps(classes, trees):
    dataset, gapped = planted(), planted(labels=(1, 4, 9))
    model = McRank(classes=classes, trees=trees, n_leaves=7)
    one, other = records_of(model, dataset)[-1], records_of(model, gapped)[-1]
    assert sums(gapped, other) == pytest.approx(sums(dataset, one))
    assert np.unique(other.coef[:, 1]).tolist() == [1.0, 4.0, 9.0]


@each_kind
def test_it_ends_with_a_reason_when_no_split_is_permitted(classes, trees):
    model = McRank(classes=classes, trees=trees, min_documents=500)
    run = drive(model, planted())
    assert [record.iteration for record in run] == [0]
    assert "After 0 rounds no split improves anything" in run.reason


def test_one_label_is_nothing_to_learn():
    run = drive(McRank(), RankingDataset.from_arrays(np.eye(3), [2, 2, 2]))
    assert len(list(run)) == 1
    assert run.reason.startswith("All documents have the same label")


def test_what_it_cannot_take_is_refused_with_a_sentence(monkeypatch):
    many = RankingDataset.from_arrays(np.zeros((40, 1)), np.arange(40))
    assert "at most 32 grades" in McRank().unsupported_reason(many)
    large = RankingDataset.from_arrays(np.zeros((2, 1)), [0, 40])
    assert "40 is above 31" in McRank().unsupported_reason(large)
    assert McRank(gain="linear").unsupported_reason(large) is None
    monkeypatch.setattr(mcrank, "_lightgbm_is_installed", lambda: False)
    assert "not installed" in McRank(trees="lightgbm").unsupported_reason(planted())
    assert McRank().unsupported_reason(planted()) is None
