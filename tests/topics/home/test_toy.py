"""The small ranking of the home page: its staircase and its nDCG."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from rankcore import measures
from rankcore.data.dataset import RankingDataset
from rankcore.topics.home import toy


def test_the_stairs_cover_all_weights_without_a_gap():
    stairs = toy.staircase()

    assert stairs[0].start == 0
    assert stairs[-1].end == 1
    assert all(a.end == b.start for a, b in pairwise(stairs))


def test_a_stair_is_what_sorting_by_score_gives():
    for piece in toy.staircase():
        for share in (0.01, 0.5, 0.99):
            weight = piece.start + share * (piece.end - piece.start)
            scores = [-document.score(weight) for document in toy.DOCUMENTS]
            assert list(piece.order) == np.argsort(scores, kind="stable").tolist()


def test_moving_from_stair_to_stair_changes_ndcg_now_and_then():
    values = [piece.ndcg for piece in toy.staircase()]

    assert max(values) == 1
    assert min(values) < 0.5


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5, 6, 7), (7, 6, 5, 4, 3, 2, 1, 0)])
def test_toy_ndcg_is_the_measure_of_the_package(order):
    labels = np.array([document.label for document in toy.DOCUMENTS])
    dataset = RankingDataset.from_arrays(np.zeros((8, 1)), labels)
    scores = np.empty(8)
    scores[list(order)] = -np.arange(8.0)

    expected = measures.means(dataset, scores, (f"nDCG@{toy.CUTOFF}",))

    assert measures.discounts(range(1, toy.CUTOFF + 1)).tolist() == [*toy.DISCOUNTS]
    assert toy.ndcg(toy.DOCUMENTS, order) == pytest.approx(
        expected[f"nDCG@{toy.CUTOFF}"], abs=1e-14
    )


def test_no_order_beats_the_ideal_one():
    few = toy.DOCUMENTS[:5]

    assert max(toy.ndcg(few, order) for order in permutations(range(5))) == toy.ndcg(
        few, toy.ideal_order(few)
    )
