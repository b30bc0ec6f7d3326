"""Pictures of the reduction draw the numbers of the insight."""

import numpy as np
import pytest

from rankcore.plot.palette import DARK, LIGHT
from rankcore.topics.reduction import pair_losses, regrets
from rankcore.topics.reduction.regrets_figure import regret_plane_figure
from rankcore.topics.reduction.swaps import swaps_to_ideal
from rankcore.topics.reduction.swaps_figure import (
    plane_figure,
    swaps_figure,
    weights_figure,
)
from tests.viewing import trace

LABELS = (0, 2, 1, 0)
PAIRS = pair_losses.list_pairs(LABELS, (0.4, 0.3, 0.2, 0.1))
COUNTER = ((0, 0, 1), (1, 1, 0))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_matrix_parts_right_from_wrong(palette):
    matrix = pair_losses.weight_matrix(PAIRS)
    picture = weights_figure(matrix, LABELS, "ABCD", palette)
    picture.figure()

    wrong = np.nansum(trace(picture, "wrong")["z"])
    right = np.nansum(trace(picture, "right")["z"])
    assert wrong == pytest.approx(PAIRS.loss)
    assert right == pytest.approx(PAIRS.weight[~PAIRS.wrong].sum())
    assert f">{matrix[1, 0]:.3f}<" in trace(picture, "wrong")["text"][1][0]


def test_a_large_matrix_has_no_room_for_numbers():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 50)
    matrix = pair_losses.weight_matrix(pair_losses.list_pairs(labels, -np.arange(50.0)))
    picture = weights_figure(matrix, labels, [str(i) for i in range(50)])
    picture.figure()

    assert "text" not in trace(picture, "wrong")


def test_an_order_below_the_bound_would_stand_out():
    picture = plane_figure(np.array([0.5]), np.array([0.4]), None, ["?"], "")
    assert trace(picture, "points")["marker"]["color"] == [LIGHT.runs[1]]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_swaps_that_gain_too_much_stand_out(palette):
    """C over B, from rank 2 to 1, is the third swap of three."""
    swaps = swaps_to_ideal((0, 1, 2), (0, 1, 2))
    picture = swaps_figure(swaps, (0, 1, 2), "ABC", 3, palette)
    picture.figure()

    crossing, steep = trace(picture, "crossings"), trace(picture, "too steep")
    assert crossing["line"]["color"] == steep["line"]["color"] == palette.runs[1]
    assert crossing["x"].reshape(-1, 3)[:, :2].tolist() == [[2, 3], [2, 3]]
    assert crossing["y"].reshape(-1, 3)[:, :2].tolist() == [[1, 0], [0, 1]]
    assert steep["x"][:2].tolist() == [2, 3]
    assert steep["y"][0] - steep["y"][1] == pytest.approx(swaps[2].ndcg_gain)
    heading, sums, claim = (n["text"] for n in picture.layout["annotations"])
    assert "Swap 3 of 3: C over B" in heading
    assert "gains 0.203, more than its weight 0.072" in heading
    assert "L = 0.587" in sums.partition("≥")[0]
    assert "1 − NDCG = 0.413" in sums.partition("≥")[2]
    assert claim == "<b>0.203 > 0.072</b>"
    (band,) = picture.layout["shapes"]
    assert (band["x0"], band["x1"]) == (2, 3)


@pytest.mark.parametrize("now", range(6))
def test_each_document_is_drawn_through_the_orders_between_swaps(now):
    labels = (0, 2, 1, 0, 1)
    swaps = swaps_to_ideal(range(5), labels)
    now = min(now, len(swaps))
    picture = swaps_figure(swaps, labels, "ABCDE", now)
    picture.figure()
    orders = [swap.order for swap in swaps] + [(1, 2, 4, 0, 3)]

    assert trace(picture, "first")["y"].tolist() == [0, 1, 2, 3, 4]
    assert trace(picture, "ideal")["y"].tolist() == [3, 0, 1, 4, 2]
    chips = trace(picture, "now")
    assert set(chips["x"].tolist()) == {now}
    assert [orders[now].index(d) for d in range(5)] == chips["y"].tolist()
    (ways,) = trace(picture, "label 2")["y"].reshape(1, -1)
    assert ways[:-1].tolist() == [order.index(1) for order in orders]
    assert len(picture.layout["shapes"]) == (now > 0)
    assert trace(picture, "crossings")["x"].size == 0


def test_a_long_list_has_no_room_for_names():
    labels = tuple(i % 3 for i in range(40))
    picture = swaps_figure(
        swaps_to_ideal(range(40), labels), labels, [f"d{i}" for i in range(40)], 7
    )
    picture.figure()

    assert trace(picture, "now")["mode"] == "markers"


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_orders_that_break_the_theorem_are_marked(palette):
    result = regrets.regrets(COUNTER, regrets.mixed(0.6))
    picture = regret_plane_figure(result, result.find("132"), palette)
    picture.figure()

    points = trace(picture, "candidates")
    assert points["x"].tolist() == result.loss_regret.tolist()
    assert points["y"].tolist() == result.ndcg_regret.tolist()
    assert points["marker"]["color"].count(palette.runs[1]) == 4
    texts = [note["text"] for note in picture.layout["annotations"]]
    assert "<b>1 3 2, 2 3 1</b>" in texts


def test_of_many_candidates_only_the_chosen_one_is_named():
    labels = ((0, 1, 2, 0), (1, 0, 0, 2))
    result = regrets.regrets(labels, regrets.mixed(0.5), classifiers=True)
    picture = regret_plane_figure(result, 0)
    picture.figure()

    assert len(picture.layout["annotations"]) == 2
    assert "diamond" in trace(picture, "candidates")["marker"]["symbol"]
