"""Paths: one call for a grid, and what is derived from it."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from rankcore import (
    FenchelRank,
    RankBoost,
    RankingDataset,
    RSRank,
    load_dataset,
    measures,
)
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.readers import Splits
from rankcore.studies.paths import (
    CUTOFFS,
    grid,
    numeric_hyperparameters,
    path,
    to_row,
)
from rankcore.studies.results import Cell, Result
from rankcore.topics.sparsity import paths as sparsity
from rankcore.topics.sparsity.changes import relative_change
from rankcore.training import Stop, drive


def data(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((96, 5))
    y = np.digitize(X[:, 0] - 0.5 * X[:, 1] + 0.1 * rng.normal(size=96), [0.2, 0.6])
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(8), 12))


@pytest.fixture(scope="module")
def splits():
    return Splits(data(0), data(1), data(2))


def test_points_are_what_training_each_value_gives(splits):
    model, values = RSRank(max_iter=30), (0.0, 3.0, 30.0)
    points = list(path(model, splits, "g", values, warm=False, measures=["AP"]))
    for value, point in zip(values, points, strict=True):
        last = list(drive(RSRank(max_iter=30, g=value), splits.train, measures=()))[-1]
        assert point.settings == {"g": value}
        np.testing.assert_array_equal(point.coef, last.coef)
        assert (point.nonzeros, point.objective) == (last.nonzeros, last.objective)
        for part, dataset in splits._asdict().items():
            scores = dataset.X @ point.coef
            assert getattr(point, part) == measures.means(dataset, scores, ["AP"])
    assert model.g == 0.0


@pytest.mark.parametrize(
    ("model", "over", "values"),
    [(RSRank(max_iter=5), "g", (0.0, 5.0)), (RankBoost(), "max_iter", (1, 3))],
)
def test_points_are_read_from_json_as_they_were(splits, model, over, values):
    result = path(model, splits, over, values)
    first, *others = result
    ready = result.subject.path([*others, first])
    assert ready.points == [first, *others]
    unknown = replace(first, train={"AP": np.nan}, diagnostics={})
    for point in (unknown, first, *others):
        written = json.dumps(point.to_json(), allow_nan=False)
        read = Result.from_json(json.loads(written))
        assert read.to_json() == point.to_json()
        np.testing.assert_array_equal(read.coef, point.coef)
        for part in splits._fields:
            np.testing.assert_equal(getattr(read, part), getattr(point, part))
        X = splits.test.X
        np.testing.assert_array_equal(read.model.predict(X), point.model.predict(X))


def test_a_warm_path_starts_where_the_value_before_ended(splits):
    starts = []

    def during(value, run, record):
        if record.iteration == 0:
            starts.append(record.coef)

    points = list(
        path(RSRank(max_iter=20), splits, "g", (0.0, 1.0, 9.0), during=during)
    )
    np.testing.assert_array_equal(starts[1], points[0].coef)
    np.testing.assert_array_equal(starts[2], points[1].coef)


def test_warm_starts_save_steps_and_change_no_optimum(splits):
    model = FenchelRank(variant="pairwise", gap_tolerance=1e-7, max_iter=2000)
    values = np.geomspace(2.0, 12.0, 8)
    warm = list(path(model, splits, "radius", values, measures=["AP"]))
    cold = list(path(model, splits, "radius", values, measures=["AP"], warm=False))
    assert sum(p.iteration for p in warm) < sum(p.iteration for p in cold)
    for one, other in zip(warm, cold, strict=True):
        assert one.objective == pytest.approx(other.objective, abs=2e-7)
        assert "duality gap" in one.reason
    objectives = [point.objective for point in warm]
    assert objectives == sorted(objectives, reverse=True)


def test_points_come_one_by_one_and_a_path_can_be_left(splits):
    under_way = path(RSRank(max_iter=5), splits, "g", (0.0, 1.0, 2.0))
    first = next(under_way)
    assert isinstance(first, Result)
    assert under_way.points == [first]
    next(under_way)
    assert under_way.coefficients.shape == (2, 5)


def test_tables(splits):
    under_way = path(RSRank(max_iter=5), splits, "g", (0.0, 1.0))
    points = list(under_way)
    table = under_way.to_frame()
    assert table["g"].tolist() == [0.0, 1.0]
    assert {f"test {name}" for name in CUTOFFS} <= set(table.columns)
    assert {"nonzeros", "objective", "iteration", "seconds", "loss"} <= set(table)
    weights = under_way.coefficients_to_frame()
    assert weights.index.name == "g"
    assert weights.loc[1.0].tolist() == points[1].coef.tolist()


def test_the_best_pass_can_be_taken(splits):
    """The best on validation, as the driver finds it."""
    (point,) = path(
        RSRank(max_iter=40), splits, "g", [2.0], take="best", measures=["nDCG@10"]
    )
    run = drive(
        RSRank(max_iter=40, g=2.0), splits.train, splits.valid, measures=("nDCG@10",)
    )
    list(run)
    assert point.iteration == run.best.iteration
    np.testing.assert_array_equal(point.coef, run.best.coef)
    assert point.valid["nDCG@10"] == run.best.valid["nDCG@10"]


def test_training_data_alone_is_enough(splits):
    (point,) = path(RSRank(max_iter=2), splits.train, "g", [2.0])
    assert set(point.train) == set(CUTOFFS)
    assert point.valid == point.test == {}


@pytest.mark.parametrize(
    ("over", "values", "message"),
    [
        ("init", None, "no numeric hyperparameter 'init'"),
        ("nothing", None, "it has g, truncation_interval"),
        ("g", [-1.0], "g must be a number of at least 0"),
        ("g", [], "at least one value"),
        ("learning_rate", ["auto"], "needs numbers, not"),
    ],
)
def test_what_is_not_permitted_gets_a_sentence(splits, over, values, message):
    with pytest.raises(ValueError, match=message):
        path(RSRank(), splits, over, values)


def test_grids_cover_the_range_of_each_number():
    for cls in (RSRank, FenchelRank):
        for name in numeric_hyperparameters(cls):
            declared = hyperparameters(cls)[name]
            values = grid(declared)
            assert values == sorted(set(values))
            assert (values[0], values[-1]) == (declared.low, declared.high)
            assert [declared.check(value) for value in values] == values


def made(nonzeros, measured, name="g", features=4, **others):
    """A path with given figures, on validation data and on ``others`` by part."""
    parts = others | ({"valid": measured} if measured else {})
    points = [
        Result(
            Cell(((name, float(i)),), "", 0),
            nonzeros=n,
            coef=np.zeros(features),
            ranks=n > 0,
            **{part: {"AP": values[i]} for part, values in parts.items()},
        )
        for i, n in enumerate(nonzeros)
    ]
    from rankcore.studies.paths import Path

    under_way = Path(name, range(len(points)), ("a", "b", "c", "d"), iter(points))
    list(under_way)
    return under_way


def test_ratios_to_the_reference():
    under_way = made([4, 2, 1], [0.1, 0.1, 0.1], test=[0.5, 0.51, 0.4])
    ratios = sparsity.ratios(under_way, measures=["AP"])
    assert ratios[:, 0] == pytest.approx([1, 0.51 / 0.5, 0.4 / 0.5])
    backwards = sparsity.ratios(under_way, measures=["AP"], reference=-1)
    assert backwards[:, 0] == pytest.approx([0.5 / 0.4, 0.51 / 0.4, 1])


def test_the_smallest_model_is_within_the_tolerance_of_the_best():
    under_way = made([4, 3, 2, 1], [0.45, 0.5, 0.49, 0.4])
    result = sparsity.smallest(under_way, "AP", 0.03)
    assert (result.at, result.value, result.left, result.features) == (2, 2.0, 2, 4)
    assert result.fraction == 2 / 4
    assert (result.measured, result.best_at, result.best) == (0.49, 1, 0.5)
    assert result.floor == pytest.approx(0.5 * (1 - 0.03))
    assert (result.part, result.measure, result.tolerance) == ("valid", "AP", 0.03)
    assert sparsity.smallest(under_way, "AP", 0.01).at == 1
    assert sparsity.smallest(under_way, "AP", 0.0).at == 1
    assert sparsity.smallest(under_way, "AP", 1.0).at == 3


def test_of_models_as_small_the_better_one_is_taken():
    under_way = made([4, 2, 2, 2, 1], [0.5, 0.49, 0.5, 0.5, 0.1])
    assert sparsity.smallest(under_way, "AP", 0.03).at == 2


def test_no_change_of_the_test_data_changes_the_choice():
    valid, train = [0.5, 0.49, 0.4], [0.9, 0.9, 0.9]
    values = [
        sparsity.smallest(
            made([4, 2, 1], valid, train=train, test=list(tests)), "AP", 0.03
        )
        for tests in itertools.permutations([0.1, 0.2, 0.9])
    ]
    assert len(set(values)) == 1
    assert values[0].at == 1


def test_without_validation_data_training_data_choose():
    under_way = made([4, 2, 1], (), train=[0.9, 0.6, 0.3], test=[0.0, 0.0, 0.9])
    result = sparsity.smallest(under_way, "AP", 0.5)
    assert (result.part, result.at, result.best) == ("train", 1, 0.9)


def test_without_any_value_the_full_model_is_kept():
    result = sparsity.smallest(made([3, 4, 4, 1], [np.nan] * 4), "AP", 0.5)
    assert (result.at, result.left) == (1, 4)
    assert np.isnan(result.best)
    some = sparsity.smallest(made([4, 3, 1], [0.4, np.nan, 0.3]), "AP", 0.5)
    assert (some.at, some.best_at, some.best) == (2, 0, 0.4)


def test_a_model_without_features_is_never_within_the_tolerance():
    """It leaves documents in the order of the rows, which may be the ideal one."""
    result = sparsity.smallest(made([4, 2, 0], [0.5, 0.49, 1.0]), "AP")
    assert result.left == 2
    folds = [made([4, 2, 1], [0.5, 0.5, 0.5]), made([4, 2, 0], [0.5, 0.5, 1.0])]
    assert sparsity.smallest(folds, "AP").value == 1.0


def test_a_model_that_ranks_nothing_is_never_chosen():
    """It seems perfect where ties keep the order of rows that are sorted by label."""
    rng = np.random.default_rng(0)
    y = np.repeat([2, 1, 0], 20)
    X = np.column_stack([y + rng.normal(size=60), rng.integers(2, size=60)])
    data = RankingDataset.from_arrays(X, y, np.arange(60) % 5)
    rules = measures.Rules("letor3")
    under_way = path(FenchelRank(max_iter=20), data, "radius", [0.1, 1.0], rules=rules)
    tied, full = under_way
    # One feature that is constant within each query.
    tied = replace(tied, nonzeros=1, ranks=False, train={"nDCG@10": 1.0})
    assert full.train["nDCG@10"] < 1.0
    under_way.points[0] = tied
    assert sparsity.smallest(under_way, "nDCG@10").at == 1


# A point that a version before wrote.
BEFORE = {
    "value": 1.0, "nonzeros": 1, "objective": 0.5, "iteration": 1, "seconds": 2.5,
    "measures": {"train": {"nDCG@10": 0.9}, "valid": {"nDCG@10": None}},
    "diagnostics": {"best gap": 0.0, "dual": None}, "reason": "It ended.",
    "model": {
        "format": "rankscope model", "version": 1, "algorithm": "FenchelRank",
        "hyperparameters": {
            "radius": 1.0, "gap_tolerance": 0.001, "variant": "plain",
            "line_search": "exact", "average": "pairs", "units": "features",
            "max_iter": 2, "random_state": 7,
        },
        "feature_names": ["text match", "popularity"], "normalisation": None,
        "data": {"name": "toy-2d train", "fingerprint": "45c0e0e0"}, "iteration": 1,
        "chosen_by": "last", "measures": {"train nDCG@10": 0.9},
        "convention": "standard", "empty": "zero", "changes": [], "versions": {},
        "coefficients": [1.0, 0.0],
    },
    "ranks": True, "path": "a",
}  # fmt: skip


def test_points_of_before_are_read():
    read = Result.from_json(BEFORE)
    assert read.cell == Cell((("radius", 1.0),), "a", 7)
    assert (read.coef.tolist(), read.nonzeros) == ([1.0, 0.0], 1)
    assert (read.iteration, read.seconds, read.reason) == (1, 2.5, "It ended.")
    assert (read.status, read.objective, read.ranks) == ("finished", 0.5, True)
    assert (read.train, read.test) == ({"nDCG@10": 0.9}, {})
    np.testing.assert_equal(read.valid, {"nDCG@10": np.nan})
    np.testing.assert_equal(read.diagnostics, {"best gap": 0.0, "dual": np.nan})
    assert read.model.predict(np.eye(2)).tolist() == [1.0, 0.0]
    assert Result.from_json(read.to_json()).to_json() == read.to_json()

    def without(names):
        return {name: BEFORE[name] for name in BEFORE if name not in names}

    first = without(["ranks", "path"]) | {"worst": BEFORE["measures"]}
    first["model"] = BEFORE["model"] | {"measures": {}}
    for earlier in (first, {"path": "a", "point": first}):
        name = "a" if "point" in earlier else ""
        same = replace(read, cell=read.cell._replace(fold=name))
        assert Result.from_json(earlier).to_json() == same.to_json()
    assert not Result.from_json(first | {"nonzeros": 0}).ranks
    assert to_row(read, "radius")["radius"] == to_row(read, "g")["g"] == 1.0


@pytest.mark.parametrize("take", ["last", "best"])
def test_a_model_of_a_path_says_what_it_reached(take):
    splits = load_dataset("planted")
    for point in path(RSRank(max_iter=3), splits, "g", [0.0, 100.0], take=take):
        named = ("train", "valid")
        assert point.model.provenance_.measures == {
            f"{split} {name}": value
            for split in named
            for name, value in getattr(point, split).items()
        }
        assert point.model.provenance_.measures["valid nDCG@10"] > 0.0


def test_one_value_is_found_for_all_folds():
    folds = [made([4, 2, 1], [0.5, 0.4, 0.3]), made([4, 3, 1], [0.5, 0.6, 0.3])]
    result = sparsity.smallest(folds, "AP")
    assert (result.value, result.left, result.features) == (1.0, 5, 8)
    assert result.measured == pytest.approx(0.5)
    drawn = sparsity.curves(folds, "AP")
    assert drawn.nonzeros.tolist() == [4, 2.5, 1]
    assert drawn.measured["valid"] == pytest.approx([0.5, 0.5, 0.3])


@pytest.mark.parametrize("empty", ["zero", "skip"])
def test_a_model_is_tested_against_the_one_with_the_most_features(splits, empty):
    under_way = path(RSRank(max_iter=20), splits, "g", [40.0, 0.0, 5.0], warm=False)
    list(under_way)
    full = sparsity.densest(under_way)
    assert full == 1
    test = with_an_empty_query(splits.test)
    result = sparsity.against_full(
        under_way, 0, test, "AP", measures.Rules(empty=empty)
    )
    values = [
        measures.evaluate(test, test.X @ coef, "AP", empty=empty)["AP"]
        for coef in under_way.coefficients[[full, 0]]
    ]
    assert result == relative_change(*values)
    assert result.change != 0.0
    assert result.before == pytest.approx(values[0].mean())
    assert result.queries == test.n_queries - (empty == "skip")


def with_an_empty_query(dataset):
    """The data, but nothing is relevant in the first query."""
    labels = np.where(np.arange(len(dataset.y)) < dataset.offsets[1], 0, dataset.y)
    queries = np.repeat(np.arange(dataset.n_queries), np.diff(dataset.offsets))
    return RankingDataset.from_arrays(dataset.X, labels, queries)


def test_paths_over_different_values_are_not_compared():
    with pytest.raises(ValueError, match="same values"):
        sparsity.curves([made([1], [1.0]), made([1, 1], [1.0, 1.0])])


def test_a_stop_holds_for_each_value(splits):
    points = list(path(RSRank(), splits, "g", (0, 1), stop=Stop(max_iterations=3)))
    assert [point.iteration for point in points] == [3, 3]
