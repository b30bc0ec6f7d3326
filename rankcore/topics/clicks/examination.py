r"""Examination of positions, estimated from a click log up to its scale.

In the position-based model, document d is clicked at position k with probability
:math:`\theta_k \gamma_d`. Only products are seen, so :math:`\theta_1 = 1` throughout.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.errors import DataError
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics import elementary
from rankcore.mathematics.elementary import exp, logistic
from rankcore.mathematics.products import combination, product, times_vector
from rankcore.mathematics.small_matrices import inverse

Relevance = Literal["documents", "features"]
NORMAL_95 = 1.959963984540054
# Number of impressions as which a predicted relevance counts.
_PREDICTION = 2.0
# Upper limit of examination, so that no click has probability 1.
_MOST = 1.0 - 1e-9
_FEWEST_DRAWS = 10
_NEWTON_STEPS = 100
_HALVINGS = 40
_SMALLEST_STEP = 1e-10


@dataclass(frozen=True, eq=False)
class ExaminationEstimate:
    """Estimated examination, relative to position 1.

    Attributes
    ----------
    values, low, high : (k,) float64
        Estimates and the ends of their 95% intervals; all 1 at position 1.
    """

    values: Floats
    low: Floats
    high: Floats

    @property
    def rows(self) -> tuple[Floats, Floats, Floats]:
        """Estimates, and lower and upper ends of the intervals."""
        return self.values, self.low, self.high

    @classmethod
    def of_logarithms(cls, values: Floats, variances: Floats) -> "ExaminationEstimate":
        """Return the estimate by its logarithms (k,) and their variances."""
        reach = NORMAL_95 * np.sqrt(variances)
        return cls(exp(values), exp(values - reach), exp(values + reach))


class _Shown(NamedTuple):
    """Impressions and clicks of each document at each position, (m, k) float64."""

    impressions: Floats
    clicks: Floats


def _shown(log: ClickLog) -> _Shown:
    """Count impressions and clicks."""
    if not log.n_clicks:
        problem, remedy = "The log has no clicks", "Log more sessions"
        raise DataError(problem, remedy, log.name)
    if log.clicked.all():
        raise DataError(
            "The log holds only clicked documents, and estimating examination needs "
            "those shown but not clicked",
            "Log all documents of each list, with clicked 0 or 1",
            log.name,
        )
    positions = np.unique(log.position)
    if len(positions) < positions[-1]:
        first = int(np.argmax(positions != np.arange(1, len(positions) + 1))) + 1
        raise DataError(
            f"No session shows position {first}, and one shows position "
            f"{positions[-1]}",
            "Log all positions of each list, counted from 1",
            log.name,
        )
    shape = len(log.doc_ids), int(log.position.max())
    cell = log.document * shape[1] + log.position - 1
    counts = np.bincount(cell, minlength=shape[0] * shape[1])
    clicks = np.bincount(cell[log.clicked], minlength=shape[0] * shape[1])
    shown = counts.reshape(shape).any(axis=1)
    return _Shown(
        counts.reshape(shape)[shown].astype(np.float64),
        clicks.reshape(shape)[shown].astype(np.float64),
    )


def _unlinked(position: int, log: ClickLog) -> DataError:
    return DataError(
        f"No clicked documents link position {position} to position 1: the estimate "
        "compares the same document at different positions",
        "Log sessions with random swaps or of several rankers, or more of them",
        log.name,
    )


def by_swaps(log: ClickLog) -> ExaminationEstimate:
    r"""Estimate examination from documents that random swaps show at the top and
    elsewhere.

    The ratio of click rates of the same documents at two positions is that of
    examination (X. Wang et al., "Learning to rank with selection bias in personal
    search", SIGIR 2016; Joachims et al., WSDM 2017; both as in section 4.2 of Z. Fang,
    A. Agarwal, T. Joachims, "Intervention harvesting for context-dependent
    examination-bias estimation", SIGIR 2019). Documents count with the weights of N.
    Mantel and W. Haenszel; the variance is that of S. Greenland and J. Robins,
    "Estimation of a common effect parameter from sparse follow-up data", Biometrics
    41:55-68, 1985. The papers compare sums of clicks of swapped and unswapped lists;
    these weights need no record of the swaps.

    Raises
    ------
    DataError
        Naming the first position that no clicked document links to the top.
    """
    impressions, clicks = _shown(log)
    n_positions = impressions.shape[1]
    values, variances = np.zeros(n_positions), np.zeros(n_positions)
    n, c = impressions[:, 0], clicks[:, 0]
    for k in range(1, n_positions):
        m, d = impressions[:, k], clicks[:, k]
        both = (n > 0) & (m > 0)
        total = (n + m)[both]
        top = (d * n)[both] / total
        base = (c * m)[both] / total
        ratio = top.sum(), base.sum()
        if not all(ratio):
            raise _unlinked(k + 1, log)
        spread = ((c + d) * n * m)[both] / total**2 - (c * d)[both] / total
        values[k] = elementary.log(ratio[0] / ratio[1])
        variances[k] = max(spread.sum(), 0.0) / (ratio[0] * ratio[1])
    return ExaminationEstimate.of_logarithms(values, variances)


def by_all_pairs(log: ClickLog) -> ExaminationEstimate:
    r"""Estimate examination from documents that several rankers show at different
    positions: AllPairs.

    A. Agarwal et al., "Estimating position bias without intrusive interventions", WSDM
    2019, maximise :math:`\sum_{k \ne l} \hat c_{kl} \log(\theta_k
    r_{kl}) + (n_{kl} - \hat c_{kl}) \log(1 - \theta_k r_{kl})` with :math:`r_{kl} =
    r_{lk}`, where :math:`\hat c_{kl}` adds the click rates at k of the :math:`n_{kl}`
    documents that were shown at both. With :math:`\theta_1 = 1` the maximum is at the
    edge of its domain where documents are always clicked at the top. So this maximises
    :math:`\sum \hat c_{kl} \log(\theta_k r_{kl}) - n_{kl} \theta_k r_{kl}`, whose
    expected maximum is the same, everywhere defined and, in logarithms, concave. Their
    weights are by the rankers' numbers of sessions; these by the impressions in the
    log. The variance is that of estimating equations with independent documents.
    Sections 4.3 and 4.4 of the paper by Z. Fang, A. Agarwal and T. Joachims (see
    `by_swaps`) extend the estimator to examination that depends on a context.

    Raises
    ------
    DataError
        Naming the first position that no clicked document links to the top.
    """
    impressions, clicks = _shown(log)
    rates = clicks / np.maximum(impressions, 1.0)
    shown = impressions > 0
    n = impressions.shape[1]
    clicked, views = np.zeros((n, n)), np.zeros((n, n))
    for k in range(n):
        for other in range(k):
            both = shown[:, k] & shown[:, other]
            sums = rates[both][:, [k, other]].sum(axis=0)
            if (sums > 0.0).all():
                clicked[k, other], clicked[other, k] = sums
                views[k, other] = views[other, k] = both.sum()
    _check_linked(views > 0.0, log)
    beta, rho = _highest(clicked, views)
    bends = _expected(views, beta, rho)
    weights = _ratio(bends.T, bends + bends.T)
    scores = np.zeros((len(rates), n))
    for k in range(n):
        for other in range(n):
            both = shown[:, k] & shown[:, other] & (views[k, other] > 0.0)
            rate = rates[both]
            here = rate[:, k] - exp(beta[k] + rho[k, other])
            there = rate[:, other] - exp(beta[other] + rho[k, other])
            scores[both, k] += weights[k, other] * here - weights[other, k] * there
    spread = inverse(_laplacian(bends)[1:, 1:])
    meat = product(scores[:, 1:].T, scores[:, 1:])
    covariance = product(product(spread, meat), spread)
    return ExaminationEstimate.of_logarithms(beta, np.append(0.0, np.diag(covariance)))


def _check_linked(linked: np.ndarray, log: ClickLog) -> None:
    """Raise DataError for positions that no chain of pairs links to the first."""
    reached = np.arange(len(linked)) == 0
    for _ in linked:
        reached |= linked[reached].any(axis=0)
    if not reached.all():
        raise _unlinked(int(np.argmin(reached)) + 1, log)


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0.0)


def _expected(views: Floats, beta: Floats, rho: Floats) -> Floats:
    """Return the expected sums of click rates, (k, k)."""
    return views * exp(np.where(views > 0.0, beta[:, None] + rho, 0.0))


def _laplacian(bends: Floats) -> Floats:
    """Return the second derivatives by beta, at the maximum over rho."""
    links = _ratio(bends * bends.T, bends + bends.T)
    return np.diag(links.sum(axis=1)) - links


def _highest(clicked: Floats, views: Floats) -> tuple[Floats, Floats]:
    """Return log theta (k,), 0 at position 1, and log r (k, k), at the maximum."""
    rate = _ratio(clicked, views)
    beta = np.zeros(len(views))
    rho = elementary.log(np.maximum(np.maximum(rate, rate.T), 1e-12))

    def value(beta: Floats, rho: Floats) -> float:
        terms = clicked * (beta[:, None] + rho) - _expected(views, beta, rho)
        return float(terms.sum())

    best = value(beta, rho)
    for _ in range(_NEWTON_STEPS):
        bends = _expected(views, beta, rho)
        slopes = clicked - bends
        both = bends + bends.T
        rest = slopes - bends * _ratio(slopes + slopes.T, both)
        spread = inverse(_laplacian(bends)[1:, 1:])
        step = np.append(0.0, times_vector(spread, rest.sum(axis=1)[1:]))
        pulls = bends * step[:, None]
        turn = _ratio(slopes + slopes.T - pulls - pulls.T, both)
        length = 1.0
        for _ in range(_HALVINGS):
            trial = beta + length * step, rho + length * turn
            reached = value(*trial)
            if reached >= best:
                break
            length *= 0.5
        else:
            break
        (beta, rho), best = trial, reached
        if max(np.abs(step).max(), np.abs(turn).max()) < _SMALLEST_STEP:
            break
    return beta, rho


def by_regression(
    log: ClickLog,
    dataset: RankingDataset,
    iterations: int = 200,
    ridge: float = 1.0,
    relevance: Relevance = "documents",
    draws: int = 50,
    seed: int = 0,
) -> ExaminationEstimate:
    r"""Estimate examination by expectation maximisation, with relevance from features.

    X. Wang, N. Golbandi, M. Bendersky, D. Metzler, M. Najork, "Position bias estimation
    for unbiased learning to rank in personal search", WSDM 2018. They sample labels of
    relevance and fit boosted trees; here a logistic regression predicts relevance as
    :math:`\mu_d = 1 / (1 + e^{-w \cdot x_d})`, expected labels count, and each
    iteration takes one step towards their best w, with the bound of D. Böhning and B.
    Lindsay on second derivatives.

    With ``relevance="features"``, :math:`\gamma_d = \mu_d`, and the likelihood never
    falls. If relevance is not such a function of features, the estimate is biased
    however many clicks there are, and its interval, from estimating equations, does not
    show it. With ``"documents"``, each document has its own relevance, for which the
    prediction counts as two impressions. Only documents at several positions are
    informative. The bias from so many parameters is estimated from clicks drawn from
    the fitted model (B. Efron, R. Tibshirani, "An Introduction to the Bootstrap", 1993,
    section 10.2) and subtracted from the logarithms; the interval is that of the draws.
    If few draws have clicks at all positions, nothing is subtracted, and the interval
    is unbounded.

    Parameters
    ----------
    log : ClickLog
        Documents are rows of ``dataset``.
    ridge : float
        Weight of half the squared coefficients, except the constant.
    relevance : {"documents", "features"}
    draws : int
        Number of draws of clicks for the bias, at least 10.

    Raises
    ------
    DataError
        With ``"documents"``, naming the first position that no clicked document links
        to the top; if a position has no informative clicks.
    ValueError
        If there are fewer draws than 10.
    """
    if draws < _FEWEST_DRAWS:
        raise ValueError(f"draws must be at least {_FEWEST_DRAWS}, but it is {draws}.")
    if len(log.doc_ids) != dataset.n_documents:
        raise DataError(
            f"The log has {len(log.doc_ids)} documents, and the data "
            f"{dataset.n_documents}",
            "Give the features of the documents in the log, in its order",
            log.name,
        )
    impressions, clicks = _shown(log)
    if impressions.shape[1] == 1:
        return ExaminationEstimate.of_logarithms(np.zeros(1), np.zeros(1))
    rows = np.unique(log.document)
    if relevance == "documents":
        several = _at_several(_Shown(impressions, clicks), log)
        impressions, clicks, rows = impressions[several], clicks[several], rows[several]
    is_clicked = clicks.any(axis=0)
    if not is_clicked.all():
        which = " on documents at several positions" * (relevance == "documents")
        problem = f"Position {int(is_clicked.argmin()) + 1} has no clicks{which}"
        raise DataError(problem, "Log more sessions", log.name)
    X = np.column_stack([dataset.X[rows], np.ones(len(rows))])
    penalty = np.append(np.full(dataset.n_features, ridge), 1e-9)
    shown = _Shown(impressions, clicks)
    k = impressions.shape[1]
    begin = _Fit(1.0 / np.arange(1.0, k + 1.0), np.zeros(X.shape[1]), np.empty(0))
    if relevance == "features":
        fit = _fit(shown, X, penalty, begin, iterations, 0.0)
        return _by_features(shown, fit.examined, fit.gamma, X, penalty)
    fit = _fit(shown, X, penalty, begin, iterations, _PREDICTION)
    return _without_bias(shown, X, penalty, fit, iterations, draws, seed)


class _Fit(NamedTuple):
    """Examination (k,), coefficients (p,) and relevance (m,) of a fitted model."""

    examined: Floats
    w: Floats
    gamma: Floats


def _fit(
    shown: _Shown,
    X: Floats,
    penalty: Floats,
    begin: _Fit,
    iterations: int,
    prediction: float,
) -> _Fit:
    """Return the model after some iterations; with a ``prediction``, the impressions as
    which it counts, each document has its own relevance."""
    impressions, clicks = shown
    total = impressions.sum(axis=1)
    bound = inverse(0.25 * product(X.T * total, X) + np.diag(penalty))
    examined, w = begin.examined, begin.w.copy()
    predicted = logistic(times_vector(X, w))
    gamma = begin.gamma if len(begin.gamma) else predicted
    missed = impressions - clicks
    for _ in range(iterations):
        silent = missed / (1.0 - np.outer(gamma, examined))
        views = clicks + silent * (1.0 - gamma)[:, None] * examined
        labels = clicks.sum(axis=1) + gamma * times_vector(silent, 1.0 - examined)
        examined = views.sum(axis=0) / np.maximum(impressions.sum(axis=0), 1.0)
        examined = np.minimum(examined, _MOST)
        pull = combination(labels - total * predicted, X) - penalty * w
        w += times_vector(bound, pull)
        predicted = gamma = logistic(times_vector(X, w))
        if prediction:
            gamma = (labels + prediction * predicted) / (total + prediction)
    return _Fit(examined, w, gamma)


def _at_several(shown: _Shown, log: ClickLog) -> np.ndarray:
    """Return a mask of documents that were shown at several positions, and clicked."""
    there = shown.impressions > 0.0
    several: np.ndarray = (there.sum(axis=1) > 1) & (shown.clicks.sum(axis=1) > 0.0)
    places = there[several].astype(np.float64)
    _check_linked(product(places.T, places) > 0.0, log)
    return several


def _slopes(shown: _Shown, examined: Floats, gamma: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of each document's likelihood by the logarithms of
    examination, and minus the expected second ones, (m, k) each."""
    m = np.outer(gamma, examined)
    slopes = (shown.clicks - shown.impressions * m) / (1.0 - m)
    return slopes, shown.impressions * m / (1.0 - m)


def _without_bias(
    shown: _Shown,
    X: Floats,
    penalty: Floats,
    fit: _Fit,
    iterations: int,
    draws: int,
    seed: int,
) -> ExaminationEstimate:
    """Return the estimate with a relevance per document, minus its bias on clicks drawn
    with the fitted examination and the observed relevance."""
    impressions, clicks = shown
    examined = times_vector(impressions, fit.examined)
    gamma = np.minimum(clicks.sum(axis=1) / examined, 1.0)
    chances = np.outer(gamma, fit.examined).ravel()
    cells = np.repeat(np.arange(chances.size), impressions.ravel().astype(np.int64))
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(draws):
        clicked = cells[rng.random(len(cells)) < chances[cells]]
        counts = np.bincount(clicked, minlength=chances.size).reshape(clicks.shape)
        # A position without clicks gives no information about the bias.
        if not counts.any(axis=0).all():
            continue
        there = counts.any(axis=1)
        part = _Shown(impressions[there], counts[there].astype(np.float64))
        begin = fit._replace(gamma=fit.gamma[there])
        again = _fit(part, X[there], penalty, begin, iterations, _PREDICTION)
        rows.append(elementary.log(again.examined / again.examined[0]))
    fitted = elementary.log(fit.examined / fit.examined[0])
    if len(rows) < _FEWEST_DRAWS:
        unknown = np.where(np.arange(len(fitted)) > 0, np.inf, 0.0)
        return ExaminationEstimate.of_logarithms(fitted, unknown)
    logarithms = np.array(rows)
    values = 2.0 * fitted - logarithms.mean(axis=0)
    # Student's quantile, M. Abramowitz, I. Stegun, 26.7.5, over that of the normal
    # distribution; and the mean of the draws has its own error.
    wider = 1.0 + (NORMAL_95**2 + 1.0) / (4.0 * (len(rows) - 1.0))
    variances = logarithms.var(axis=0, ddof=1) * (1.0 + 1.0 / len(rows)) * wider**2
    return ExaminationEstimate.of_logarithms(values, variances)


def _by_features(
    shown: _Shown, examined: Floats, gamma: Floats, X: Floats, penalty: Floats
) -> ExaminationEstimate:
    """Return the regression's estimate, intervals for independent documents."""
    slopes, bends = _slopes(shown, examined, gamma)
    turned = (1.0 - gamma)[:, None] * X
    across = product(bends.T, turned)
    inner = product(turned.T * bends.sum(axis=1), turned) + np.diag(penalty)
    spread = inverse(
        np.block([[np.diag(bends.sum(axis=0)), across], [across.T, inner]])
    )
    scores = np.column_stack([slopes, slopes.sum(axis=1)[:, None] * turned])
    return _with_intervals(examined, spread, scores)


def _with_intervals(
    examined: Floats, spread: Floats, scores: Floats
) -> ExaminationEstimate:
    """Return the estimate by the scores of documents (m, p) and the inverse of the
    information (p, p), in which positions come first."""
    covariance = product(product(spread, product(scores.T, scores)), spread)
    n = len(examined)
    variance = np.diag(covariance)[:n]
    variances = variance + covariance[0, 0] - 2.0 * covariance[0, :n]
    logarithms = elementary.log(examined / examined[0])
    return ExaminationEstimate.of_logarithms(logarithms, np.maximum(variances, 0.0))
