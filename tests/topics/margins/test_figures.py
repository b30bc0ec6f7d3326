"""Pictures of the Margins page: what is drawn is what was computed."""

import numpy as np
import pytest

import rankcore
from rankcore import RankingDataset
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import DARK, LIGHT
from rankcore.topics.approximation.score_list import ScoreList
from rankcore.topics.margins import claims
from rankcore.topics.margins import claims_figure as claim_charts
from rankcore.topics.margins.cloud import clouds
from rankcore.topics.margins.hand_figure import hand_figure, slack_figure
from rankcore.topics.margins.merges import assignment, staircase
from rankcore.topics.margins.merges_figure import assignment_figure, staircase_figure
from rankcore.topics.margins.order import (
    Case,
    largest_terms,
    slack_along,
    slack_terms,
    worst_order,
)
from rankcore.topics.margins.order_figure import (
    many_swaps_figure,
    orders_figure,
    slack_terms_figure,
)
from rankcore.topics.margins.rounds import planes_along, rounds
from rankcore.topics.margins.rounds_figure import planes_figure, rounds_figure
from rankcore.topics.margins.training import (
    aimed,
    matrix,
    mismatch_study,
)
from rankcore.topics.margins.training_figure import matrix_figure
from rankcore.training import drive
from tests.viewing import trace

SCORES = np.array([0.5, 0.2, 0.1, -0.3])
LABELS = [0, 1, 0, 1]
BLUE = LIGHT.runs[0]


@pytest.fixture
def four():
    return RankingDataset.from_arrays(SCORES[:, None], LABELS)


def long_list(n=40):
    rng = np.random.default_rng(0)
    return RankingDataset.from_arrays(rng.normal(size=(n, 1)), rng.integers(3, size=n))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_three_columns_of_chips_in_their_orders(four, palette):
    order = worst_order(Case(rankcore.SVMMAP(), four, 0, [1.0]))
    picture = orders_figure({"": order}, palette=palette)
    columns = [trace for trace in picture.figure().data if trace.type == "bar"]
    names = [[text.split(" ")[0] for text in column.text] for column in columns]
    assert names == [
        ["d1", "d2", "d3", "d4"],
        ["d2", "d4", "d1", "d3"],
        ["d1", "d3", "d2", "d4"],
    ]
    heads = [note["text"] for note in picture.layout["annotations"]]
    assert "Δ 0.500" in heads[0]
    assert "Δ 0.583" in heads[2]


def test_lines_of_relevant_documents_have_colour(four):
    order = worst_order(Case(rankcore.SVMMAP(), four, 0, [1.0]))
    lines = [t for t in orders_figure({"": order}).figure().data if t.type == "scatter"]
    by_colour = {}
    for line in lines:
        by_colour.setdefault(line.line.color, []).append(np.asarray(line.y))
    assert set(by_colour) == {LIGHT.line, lines[-1].line.color}
    (both,) = by_colour[lines[-1].line.color]
    left, right = both.reshape(2, 2, 3)[:, :, :2].tolist()
    assert left == [[2, 1], [4, 2]]
    assert right == [[1, 3], [2, 4]]


def test_of_a_long_list_the_top_is_drawn_and_the_rest_counted():
    data = long_list()
    order = worst_order(Case(rankcore.SVMMAP(), data, 0, [1.0]))
    picture = orders_figure({"": order}, rows=10)
    bars = [trace for trace in picture.figure().data if trace.type == "bar"]
    assert [len(bar.y) for bar in bars] == [10, 10, 10]
    assert picture.layout["annotations"][-1]["text"] == "30 more"
    for one in picture.data:
        assert np.nanmax(one["y"]) <= 11.4


def test_the_last_bar_stands_for_all_others():
    order = worst_order(Case(rankcore.SVMMAP(), long_list(), 0, [1.0]))
    terms = largest_terms(slack_terms(order), 6)
    assert len(terms) == 6
    assert terms[-1].name == f"{len(order.swaps) - 5} others"
    assert sum(term.loss - term.margin for term in terms) == pytest.approx(order.slack)


def test_many_swaps_are_points():
    order = worst_order(Case(rankcore.SVMMAP(), long_list(), 0, [1.0]))
    points = many_swaps_figure(slack_terms(order)).figure().data[0]
    assert len(points.x) == len(order.swaps)
    assert sum(points.y) == pytest.approx(order.loss, rel=1e-5)
    assert sum(points.x) == pytest.approx(order.margin, rel=1e-4)


def test_of_very_many_swaps_a_few_hundred_are_drawn_the_largest_among_them():
    order = worst_order(Case(rankcore.SVMMAP(), long_list(200), 0, [0.001]))
    terms = slack_terms(order)
    drawn = many_swaps_figure(terms).data[0]["text"]
    assert len(terms) > 1000
    assert 150 < len(drawn) <= 300
    assert drawn[0] == terms[0].name


def test_the_staircase_runs_between_inverted_pairs_and_others(four):
    stairs = staircase(Case(rankcore.SVMMRR(), four, 0, [1.0]))
    cells, path = staircase_figure(stairs).figure().data
    assert np.asarray(cells.customdata) == pytest.approx(stairs.values)
    steps = np.stack([path.x, path.y], axis=1)[1:-1].reshape(-1, 2, 2)
    assert (steps[:, :, 0] == stairs.above[:, None] + 0.5).all()
    assert [row.tolist() for row in steps[:, :, 1]] == [[0.5, 1.5], [1.5, 2.5]]


def test_a_large_staircase_is_cut():
    data = long_list(400)
    stairs = staircase(Case(rankcore.SVMMAP(), data, 0, [0.01]))
    cells, path = staircase_figure(stairs).figure().data
    assert np.asarray(cells.z).shape == (40, 80)
    assert max(path.x) <= 80.5


def test_circles_are_the_assignment():
    data = long_list(12)
    table = assignment(Case(rankcore.DORM(), data, 0, [1.0]))
    _, marks = assignment_figure(table).figure().data
    assert dict(zip(marks.y, marks.x, strict=True)) == {
        i + 1: rank for i, rank in enumerate(table.ranks.tolist()) if rank
    }


def test_several_orders_stand_beside_each_other(four):
    settings = {
        name: worst_order(Case(rankcore.SVMMRR(feature_map=name), four, 0, [1.0]))
        for name in ("pairs", "first")
    }
    picture = orders_figure(settings, height=400)
    first, second = (orders_figure({"": item}).data for item in settings.values())
    assert picture.layout["height"] == 400
    assert len(picture.data) == len(first) + len(second)
    for alone, beside in zip(second, picture.data[len(first) :], strict=True):
        assert beside["y"] == pytest.approx(alone["y"], nan_ok=True)
    assert picture.alt.startswith("pairs: the most violated order loses")
    assert {"rank", "pairs ideal", "first most violated"} < set(picture.numbers())


def hand(learner=None, scores=SCORES, labels=LABELS, palette=LIGHT):
    """The documents of a list, and its orders."""
    listed = ScoreList(np.array(scores), np.array(labels))
    data = RankingDataset.from_arrays(listed.scores[:, None], listed.labels)
    points = clouds(Case(learner or rankcore.SVMMAP(), data, 0, [1.0]))
    return points, hand_figure(listed, len(scores) - 1, points, palette)


def test_documents_can_be_dragged_along_their_scores():
    points = hand()[1].figure().data[0]
    assert points.meta == {"drag": "x"}
    assert list(points.x) == SCORES.tolist()
    assert len(set(points.y)) == 4
    assert points.marker.line.width[3] > points.marker.line.width[0]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_line_touches_the_orders_and_meets_a_margin_of_0_at_the_slack(palette):
    points, picture = hand(palette=palette)
    cloud = points[""]
    orders, line, slack, ring = (
        trace(picture, name) for name in ("orders", "touches", "slack", "most violated")
    )
    assert np.asarray(line["y"]) == pytest.approx(line["x"] + cloud.slack)
    assert (orders["y"] <= orders["x"] + cloud.slack + 1e-12).all()
    assert (slack["x"], slack["y"]) == ([0, 0], [0, cloud.slack])
    assert (ring["x"], ring["y"]) == (
        [cloud.margins[cloud.worst]],
        [cloud.losses[cloud.worst]],
    )
    assert [text for text in orders["text"] if text].count("4") == 2
    notes = " ".join(note["text"] for note in picture.layout["annotations"])
    assert "ξ = 1.28" in notes
    assert "x1 x3 x2 x4" in notes
    assert "24 orders are at 14 points" in picture.alt
    assert sum(row["orders of this point"] for row in picture.numbers()) == 24


def test_two_feature_maps_share_the_axis_of_losses():
    points, picture = hand(rankcore.SVMMRR())
    drawn = [one for one in picture.data if one.get("name") == "orders"]

    assert [one["xaxis"] for one in drawn] == ["x2", "x3"]
    assert {one["yaxis"] for one in drawn} == {"y2"}
    assert {row["feature map"] for row in picture.numbers()} == set(points)
    picture.figure()


def test_of_a_long_list_the_outline_is_drawn():
    long = long_list(9)
    points, picture = hand(rankcore.DORM(), long.X[:, 0], long.y)
    cloud, outline = points[""], trace(picture, "outline")

    assert np.asarray(outline["x"]) == pytest.approx(cloud.margins[cloud.outline])
    assert "The outermost orders are at" in picture.alt
    assert "orders of this point" not in picture.numbers()[0]


def test_where_all_margins_hold_no_order_is_called_most_violated():
    _, picture = hand(scores=[0.0, 3.0, 0.1, 4.0])
    notes = " ".join(note["text"] for note in picture.layout["annotations"])

    assert "ξ = 0.000" in notes
    assert "most violated" not in notes


def test_slack_and_loss_are_drawn_with_the_place_of_now():
    curve = slack_along(rankcore.SVMMAP(), SCORES, LABELS, 3, -1.0, 1.0)
    slack, loss, dots = slack_figure(curve, "d").figure().data
    assert np.asarray(slack.y) == pytest.approx(curve.slack)
    assert np.asarray(loss.y) == pytest.approx(curve.loss)
    assert list(dots.x) == [-0.3, -0.3]
    assert dots.y[0] == pytest.approx(1.283333, abs=1e-6)
    assert dots.y[1] == pytest.approx(0.5)


def test_rounds_and_planes_are_those_of_the_run(small):
    ranker = rankcore.SVMMAP()
    records = list(drive(ranker, small, measures=()))
    result = rounds(ranker, records)
    traces = rounds_figure(result, BLUE, 2).figure().data
    assert np.asarray(traces[0].y) == pytest.approx(result.best)
    assert np.asarray(traces[1].y) == pytest.approx(result.dual)
    assert np.asarray(traces[3].customdata) == pytest.approx(result.gap)
    assert np.asarray(traces[5].y) == pytest.approx(result.norm)
    *_, planes = planes_along(ranker, small, records)
    *_, objective, value = planes_figure(planes, 2, BLUE).figure().data
    assert np.asarray(objective.y) == pytest.approx(planes.objective)
    assert np.asarray(value.y) == pytest.approx(planes.models[2])


def test_the_matrix_shows_numbers_spread_and_what_was_aimed_at(small):
    rankers = {"map": rankcore.SVMMAP(), "auc": rankcore.SVMAUC()}
    study = mismatch_study(rankers, small, small, ("AP", "AUC"))
    list(study)
    result = matrix(study.found)
    wanted = aimed(rankers, small, ("AP", "AUC"))
    assert wanted.tolist() == [[True, False], [False, True]]
    picture = matrix_figure(result, wanted).figure()
    (cells,) = picture.data
    assert np.asarray(cells.z).max(axis=0) == pytest.approx([1.0, 1.0])
    assert f"{result.values[1, 0]:.3f}" in cells.text[1][0]
    assert f"±{result.errors[1, 0]:.3f}" in cells.text[1][0]
    bold = [["<b>" in text for text in row] for row in cells.text]
    # So are those that no test tells from the best.
    assert all(bold[row][column] for column, row in enumerate(result.best))
    framed = [(round(s.y0 + 0.44), round(s.x0 + 0.46)) for s in picture.layout.shapes]
    assert framed == [(0, 0), (1, 1)]


def test_a_risk_of_zero_has_no_place_on_a_logarithmic_axis():
    bound = claims.combo_bound(SCORES, [1, 1, 0, 0], [0.1, 1.0, 10.0])
    drawn = {trace["name"] for trace in claim_charts.bound_figure(bound, 0.1).data}
    assert not bound.claimed
    assert drawn.isdisjoint({"Σ R", "Σ C R"})


@pytest.mark.parametrize("relevant", [True, False])
def test_what_each_would_invert_alone_has_a_mark_in_its_cell(relevant):
    learner = rankcore.SVMNDCG(cutoff=3)
    scores, labels = [0.3, 0.25, 0.2, 0.0, -0.05, -0.1], [1, 0, 1, 0, 0, 0]
    choices = claims.own_choices(learner, scores, labels, relevant)
    *stairs, result = claim_charts.choices_figure(choices).figure().data

    assert len(stairs) == 2
    assert choices.inverted.any()
    cells = {
        (round(x + 0.36) - 1, y - 1) for x, y in zip(result.x, result.y, strict=True)
    }
    assert cells == {(j, i) for i, j in np.argwhere(choices.inverted)}


def test_a_query_says_and_tabulates_its_orders_and_terms(four):
    order = worst_order(Case(rankcore.SVMMAP(), four, 0, [1.0]))
    orders, terms = orders_figure({"": order}), slack_terms_figure(order)
    assert orders.alt == (
        "The most violated order loses 0.583, the predicted one 0.500; 4 of 4 places "
        "differ between the most violated and the ideal order."
    )
    assert orders.numbers()["most violated"] == ["d1 · 0", "d3 · 0", "d2 · 1", "d4 · 1"]
    largest = order.swaps[0]
    assert terms.alt.startswith("d1 above d4 adds most to the slack: loss 0.167")
    table = terms.numbers()
    assert sum(table["adds to Δ"]) == pytest.approx(order.loss)
    assert sum(table["adds to wᵀδφ"]) == pytest.approx(order.margin)
    assert table["relevant"][0] == order.documents[largest.good]


def test_terms_are_bars_while_they_are_few_and_points_when_they_are_many(four):
    def kinds(data):
        order = worst_order(Case(rankcore.SVMMAP(), data, 0, [1.0]))
        return {trace["type"] for trace in slack_terms_figure(order).data}

    assert "bar" in kinds(four)
    assert kinds(long_list()) == {"scatter"}


def test_without_swaps_documents_are_tabulated(four):
    order = worst_order(Case(rankcore.DORM(), four, 0, [1.0]))
    table = slack_terms_figure(order).numbers()
    assert table["document"] == list(order.documents)
    assert table["adds to Δ"] == pytest.approx(order.losses)


@pytest.mark.parametrize("C", [0.1, 0.5, 1.0, 10.0])
def test_a_bound_is_said_to_hold_where_it_does(C):
    here = claims.combo_bound(SCORES, LABELS, [C])
    grid = claims.combo_bound(SCORES, LABELS, np.geomspace(0.05, 10.0, 93))
    picture = claim_charts.bound_figure(grid, C)
    holds = here.weighted_slacks[0] >= here.claimed
    assert ("the bound holds" if holds else "the bound fails") in picture.alt
    assert f"slacks are {decimals(here.weighted_slacks[0])} " in picture.alt
    assert set(picture.numbers()) == {"C", "Σ C ξ", "Σ C R", "Σ R"}
