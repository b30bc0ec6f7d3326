"""Models made of trees: walks from root to leaf, kept once, read with care."""

import json
import pickle

import numpy as np
import pytest

from rankcore import algorithms
from rankcore._kernels.models import forest as forest_kernels
from rankcore.algorithms import get_algorithm
from rankcore.algorithms.parts.trees.forests import (
    GrowingForest,
    GrowingTotals,
    Tree,
    check_tree,
    leaf,
    roots_of,
    stump,
    trees_of,
)
from rankcore.base.errors import DataError
from rankcore.base.forest_columns import COLUMNS, FEATURE
from rankcore.cli.commands.evaluate import _scores
from rankcore.data.dataset import RankingDataset
from rankcore.studies.models import load_model, model_to_json, save_model
from rankcore.training import Stop, drive


def random_tree(rng, depth, n_features):
    """Nodes in the order of a walk that goes left first."""
    rows = []

    def grow(level):
        place = len(rows)
        if level == 0 or rng.random() < 0.2:
            rows.append((-1, 0.0, 0, 0, rng.normal(), 0.0))
            return place
        rows.append(None)
        feature, threshold = int(rng.integers(n_features)), rng.integers(0, 8) / 8
        left, right = grow(level - 1), grow(level - 1)
        rows[place] = (feature, threshold, left, right, 0.0, rng.random())
        return place

    grow(depth)
    return Tree(*(np.array(column) for column in zip(*rows, strict=True)))


def walk(tree, x):
    node = 0
    while tree.feature[node] >= 0:
        goes_left = x[int(tree.feature[node])] <= tree.threshold[node]
        node = int((tree.left if goes_left else tree.right)[node])
    return tree.value[node]


@pytest.mark.parametrize("n", [1, 127, 128, 300])
def test_a_score_is_the_sum_of_the_leaves_reached(n):
    rng = np.random.default_rng(n)
    # Values on a grid: many equal a threshold.
    X = rng.integers(0, 9, (n, 5)) / 8
    trees = [random_tree(rng, depth, 5) for depth in (0, 1, 3, 6)] * 3
    forest = GrowingForest()
    for number, tree in enumerate(trees):
        forest.add(tree, output=3 * (number % 2))
    totals, outputs = GrowingTotals(X)(forest.nodes())
    assert outputs.tolist() == [0, 3]
    for column in range(2):
        expected = [sum(walk(tree, x) for tree in trees[column::2]) for x in X]
        assert totals[:, column] == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_trees_come_out_of_a_forest_as_they_went_in():
    rng = np.random.default_rng(0)
    trees = [random_tree(rng, 4, 3) for _ in range(5)]
    forest = GrowingForest()
    for tree in trees:
        forest.add(tree, 7)
    for value, (output, result) in zip(trees, trees_of(forest.nodes()), strict=True):
        assert output == 7
        for one, other in zip(value, result, strict=True):
            assert one.tolist() == other.tolist()
    assert trees_of(np.empty((0, COLUMNS))) == []


def test_steps_share_their_nodes_and_never_change():
    forest, steps, copies = GrowingForest(), [], []
    for number in range(400):
        steps.append(forest.nodes())
        copies.append(steps[-1].copy())
        forest.add(stump(0, number, 0.0, 1.0, 1.0))
    for step, copy in zip(steps, copies, strict=True):
        np.testing.assert_array_equal(step, copy)
        assert not step.flags.writeable
    buffers = {id(step.base.base if step.base.base is not None else step.base)
               for step in steps}  # fmt: skip
    assert len(buffers) <= 4  # 256, 512, 1024 and 2048 rows
    assert np.shares_memory(steps[-1], steps[-2])


def test_only_new_trees_are_walked_through(monkeypatch):
    walked = []
    kernel = forest_kernels.add_trees

    def counted(X, forest, roots, outputs, totals):
        walked.append(len(roots))
        kernel(X, forest, roots, outputs, totals)

    monkeypatch.setattr(forest_kernels, "add_trees", counted)
    forest, growing = GrowingForest(), GrowingTotals(np.zeros((2, 1)))
    steps = []
    for number in range(4):
        forest.add(leaf(10.0**number))
        steps.append(forest.nodes())
        assert growing(steps[-1])[0][0, 0] == float("1" * (number + 1))
    assert walked == [1, 1, 1, 1]
    assert growing(steps[0])[0][0, 0] == 1.0  # an earlier one is scored afresh
    assert walked[4:] == [1]
    other = GrowingForest()
    other.add(leaf(5.0))
    other.add(leaf(5.0))
    assert growing(other.nodes())[0][0, 0] == 10.0


def test_too_few_features_get_a_sentence_and_no_wild_read():
    forest = GrowingForest()
    forest.add(stump(3, 0.5, 0.0, 1.0, 1.0))
    with pytest.raises(ValueError, match=r"compare feature 4, but .* 2 features"):
        GrowingTotals(np.zeros((5, 2)))(forest.nodes())


def nodes(*rows):
    return Tree(*(np.array(column) for column in zip(*rows, strict=True)))


END = (-1, 0.0, 0, 0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([(2, 0.0, 1, 2, 0.0, 0.0), END, END], "compares feature 2, but there are 2"),
        ([(-2, 0.0, 1, 2, 0.0, 0.0), END, END], "compares feature -2"),
        ([(0, 0.0, 1, 3, 0.0, 0.0), END, END], "node 0 has the child 3"),
        ([(0, 0.0, 0, 1, 0.0, 0.0), END], "node 0 has the child 0"),
        ([(0, 0.0, 1, 2, 0.0, 0.0), (0, 0.0, 0, 2, 0.0, 0.0), END], "has the child 0"),
        ([(0, 0.0, -1, 1, 0.0, 0.0), END], "node 0 has the child -1"),
        ([(0, 0.0, 1, 1, 0.0, 0.0), END], "node 1 has 2 parents"),
        ([END, END], "node 1 has 0 parents"),
    ],
)
def test_a_tree_in_which_documents_would_lose_their_way_is_refused(rows, complaint):
    with pytest.raises(ValueError, match=complaint):
        check_tree(nodes(*rows), 2)


def test_any_tree_that_grew_is_accepted():
    rng = np.random.default_rng(1)
    for depth in range(7):
        check_tree(random_tree(rng, depth, 3), 3)


def data(seed=0, n=200):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    y = np.digitize(X[:, 0] + 0.2 * rng.random(n), [0.5, 0.9])
    return RankingDataset.from_arrays(X, y, np.arange(n) % 8)


@pytest.fixture(scope="module")
def fitted():
    return get_algorithm("RankBoost")(max_iter=30).fit_dataset(data())


def test_a_model_file_has_a_line_for_each_tree(fitted, tmp_path):
    text = model_to_json(fitted)
    content = json.loads(text)
    assert content["version"] == 2
    assert "coefficients" not in content
    assert len(content["trees"]) == len(roots_of(fitted.parameters_)) == 30
    first = content["trees"][0]
    assert set(first) == {"output", *Tree._fields}
    assert first["feature"][1:] == [-1, -1]
    assert sum('"threshold"' in line for line in text.splitlines()) == 30
    save_model(fitted, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(read.parameters_, fitted.parameters_)
    assert read.provenance_ == fitted.provenance_


def changed_tree(**changes):
    def change(content):
        content["trees"][4].update(changes)

    return change


def without_trees(content):
    del content["trees"]


def as_linear(content):
    content["version"] = 1


def of_a_linear_algorithm(content):
    content["algorithm"] = "AdaRank"
    content["hyperparameters"] = {}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (without_trees, "trees: Field required"),
        (as_linear, "coefficients: Field required"),
        (of_a_linear_algorithm, "AdaRank has no models of version 2"),
        (changed_tree(feature=[3, -1, -1]), "trees.4: node 0 compares feature 3"),
        (changed_tree(left=[0, 0, 0]), "trees.4: node 0 has the child 0"),
        (changed_tree(left=[2, 0, 0]), "trees.4: node 1 has 0 parents"),
        (changed_tree(value=[1.0]), "trees.4: its columns are empty or differ"),
        (changed_tree(feature=[0.5, -1, -1]), "trees.4.feature.0"),
        (changed_tree(value=[0.0, 1.0, "2"]), "trees.4.value.2"),
        (changed_tree(threshold=[float("inf"), 0.0, 0.0]), "trees.4.threshold.0"),
        (changed_tree(output=-1), "trees.4.output"),
    ],
)
def test_what_is_no_forest_is_refused(fitted, tmp_path, change, complaint):
    content = json.loads(model_to_json(fitted))
    change(content)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    with pytest.raises(DataError) as caught:
        load_model(path)
    assert complaint in str(caught.value)


def test_a_model_can_be_used_where_what_grew_it_is_not_installed(
    fitted, tmp_path, monkeypatch
):
    save_model(fitted, tmp_path / "model.json")
    monkeypatch.setattr(type(fitted), "requires", ("no_such_package",))
    algorithms._discovered.cache_clear()
    try:
        with pytest.raises(ValueError, match="There is no algorithm"):
            get_algorithm("RankBoost")
        read = load_model(tmp_path / "model.json")
    finally:
        monkeypatch.undo()
        algorithms._discovered.cache_clear()
    X = data(1).X
    np.testing.assert_array_equal(read.predict(X), fitted.predict(X))


def test_data_that_lacks_the_last_features_has_zeros_there(fitted):
    narrow = data().X[:, :2]
    full = np.column_stack([narrow, np.zeros(len(narrow))])
    part = RankingDataset.from_arrays(narrow, data().y)
    np.testing.assert_array_equal(_scores(fitted, part), fitted.predict(full))


def test_a_pickled_history_holds_each_node_once(fitted):
    longest = fitted.history_[-1].coef
    everything = sum(record.coef.nbytes for record in fitted.history_)
    assert len(pickle.dumps(fitted)) < 4 * longest.nbytes + 30_000 < everything
    again = pickle.loads(pickle.dumps(fitted))
    assert np.shares_memory(again.history_[-1].coef, again.history_[-2].coef)
    assert again.history_[3].coef.shape == (9, COLUMNS)


def test_features_count_by_the_gain_of_their_splits():
    algorithm = get_algorithm("RankBoost")()
    records = list(drive(algorithm, data(), stop=Stop(max_iterations=20)))
    forest = records[-1].coef
    for feature in range(3):
        result = forest[forest[:, FEATURE] == feature]
        assert records[-1].weights[feature] == pytest.approx(result[:, -1].sum())
    assert records[0].nonzeros == 0
    assert records[1].nonzeros == 1


def noisy(seed, queries):
    """Labels that are mostly noise, so that a forest can fit far too much."""
    rng = np.random.default_rng(seed)
    X = rng.random((40 * queries, 20))
    truth = X[:, :3].sum(axis=1) + 2.0 * rng.standard_normal(len(X))
    y = np.digitize(truth, np.quantile(truth, [0.7, 0.9]))
    return RankingDataset.from_arrays(X, y, np.arange(len(X)) // 40)


@pytest.mark.parametrize("name", ["McRank", "RankBoost"])
def test_without_validation_data_the_defaults_do_not_overfit_noisy_labels(name):
    model = get_algorithm(name)()
    run = drive(model, noisy(0, queries=60), noisy(1, queries=400))
    settings = {r.iteration: r.valid["nDCG@10"] for r in run}
    sign = 1.0 if model.maximises else -1.0
    result = max(run.history.records, key=lambda record: sign * record.objective)
    assert settings[result.iteration] > max(settings.values()) - 0.015
