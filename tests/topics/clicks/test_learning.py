"""Learning from weighted clicks: by hand, by RankSVM, with its certificate."""

import numpy as np
import pytest

from rankcore import DataError, ListNet, RankNet, RankSVM, RSRank
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.list_net import TopOneLoss
from rankcore.data.dataset import RankingDataset
from rankcore.topics.clicks.evaluation import doubly_robust, inverse_propensity
from rankcore.topics.clicks.learning import (
    ClickedHinge,
    affine_weights,
    click_data,
    click_weights,
    learn,
    propensities,
)
from tests.topics.clicks.logs import DATA, RELEVANCE, counted, simulation

N_RELEVANT = int(RELEVANCE.sum())


def by_hand(weights, w, width):
    """Sums of rounded hinges, hinges and slopes over pairs, one by one."""
    sums = np.zeros(3)
    for lo, hi in zip(DATA.offsets, DATA.offsets[1:], strict=False):
        s = DATA.X[lo:hi] @ w
        t = np.maximum(1.0 - s[:, None] + s, 0.0) * (1.0 - np.eye(hi - lo))
        near = np.minimum(t, width)
        for at, loss in enumerate((near * (t - near / 2) / width, t, near / width)):
            sums[at] += (weights[lo:hi] * loss.sum(axis=1)).sum()
    return sums


def test_the_loss_is_the_weighted_sum_over_pairs_and_has_this_gradient():
    rng = np.random.default_rng(5)
    w = rng.normal(size=DATA.n_features)
    weights = np.where(RELEVANCE > 0, rng.uniform(1.0, 9.0, DATA.n_documents), 0.0)
    loss = ClickedHinge(DATA, weights, 7, width=0.4)
    value, gradient = loss(w)
    expected = by_hand(weights, w, 0.4) / 7
    np.testing.assert_allclose([value, loss.hinge, loss.multipliers], expected)
    for j in (0, 3, 44):
        step = 1e-6 * (np.arange(DATA.n_features) == j)
        slope = (loss(w + step)[0] - loss(w - step)[0]) / 2e-6
        assert slope == pytest.approx(gradient[j], rel=1e-5)


def test_the_objective_is_within_its_gap_of_the_minimum():
    model = learn(DATA, RELEVANCE, N_RELEVANT, C=0.5, tolerance=1e-5)
    hinge = by_hand(RELEVANCE, model.coef, 1.0)[1] / N_RELEVANT
    objective = 0.5 * (model.coef**2).sum() + 0.5 * hinge
    assert model.objective == pytest.approx(objective, rel=1e-12)
    assert 0.0 <= model.gap <= 0.5 * 1e-5
    # A coarser certificate holds as well.
    coarse = learn(DATA, RELEVANCE, N_RELEVANT, C=0.5, tolerance=0.1)
    assert coarse.objective - coarse.gap <= model.objective <= coarse.objective


def test_with_a_relevant_document_a_query_it_is_rank_svm():
    top = np.zeros(DATA.n_documents)
    top[DATA.offsets[:-1]] = 1.0
    query = np.repeat(np.arange(DATA.n_queries), DATA.lengths)
    n_pairs = DATA.n_documents - DATA.n_queries
    peer = RankSVM(
        l2=DATA.n_queries / (2.0 * n_pairs), loss_function="hinge", gap_tolerance=1e-7
    ).fit(DATA.X, top, qid=query)
    model = learn(DATA, top, DATA.n_queries, C=2.0, tolerance=1e-6)
    np.testing.assert_allclose(model.coef, peer.coef_, atol=0.01)


def test_weights_are_inverse_propensities_and_clipping_bounds_them():
    log = counted((0, 1, 9, 4), (0, 3, 9, 2), (1, 2, 5, 1), (2, 1, 3, 0))
    examined = np.array([1.0, 0.5, 0.1])
    np.testing.assert_allclose(click_weights(log, examined), [4 + 2 / 0.1, 1 / 0.5, 0])
    np.testing.assert_allclose(
        click_weights(log, examined, clip=0.25), [4 + 2 / 0.25, 1 / 0.5, 0]
    )


def test_weights_need_the_propensities_of_all_positions():
    log = counted((0, 1, 9, 4), (0, 3, 9, 2))
    with pytest.raises(DataError, match="The log has no propensities"):
        propensities(log)
    with pytest.raises(DataError, match="examination is known for 2 positions"):
        click_weights(log, np.ones(2))
    with pytest.raises(DataError, match="There are no clicks to learn from"):
        learn(DATA, np.zeros(DATA.n_documents), 0)


def test_weights_add_to_the_relevant_documents_that_were_shown():
    seen = simulation(noise=0.0, cutoff=4)
    log = seen.log(8000)
    weights = click_weights(log, seen.behaviour.examination(4))
    shown = np.bincount(log.document, RELEVANCE[log.document], DATA.n_documents)
    assert weights.sum() == pytest.approx(shown.sum(), rel=0.03)
    assert (weights[RELEVANCE == 0.0] == 0.0).all()


@pytest.mark.parametrize(("documents", "C"), [(3, 1.0), (None, 0.0)])
def test_weights_of_other_documents_and_no_cost_are_refused(documents, C):
    weights = np.ones(documents or DATA.n_documents)
    with pytest.raises(ValueError, match=r"each document|C must be above"):
        learn(DATA, weights, 3, C=C)


SMALL = RankingDataset.from_arrays(
    np.array([[0.2], [0.9], [0.4], [0.1], [0.3], [0.8], [0.5]]),
    [2, 0, 1, 0, 0, 0, 0],
    list("aaaabbc"),
)
CLICKED = np.array([4.0, 0.0, 1.5, 0.0, 0.0, 0.0, 3.0])


def test_losses_are_sums_over_clicks_of_the_queries_that_have_some():
    data = click_data(RSRank(), SMALL, CLICKED)
    assert data.query_ids == ("a", "c")
    assert data.y.tolist() == [1, 0, 1, 0, 1]
    # The sum of discounted gains: ranks of 0.2, 0.9, 0.4, 0.1 are 3, 1, 2, 4.
    s, gain, discount = SMALL.X[:4, 0], CLICKED[:4], 1 / np.log2([4.0, 2.0, 3.0, 5.0])
    expected = sum(
        (gain[i] - gain[j]) * abs(discount[i] - discount[j]) * (s[i] - s[j] - 1.0) ** 2
        for i in range(4)
        for j in range(4)
        if gain[j] < gain[i]
    )
    ideals = 4.0 + 1.5 / np.log2(3.0), 3.0
    scale = sum(ideals) / 2
    loss, _ = RSRank().loss(data)(np.ones(1))
    assert loss * scale == pytest.approx(expected)
    top = ApproxNDCG(cutoff=1)
    np.testing.assert_allclose(
        click_data(top, SMALL, CLICKED).weights, np.array([4.0, 3.0]) / 3.5
    )
    # Minus the logarithm of each click's chance, by its weight.
    entropy = (gain * (np.log(np.exp(s).sum()) - s)).sum()
    mean, _ = TopOneLoss(click_data(ListNet(), SMALL, CLICKED))(np.ones(1))
    assert mean * (5.5 + 3.0) == pytest.approx(entropy)


def test_a_learner_declares_what_its_loss_divides_gains_by():
    class Sum(ApproxNDCG):
        gain_divisor = "sum"

    assert [one().gain_divisor for one in (ListNet, RSRank)] == ["sum", "ideal"]
    weights = click_data(Sum(), SMALL, CLICKED).weights
    np.testing.assert_allclose(weights, np.array([5.5, 3.0]) / 4.25)


def test_learners_without_gains_and_logs_without_clicks_are_refused():
    with pytest.raises(ValueError, match="documents have weights, and RankNet takes"):
        RankNet().fit(click_data(RankNet(), SMALL, CLICKED))
    with pytest.raises(DataError, match="There are no clicks to learn from"):
        click_data(RSRank(), SMALL, np.zeros(7))
    with pytest.raises(ValueError, match="give one for each document"):
        click_data(RSRank(), SMALL, np.zeros(6))


def test_affine_weights_take_noise_and_trust_off():
    log = counted((0, 1, 10, 4), (0, 2, 10, 2), (1, 2, 5, 0), (2, 1, 3, 0))
    slope, base = np.array([0.8, 0.4]), np.array([0.1, 0.05])
    first = (4 - 10 * 0.1) / 0.8 + (2 - 10 * 0.05) / 0.4
    np.testing.assert_allclose(affine_weights(log, slope, base), [first, 0.0, 0.0])
    clipped = affine_weights(log, slope, base, clip=0.5)
    assert clipped[0] == pytest.approx(3.0 / 0.8 + 1.5 / 0.5)
    for wrong in ((slope[:1], base), (slope, base[:1]), (slope * [1.0, 0.0], base)):
        with pytest.raises(DataError, match="an alpha above 0 and a beta"):
            affine_weights(log, *wrong)


def test_affine_weights_add_to_the_relevant_impressions_where_trust_misleads():
    seen = simulation(noise=0.05, trust=0.5, swaps=True)
    log = seen.log(20_000)
    shown = np.bincount(log.document, RELEVANCE[log.document], DATA.n_documents)
    weights = affine_weights(log, *seen.behaviour.affine(4))
    misled = click_weights(log, seen.behaviour.examination(4))
    near = np.abs(weights - shown).sum() / shown.sum()
    assert near < 0.4 * np.abs(misled - shown).sum() / shown.sum()


@pytest.mark.parametrize(
    ("slope", "base"),
    [
        ([1.0], [0.0, 0.0]),
        ([1.0, 1.0], [0.0]),
        ([1.0, np.nan], [0.0, 0.0]),
        ([1.0, np.inf], [0.0, 0.0]),
        ([1.0, 0.5], [0.0, np.nan]),
    ],
)
def test_each_position_needs_an_alpha_and_a_beta(slope, base):
    log = counted((0, 1, 9, 4), (0, 2, 9, 3))
    pair = np.array(slope), np.array(base)
    with pytest.raises(DataError, match="shown at position 2, and not all positions"):
        affine_weights(log, *pair)
    with pytest.raises(DataError, match="shown at position 2, and not all positions"):
        doubly_robust(log, np.ones(1), np.ones(1), *pair)


@pytest.mark.parametrize("clip", [np.nan, -0.1, np.inf])
def test_clips_are_numbers_from_0(clip):
    log, two = counted((0, 1, 9, 4), (0, 2, 9, 3)), np.ones(2)
    for estimate in (
        lambda: click_weights(log, two, clip),
        lambda: affine_weights(log, two, 0 * two, clip),
        lambda: inverse_propensity(log, two[:1], two, clip),
        lambda: doubly_robust(log, two[:1], two[:1], two, 0 * two, clip),
    ):
        with pytest.raises(ValueError, match="The clip must be finite"):
            estimate()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
def test_weights_are_finite_and_from_0(wrong):
    weights = np.where(np.arange(DATA.n_documents) == 3, wrong, 1.0)
    with pytest.raises(ValueError, match="at least 0, but document 3"):
        learn(DATA, weights, 5)
    with pytest.raises(ValueError, match="at least 0, but document 3"):
        click_data(ListNet(), DATA, weights)
