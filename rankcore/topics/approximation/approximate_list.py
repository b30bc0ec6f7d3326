r"""Smooth measures of one small list: values, forces, errors and bounds.

The measures and their derivatives are those of the learners that maximise them, the
bounds those of `rankcore.topics.approximation.bounds`; no formula is written twice.
Only :math:`\alpha s` matters to a surrogate, so one list at many sharpnesses becomes a
data set of many queries at sharpness 1, each with a multiple of the scores.
"""

import math
import warnings
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore import measures
from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import geomspace, logistic
from rankcore.topics.approximation.bounds import (
    PositionErrors,
    average_precision_bound,
    measure_errors,
    ndcg_bound,
    position_errors,
)

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation


# An error is the difference of two numbers with rounding errors of about 1e-15; below
# this, even the three digits shown are meaningless.
ROUNDING = 1e-12

POSITIONS = "Theorem 1, positions"
PRECISION = "Theorem 2, average precision"
GAIN = "Theorem 3, NDCG"
# The theorems as printed in the paper, in LaTeX.
THEOREMS = {
    POSITIONS: (
        r"|\hat\pi_x - \pi_x| < \frac{n - 1}{e^{\alpha \delta_x} + 1}, \qquad "
        r"\delta_x = \min_{y \ne x} |s_x - s_y|"
    ),
    PRECISION: (
        r"|\widehat{\mathrm{AP}} - \mathrm{AP}| < \frac{1}{1 + e^{\beta (1 - 2 "
        r"\varepsilon)}} \sum_{i=1}^m \frac{1}{i - \varepsilon} + \sum_{i=1}^m "
        r"\frac{2 \varepsilon}{i (i - \varepsilon)}"
    ),
    GAIN: (
        r"|\widehat{\mathrm{NDCG}} - \mathrm{NDCG}| < "
        r"\frac{\varepsilon}{2 \ln 2}, \qquad "
        r"\varepsilon = \max_x |\hat\pi_x - \pi_x|"
    ),
}


class ListValue(NamedTuple):
    """A smooth measure of one list, with the exact one.

    Attributes
    ----------
    name : str
        Name of the measure, with its cutoff.
    exact, smooth, error : float
        NaN without relevant documents.
    bound : float
        A theorem's bound on the error; NaN if no theorem covers the measure, infinite
        if the theorem gives no bound.
    force : (n,) float64
        Derivatives of the smooth measure with respect to the scores.
    flat : bool
        Whether training considers the force vanished: no derivative with respect to a
        scaled score exceeds 1e-4.
    """

    name: str
    exact: float
    smooth: float
    error: float
    bound: float
    force: Floats
    flat: bool

    @property
    def largest(self) -> float:
        """The size of the largest force."""
        return float(np.abs(self.force).max())

    @property
    def bound_text(self) -> str:
        """The bound as a phrase."""
        if math.isnan(self.bound):
            return "no theorem bounds it"
        if math.isinf(self.bound):
            return "no bound for ε ≥ ½"
        return f"bound {error_text(self.bound)}"

    @property
    def bounds_note(self) -> str:
        """The available bounds on errors, as a note to a picture."""
        if math.isnan(self.bound):
            return f"thin line: Theorem 1. No theorem bounds {self.name}"
        return f"thin lines: bounds of Theorem 1 and of {self.name}"

    def vanished(self, alpha: float) -> NDArray[np.bool_]:
        """(n,) whether the force on a document has vanished, by the same rule."""
        from rankcore._kernels.losses.approximation import FLAT

        return np.abs(self.force) / alpha < FLAT


class SharpnessSweep(NamedTuple):
    """The errors of one list at many sharpnesses.

    Attributes
    ----------
    name : str
        Name of the measure.
    alphas : (m,) float64
    error, bound : (m,) float64
        Error of the measure, and its bound as in `ListValue`.
    position_error, position_bound : (m,) float64
        The largest error of a position, and theorem 1's bound on it.
    largest : (m,) float64
        The size of the largest force.
    """

    name: str
    alphas: Floats
    error: Floats
    bound: Floats
    position_error: Floats
    position_bound: Floats
    largest: Floats

    @property
    def best_text(self) -> str:
        """The largest force overall and its sharpness, as a phrase."""
        best = int(np.argmax(self.largest))
        return (
            f"maximum {three_digits(self.largest[best])} at α = {self.alphas[best]:.2g}"
        )


class Truncation(NamedTuple):
    """The step 1{position <= k} and the logistic that replaces it.

    Attributes
    ----------
    x, logistic : (p,) float64
        Positions, and the logistic there.
    smooth : (n,) float64
        The logistic at the documents' soft positions.
    counted : (n,) float64
        The step at their exact positions, 0 or 1.
    """

    x: Floats
    logistic: Floats
    smooth: Floats
    counted: Floats


class SigmoidSum(NamedTuple):
    """The position of one document as a function of its score: a sum of sigmoids.

    Attributes
    ----------
    place : int
        The document, from 0.
    others : (n - 1,) int64
        The other documents, the highest score first.
    terms : (n - 1,) float64
        The sigmoids at the document's score.
    x : (p,) float64
        Scores of the document.
    sigmoids : (n - 1, p) float64
        Contribution of each other document to its approximated position.
    exact : (p,) float64
        Its true position; at a change, the lower value.
    """

    place: int
    score: float
    others: Integers
    terms: Floats
    x: Floats
    sigmoids: Floats
    exact: Floats

    @property
    def soft(self) -> Floats:
        """(p,) the approximated position: 1 for the document and all sigmoids."""
        return 1.0 + self.sigmoids.sum(axis=0)


class Bound(NamedTuple):
    """A theorem of the paper, evaluated on one list.

    Attributes
    ----------
    name : str
        As in `THEOREMS`.
    filled : str
        The theorem with the numbers of the list, in LaTeX.
    error, bound : float
        Its two sides; NaN where it does not apply.
    """

    name: str
    filled: str
    error: float
    bound: float

    @property
    def holds(self) -> bool | None:
        """Whether it holds, up to rounding; None where it does not apply."""
        if not math.isfinite(self.bound) or math.isnan(self.error):
            return None
        return self.error <= self.bound * (1.0 + 1e-9) + ROUNDING

    @property
    def equal(self) -> bool:
        """Whether both sides are equal, and large enough to compare."""
        near = math.isclose(self.error, self.bound, rel_tol=1e-9, abs_tol=1e-15)
        return near and self.error >= ROUNDING

    @property
    def verdict(self) -> str:
        """Whether and how the theorem holds, as a phrase."""
        if self.holds is None:
            return "nothing to check"
        if not self.holds:
            return "does not hold here"
        if self.equal:
            return "holds with equality, up to rounding"
        if max(self.error, self.bound) < ROUNDING:
            return "both sides are below rounding error, too small to compare"
        if self.error < ROUNDING:
            return "holds; the error is below rounding error"
        share = three_digits(100.0 * self.error / self.bound)
        return f"holds; the error is {share}% of the bound"


def one_list(scores: ArrayLike, labels: ArrayLike) -> RankingDataset:
    """Return a data set of one query whose only feature is the score."""
    column = np.asarray(scores, dtype=np.float64)[:, None]
    return RankingDataset.from_arrays(column, labels)


def surrogates(alpha: float, beta: float, cutoff: int) -> "list[Approximation]":
    """All smooth measures, untrained; with and without an optional cutoff.

    nDCG comes first.
    """
    return [
        kind(alpha=float(alpha), beta=float(beta), **options)
        for kind, options in _kinds(cutoff)
    ]


def surrogate_names() -> list[str]:
    """Names of the measures of `surrogates`, with ``@k`` for any cutoff."""
    dataset = one_list([1.0, 0.0], [1, 0])
    return [
        measure_name(each, dataset).replace("@1", "@k")
        for each in surrogates(1.0, 1.0, 1)
    ]


def measure_name(learner: "Approximation", dataset: RankingDataset) -> str:
    """Return the measure that a learner approximates, with its cutoff but no other
    details."""
    measure = measures.parse(learner.measure(dataset))
    return measure.name + (f"@{measure.cutoff}" if measure.cutoff else "")


def list_values(
    scores: ArrayLike, labels: ArrayLike, alpha: float, beta: float, cutoff: int
) -> list[ListValue]:
    """All smooth measures of a list, with their forces.

    Parameters
    ----------
    scores : (n,) float64
    labels : (n,) int64
        At least 0.
    alpha, beta : float
        Sharpness of positions, and of the measures' conditions on positions; above 0.
    cutoff : int
        k of measures with a cutoff.

    Returns
    -------
    list of ListValue
        In the order of `surrogates`.
    """
    dataset = one_list(scores, labels)
    s = dataset.X[:, 0]
    return [_value(each, dataset, s) for each in surrogates(alpha, beta, cutoff)]


@cache
def alphas() -> Floats:
    """Return the values of α in a sweep; a kernel computes them."""
    return geomspace(0.5, 500.0, 49)


def sweep(
    learner: "Approximation", scores: ArrayLike, labels: ArrayLike, alphas: ArrayLike
) -> SharpnessSweep:
    """Return the errors of a list at many sharpnesses of its positions.

    Parameters
    ----------
    learner : Approximation
        Determines the measure; its own alpha is ignored.
    scores : (n,) float64
    labels : (n,) int64
    alphas : (m,) float64
        Above 0.
    """
    from sklearn.base import clone

    sharp = np.asarray(alphas, dtype=np.float64)
    n, m = len(np.asarray(labels)), len(sharp)
    scaled = np.outer(sharp, np.asarray(scores, dtype=np.float64)).ravel()
    dataset = RankingDataset.from_arrays(
        scaled[:, None], np.tile(labels, m), np.repeat(np.arange(m), n)
    )
    unit = clone(learner).set_params(alpha=1.0)
    errors = measure_errors(unit, dataset, scaled)
    force = unit.surrogate(dataset).at(scaled).gradient.reshape(m, n) * sharp[:, None]
    return SharpnessSweep(
        name=measure_name(unit, dataset),
        alphas=sharp,
        error=errors.error,
        bound=errors.bound,
        position_error=errors.position_error,
        position_bound=errors.position_bound,
        largest=np.abs(force).max(axis=1),
    )


def truncation(
    positions: PositionErrors, cutoff: int, beta: float, points: int = 241
) -> Truncation:
    """Return the step at a cutoff and its logistic, with a list's documents on them."""
    n = len(positions.exact)
    x = np.linspace(0.5, n + 0.5, points)
    return Truncation(
        x=x,
        logistic=counted_share(x, cutoff, beta),
        smooth=counted_share(positions.soft, cutoff, beta),
        counted=(positions.exact <= cutoff).astype(np.float64),
    )


def sigmoid_sum(
    scores: Floats, place: int, alpha: float, ends: tuple[float, float]
) -> SigmoidSum:
    r"""Return the terms of :math:`\hat\pi = 1 + \sum_y \sigma(\alpha (s_y - s))`.

    Parameters
    ----------
    scores : (n,) float64
    place : int
        The document with score s, from 0.
    ends : tuple of float
        The range of s.
    """
    order = np.argsort(-scores, kind="stable").astype(np.int64)
    others = order[order != place]
    # Points on each sigmoid: its centre, its slope and its flat parts.
    bends = np.array([-6.0, -3.5, -2.0, -1.0, 0.0, 1.0, 2.0, 3.5, 6.0]) / alpha
    near = (scores[others, None] + bends).ravel()
    x = np.sort(np.concatenate([np.linspace(*ends, 121), np.clip(near, *ends)]))
    gaps = scores[others, None] - x
    above = 1.0 + (gaps > 0.0).sum(axis=0)
    score, sigmoids = float(scores[place]), logistic(alpha * gaps)
    terms = logistic(alpha * (scores[others] - score))
    return SigmoidSum(place, score, others, terms, x, sigmoids, above)


def counted_share(positions: Floats, cutoff: int, beta: float) -> Floats:
    r""":math:`\sigma(\beta (k + \tfrac12 - \hat\pi))`: the weight of a document.

    It is the contribution of a relevant document there to smooth P@k.
    """
    from rankcore._kernels.losses.position_measures import precision

    places = np.arange(len(positions) + 1)
    ones, slopes = np.ones(len(positions)), np.zeros(len(positions))
    return precision(
        ones, positions, places, places[:-1], float(cutoff), float(beta), slopes
    )


def bounds(
    scores: ArrayLike, labels: ArrayLike, alpha: float, beta: float
) -> list[Bound]:
    """Theorems 1 to 3, evaluated on a list."""
    dataset = one_list(scores, labels)
    positions = position_errors(dataset, dataset.X[:, 0], alpha)
    epsilon = float(positions.error.max())
    values = {
        name: _value(each, dataset, dataset.X[:, 0])
        for each in surrogates(alpha, beta, 1)
        if (name := measure_name(each, dataset)) in ("AP", "nDCG")
    }
    relevant = int((dataset.y > 0).sum())
    return [
        _theorem_1(positions, alpha),
        _theorem_2(values["AP"], epsilon, relevant, beta),
        _theorem_3(values["nDCG"], epsilon),
    ]


def error_text(value: float) -> str:
    """Return an error with three digits, or a note that it is below rounding error."""
    return "< 10⁻¹²" if value < ROUNDING else three_digits(value)


def number(value: float) -> str:
    """Three significant digits in LaTeX; powers of ten where they are clearer."""
    if math.isnan(value):
        return r"\text{undefined}"
    if math.isinf(value):
        return r"\infty"
    if value == 0.0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.3g}"
    digits, _, power = f"{value:.2e}".partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"


def _equals(error: float) -> str:
    """Return an error in LaTeX; ≈ 0 below rounding."""
    return r"\approx 0" if error < ROUNDING else f"= {number(error)}"


def _theorem_1(positions: PositionErrors, alpha: float) -> Bound:
    """Theorem 1 for the document with the largest error."""
    n, i = len(positions.error), int(np.argmax(positions.error))
    error, bound = float(positions.error[i]), float(positions.bound[i])
    filled = _rows(
        rf"|\hat\pi_{{{i + 1}}} - \pi_{{{i + 1}}}| &{_equals(error)}",
        rf"&\le \frac{{{n} - 1}}{{e^{{{number(alpha)} \cdot "
        rf"{number(float(positions.gap[i]))}}} + 1}} = {number(bound)}",
    )
    return Bound(POSITIONS, filled, error, bound)


def _theorem_2(value: ListValue, epsilon: float, m: int, beta: float) -> Bound:
    error, bound = value.error, average_precision_bound(epsilon, m, beta)
    if m == 0:
        filled = r"\text{AP is undefined: no document is relevant}"
        return Bound(PRECISION, filled, math.nan, math.nan)
    if math.isinf(bound):
        filled = rf"\varepsilon = {number(epsilon)} \ge \tfrac12\text{{: no bound}}"
        return Bound(PRECISION, filled, error, bound)
    i = np.arange(1.0, m + 1.0)
    near = float(np.sum(1.0 / (i - epsilon)))
    far = float(np.sum(2.0 * epsilon / (i * (i - epsilon))))
    filled = _rows(
        rf"|\widehat{{\mathrm{{AP}}}} - \mathrm{{AP}}| &{_equals(error)}",
        rf"&\le \frac{{{number(near)}}}{{1 + e^{{{number(beta)} "
        rf"(1 - 2 \cdot {number(epsilon)})}}}}",
        rf"&\quad + {number(far)} = {number(bound)}",
    )
    return Bound(PRECISION, filled, error, bound)


def _theorem_3(value: ListValue, epsilon: float) -> Bound:
    if math.isnan(value.error):
        filled = r"\text{NDCG is undefined: no document is relevant}"
        return Bound(GAIN, filled, math.nan, math.nan)
    bound = ndcg_bound(epsilon)
    filled = _rows(
        r"|\widehat{\mathrm{NDCG}} - \mathrm{NDCG}| "
        rf"&{_equals(value.error)}",
        rf"&\le \frac{{{number(epsilon)}}}{{2 \ln 2}} = {number(bound)}",
    )
    return Bound(GAIN, filled, value.error, bound)


def _rows(*lines: str) -> str:
    """Lines of LaTeX under each other."""
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def _value(
    learner: "Approximation", dataset: RankingDataset, scores: Floats
) -> ListValue:

    errors = measure_errors(learner, dataset, scores)
    at = learner.surrogate(dataset).at(scores)
    return ListValue(
        name=measure_name(learner, dataset),
        exact=float(errors.exact[0]),
        smooth=float(errors.smooth[0]),
        error=float(errors.error[0]),
        bound=float(errors.bound[0]),
        force=at.gradient,
        flat=bool(at.n_vanished or np.isnan(errors.error[0])),
    )


@lru_cache(maxsize=64)
def _kinds(cutoff: int) -> Sequence[tuple[type, dict[str, int | None]]]:
    """Return the learners of smooth measures, and their cutoffs."""
    from rankcore.algorithms import Approximation, get_algorithm, list_algorithms
    from rankcore.base.hyperparameters import hyperparameters

    kinds: list[tuple[type, dict[str, int | None]]] = []
    for kind in map(get_algorithm, list_algorithms()):
        if not issubclass(kind, Approximation):
            continue
        declared = hyperparameters(kind).get("cutoff")
        if declared is None:
            kinds.append((kind, {}))
            continue
        cutoffs = [None, cutoff] if declared.optional else [cutoff]
        kinds += [(kind, {"cutoff": k}) for k in cutoffs]
    whole = {kind for kind, options in kinds if options == {"cutoff": None}}
    return sorted(kinds, key=lambda pair: pair[0] not in whole)


def query_list(
    dataset: RankingDataset, query: int, feature: str, most: int = 40, highest: int = 4
) -> tuple[Floats, Integers]:
    """Return a query's best documents by a feature, as a list of scores and labels.

    Parameters
    ----------
    query : int
        Its position, from 0.
    feature : str
        Name of the feature; higher values are better.
    most : int
        Maximum number of documents.
    highest : int
        Larger labels are lowered to this one.

    Returns
    -------
    scores : (n,) float64
        From 1 down to 0, four digits after the point. A single document is followed by
        an irrelevant one with score -1, so there are at least two.
    labels : (n,) int64

    Raises
    ------
    ValueError
        If there is no such feature.
    """
    rows = dataset.query(query)
    values = rows.X[:, list(dataset.feature_names).index(feature)]
    best = np.argsort(-values, kind="stable")[:most]
    low, spread = values[best].min(), float(np.ptp(values[best])) or 1.0
    scores = np.round((values[best] - low) / spread, 4)
    labels = np.minimum(rows.y, highest)[best]
    if len(scores) == 1:
        return np.append(scores, -1.0), np.append(labels, 0)
    return scores, labels


def __getattr__(name: str) -> Any:
    """Return `counted_share` by its former name."""
    if name != "kept":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    text = "kept has been renamed counted_share; the next version removes the old name."
    warnings.warn(text, DeprecationWarning, stacklevel=2)
    return counted_share
