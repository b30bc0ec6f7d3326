"""The pairs of a list, and regrets of all orders at once, against the slow way."""

import math
from itertools import permutations

import numpy as np
import pytest

from rankcore import RankingDataset
from rankcore.algorithms.rsrank import PairwiseLoss
from rankcore.topics.reduction import pair_losses, regrets
from rankcore.topics.reduction import swaps as reduction
from rankcore.topics.reduction.pair_losses import LOSSES

D = [1 / math.log2(1 + rank) for rank in range(1, 6)]
LABELS, SCORES = (0, 2, 1), (0.3, 0.1, 0.2)


def random_lists(count=20, n=5):
    rng = np.random.default_rng(0)
    return zip(
        rng.integers(0, 4, (count, n)), rng.standard_normal((count, n)), strict=True
    )


# One list


def test_rsranks_loss_is_the_one_it_trains_with():
    for labels, scores in random_lists():
        pairs = pair_losses.list_pairs(labels, scores)
        dataset = RankingDataset.from_arrays(scores[:, None], labels)
        trained, _ = PairwiseLoss(dataset)(np.ones(1))
        assert pairs.total(LOSSES["RSRank"]) == pytest.approx(trained)


def test_every_loss_bounds_the_weights_of_wrong_pairs_and_these_ndcg():
    for labels, scores in random_lists():
        pairs = pair_losses.list_pairs(labels, scores)
        assert pairs.lost <= pairs.loss + 1e-12
        assert pairs.loss == pytest.approx(reduction.pairwise_loss(pairs.ranks, labels))
        for loss in LOSSES.values():
            assert pairs.loss <= pairs.total(loss) + 1e-12


@pytest.mark.parametrize("loss", LOSSES.values(), ids=list(LOSSES))
def test_losses_are_one_at_zero_and_their_slopes_are_slopes(loss):
    assert loss.value(np.array([0.0])) == pytest.approx(1.0)
    v = np.array([-2.2, -0.7, 0.3, 0.9, 1.6])
    sloped = (loss.value(v + 1e-6) - loss.value(v - 1e-6)) / 2e-6
    assert loss.slope(v) == pytest.approx(sloped, abs=1e-6)


def test_the_matrix_sums_to_l_below_its_diagonal():
    for labels, scores in random_lists():
        pairs = pair_losses.list_pairs(labels, scores)
        matrix = np.nan_to_num(pair_losses.weight_matrix(pairs))
        assert np.tril(matrix).sum() == pytest.approx(pairs.loss)
        assert matrix.sum() == pytest.approx(pairs.weight.sum())


def test_read_to_the_letter_a_swapped_pair_loses_nothing():
    pairs = pair_losses.list_pairs((0, 1), (1.0, 0.0))
    readings = pair_losses.readings((0, 1), pairs, np.array([0, 1]))

    assert readings.literal == 0.0
    assert pairs.lost == pytest.approx(1 - 1 / math.log2(3))
    assert pairs.lost == pytest.approx(0.369070, abs=5e-7)


@pytest.mark.parametrize("labels", [(2, 1, 0), (0, 1, 2), (1, 0, 2, 0), (1, 1)])
def test_the_target_as_printed_puts_the_list_upside_down(labels):
    meant = reduction.learned_ranks(labels)
    printed = reduction.learned_ranks(labels, printed=True)
    every = [
        reduction.ndcg(reduction.ranks_of(order), labels)
        for order in permutations(range(len(labels)))
    ]

    assert reduction.ndcg(meant, labels) == pytest.approx(max(every))
    assert reduction.ndcg(printed, labels) == pytest.approx(min(every))


def test_the_list_upside_down_loses_what_is_worked_out():
    ranks = reduction.learned_ranks((2, 1, 0), printed=True)

    assert ranks.tolist() == [3, 2, 1]
    assert 1 - reduction.ndcg(ranks, (2, 1, 0)) == pytest.approx(0.413117, abs=5e-7)


def test_the_hinge_bounds_by_its_sum_and_not_by_its_mean():
    pairs = pair_losses.list_pairs((0, 1, 0, 0), (-0.63, 0.51, 0.57, -0.54))
    hinge = pair_losses.plain_hinge(pairs)

    assert pairs.lost == pytest.approx(0.369070, abs=5e-7)
    # Only the pair of 0.51 and 0.57 is within the margin.
    assert hinge.total == pytest.approx(1 - (0.51 - 0.57))
    assert hinge.mean == pytest.approx(hinge.total / 3)
    # Worked as 0.355269 from scores of which two digits are printed.
    assert hinge.mean == pytest.approx(0.355269, abs=0.01)
    assert hinge.mean < pairs.lost


def test_the_sum_of_the_hinge_bounds_every_list():
    for labels, scores in random_lists():
        pairs = pair_losses.list_pairs(labels, scores)
        assert pair_losses.plain_hinge(pairs).total >= pairs.lost - 1e-12
    assert pair_losses.plain_hinge(pair_losses.list_pairs((1, 1), (0.0, 0.0))).mean == 0


def test_signed_weights_reward_a_small_right_margin():
    pairs = pair_losses.list_pairs((1, 0), (0.5, 0.0))
    readings = pair_losses.readings((1, 0), pairs, np.array([0, 1]))

    assert readings.signed == pytest.approx(-(1 - 1 / math.log2(3)) * 0.5**2)


def test_all_orders_are_those_of_the_slow_way():
    labels = (2, 0, 1, 1)
    orders = pair_losses.all_orders(labels)

    assert orders.complete
    assert len(orders.lost) == 12
    for row, lost, loss in zip(*orders[:3], strict=True):
        ranks = np.arange(1, 5)
        assert lost == pytest.approx(1 - reduction.ndcg(ranks, row))
        assert loss == pytest.approx(reduction.pairwise_loss(ranks, row))


def test_of_many_orders_a_bounded_choice_is_taken():
    orders = pair_losses.all_orders((0, 1, 2, 3, 4, 0, 1, 2, 3))

    assert not orders.complete
    assert len(orders.lost) <= pair_losses.MOST_ORDERS
    assert (orders.lost <= orders.loss + 1e-12).all()


def test_labels_without_relevant_documents_lose_nothing():
    orders = pair_losses.all_orders((0, 0, 0))
    assert orders.lost.tolist() == orders.loss.tolist() == [0.0]
    assert pair_losses.list_pairs((0, 0), (1.0, 2.0)).lost == 0.0


def test_queries_are_lists():
    rng = np.random.default_rng(1)
    X, y = rng.random((12, 1)), rng.integers(0, 3, 12)
    dataset = RankingDataset.from_arrays(X, y, np.repeat([0, 1, 2], 4))
    losses = pair_losses.query_losses(dataset, X[:, 0])

    for i in range(3):
        query = dataset.query(i)
        pairs = pair_losses.list_pairs(query.y, query.X[:, 0])
        assert (losses.lost[i], losses.loss[i]) == (pairs.lost, pairs.loss)


# Label distributions


@pytest.mark.parametrize("labels", [((0, 0, 1), (1, 1, 0)), ((0, 2, 1), (3, 1, 1))])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.6, 1.0])
def test_regrets_of_all_orders_are_those_of_the_slow_way(labels, p):
    result = regrets.regrets(labels, regrets.mixed(p))

    assert len(result.candidates) == 6
    for i, candidate in enumerate(result.candidates):
        ranks = reduction.ranks_of([int(digit) - 1 for digit in candidate.key])
        ndcg = [reduction.ndcg(ranks, y) for y in labels]
        loss = [reduction.pairwise_loss(ranks, y) for y in labels]
        assert result.ndcg[i] == pytest.approx(p * ndcg[0] + (1 - p) * ndcg[1])
        assert result.loss[i] == pytest.approx(p * loss[0] + (1 - p) * loss[1])
    assert (1 - result.ndcg <= result.loss + 1e-12).all()
    assert result.ndcg_regret == pytest.approx(result.ndcg.max() - result.ndcg)
    assert result.loss_regret == pytest.approx(result.loss - result.loss.min())
    refuted = result.ndcg_regret > result.loss_regret + 1e-12
    assert result.refutes.tolist() == refuted.tolist()


def test_classifiers_are_those_of_the_slow_way():
    labels, shares = ((2, 1, 0), (0, 1, 1)), (0.7, 0.3)
    result = regrets.regrets(labels, regrets.mixed(0.7), classifiers=True)

    def expected(value):
        return sum(share * value(y) for share, y in zip(shares, labels, strict=True))

    def slow(beaten):
        places = reduction.positions(beaten)
        ends = [
            reduction.ranks_of(order)
            for order in permutations(range(3))
            if (np.diff(places[list(order)]) >= 0).all()
        ]
        loss = expected(lambda y: reduction.tournament_loss(beaten, y))
        return loss, min(expected(lambda y, r=r: reduction.ndcg(r, y)) for r in ends)

    def listed(rows):
        return sorted(tuple(round(float(v), 9) for v in row) for row in rows)

    assert len(result.candidates) == 8
    assert listed(zip(result.loss, result.ndcg, strict=True)) == listed(
        slow(beaten) for beaten in reduction.tournaments(3)
    )
    best = result.ndcg[:6].max()
    assert result.ndcg_regret == pytest.approx(best - result.ndcg)
    assert result.loss_regret == pytest.approx(result.loss - result.loss.min())


def test_a_ring_says_who_beats_whom():
    first_beats_second = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    names = [c.name for c in regrets.losses(((0, 0, 1), (1, 1, 0))).candidates[6:]]
    rings = [b for b in reduction.tournaments(3) if (b.sum(axis=1) == 1).all()]
    at = next(i for i, b in enumerate(rings) if (b == first_beats_second).all())

    assert names[at] == "1→2→3→1"


def test_more_documents_than_can_be_listed_are_refused():
    with pytest.raises(ValueError, match="2 to 4"):
        regrets.losses(((0,) * 5, (1,) * 5))
    with pytest.raises(ValueError, match="one length"):
        regrets.losses(((0, 1), (1, 0, 1)))


def test_random_distributions_break_the_theorem_from_three_documents_on():
    assert regrets.how_often(2).refuted == 0
    assert 0 < regrets.how_often(3).refuted < regrets.how_often(3).drawn


def test_pairs_are_numbered_from_the_top():
    """The order of the list is 0, 2, 1 with the labels 0, 1, 2."""
    pairs = pair_losses.list_pairs(LABELS, SCORES)
    top = pair_losses.from_the_top(pairs)
    sorted_list = pair_losses.list_pairs((0, 1, 2), (0.3, 0.2, 0.1))

    assert top.ranks.tolist() == [1, 2, 3]
    assert set(zip(top.better, top.worse, strict=True)) == set(
        zip(sorted_list.better, sorted_list.worse, strict=True)
    )
    assert top.loss == pytest.approx(sorted_list.loss)


def test_totals_count_a_pair_of_equal_scores_as_the_order_has_it():
    tied = pair_losses.list_pairs((1, 0), (0.5, 0.5))
    totals = pair_losses.totals(tied)

    assert set(totals) == set(LOSSES)
    assert totals["0-1"] == tied.loss == 0.0
    assert tied.total(LOSSES["0-1"]) > 0.0
    assert totals["hinge"] == tied.total(LOSSES["hinge"])


def test_procedure_1_as_printed_puts_the_list_upside_down():
    printed, meant = reduction.procedure_losses((1, 0, 0))

    assert meant == 0.0
    # The relevant document is last of three: NDCG is its discount, 1/2.
    assert printed == pytest.approx(1.0 - D[2])


@pytest.mark.parametrize("labels", [(0, 1, 2, 3), (0, 3, 1, 0, 2), (2, 1, 0)])
def test_swaps_add_up_to_what_the_list_loses(labels):
    swaps = reduction.swaps_to_ideal(range(len(labels)), labels)
    result = reduction.sum_swaps(swaps)
    pairs = pair_losses.list_pairs(labels, -np.arange(len(labels)))

    assert result.gained == pytest.approx(pairs.lost)
    assert result.weight == pytest.approx(pairs.loss)
    assert all(swaps[i].ndcg_gain > swaps[i].weight for i in result.broken)
    if result.worst is None:
        assert not result.broken
    else:
        excess = [s.gained_discount - s.weight_discount for s in swaps]
        assert excess[result.worst] == max(excess[i] for i in result.broken)


@pytest.mark.parametrize("labels", [(0, 1, 2, 3), (0, 3, 1, 0, 2), (0, 1)])
def test_a_film_has_the_order_and_the_losses_between_swaps(labels):
    swaps = reduction.swaps_to_ideal(range(len(labels)), labels)
    film = reduction.swap_film(swaps)
    weights = reduction.pair_weights(np.arange(len(labels)) + 1, labels)

    assert film.places.shape == (len(labels), len(swaps) + 1)
    assert (np.diff(np.array(labels)[np.argsort(film.places[:, -1])]) <= 0).all()
    for t, places in enumerate(film.places.T):
        assert sorted(places) == list(range(len(labels)))
        if t < len(swaps):
            assert np.argsort(places).tolist() == list(swaps[t].order)
        assert film.lost[t] == pytest.approx(1 - reduction.ndcg(places + 1, labels))
        # What is not paid are the pairs that still stand the wrong way round.
        wrong = beaten_pairs(places, labels)
        assert film.unpaid[t] == pytest.approx(sum(weights[i, j] for i, j in wrong))


def beaten_pairs(places, labels):
    """The pairs (better, worse) whose worse document is above."""
    n = range(len(labels))
    return [
        (i, j) for i in n for j in n if labels[i] > labels[j] and places[i] > places[j]
    ]


def test_some_list_breaks_the_lemma_and_an_ideal_one_has_no_swap():
    swaps = reduction.swaps_to_ideal(range(3), (0, 1, 2))
    assert reduction.sum_swaps(swaps).worst is not None
    assert reduction.sum_swaps([]) == ((), None, 0.0, 0.0)


def test_the_range_in_which_the_theorem_fails():
    labels, grid = ((0, 2, 1), (1, 0, 2)), np.linspace(0.0, 1.0, 101)
    result = regrets.regrets(labels, regrets.mixed(grid))
    for at in range(len(result.candidates)):
        fails = [p for p, bad in zip(grid, result.refutes[:, at], strict=True) if bad]
        expected = (min(fails), max(fails)) if fails else None
        assert regrets.failing_range(grid, result, at) == expected


def test_the_candidate_that_refutes_most():
    result = regrets.regrets(((1, 0), (0, 1)), [0.4, 0.6])
    excess = result.ndcg_regret - result.loss_regret
    assert excess[regrets.most_refuting(result)] == excess.max()


@pytest.mark.parametrize(
    ("text", "labels"),
    [("012", (0, 1, 2)), ("44", (4, 4)), ("1", ()), ("12345", ()), ("15", ()),
     ("", ()), ("1 2", ()), ("²1", ())],
)  # fmt: skip
def test_labels_are_read_digit_by_digit(text, labels):
    assert regrets.parse_labels(text) == labels


def test_keys_name_all_orders_and_cycles():
    keys = regrets.candidate_keys()

    orders = {key for key in keys if not key.startswith("c")}
    assert len(orders) == math.factorial(2) + math.factorial(3) + math.factorial(4)
    assert {"12", "132", "4321", "c1"} <= keys
