"""A small list seen by smooth measures, against finite differences and by hand."""

import math

import numpy as np
import pytest

from rankcore import RankingDataset, load_dataset
from rankcore.topics.approximation import approximate_list
from rankcore.topics.approximation.approximate_list import (
    ROUNDING,
    bounds,
    list_values,
    number,
    one_list,
    query_list,
    sigmoid_sum,
    surrogate_names,
    surrogates,
    sweep,
    truncation,
)
from rankcore.topics.approximation.bounds import measure_errors, position_errors
from rankcore.topics.approximation.claims import (
    centre_errors,
    equal_errors,
    tied_measures,
    tied_positions,
)

# Table 1 of the paper.
SCORES = np.array([4.20074, 3.12378, 4.40918, 1.55258, 4.13330])


def sigma(t):
    return 1.0 / (1.0 + math.exp(-t))


def test_every_surrogate_is_there():
    names = surrogate_names()
    assert names[:2] == ["nDCG", "nDCG@k"]
    assert {"nDCG", "nDCG@k", "AP", "P@k", "RR", "ERR"} <= set(names)
    assert len(surrogates(10.0, 10.0, 3)) == len(names)


def test_table_1_with_the_numbers_in_the_formulas():
    one, two, three = bounds(SCORES, [1, 0, 0, 0, 0], 100.0, 100.0)
    assert (one.error, one.bound) == pytest.approx((0.0011765, 0.0047062), abs=5e-8)
    assert "= 0.00471" in one.filled
    assert (two.error, two.bound) == pytest.approx((2.94e-4, 0.0023559), abs=5e-7)
    assert "= 0.00236" in two.filled
    assert three.bound == pytest.approx(0.00084869, abs=5e-9)
    assert r"\frac{0.00118}{2 \ln 2} = 8.49 \cdot 10^{-4}" in three.filled
    assert [bound.holds for bound in (one, two, three)] == [True] * 3


def test_an_error_below_rounding_is_not_compared_with_a_smaller_bound():
    scores = [-0.396, 1.921, 0.315, -1.607, 1.085, 3.912, 2.841]
    result = bounds(scores, [1, 1, 1, 1, 2, 0, 2], 300.0, 100.0)
    assert all(bound.error < ROUNDING and bound.bound < 1e-40 for bound in result)
    for bound in result:
        assert bound.holds
        assert not bound.equal
        assert r"| &\approx 0 \\" in bound.filled
    assert r"9.11 \cdot 10^{-44}" in result[1].filled


@pytest.mark.parametrize("alpha", [1.0, 10.0, 100.0])
def test_two_documents_are_an_equality_at_every_sharpness_that_can_be_told(alpha):
    one, _, _ = bounds([0.3, 0.1], [1, 0], alpha, 10.0)
    assert one.equal
    assert not bounds([0.3, 0.1, 0.0], [1, 0, 0], alpha, 10.0)[0].equal


def test_bounds_that_say_nothing():
    _, two, three = bounds([1.0, 1.0, 1.0], [1, 0, 0], 10.0, 10.0)
    assert two.holds is None
    assert "no bound" in two.filled
    assert three.holds
    _, two, three = bounds([2.0, 1.0], [0, 0], 10.0, 10.0)
    assert two.holds is None
    assert three.holds is None


def test_a_list_without_relevant_documents_is_flat():
    for value in list_values([2.0, 1.0], [0, 0], 10.0, 10.0, 1):
        assert math.isnan(value.error)
        assert value.flat
        assert value.vanished(10.0).all()


def test_a_sweep_is_the_errors_at_each_sharpness():
    labels, alphas = [0, 0, 2, 0, 1], [1.0, 10.0, 100.0]
    dataset = one_list(SCORES, labels)
    for place, learner in enumerate(surrogates(7.0, 10.0, 2)):
        result = sweep(learner, SCORES, labels, alphas)
        for i, alpha in enumerate(alphas):
            value = list_values(SCORES, labels, alpha, 10.0, 2)[place]
            assert result.name == value.name
            assert result.error[i] == pytest.approx(value.error, abs=1e-12)
            assert result.bound[i] == pytest.approx(value.bound, nan_ok=True)
            assert result.largest[i] == pytest.approx(value.largest, rel=1e-9)
            errors = measure_errors(learner.set_params(alpha=alpha), dataset, SCORES)
            assert result.position_error[i] == pytest.approx(errors.position_error[0])
            assert result.position_bound[i] == pytest.approx(errors.position_bound[0])


def test_sharp_gradients_vanish():
    """Ten equally spaced scores, the only relevant document on the worst position."""
    scores, labels = np.arange(9, -1, -1) / 9.0, [0] * 9 + [1]
    alphas = [1.0, 10.0, 50.0, 100.0, 300.0]
    result = sweep(surrogates(1.0, 10.0, 1)[0], scores, labels, alphas).largest
    assert result[:3] == pytest.approx([0.044, 0.038, 0.0021], rel=0.02)
    assert result[3] == pytest.approx(1.6e-5, rel=0.05)
    assert result[4] == pytest.approx(1e-14, rel=0.5)
    soft, sharp = (list_values(scores, labels, a, 10.0, 1)[0] for a in (10.0, 100.0))
    assert not soft.flat
    assert sharp.flat
    assert sharp.vanished(100.0).all()


def test_truncation():
    positions = position_errors(one_list(SCORES, [0] * 5), SCORES, 10.0)
    result = truncation(positions, 2, 3.0)
    assert result.counted.tolist() == [1, 0, 1, 0, 0]
    expected = [sigma(3.0 * (2.5 - position)) for position in positions.soft]
    assert result.smooth == pytest.approx(expected)
    middle = np.argmin(np.abs(result.x - 2.5))
    assert result.logistic[middle] == pytest.approx(0.5, abs=0.01)
    assert (np.diff(result.logistic) <= 0.0).all()


def test_numbers_have_three_digits():
    assert number(0.0047062) == "0.00471"
    assert number(0.00012345) == r"1.23 \cdot 10^{-4}"
    assert number(0.0) == "0"
    assert number(math.inf) == r"\infty"


def test_ties_have_three_positions():
    positions = tied_positions([1.0, 1.0, 0.0])
    assert positions.best.tolist() == [1, 1, 3]
    assert positions.middle.tolist() == [1.5, 1.5, 3]
    assert positions.strict.tolist() == [1, 2, 3]


def test_ties_break_the_formulas():
    tied = tied_measures([1.0, 1.0, 1.0], [1, 1, 0])
    assert tied.ndcg["best"] == pytest.approx(2.0 / (1.0 + 1.0 / math.log2(3.0)))
    assert tied.ndcg["best"] == pytest.approx(1.226294, abs=5e-7)
    assert tied.ndcg["strict"] == 1.0
    pair = tied_measures([1.0, 1.0, 0.0], [1, 1, 0])
    assert (pair.precision_form, pair.pairs_form) == (2.0, 1.0)
    assert pair.average_precision == 1.0


def test_without_ties_all_agree():
    positions = tied_positions(SCORES)
    assert positions.best.tolist() == positions.strict.tolist() == [2, 4, 1, 5, 3]
    measured = tied_measures(SCORES, [0, 0, 2, 0, 1])
    assert measured.precision_form == measured.pairs_form
    assert measured.pairs_form == pytest.approx((1 + 2 / 3) / 2)
    assert measured.average_precision == pytest.approx(measured.pairs_form)


@pytest.mark.parametrize("beta", [1.0, 10.0])
def test_the_worst_error_of_a_cutoff(beta):
    gammas = np.linspace(0.0, 1.0, 101)
    result = centre_errors(beta, gammas)
    assert gammas[result.whole.argmin()] == pytest.approx(0.5)
    assert result.whole.min() == pytest.approx(
        {1.0: 0.377541, 10.0: 0.006693}[beta], abs=5e-7
    )
    assert gammas[result.real.argmin()] == 0.0
    assert result.real.min() == 0.5
    assert result.real[50] == pytest.approx(sigma(beta / 2))
    k, dense = 3, np.arange(1, 60001) / 10_000.0
    for i in (0, 20, 50, 90):
        smooth = 1.0 / (1.0 + np.exp(-beta * (k + gammas[i] - dense)))
        errors = np.abs(smooth - (dense <= k))
        assert result.real[i] == pytest.approx(errors.max(), abs=2e-3)
        whole = errors[dense == np.round(dense)]
        assert result.whole[i] == pytest.approx(whole.max(), abs=1e-9)


def test_errors_of_positions_can_be_equal_to_their_bounds():
    alphas = [1.0, 10.0, 100.0]
    errors = equal_errors([0.3, 0.1], [1.0, 0.8, 0.8], alphas, 10.0)
    two = [1.0 / (math.exp(0.2 * alpha) + 1.0) for alpha in alphas]
    assert errors.two.position_error == pytest.approx(two)
    assert errors.two.position_bound == pytest.approx(two)
    three = 2.0 / (math.exp(2.0) + 1.0)
    assert (errors.three.error[0], errors.three.bound[0]) == pytest.approx(
        (three, three)
    )


def test_a_query_becomes_a_list_by_one_feature():
    X = np.array([[0.0, 9.0], [2.0, 9.0], [4.0, 9.0], [1.0, 9.0]])
    data = RankingDataset.from_arrays(X, [0, 7, 1, 2], feature_names=["a", "b"])
    scores, labels = query_list(data, 0, "a", most=3)

    # The best three values are 4, 2 and 1; the label 7 is cut to 4.
    np.testing.assert_allclose(scores, [1.0, 0.3333, 0.0])
    assert labels.tolist() == [1, 4, 2]
    scores, labels = query_list(data, 0, "b")
    assert scores.tolist() == [0.0] * 4
    with pytest.raises(ValueError, match="c"):
        query_list(data, 0, "c")


def test_a_single_document_gets_an_irrelevant_one_after_it():
    data = RankingDataset.from_arrays([[5.0]], [2], feature_names=["a"])
    scores, labels = query_list(data, 0, "a")
    assert (scores.tolist(), labels.tolist()) == ([0.0, -1.0], [2, 0])


def test_the_best_of_a_query_comes_first():
    train = load_dataset("planted").train
    name = train.feature_names[0]
    scores, labels = query_list(train, 1, name)
    query = train.query(1)

    assert (scores[0], scores[-1]) == (1.0, 0.0)
    assert (np.diff(scores) <= 0.0).all()
    assert labels[0] == query.y[query.X[:, 0].argmax()]


@pytest.mark.parametrize("alpha", [0.5, 10.0, 300.0])
@pytest.mark.parametrize("place", range(4))
def test_sigmoids_sum_to_the_position_of_the_document_wherever_it_is_moved(
    place, alpha
):
    """The same as the positions of the learners, with one more list for each score."""
    scores = np.array([2.0, 0.5, 2.3, 1.0])
    result = sigmoid_sum(scores, place, alpha, (0.0, 3.0))

    assert result.sigmoids.shape == (3, len(result.x))
    assert (result.x[0], result.x[-1]) == (0.0, 3.0)
    assert (np.diff(result.x) >= 0.0).all()
    assert (np.diff(scores[result.others]) < 0.0).all()
    value = position_errors(one_list(scores, [0, 1, 0, 1]), scores, alpha).soft[place]
    assert 1.0 + result.terms.sum() == pytest.approx(value)
    for at in range(0, len(result.x), 7):
        moved = scores.copy()
        moved[place] = result.x[at]
        positions = position_errors(one_list(moved, [0, 1, 0, 1]), moved, alpha)
        assert result.soft[at] == pytest.approx(positions.soft[place])
        if positions.gap[place] > 0.0:
            assert result.exact[at] == positions.exact[place]


def test_each_sigmoid_is_half_where_the_scores_are_equal():
    scores = np.array([2.0, 0.5, 2.3])
    result = sigmoid_sum(scores, 0, 4.0, (0.0, 3.0))

    for other, values in zip(result.others, result.sigmoids, strict=True):
        assert values[result.x == scores[other]] == pytest.approx(0.5)


def test_a_former_name_still_leads_to_the_function():
    with pytest.warns(DeprecationWarning, match="counted_share"):
        former = approximate_list.kept
    assert former is approximate_list.counted_share
