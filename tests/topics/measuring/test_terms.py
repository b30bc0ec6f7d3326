"""A measure taken apart: terms sum to it, ties are averaged, scores move in steps."""

from itertools import permutations

import numpy as np
import pytest

from rankcore.measures import CONVENTIONS, exact_ranks, parse
from rankcore.topics.measuring import terms as insight

NAMES = ["nDCG@3", "nDCG", "nDCG(dcg='log2')@2", "AP", "AP@3", "RR", "RR@2", "P@3",
         "P(rel=2)@2", "ERR", "ERR@3"]  # fmt: skip
MEASURES = [parse(name) for name in NAMES]
LISTS = [(0, 2, 1, 0, 1), (0, 0, 0), (4, 0), (1, 1, 1, 1), (0, 0, 3, 0, 0, 4)]


def test_the_measures_of_the_page_are_those_that_declare_terms():
    names = [str(measure) for measure in insight.measures_with_terms(3)]

    assert names == ["AP", "ERR", "nDCG@3", "P@3", "RR"]


# Each list in all its orders, the longest in its own.
ORDERS = [
    order
    for labels in LISTS
    for order in (set(permutations(labels)) if len(labels) < 6 else [labels])
]


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_terms_sum_to_the_measure(measure, convention):
    for order in ORDERS:
        terms = insight.measure_terms(order, measure, convention)
        defined = 0.0 if np.isnan(terms.value) else terms.value

        assert terms.terms.sum() == pytest.approx(defined, abs=1e-14)
        assert all(len(column) == len(order) for column in terms.factors.values())


def test_the_worked_example():
    labels = (0, 2, 1, 0, 1)
    ap = insight.measure_terms(labels, parse("AP")).terms
    ndcg = insight.measure_terms(labels, parse("nDCG@2"))

    assert ap == pytest.approx([0, 1 / 2 / 3, 2 / 3 / 3, 0, 3 / 5 / 3])
    discount = 1 / np.log2(3)
    assert ndcg.factors["gain"][1] == 3
    assert ndcg.factors["discount"][1] == pytest.approx(discount)
    assert ndcg.terms[1] == pytest.approx(3 * discount / (3 + discount))
    beyond = insight.measure_terms((0, 1), parse("RR@1"))
    assert not beyond.factors["the first relevant"].any()


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_areas_sum_to_the_measure_and_those_in_outline_to_the_best_of_all_orders(
    measure, convention
):
    for order in ORDERS:
        best = sorted(order, reverse=True)
        highest = insight.measure_of(best, measure, convention)
        terms = insight.measure_terms(order, measure, convention)
        areas = terms.rectangles
        if areas is None:
            # Undefined, or 0 because the convention says so of a short list.
            assert np.isnan(terms.value) or terms.value == 0.0
            continue
        assert areas.heights * areas.widths / areas.whole == pytest.approx(terms.terms)
        assert areas.area / areas.whole == pytest.approx(terms.value)
        assert areas.ideal_area / areas.whole == pytest.approx(highest)
        assert highest >= terms.value - 1e-12
        assert areas.ideal_is_whole == (highest == pytest.approx(1.0))


@pytest.mark.parametrize(
    ("measure", "filled"),
    [
        ("nDCG@2", ["(3/1.585)/3.631"]),
        ("AP", ["0.5/3", "0.667/3", "0.6/3"]),
        ("P@4", ["1/4", "1/4"]),
        ("RR", ["1/2"]),
        ("ERR@3", ["0.188/2", "0.051/3"]),
    ],
)
def test_the_formula_has_the_numbers_of_each_rank(measure, filled):
    """Labels 0, 2, 1, 0, 1: gains 0, 3, 1, 0, 1 and 1.585 = log2(3)."""
    terms = insight.measure_terms((0, 2, 1, 0, 1), parse(measure))

    signs = ["=", *["{} +"] * (len(filled) - 1)]
    quotients = [f"${s} {q}$" for s, q in zip(signs, filled, strict=True)]
    assert " ".join(quotients) in terms.filled
    assert terms.filled.endswith(rf"$= \mathbf{{{terms.value:.3f}}}$")
    results = [term for term in terms.terms if term]
    for quotient, term in zip(filled, results, strict=True):
        assert eval(quotient) == pytest.approx(term, abs=1e-3)


def test_a_measure_that_is_no_sum_is_refused():
    with pytest.raises(ValueError, match="term by term"):
        insight.measure_terms((0, 1), parse("AUC"))


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_ties_are_averaged_over_all_orders(measure):
    labels, first, last = (1, 0, 2, 0, 1), 2, 4
    values = [
        insight.measure_of([labels[0], *order, labels[4]], measure)
        for order in permutations(labels[1:4])
    ]
    result = insight.tied_values(labels, first, last, measure)

    assert result["mean"] == pytest.approx(np.mean(values), abs=1e-14)
    assert result["best"] == max(values)
    assert result["worst"] == min(values)
    assert result["as listed"] == insight.measure_of(labels, measure)


def test_too_many_ties_are_refused():
    with pytest.raises(ValueError, match="at most 8"):
        insight.tied_values([0] * 12, 1, 12, parse("AP"))


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_steps_are_the_measure_at_any_score_between(measure):
    labels = (0, 2, 1, 0, 1)
    curve = insight.along_score(labels, 1, measure)
    assert len(curve.steps) == len(labels)
    for start, end, step in zip(curve.starts, curve.ends, curve.steps, strict=True):
        scores = np.array([5.0, (start + end) / 2, 3.0, 2.0, 1.0])
        ranks = exact_ranks(scores, [0, 5])
        assert measure(ranks, labels, [0, 5])[0] == pytest.approx(step, abs=1e-15)


def test_the_smooth_measure_comes_near_the_steps_as_it_gets_sharp():
    measure = parse("nDCG")
    curve = insight.along_score((0, 2, 1, 0, 1), 1, measure, alphas=(1, 10, 1000))
    inside = np.min(np.abs(curve.scores[:, None] - curve.ends[:-1]), axis=1) > 0.2
    step = curve.steps[np.searchsorted(curve.ends[:-1], curve.scores)]
    errors = [np.abs(values - step)[inside].max() for values in curve.smooth.values()]

    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-9


def test_a_moving_score_knows_its_exact_values_and_the_error_of_the_smooth_ones():
    labels, measure = (0, 2, 1), parse("nDCG")
    curve = insight.along_score(labels, 1, measure, alphas=(2.0, 50.0))

    for score, value in zip(curve.scores, curve.exact, strict=True):
        result = np.flatnonzero(curve.starts <= score)[-1]
        assert value == curve.steps[result]
    assert curve.error(2.0) == np.abs(curve.smooth[2.0] - curve.exact).max()
    undefined = insight.along_score((0, 0), 0, parse("RR"), "standard", [1.0])
    assert undefined.error(1.0) == 0.0


def test_every_convention_and_every_rule_for_ties_has_a_value():
    measure = parse("AP")
    rule = insight.by_rule((0, 2, 1), 3, measure, "letor3")

    ties = insight.tied_values((0, 2, 1), 1, 3, measure, "letor3")
    assert list(rule) == [*CONVENTIONS, "mean", "best", "worst", "middle rank"]
    assert rule["letor4"] == insight.measure_of((0, 2, 1), measure, "letor4")
    assert rule["worst"] == ties["worst"]
