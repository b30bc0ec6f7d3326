"""Orders as points: the line that touches them is the slack of the learner."""

import math

import numpy as np
import pytest

import rankcore
from rankcore import RankingDataset
from rankcore.topics.margins.cloud import (
    MOST_DOCUMENTS,
    clouds,
    order_cloud,
    round_orders,
)
from rankcore.topics.margins.models import by_feature_map
from rankcore.topics.margins.order import Case, worst_order
from rankcore.topics.margins.round_orders_figure import round_orders_figure
from rankcore.topics.margins.rounds import structured_algorithms
from rankcore.training import Stop, drive

LEARNERS = [
    learner
    for kind in structured_algorithms().values()
    for settings in ({}, {"cutoff": 2}, {"decay": "root"}, {"scaling": "sum"})
    if all(name in kind().get_params() for name in settings)
    for learner in by_feature_map(kind(**settings)).values()
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)


def listed(scores, labels):
    """A list of documents whose only feature is the score."""
    return RankingDataset.from_arrays(np.array(scores)[:, None], labels)


def losses(learner, data):
    """The names of a learner's losses."""
    return [item.loss.name for item in learner.losses(data)]


@every_learner
def test_the_line_touches_the_worst_order_at_the_slack(learner):
    rng = np.random.default_rng(0)
    for n in (2, 3, 4, 5):
        data = listed(rng.normal(size=n), rng.integers(3, size=n))
        for name in losses(learner, data):
            case = learner, data, 0, [1.0], name
            result, cloud = worst_order(Case(*case)), order_cloud(Case(*case))
            assert cloud.counts.sum() == math.factorial(n)
            assert cloud.slack == pytest.approx(max(result.slack, 0.0), abs=1e-12)
            touched = cloud.losses[cloud.worst], cloud.margins[cloud.worst]
            assert touched == pytest.approx((result.loss, result.margin), abs=1e-12)
            predicted = cloud.losses[cloud.predicted]
            assert predicted == pytest.approx(result.predicted_loss, abs=1e-12)
            assert cloud.orders[cloud.predicted].tolist() == result.current.tolist()


def test_orders_that_invert_the_same_pairs_are_one_point():
    cloud = order_cloud(
        Case(rankcore.SVMMAP(), listed([0.5, 0.2, 0.1, -0.3], [0, 1, 0, 1]), 0, [1.0])
    )

    assert len(cloud.losses) == 14
    assert cloud.counts.sum() == 24
    ideal = np.flatnonzero((cloud.margins == 0.0) & (cloud.losses == 0.0))
    assert cloud.counts[ideal].tolist() == [4]
    # Not the order of the largest loss, which the model speaks against.
    near = listed([0.5, 0.6, 0.1, 0.55], [0, 1, 0, 1])
    other = order_cloud(Case(rankcore.SVMMAP(), near, 0, [1.0]))
    assert other.losses[other.worst] == pytest.approx(1.0 - (1 / 2 + 2 / 3) / 2)
    assert other.losses.max() == pytest.approx(1.0 - (1 / 3 + 2 / 4) / 2)


def test_a_moved_document_moves_points_sideways_only():
    before, after = (
        order_cloud(
            Case(rankcore.SVMMAP(), listed([0.5, 0.2, 0.1, s], [0, 1, 0, 1]), 0, [1.0])
        )
        for s in (-0.3, 0.4)
    )
    assert sorted(before.losses) == pytest.approx(sorted(after.losses))
    assert sorted(before.margins) != pytest.approx(sorted(after.margins))


@every_learner
def test_the_outermost_orders_of_a_longer_list_touch_the_line(learner):
    rng = np.random.default_rng(1)
    n = MOST_DOCUMENTS + 3
    data = listed(rng.normal(size=n), rng.integers(3, size=n))
    for name in losses(learner, data):
        case = learner, data, 0, [1.0], name
        cloud = order_cloud(Case(*case))
        assert not cloud.every
        assert cloud.slack == pytest.approx(worst_order(Case(*case)).slack, abs=1e-12)
        assert cloud.worst in cloud.outline
        assert (np.diff(cloud.losses[cloud.outline]) >= 0.0).all()


def test_a_loss_of_two_feature_maps_has_two_clouds():
    case = listed([0.5, 0.2, 0.1, -0.3], [0, 1, 0, 1]), 0, [1.0]
    combo = rankcore.SVMCombo()

    assert list(clouds(Case(combo, *case, "RR"))) == ["φₚₒ", "φₘᵣᵣ"]
    assert (
        list(clouds(Case(combo, *case, "AP")))
        == list(clouds(Case(rankcore.DORM(), *case)))
        == [""]
    )
    slacks = [cloud.slack for cloud in clouds(Case(rankcore.SVMMRR(), *case)).values()]
    # The irrelevant documents of both scores above the lower relevant one.
    assert slacks == pytest.approx([1.3666667, 2 / 3 - (-0.8 - 0.4) / 2])


@every_learner
def test_equal_labels_leave_nothing_to_lose(learner):
    cloud = order_cloud(Case(learner, listed([0.3, -0.2, 0.9], [1, 1, 1]), 0, [1.0]))
    assert (cloud.slack, cloud.counts.tolist()) == (0.0, [6])


@pytest.fixture(scope="module")
def trained():
    """A learner, its data, and the coefficients of each round."""
    learner, data = rankcore.SVMMAP(), rankcore.load_dataset("toy-2d").train
    run = drive(learner, data, stop=Stop(max_iterations=6), measures=())
    return learner, data, [record.coef for record in run]


@pytest.mark.parametrize("query", [0, 3])
def test_each_round_adds_the_order_that_its_own_model_violates_most(trained, query):
    learner, data, models = trained
    orders = round_orders(learner, data, query, models)
    assert len(orders.losses) == len(models)
    for k, coef in enumerate(models):
        order = worst_order(Case(learner, data, query, coef))
        assert orders.losses[k] == pytest.approx(order.loss, abs=1e-12)
    # The last model's own order is that of its slack.
    assert (orders.losses - orders.margins)[-1] == pytest.approx(orders.cloud.slack)


def test_planes_say_no_more_than_the_slack_and_in_the_end_as_much(trained):
    learner, data, models = trained
    for query in range(data.n_queries):
        every = [
            round_orders(learner, data, query, models[: k + 1])
            for k in range(len(models))
        ]
        assert every[0].lower_bound == 0.0
        for item in every:
            assert item.lower_bound <= item.cloud.slack + 1e-12
        assert every[-1].lower_bound == pytest.approx(every[-1].cloud.slack, abs=0.1)


def test_the_planes_of_rounds_meet_a_margin_of_0_at_their_bounds(trained):
    learner, data, models = trained
    orders = round_orders(learner, data, 0, models)
    picture = round_orders_figure(orders)
    traces = {trace.get("name"): trace for trace in picture.data}
    rising = traces["planes"]
    bounds = np.asarray(rising["y"]) - np.asarray(rising["x"])
    drawn = set(np.round(bounds[np.isfinite(bounds)], 6))
    assert drawn == set(np.round((orders.losses - orders.margins)[:-1], 6))
    added = traces["added"]
    named = [int(k) for text in added["customdata"] for k in text.split(", ")]
    assert sorted(named) == list(range(len(models)))
    assert "at least" in picture.alt
    assert (
        "no plane yet"
        in round_orders_figure(round_orders(learner, data, 0, models[:1])).alt
    )
