"""Learning from weighted clicks: by hand, by RankSVM, with its certificate."""

import numpy as np
import pytest

from rankcore import DataError, RankSVM
from rankcore.topics.clicks.learning import (
    ClickedHinge,
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
    with pytest.raises(DataError, match="examination is given of 2 positions"):
        click_weights(log, np.ones(2))
    with pytest.raises(DataError, match="There is no click to learn from"):
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
