"""Plans of trained-on × tested-on, and models that are fitted while a person waits."""

import numpy as np
import pytest

from rankcore import RankingDataset, get_algorithm, load_dataset, measures
from rankcore.data.catalogue import Splits
from rankcore.mathematics.statistics import holm, randomisation_test
from rankcore.topics.margins.matrix import (
    MatrixPlan,
    compare_models,
    leads,
    learners,
    zero_models,
)
from rankcore.topics.margins.models import (
    QUICK,
    QUICK_PRECISION,
    by_feature_map,
    largest_slack,
    least_squares,
    quick_fit,
    scaled_weights,
    training_only,
)
from rankcore.topics.margins.order import slacks
from rankcore.topics.margins.rounds import slack_weights, structured_algorithms
from rankcore.topics.margins.training import Mismatch, MismatchRow, matrix
from rankcore.training import drive

Row = MismatchRow


def test_learners_share_their_c_and_have_each_feature_map():
    result = learners(7.0, 2)

    title = get_algorithm("SVMMRR").title
    assert {f"{title}, φₚₒ", f"{title}, φₘᵣᵣ"} <= set(result)
    assert {type(one) for one in result.values()} == set(
        structured_algorithms().values()
    )
    for algorithm in result.values():
        assert sum(slack_weights(algorithm).values()) == pytest.approx(7.0)
        assert algorithm.get_params().get("relevant_from", 2) == 2


def test_scaled_weights_keep_their_ratio():
    combo = get_algorithm("SVMCombo")()
    result, scaled = slack_weights(combo), scaled_weights(combo, 3.0)

    assert sum(scaled.values()) == pytest.approx(3.0)
    ratios = {round(scaled[name] / result[name], 12) for name in result if result[name]}
    assert len(ratios) == 1


def test_every_feature_map_is_that_of_the_same_algorithm():
    mrr = get_algorithm("SVMMRR")(C=5.0)
    result = by_feature_map(mrr)

    assert set(result) == {"pairs", "first"}
    assert all(one.feature_map == name and one.C == 5.0 for name, one in result.items())
    auc = get_algorithm("SVMAUC")()
    assert by_feature_map(auc) == {"": auc}


@pytest.fixture
def splits(small):
    halves = small.subset(range(6)), small.subset(range(6, 12))
    return Splits(halves[0], test=halves[1])


def two():
    return {name: structured_algorithms()[name]() for name in ("SVMMAP", "SVMAUC")}


def test_a_plan_trains_on_the_first_part_and_tests_on_the_last(splits):
    study = MatrixPlan(two(), splits).study()
    tested = study.subject
    assert (tested.part, tested.n_queries, study.total) == ("test", 6, 2)
    list(study)
    result = tested.matrix(study.found)

    assert result.trained == ("SVMMAP", "SVMAUC")
    for i, (name, algorithm) in enumerate(two().items()):
        scores = splits.test.X @ algorithm.fit_dataset(splits.train).coef_
        means = measures.means(splits.test, scores, result.tested)
        assert result.values[i] == pytest.approx(list(means.values())), name
    aimed = tested.aimed(result)
    assert [result.tested[j] for j in np.flatnonzero(aimed[0])] == ["AP"]
    assert [result.tested[j] for j in np.flatnonzero(aimed[1])] == ["AUC"]


def test_a_plan_leaves_out_what_refuses_the_data():
    alike = RankingDataset.from_arrays(np.eye(2), [0, 0])
    plan = MatrixPlan(learners(1.0, 1), Splits(alike))

    refusing = [
        a for a in plan.algorithms.values() if a.unsupported_reason(alike) is not None
    ]
    assert len(plan.able) == len(plan.algorithms) - len(refusing)
    assert plan.study().total == len(plan.able)


def test_a_plan_over_folds_loads_and_scales_each(monkeypatch, splits):
    loaded = {"a/Fold1": splits, "a/Fold2": Splits(splits.test, test=splits.train)}
    monkeypatch.setattr("rankcore.topics.margins.matrix.load_dataset", loaded.get)
    one = {"SVMMAP": structured_algorithms()["SVMMAP"]()}
    study = MatrixPlan(one, splits, tuple(loaded), "minmax").study()
    assert study.total == 2
    list(study)

    scaled = splits.normalise("minmax")
    halves = (scaled.train, scaled.test), (scaled.test, scaled.train)
    means = []
    for train, test in halves:
        scores = test.X @ one["SVMMAP"].fit_dataset(train).coef_
        means.append(measures.means(test, scores, "AP")["AP"])
    result = study.subject.matrix(study.found)
    j = result.tested.index("AP")
    assert result.values[0, j] == pytest.approx(np.mean(means))
    assert result.errors[0, j] == pytest.approx(np.std(means, ddof=1))


def three_measures():
    """Two models: AP differs in every query, RR in three, AUC by noise."""
    rng = np.random.default_rng(0)
    first = rng.uniform(0.2, 0.7, (3, 20))
    second = first.copy()
    second[0] += 0.1
    second[1, :3] -= 0.1
    second[2] += rng.normal(0.0, 0.1, 20)
    names = ("AP", "RR", "AUC")
    rows = [
        Row(
            name,
            {m: float(v.mean()) for m, v in zip(names, result, strict=True)},
            dict.fromkeys(names, 0.1),
            False,
            dict(zip(names, result, strict=True)),
        )
        for name, result in (("a", first), ("b", second))
    ]
    return matrix(rows), first, second


def test_leads_are_between_the_best_for_the_measure_and_the_best_others():
    result, first, second = three_measures()
    aimed = np.array([[True, True, True], [False, False, False]])
    value = leads(result, aimed)
    assert [one.measure for one in value] == ["AP", "RR", "AUC"]
    gaps = second.mean(axis=1) - first.mean(axis=1)
    assert [one.lead for one in value] == pytest.approx(gaps.tolist())
    tests = [randomisation_test(a, b) for a, b in zip(first, second, strict=True)]
    assert [one.p_value for one in value] == holm([t.p_value for t in tests]).tolist()
    few = "Only 3 of 20 queries differ: no test can decide."
    assert [one.undecided for one in value] == ["", few, ""]
    assert not leads(result, ~aimed & aimed)
    assert result.ties.tolist() == [[False, True, True], [True, True, True]]


def test_without_queries_the_best_is_tied_with_none():
    values = np.array([[0.5, 0.9], [0.7, 0.4]])
    mismatch = Mismatch(("a", "b"), ("AP", "RR"), values, np.array([1, 0]), values / 10)
    assert mismatch.ties.tolist() == [[False, True], [True, False]]
    (one,) = leads(mismatch, np.array([[True, False], [False, False]]))
    assert one.lead == pytest.approx(0.7 - 0.5)
    assert np.isnan(one.p_value)


def test_zero_models_are_counted_by_name():
    rows = [("a", True), ("a", True), ("b", True), ("b", False), ("c", False)]
    models = zero_models([Row(name, {}, {}, even) for name, even in rows])

    assert models == {"a": (2, 2), "b": (1, 2)}


def test_models_are_compared_by_their_coefficients(small):
    models = {"one": np.eye(4)[0], "other": np.eye(4)[3]}
    result = compare_models(models, small, ["AP", "RR"], measures.Rules("letor3"))

    for i, coef in enumerate(models.values()):
        means = measures.means(small, small.X @ coef, ["AP", "RR"], "letor3")
        assert result.values[i].tolist() == list(means.values())
    assert result.best.tolist() == [0, 0]


def test_a_quick_fit_takes_the_first_queries_that_have_few_enough_pairs(small):
    algorithm = get_algorithm("SVMMAP")(C=10.0)
    # A query of eight documents counts as 64.
    some, whole = quick_fit(algorithm, small, 200), quick_fit(algorithm, small)
    same = quick_fit(algorithm, small.subset(range(3)))

    assert (some.queries, same.queries, whole.queries) == (3, 3, 12)
    np.testing.assert_array_equal(some.coef, same.coef)
    assert quick_fit(algorithm, small, 1).queries == 1
    assert 1 <= whole.passes <= 40
    assert whole.reason


def test_a_quick_fit_ends_with_the_work_of_its_solver():
    """Sums of pairs make so many constraints tight that the solver is busy for long."""
    train = load_dataset("planted").train
    busy = quick_fit(get_algorithm("SVMMAP")(scaling="sum"), train)
    assert "limit of work" in busy.reason
    # What is best so far need not be best.
    assert not busy.coef.any()
    assert busy.reason.endswith("gives all documents one score, is the best one.")
    assert 1 < busy.passes < 40
    same = quick_fit(get_algorithm("SVMMAP")(scaling="sum"), train)
    np.testing.assert_array_equal(busy.coef, same.coef)


@pytest.mark.parametrize("C", [10.0, 1000.0])
def test_a_quick_fit_of_means_is_not_limited(C):
    train = load_dataset("planted").train
    algorithm = get_algorithm("SVMMAP")(C=C, epsilon=QUICK_PRECISION)
    *_, last = run = list(drive(algorithm, train, stop=QUICK, measures=()))
    quick = quick_fit(algorithm, train)
    assert quick.passes == last.iteration == len(run) - 1
    assert "within the tolerance" in quick.reason
    best = min(run, key=lambda record: record.objective)
    np.testing.assert_array_equal(quick.coef, best.coef)


def test_the_largest_slack_is_that_of_a_query_that_counts(small):
    algorithm = get_algorithm("SVMMAP")()
    coef = np.array([0.1, -1.0, 0.3, 0.2])
    result = slacks(algorithm, small, coef)
    at = largest_slack(algorithm, small, coef)

    assert result.counted[at]
    assert result.slack[at] == result.slack[result.counted].max()


def test_least_squares_is_the_algorithm_of_that_name():
    train = load_dataset("toy-2d").train
    fitted = get_algorithm("LeastSquares")().fit_dataset(train)
    np.testing.assert_array_equal(least_squares(train).coef, fitted.coef_)


@pytest.mark.parametrize("cls", structured_algorithms().values())
def test_the_slack_of_a_model_depends_on_no_hyperparameter_of_training_only(cls, small):
    names = training_only(cls)
    assert {"epsilon", *slack_weights(cls())} <= set(names)
    other = cls(**dict.fromkeys(slack_weights(cls()), 3.5), epsilon=0.1)

    coef = np.array([1.0, 0.5, -0.5, 0.0])
    np.testing.assert_array_equal(
        slacks(other, small, coef).slack, slacks(cls(), small, coef).slack
    )
