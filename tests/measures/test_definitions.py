"""Measures against their definitions: worked numbers, permutations, conventions."""

from itertools import permutations, product
from math import inf, log2, nan

import numpy as np
import pytest

from rankcore.measures import CONVENTIONS, exact_ranks, parse
from rankcore.measures._measure import Lists

EXAMPLE = (0, 2, 1, 0, 1)
LETOR = ("letor3", "letor4")


def in_order(labels, name, convention="standard"):
    """The measure of one list whose labels are given in ranked order."""
    ranks = np.arange(1.0, len(labels) + 1)
    [value] = parse(name)(ranks, labels, [0, len(labels)], convention)
    return value


def standard_discount(rank):
    return 1 / log2(1 + rank)


def letor_discount(rank):
    return 1 if rank <= 2 else 1 / log2(rank)


def naive_ndcg(labels, k, convention, gain=lambda y: 2**y - 1):
    """nDCG@k straight from the table of definitions; labels in ranked order."""
    discount = letor_discount if convention in LETOR else standard_discount
    if not any(labels):
        return nan
    if len(labels) < k and convention in LETOR:
        return 0.0

    def dcg(order):
        return sum(gain(y) * discount(j) for j, y in enumerate(order[:k], start=1))

    return dcg(labels) / dcg(sorted(labels, reverse=True))


def naive_precision(labels, k, convention):
    if not any(labels):
        return nan
    if len(labels) < k and convention == "letor3":
        return 0.0
    return sum(y > 0 for y in labels[:k]) / k


def naive_average_precision(labels, k=inf):
    relevant = [j for j, y in enumerate(labels, start=1) if y > 0]
    if not relevant:
        return nan
    hits = [sum(y > 0 for y in labels[:j]) / j for j in relevant if j <= k]
    return sum(hits) / len(relevant)


def naive_reciprocal_rank(labels, k=inf):
    relevant = [j for j, y in enumerate(labels, start=1) if y > 0]
    if not relevant:
        return nan
    return 1 / relevant[0] if relevant[0] <= k else 0.0


def naive_expected_reciprocal_rank(labels, k=inf, highest=4):
    if not any(labels):
        return nan
    value, goes_on = 0.0, 1.0
    for j, y in enumerate(labels, start=1):
        stops = (2**y - 1) / 2**highest
        value += goes_on * stops / j if j <= k else 0.0
        goes_on *= 1 - stops
    return value


def naive_auc(labels):
    goods = [j for j, y in enumerate(labels) if y > 0]
    bads = [j for j, y in enumerate(labels) if y == 0]
    if not goods or not bads:
        return nan
    wrong = sum(bad < good for good, bad in product(goods, bads))
    return 1 - wrong / (len(goods) * len(bads))


def naive_mean_ndcg(labels, convention):
    n = len(labels)
    return sum(naive_ndcg(labels, k, convention) for k in range(1, n + 1)) / n


def naive_recall(labels, k):
    relevant = sum(y > 0 for y in labels)
    return sum(y > 0 for y in labels[:k]) / relevant if relevant else nan


def naive_rank_biased_precision(labels, p, k=None):
    if not any(labels):
        return nan
    return (1 - p) * sum(p**j for j, y in enumerate(labels[:k]) if y > 0)


def naive_bpref(labels):
    """All documents are judged."""
    relevant = [j for j, y in enumerate(labels) if y > 0]
    m, n = len(relevant), len(labels) - len(relevant)
    if not relevant:
        return nan
    above = [sum(y == 0 for y in labels[:j]) for j in relevant]
    return sum(1 - (min(a, m) / min(n, m) if n else 0) for a in above) / m


def naive_dcg(labels, k, convention, gain):
    if not any(labels):
        return nan
    if k is not None and len(labels) < k and convention in LETOR:
        return 0.0
    discount = letor_discount if convention in LETOR else standard_discount
    return sum(gain(y) * discount(j) for j, y in enumerate(labels[:k], start=1))


NAIVE = {
    **{f"nDCG@{k}": lambda y, c, k=k: naive_ndcg(y, k, c) for k in (1, 2, 3, 4, 5, 7)},
    "nDCG": lambda y, c: naive_ndcg(y, len(y), c),
    "nDCG(dcg='log2')@3": lambda y, c: naive_ndcg(y, 3, c, gain=lambda v: v),
    "MeanNDCG": naive_mean_ndcg,
    **{f"P@{k}": lambda y, c, k=k: naive_precision(y, k, c) for k in (1, 3, 5, 7)},
    "AP": lambda y, c: naive_average_precision(y),
    "AP@3": lambda y, c: naive_average_precision(y, 3),
    "RR": lambda y, c: naive_reciprocal_rank(y),
    "RR@2": lambda y, c: naive_reciprocal_rank(y, 2),
    "ERR": lambda y, c: naive_expected_reciprocal_rank(y),
    "ERR@2": lambda y, c: naive_expected_reciprocal_rank(y, 2),
    "ERR(max_grade=7)@3": lambda y, c: naive_expected_reciprocal_rank(y, 3, 7),
    "WTA": lambda y, c: float(y[0] > 0) if any(y) else nan,
    "AUC": lambda y, c: naive_auc(y),
    "R@3": lambda y, c: naive_recall(y, 3),
    "Success@1": lambda y, c: float(y[0] > 0) if any(y) else nan,
    "Success@3": lambda y, c: float(any(y[:3])) if any(y) else nan,
    "RBP": lambda y, c: naive_rank_biased_precision(y, 0.8),
    "RBP(p=0.5)@3": lambda y, c: naive_rank_biased_precision(y, 0.5, 3),
    "Bpref": lambda y, c: naive_bpref(y),
    "Judged@3": lambda y, c: 1.0,
    "DCG@3": lambda y, c: naive_dcg(y, 3, c, lambda v: 2**v - 1),
    "DCG(dcg='log2')": lambda y, c: naive_dcg(y, None, c, lambda v: v),
}


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", NAIVE)
def test_every_permutation_of_short_lists(name, convention):
    lists = [
        order
        for labels in (
            (2,),
            (0,),
            (1, 0),
            (3, 1),
            (0, 0, 0),
            (2, 1, 1),
            (0, 2, 0, 4, 1),
        )
        for order in sorted(set(permutations(labels)))
    ]
    expected = [NAIVE[name](order, convention) for order in lists]
    offsets = np.cumsum([0, *map(len, lists)])
    ranks = np.concatenate([np.arange(1.0, len(order) + 1) for order in lists])
    values = parse(name)(ranks, np.concatenate(lists), offsets, convention)
    np.testing.assert_allclose(values, expected, rtol=1e-14, atol=1e-15)


def test_worked_example_of_binary_measures():
    assert in_order(EXAMPLE, "AP") == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 3)
    assert in_order(EXAMPLE, "AP") == pytest.approx(0.588889, abs=5e-7)
    assert in_order(EXAMPLE, "RR") == 1 / 2
    assert in_order(EXAMPLE, "P@5") == 3 / 5
    assert in_order(EXAMPLE, "WTA") == 0
    assert in_order(EXAMPLE, "AUC") == pytest.approx(1 - 4 / 6)
    assert in_order(EXAMPLE, "R@2") == 1 / 3
    assert in_order(EXAMPLE, "R(rel=2)@2") == 1
    assert [in_order(EXAMPLE, f"Success@{k}") for k in (1, 2)] == [0, 1]
    rbp = 0.2 * (0.8 + 0.8**2 + 0.8**4)
    assert in_order(EXAMPLE, "RBP") == pytest.approx(rbp)
    assert in_order(EXAMPLE, "RBP") == pytest.approx(0.369920, abs=5e-7)
    assert in_order(EXAMPLE, "RBP(p=0.5)@2") == 0.5 * 0.5
    # Two irrelevant documents: the first relevant one has one above it, and so on.
    assert in_order(EXAMPLE, "Bpref") == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)


def test_worked_example_of_dcg():
    gains = 3 / log2(3) + 1 / log2(4) + 1 / log2(6)
    assert in_order(EXAMPLE, "DCG") == pytest.approx(gains)
    assert in_order(EXAMPLE, "DCG") == pytest.approx(2.779642, abs=5e-7)
    linear = 2 / log2(3) + 1 / log2(4)
    assert in_order(EXAMPLE, "DCG(dcg='log2')@3") == pytest.approx(linear)
    # 1, 1, 1/log2(3), 1/log2(4), 1/log2(5).
    letor = 3 + 1 / log2(3) + 1 / log2(5)
    assert in_order(EXAMPLE, "DCG", "letor3") == pytest.approx(letor)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P@2", 1 / 2),
        ("R@9", 2 / 3),
        ("Success@1", 0.0),
        ("RR", 1 / 2),
        ("AP", (1 / 2 + 2 / 3) / 3),
        ("RBP", 0.2 * (0.8 + 0.8**2)),
        ("DCG", 1 / log2(3) + 3 / log2(4)),
        ("nDCG", (1 / log2(3) + 3 / log2(4)) / (3 + 1 / log2(3) + 1 / log2(4))),
        ("nDCG@2", 1 / log2(3) / (3 + 1 / log2(3))),
        ("ERR(max_grade=2)", 1 / 4 / 2 + 3 / 4 * 3 / 4 / 3),
        # Both judged irrelevant documents count, one of which is above.
        ("Bpref", (1 / 2 + 1 / 2) / 3),
        ("Judged@2", 1.0),
        ("Judged", 3 / 4),
    ],
)
@pytest.mark.parametrize("tied", [False, True])
def test_documents_that_are_not_returned_add_nothing(name, expected, tied):
    # Returned in the order 0, 1, 2, unjudged; a 1 and a 0 are not. Beside it a query
    # with ties, of which the values are computed in another way.
    ranks = np.array([1.0, 2.0, 3.0, 4.0, inf, inf, 1.0, 1.0])
    labels = np.array([0, 1, 2, -1, 1, 0, 1, 0])
    spans = np.array([1, 1, 1, 1, 1, 1, 2, 2]) if tied else np.empty(0, np.int64)
    if not tied:
        ranks[-1] = 2.0
    lists = Lists(ranks, labels, np.array([0, 6, 8]), np.array([6, 2]), spans)
    measure = parse(name)
    chosen = lists if measure.reads_irrelevant else lists.relevant()
    values = measure.values(chosen, CONVENTIONS["standard"], inf)
    assert values[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", ["AP", "RR", "Success@2", "nDCG", "ERR", "RBP", "R@2"])
def test_ties_above_a_document_that_is_not_returned(name):
    # The first two tie; a relevant one is missing: half of the orders each.
    ranks, labels = np.array([1.0, 1.0, inf]), np.array([1, 0, 1])
    tied = Lists(ranks, labels, np.array([0, 3]), np.array([3]), np.array([2, 2, 1]))
    orders = [
        Lists(np.array([*order, inf]), labels, np.array([0, 3]), np.array([3]))
        for order in ([1.0, 2.0], [2.0, 1.0])
    ]
    measure = parse(name)
    [result], *each = (
        measure.values(lists.relevant(), CONVENTIONS["standard"], inf)
        for lists in (tied, *orders)
    )
    assert result == pytest.approx(np.mean(each), rel=1e-14)


def test_ties_of_relevant_and_irrelevant_documents_in_bpref():
    # A relevant and two irrelevant ones tie below an irrelevant one; another relevant
    # one is last. Above the first: 1, 2 or 3 of 3, of which 2 count at most.
    labels = np.array([0, 1, 0, 0, 1])
    ranks, spans = np.array([1.0, 2.0, 2.0, 2.0, 5.0]), np.array([1, 3, 3, 3, 1])
    lists = Lists(ranks, labels, np.array([0, 5]), np.array([5]), spans)
    [result] = parse("Bpref").values(lists, CONVENTIONS["standard"], inf)
    assert result == pytest.approx((1 - (1 + 2 + 2) / 3 / 2 + 0) / 2)


@pytest.mark.parametrize(
    ("convention", "expected"),
    [
        ("standard", (0, 0.521296, 0.579237, 0.579237, 0.672885)),
        ("letor3", (0, 0.75, 0.784061, 0.784061, 0.877061)),
        ("letor4", (0, 0.75, 0.784061, 0.784061, 0.877061)),
    ],
)
def test_worked_example_of_ndcg(convention, expected):
    values = [in_order(EXAMPLE, f"nDCG@{k}", convention) for k in range(1, 6)]
    assert values == pytest.approx(expected, abs=5e-7)
    mean = in_order(EXAMPLE, "MeanNDCG", convention)
    assert mean == pytest.approx(sum(values) / 5)


def test_worked_mean_ndcg_of_letor():
    assert in_order(EXAMPLE, "MeanNDCG", "letor4") == pytest.approx(0.639036, abs=5e-7)


def test_conventions_differ_on_a_list_shorter_than_the_cutoff():
    values = {
        convention: [
            in_order(EXAMPLE, name, convention) for name in ("nDCG@10", "P@10")
        ]
        for convention in CONVENTIONS
    }
    whole = in_order(EXAMPLE, "nDCG")
    assert values["standard"] == pytest.approx([whole, 3 / 10])
    assert values["letor3"] == [0, 0]
    assert values["letor4"] == pytest.approx([0, 3 / 10])


@pytest.mark.parametrize(
    "name", ["nDCG@10", "nDCG", "AP", "RR", "P@1", "MeanNDCG", "WTA"]
)
def test_a_single_document_is_ideal_if_relevant_else_undefined(name):
    assert in_order((1,), name) == 1
    assert np.isnan(in_order((0,), name))


@pytest.mark.parametrize("labels", [(1,), (0,), (2, 1), (0, 0)])
def test_auc_needs_both_kinds_of_documents(labels):
    assert np.isnan(in_order(labels, "AUC"))


def test_worked_example_of_err():
    expected = 3 / 16 / 2 + 13 / 16 * (1 / 16 / 3 + 15 / 16 * 1 / 16 / 5)
    assert in_order(EXAMPLE, "ERR") == pytest.approx(expected)
    expected = 3 / 4 / 2 + 1 / 4 * (1 / 4 / 3 + 3 / 4 * 1 / 4 / 5)
    assert in_order(EXAMPLE, "ERR(max_grade=2)") == pytest.approx(expected)


def test_a_label_above_the_highest_grade_of_err_gets_a_sentence():
    with pytest.raises(ValueError, match=r"write ERR\(max_grade=5\)"):
        in_order((5, 0), "ERR")
    with pytest.raises(ValueError, match="max_grade of ERR is 0"):
        parse("ERR(max_grade=0)")


def test_rel_sets_the_smallest_relevant_grade():
    assert in_order(EXAMPLE, "P(rel=2)@5") == 1 / 5
    assert in_order(EXAMPLE, "AP(rel=2)") == 1 / 2
    assert in_order((1, 1, 2, 0), "AUC(rel=2)") == pytest.approx(1 - 2 / 3)
    assert np.isnan(in_order(EXAMPLE, "RR(rel=3)"))


def test_linear_gain_takes_labels_of_any_size():
    expected = (7 + 10**9 / log2(3)) / (10**9 + 7 / log2(3))
    value = in_order((7, 10**9, 0), "nDCG(dcg='log2')")
    assert value == pytest.approx(expected)


def test_exponential_gain_refuses_labels_above_31():
    assert in_order((31, 0), "nDCG") == 1
    with pytest.raises(ValueError, match=r"label 32 is above 31.*linear"):
        in_order((32, 0), "nDCG@10")


def test_ideal_order_is_one_and_nothing_exceeds_it():
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=600)
    offsets = np.arange(0, 601, 20)
    ranks = exact_ranks(rng.normal(size=600), offsets)
    ideal = exact_ranks(labels, offsets)
    for name in ("nDCG", "nDCG@5", "MeanNDCG", "AP", "RR", "AUC", "WTA"):
        measure = parse(name)
        assert measure(ideal, labels, offsets) == pytest.approx(1)
        assert (measure(ranks, labels, offsets) <= 1 + 1e-12).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1.0, 2.0], [1], [0, 2]), "1 labels but 2 ranks"),
        (([1.0, 2.0], [1, 0], [0, 1]), "offsets do not divide 2 documents"),
        (([1.0, 3.0], [1, 0], [0, 2]), "above the number of documents"),
        (([0.0, 1.0], [1, 0], [0, 2]), "below 1"),
        (([1.0, nan], [1, 0], [0, 2]), "ranks are not one number per document"),
        (([1.0, 2.0], [-1, 0], [0, 2]), "label is negative"),
        (([1.0, 2.0], [1, 0], [0, 2], "trec"), "no convention 'trec'.*standard"),
        (([1.0, 2.0], [1, 0], [0, 2], "standard", 0.0), "beta is 0.0"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse("nDCG@10")(*arguments)
