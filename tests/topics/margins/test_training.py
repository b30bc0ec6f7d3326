"""Structured training as studies: health, mismatch, rounds and their planes."""

import numpy as np
import pytest

import rankcore
from rankcore import measures
from rankcore.mathematics.differences import differences
from rankcore.topics.margins.rounds import (
    planes_along,
    rounds,
    structured_algorithms,
)
from rankcore.topics.margins.training import (
    matrix,
    mismatch_row,
    mismatch_study,
    over_folds,
)
from rankcore.topics.papers._structured import health_of
from rankcore.training import drive


def complete(study):
    list(study)
    return study.found


def test_health_beside_no_model_at_all(small):
    factors = (0.0, 0.1, 1.0, 10.0)
    result = health_of(rankcore.SVMMAP(C=10.0), small, factors)
    assert result.C.tolist() == [0.0, 1.0, 10.0, 100.0]
    assert (np.diff(result.norm) > 0).all()
    assert (np.diff(result.gain) > 0).all()
    assert result.gain[0] == 0.0
    both = health_of(rankcore.SVMCombo(), small, (1.0,))
    assert both.C.tolist() == [100.0 + 3 * 10.0]


def test_the_matrix_holds_each_model_by_each_measure(small):
    rankers = {name: structured_algorithms()[name]() for name in ("SVMMAP", "SVMAUC")}
    names = ("AP", "AUC", "RR@10")
    table = matrix(complete(mismatch_study(rankers, small, small, names)))
    assert table.trained == ("SVMMAP", "SVMAUC")
    assert table.tested == names
    for values, errors, ranker in zip(
        table.values, table.errors, rankers.values(), strict=True
    ):
        scores = small.X @ ranker.fit_dataset(small).coef_
        per_query = measures.evaluate(small, scores, names)
        assert values == pytest.approx(per_query.mean().to_numpy())
        expected = per_query.std(ddof=1) / per_query.count() ** 0.5
        assert errors == pytest.approx(expected.to_numpy())
    assert (table.values[table.best, range(3)] == table.values.max(axis=0)).all()


def test_a_matrix_of_weighted_queries_has_their_means_errors_and_tests(small):
    weights = np.linspace(1.0, 5.0, small.n_queries)
    heavy = small.with_query_weights(weights)
    rows = [
        mismatch_row(name, heavy, small.X[:, at], ("AP",), measures.STANDARD)
        for at, name in enumerate("ab")
    ]
    table = matrix(rows)
    values = table.queries["AP"]
    means = np.average(values, axis=1, weights=weights)
    assert table.values[:, 0] == pytest.approx(means)
    (test,) = table.tests("AP", [(0, 1)])
    assert test == differences(values, [(0, 1)], weights=weights)[0]
    residuals = weights / weights.mean() * (values - means[:, None])
    spread = np.sqrt((residuals**2).sum(axis=1) / (len(weights) - 1))
    assert table.errors[:, 0] == pytest.approx(spread / np.sqrt(len(weights)))
    assert table.ties.any()


def test_a_study_takes_a_pass_at_a_time_and_keeps_what_it_found(small):
    rankers = {name: rankcore.SVMMAP(C=C) for name, C in (("low", 2.0), ("high", 20.0))}
    study = mismatch_study(rankers, small, small, ("AP",))
    next(study)
    assert study.iterations == 1
    assert not study.found
    assert len(list(study)) == study.iterations - 1
    assert [row.trained for row in study.found] == ["low", "high"]
    assert all(row.values["AP"] > 0.5 for row in study.found)
    assert study.reason.startswith("Complete")


def test_a_closed_study_ends(small):
    study = mismatch_study({"AP": rankcore.SVMMAP()}, small, small)
    next(study)
    study.close()
    assert next(study, None) is None
    assert not study.found


def test_structured_algorithms_are_found_not_listed():
    algorithms = structured_algorithms()
    assert {"SVMMAP", "DORM", "SVMCombo"} <= set(algorithms)
    assert "RankNet" not in algorithms


@pytest.mark.parametrize("slacks", ["per_query", "one"])
@pytest.mark.parametrize("name", ["SVMMAP", "SVMCombo", "DORM"])
def test_planes_lie_below_the_objective_and_rise(small, name, slacks):
    ranker = structured_algorithms()[name](slacks=slacks)
    run = drive(ranker, small, measures=())
    records = list(run)
    *passes, planes = planes_along(ranker, small, records, (0.0, 0.5, 1.0, 1.4))
    assert passes == [None] * (len(records) + 4)
    assert planes.objective[0] == pytest.approx(records[0].objective)
    assert planes.objective[2] == pytest.approx(run.best.objective)
    assert (planes.models <= planes.objective + 1e-9).all()
    assert (np.diff(planes.models, axis=0) >= -1e-9).all()
    assert planes.models[-1].min() >= records[-1].diagnostics["dual"] - 1e-9
    # A plane touches the objective at the coefficients it was found at.
    assert planes.models[0, 0] == pytest.approx(records[0].objective)
    assert planes.models[-1, 2] == pytest.approx(run.best.objective)
    assert planes.after(len(records) + 5).tolist() == planes.models[-1].tolist()
    assert planes.distance(0) == (planes.objective - planes.models[0]).max()


def test_rounds_hold_what_training_reports(small):
    ranker = rankcore.SVMMAP(C=10.0, epsilon=1e-2)
    result = rounds(ranker, list(drive(ranker, small, measures=())))
    assert result.allowed == pytest.approx(0.1)
    assert (np.diff(result.best) <= 0).all()
    assert result.gap[:-1] == pytest.approx((result.best - result.dual)[:-1])
    assert result.gap[-1] <= result.allowed
    assert result.norm[0] == 0
    assert result.constraints[-1] > 0


def test_a_matrix_over_folds_is_the_mean_of_the_folds_matrices(small):
    folds = [small.subset(range(6)), small.subset(range(4, small.n_queries))]
    rankers = {name: structured_algorithms()[name]() for name in ("SVMMAP", "SVMAUC")}
    names = ("AP", "AUC")
    ready = [lambda fold=fold: (fold, small) for fold in folds]
    study = mismatch_study(rankers, small, small, names, folds=ready)
    list(study)
    assert [row.trained for row in study.found] == ["SVMMAP"] * 2 + ["SVMAUC"] * 2
    each = [
        matrix(complete(mismatch_study(rankers, fold, small, names))).values
        for fold in folds
    ]
    result = matrix(over_folds(study.found))
    assert result.trained == ("SVMMAP", "SVMAUC")
    assert result.values == pytest.approx(np.mean(each, axis=0))
    assert result.errors == pytest.approx(np.std(each, axis=0, ddof=1))
    assert np.isnan(matrix(over_folds(study.found[:1])).errors).all()
