"""The experiment of Table 5: how it climbs, what it reports, what was published."""

from dataclasses import replace

import numpy as np
import pytest

from rankcore import RankingDataset, load_dataset, measures
from rankcore.algorithms.approx_ap import ApproxAP
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.topics.approximation import table_five
from rankcore.topics.approximation.end_points import (
    at_nearest,
    outcome_table,
    outcomes,
)
from tests.topics.approximation.test_landscape_figure import end_point


def experiment(seed=0, data=None, count=2):
    data = data or load_dataset("toy-3d").train
    learner = ApproxNDCG(random_state=seed)
    return table_five.study(learner, data, "nDCG@5", count)


def test_starts_are_climbed_from_at_the_published_sharpnesses_in_turn():
    run = experiment()
    list(run)

    assert run.total == 6
    assert [p.alpha for p in run.found] == [50.0, 100.0, 300.0] * 2
    first, second = run.found[:3], run.found[3:]
    for starts in (first, second):
        assert len({tuple(p.start) for p in starts}) == 1
    assert first[0].cell.seed != second[0].cell.seed


def test_a_study_says_whether_the_published_table_is_about_the_same():
    data = load_dataset("toy-3d").train
    run = table_five.study(ApproxNDCG(), data, "nDCG@5", 2, comparable=True)

    assert run.subject.comparable
    assert run.subject.measure == "nDCG@5"
    assert run.subject.dataset is data
    assert not experiment().subject.comparable


def test_a_seed_decides_all_of_it():
    runs = [experiment(seed) for seed in (3, 3, 4)]
    for run in runs:
        list(run)
    same, again, other = [[(p.objective, p.exact) for p in r.found] for r in runs]

    assert same == again
    assert same != other


def test_a_start_is_within_one_and_a_climb_is_the_papers():
    learner = table_five.as_in_the_paper(ApproxNDCG(alpha=7.0, optimiser="lbfgs"))

    assert learner.optimiser == "stochastic"
    assert (learner.learning_rate, learner.tolerance) == (0.01, 0.001)
    assert learner.restart_passes == learner.max_iter == 300
    assert learner.alpha == 7.0
    data = load_dataset("toy-3d").train
    ranges = np.max([np.ptp(data.query(i).X, axis=0) for i in range(6)], axis=0)
    run = experiment(data=data, count=1)
    list(run)
    for point in run.found:
        assert np.abs(point.start * ranges).max() <= 1.0
        assert 1 <= point.iterations <= 300


def test_end_points_are_measured_as_letor_does():
    # The last query has no relevant document, and counts nothing.
    X = np.random.default_rng(0).uniform(size=(24, 3))
    y = np.append(np.arange(18) % 3, np.zeros(6, int))
    data = RankingDataset.from_arrays(X, y, np.repeat(np.arange(4), 6))
    run = experiment(data=data)
    list(run)

    for point in run.found:
        values = [
            by_hand(data.query(i).X @ point.coef, data.query(i).y) for i in range(3)
        ]
        assert point.exact == pytest.approx(sum(values) / 4)


def by_hand(scores, labels):
    """nDCG@5 with the discounts 1, 1, 1/log2(3), 1/log2(4), 1/log2(5)."""
    discount = 1 / np.log2([2, 2, 3, 4, 5])
    gains = 2.0**labels - 1
    order = np.argsort(-scores, kind="stable")[:5]
    return (gains[order] @ discount) / (np.sort(gains)[::-1][:5] @ discount)


def test_a_measure_is_reported_at_five_where_that_is_known():
    values = ("AP", "P@5", "RR", "nDCG", "nDCG@5")
    reported = {name: table_five.reported(name, values) for name in values}

    assert reported.pop("nDCG") == "nDCG@5"
    assert all(name == value for name, value in reported.items())


def test_another_measure_is_climbed_and_reported():
    data = load_dataset("toy-2d").train
    run = table_five.study(ApproxAP(random_state=0), data, "AP", 1)
    list(run)

    for point in run.found:
        expected = measures.means(data, data.X @ point.coef, "AP", "letor3", "zero")
        assert point.exact == pytest.approx(expected["AP"])


def test_the_published_rows_and_what_is_comparable_to_them():
    assert table_five.published(100.0) == (100.0, 0.4849, 0.4862)
    assert table_five.published(10.0) is None
    apart = table_five.published_apart()
    assert apart.one == pytest.approx(0.4849 - 0.4793)
    assert apart.hundred == pytest.approx(0.5073 - 0.4828)

    wide = RankingDataset.from_arrays(np.zeros((2, 45)), [0, 1])
    narrow = RankingDataset.from_arrays(np.zeros((2, 25)), [0, 1])
    assert table_five.is_published("OHSUMED/Fold1", wide, "nDCG")
    assert not table_five.is_published("ohsumed/Fold2", wide, "nDCG")
    assert not table_five.is_published("ohsumed/Fold1", narrow, "nDCG")
    assert not table_five.is_published("ohsumed/Fold1", wide, "nDCG@5")


def end_points(values, alpha):
    """Restarts that end at these values of the measure, the last one best."""
    at = np.ones(2)
    return [
        replace(end_point(alpha, value), objective=float(n), coef=at, start=at)
        for n, value in enumerate(values)
    ]


def found(count, low=0.4, high=0.6):
    """Half of the restarts at each sharpness end low, half high; the last one high."""
    values = [low, high] * (count // 2)
    return outcomes(end_points(values, 50.0) + end_points(values[::-1], 100.0))


def test_the_table_has_means_and_their_deviations():
    few = table_five.table(found(2), comparable=True)
    assert few[0] == {
        "α": "50",
        "one start": f"0.500 ± {np.std([0.4, 0.6], ddof=1):.3f}",
        "best of 5": "–",
        "best of all": "0.600",
        "published, one start": "0.4818",
        "published, best of 100": "0.4828",
        "restarts": "2",
    }
    assert few[1]["best of all"] == "0.400"
    (single,) = table_five.table(outcomes(end_points([0.5], 10.0)), comparable=True)
    assert single["one start"] == "0.500"
    assert "published, one start" not in single
    many = table_five.table(found(20), comparable=False)
    assert " ± " in many[0]["best of 5"]
    assert "published, one start" not in many[0]


def test_the_reading_compares_what_enough_restarts_show():
    assert "vary" not in table_five.reading(found(2), comparable=True)
    alone = table_five.reading(found(20), comparable=False)
    deviation = np.std([0.4, 0.6] * 10, ddof=1)
    assert "differs by up to 0.000" in alone
    assert f"up to ± {deviation:.3f}" in alone
    assert "published" not in alone
    beside = table_five.reading(found(20), comparable=True)
    assert "differ by at most 0.0056" in beside
    assert "so their order is random" in beside
    still = table_five.reading(found(20, 0.5, 0.5), comparable=True)
    assert "random" not in still


def test_outcomes_are_listed_as_text():
    rows = outcome_table(found(2), "AP")
    assert [row["α"] for row in rows] == ["50", "100"]
    assert rows[0]["AP kept"] == "0.600"
    assert rows[0]["median AP"] == "0.500"
    assert rows[0]["different end points"] == "1"
    assert rows[0]["ended where it began"] == "100%"


def test_end_points_of_the_nearest_sharpness_are_found():
    points = end_points([0.1], 1.0) + end_points([0.2, 0.3], 100.0)
    assert [p.exact for p in at_nearest(points, 50.0)] == [0.2, 0.3]
    assert at_nearest([], 50.0) == []
