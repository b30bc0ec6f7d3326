"""Claims of the slides on structured losses: worked digits, and all orders."""

import itertools
import math

import numpy as np
import pytest

import rankcore
from rankcore import RankingDataset
from rankcore.topics.margins import claims
from rankcore.topics.margins.order import Case, worst_order

SCORES, LABELS = (0.5, 0.2, 0.1, -0.3), (0, 1, 0, 1)
SHORT = (0.0, -0.1, 0.1, 0.1), (1, 0, 1, 1)
LONG = (0.3, 0.25, 0.0, -0.05, -0.1), (1, 0, 0, 0, 0)


def random_lists(count, seed=0, most=5):
    rng = np.random.default_rng(seed)
    while count:
        labels = rng.integers(2, size=rng.integers(2, most + 1))
        if 0 < labels.sum() < len(labels):
            yield rng.integers(-4, 5, len(labels)) / 10, labels
            count -= 1


def pair_map(order, scores, labels):
    """w . phi_po of an order, the definition with sums."""
    place = {document: rank for rank, document in enumerate(order)}
    total = 0.0
    for g, b in itertools.product(range(len(scores)), repeat=2):
        if labels[g] and not labels[b]:
            sign = 1 if place[g] < place[b] else -1
            total += sign * (scores[g] - scores[b])
    return total


def first_relevant(order, labels):
    return next(rank for rank, i in enumerate(order, 1) if labels[i])


def test_the_combo_bound_has_the_worked_slacks_and_losses():
    bound = claims.combo_bound(SCORES, LABELS, [0.1, 1.0])
    third, fifth = 1 / math.log2(3), 1 / math.log2(5)

    assert bound.names == ("AUC", "AP", "NDCG", "RR")
    assert bound.slacks == pytest.approx([1.7, 1.283333, 1.129358, 1.366667], abs=5e-7)
    ndcg = (third + fifth) / (1 + third)
    assert bound.risks == pytest.approx([3 / 4, 1 / 2, 1 - ndcg, 1 / 2])
    assert bound.weighted_slacks == pytest.approx([0.547936, 5.479358], abs=5e-7)
    assert bound.weighted_slacks[0] < bound.claimed
    assert bound.weighted_slacks[1] >= bound.claimed


def test_the_combo_bound_holds_from_c_of_one_and_with_weights_always():
    for scores, labels in random_lists(40):
        bound = claims.combo_bound(scores, labels, [0.01, 0.3, 1.0, 7.0])
        assert (bound.weighted_slacks >= bound.weighted - 1e-12).all()
        assert (bound.weighted_slacks[2:] >= bound.claimed - 1e-12).all()
        assert bound.claimed == pytest.approx(bound.risks.sum())
        assert bound.holds_from <= 1.0 + 1e-12
        edge = claims.combo_bound(scores, labels, [bound.holds_from]).weighted_slacks[0]
        assert edge == pytest.approx(bound.claimed)


def test_the_second_form_of_pairs_is_half_of_what_is_short_of_the_ideal():
    for scores, labels in [(SCORES, LABELS), *random_lists(12)]:
        forms = claims.pair_forms(scores, labels)
        assert len(forms.orders) == math.factorial(len(scores))
        for order, signed in zip(forms.orders, forms.signed, strict=True):
            assert signed == pytest.approx(pair_map(order, scores, labels))
        half = (forms.ideal - forms.signed) / 2
        assert forms.inverted == pytest.approx(half, abs=1e-12)


def test_the_second_form_would_turn_the_list_upside_down():
    forms = claims.pair_forms(SCORES, LABELS)

    # The pairs differ by -0.3, 0.1, -0.8 and -0.4; their mean is worked as -0.35.
    assert forms.ideal == pytest.approx(-0.3 + 0.1 - 0.8 - 0.4)
    assert forms.ideal / 4 == pytest.approx(-0.35)
    assert forms.predicted.tolist() == [0, 1, 2, 3]
    assert forms.predicted_by_inverted.tolist() == [3, 2, 1, 0]
    ideal = claims.pair_forms(SCORES, (1, 1, 0, 0))
    assert ideal.predicted.tolist() == [0, 1, 2, 3]
    assert ideal.predicted_by_inverted.tolist() == [3, 2, 1, 0]


def test_the_values_as_printed_are_those_of_the_reciprocal_rank():
    values = claims.reciprocal_values(6, 4)

    assert values.reciprocal == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 0, 0])
    assert values.loss == pytest.approx([0, 1 / 2, 2 / 3, 3 / 4, 1, 1])


@pytest.mark.parametrize("cutoff", [1, 2, 10])
def test_the_slack_of_the_reciprocal_rank_is_that_of_its_learner(cutoff):
    learner = rankcore.SVMMRR(cutoff=cutoff)
    for scores, labels in [(SCORES, LABELS), *random_lists(12, seed=1)]:
        data = RankingDataset.from_arrays(np.array(scores)[:, None], labels)
        order = worst_order(Case(learner, data, 0, [1.0]))
        slack = claims.reciprocal_slack(scores, labels, cutoff)
        assert slack.slack == pytest.approx(order.slack)
        assert slack.predicted_loss == pytest.approx(order.predicted_loss)


def test_with_the_printed_values_an_ideal_order_loses_all():
    four = claims.reciprocal_slack(SCORES, LABELS, 10)
    ideal = claims.reciprocal_slack(SCORES, (1, 1, 0, 0), 10)

    assert four.slack == pytest.approx(1.366667, abs=5e-7)
    assert four.worst.tolist() == [0, 2, 1, 3]
    # With x2 on top and x4 last, x4's two pairs are inverted: 2 / 4 (0.8 + 0.4).
    assert four.printed_slack == pytest.approx(1 + 0.6)
    assert four.printed_worst.tolist() == [1, 0, 2, 3]
    assert (ideal.predicted_loss, ideal.printed_predicted) == (0.0, 1.0)
    assert ideal.printed_worst.tolist() == [0, 1, 2, 3]


def test_merging_by_score_misses_the_worst_order_of_the_first_document_map():
    values = claims.first_map_values(SCORES, LABELS)

    assert values.lowest.max() == pytest.approx(1.866667, abs=5e-7)
    assert values.order.tolist() == [0, 2, 3, 1]
    # At rank 3: 0.5 + 0.1 - 2 * 0.2 + 1 - 1 / 3.
    assert values.merged.max() == pytest.approx(0.2 + 2 / 3)
    assert values.merge.tolist() == [0, 2, 1, 3]
    assert values.lost == pytest.approx(1.0)


def test_the_first_document_map_against_all_orders_and_all_merges():
    for scores, labels in random_lists(12, seed=2):

        def value(order, scores=scores, labels=labels):
            rank = first_relevant(order, labels)
            first = scores[order[rank - 1]]
            return sum(scores[b] - first for b in order[: rank - 1]) + 1 - 1 / rank

        orders = list(itertools.permutations(range(len(scores))))
        merges = [
            order
            for order in orders
            for kinds in [
                [[scores[i] for i in order if labels[i] == y] for y in (0, 1)]
            ]
            if all(kind == sorted(kind, reverse=True) for kind in kinds)
        ]
        values = claims.first_map_values(scores, labels)
        most, merged = max(map(value, orders)), max(map(value, merges))
        assert values.lowest.max() == pytest.approx(most)
        assert values.merged.max() == pytest.approx(merged)
        assert value(values.order.tolist()) == pytest.approx(most)
        assert value(values.merge.tolist()) == pytest.approx(merged)
        assert values.lost >= -1e-12


@pytest.mark.parametrize(
    ("loss", "learner"),
    [("AUC", rankcore.SVMAUC()), ("AP", rankcore.SVMMAP()),
     ("NDCG", rankcore.SVMNDCG()), ("RR", rankcore.SVMMRR(cutoff=None))],
)  # fmt: skip
def test_a_merge_by_score_finds_the_worst_order_of_the_map_of_pairs(loss, learner):
    for scores, labels in [(SCORES, LABELS), *random_lists(12, seed=3)]:
        data = RankingDataset.from_arrays(np.array(scores)[:, None], labels)
        order = worst_order(Case(learner, data, 0, [1.0]))
        (result,) = (
            v for v in claims.template_values(scores, labels) if v.loss == loss
        )
        good = np.array(labels) > 0
        ideal = np.subtract.outer(np.array(scores)[good], np.array(scores)[~good])
        assert result.merged == pytest.approx(order.slack + ideal.mean())
        assert result.lost == pytest.approx(0.0, abs=1e-12)


def test_relevant_documents_that_choose_alone_lose_the_worked_value():
    choices = claims.own_choices(rankcore.SVMNDCG(), *SHORT, relevant=True)

    assert choices.chosen.tolist() == [1, 0, 0]
    assert not choices.is_order
    assert choices.inverted.tolist() == [[True], [False], [False]]
    assert choices.lost == pytest.approx(0.0662, abs=5e-5)


@pytest.mark.parametrize(
    ("details", "chosen", "best"),
    [
        ({}, [0, 1, 1, 1], [0, 1, 1, 1]),
        ({"discount": "letor"}, [1, 0, 1, 1], [0, 0, 1, 1]),
        ({"cutoff": 3}, [0, 1, 0, 1], [0, 0, 0, 1]),
    ],
)
def test_irrelevant_documents_may_choose_alone_if_the_discount_is_convex(
    details, chosen, best
):
    choices = claims.own_choices(rankcore.SVMNDCG(**details), *LONG, relevant=False)

    assert choices.chosen.tolist() == chosen
    assert choices.best.tolist() == best
    assert choices.is_order == (not details)
    inverted = choices.stairs.values
    assert choices.inverted.tolist() == [[count == 0 for count in chosen]]
    repaired = np.maximum.accumulate(chosen)
    by_hand = inverted[0, np.array(best) == 0].sum() - inverted[0, repaired == 0].sum()
    assert choices.lost == pytest.approx(by_hand)
    assert (choices.lost > 0.1) == bool(details)


def test_free_choice_is_exact_for_irrelevant_documents_and_the_standard_discount():
    lost = {True: [], False: []}
    for scores, labels in random_lists(60, seed=3, most=7):
        for relevant, losses in lost.items():
            choices = claims.own_choices(
                rankcore.SVMNDCG(), scores, labels, relevant=relevant
            )
            losses.append(choices.lost)
    assert np.abs(lost[False]).max() < 1e-12
    assert min(lost[True]) > -1e-12


def test_lists_are_short():
    with pytest.raises(ValueError, match="2 to 7 documents"):
        claims.pair_forms(np.arange(8.0), [0, 1] * 4)
