r"""Claims about smooth positions and measures, checked in numbers.

Three statements of T. Qin, T.-Y. Liu, H. Li, *A general approximation framework for
direct optimization of information retrieval measures*, Information Retrieval
13:375-397, 2010, that do not hold as they are printed: its theorem 1 with a strict
sign, the best centre of a cutoff's logistic (equations 16 and 17), and positions under
ties (equations 7, 9 and 10).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore import measures
from rankcore.base.arrays import Floats
from rankcore.mathematics.elementary import logistic
from rankcore.mathematics.products import dot, times_vector
from rankcore.topics.approximation.approximate_list import (
    SharpnessSweep,
    one_list,
    surrogates,
    sweep,
)
from rankcore.topics.approximation.bounds import PositionErrors, position_errors

# The sharpness of positions within ties; they do not depend on it, and all other
# documents are far away.
_SHARP = 1e6


class TiedPositions(NamedTuple):
    """Positions under ties by three rules.

    Attributes
    ----------
    best : (n,) float64
        Equation 10: one more than the documents strictly above.
    middle : (n,) float64
        Equation 12, infinitely sharp: each tied document counts one half.
    strict : (n,) float64
        A strict order, in which tied documents keep the order of the input.
    """

    best: Floats
    middle: Floats
    strict: Floats


class TiedMeasures(NamedTuple):
    """Measures at the positions of `TiedPositions`.

    Attributes
    ----------
    ndcg : dict of str to float
        By rule.
    precision_form, pairs_form : float
        Average precision at the best positions by the first and by the second line of
        equation 7.
    average_precision : float
        Average precision of a strict order.
    """

    ndcg: dict[str, float]
    precision_form: float
    pairs_form: float
    average_precision: float


class EqualErrors(NamedTuple):
    """Errors of positions that are equal to their bounds.

    Attributes
    ----------
    two : SharpnessSweep
        Two documents at many sharpnesses.
    three : PositionErrors
        Three documents, two tied, at one sharpness; equality for the first.
    """

    two: SharpnessSweep
    three: PositionErrors


class CentreErrors(NamedTuple):
    """The worst error of a cutoff's logistic with its centre at k + gamma.

    Attributes
    ----------
    gammas : (m,) float64
    whole, real : (m,) float64
        The worst error over integer positions, and over all positions.
    """

    gammas: Floats
    whole: Floats
    real: Floats


def tied_positions(scores: ArrayLike) -> TiedPositions:
    """Positions of a list, by each rule for ties."""
    s = np.asarray(scores, dtype=np.float64)
    dataset = one_list(s, np.zeros(len(s), dtype=np.int64))
    errors = position_errors(dataset, s, _SHARP)
    best = 1.0 + (s[None, :] > s[:, None]).sum(axis=1)
    return TiedPositions(best, errors.soft, errors.exact)


def tied_measures(scores: ArrayLike, labels: ArrayLike) -> TiedMeasures:
    """Measures of a list with a relevant document, by each rule for ties."""
    positions = tied_positions(scores)
    grades = np.asarray(labels, dtype=np.int64)
    offsets = [0, len(grades)]
    ndcg, ap = measures.parse("nDCG"), measures.parse("AP")
    relevant, best = (grades > 0).astype(np.float64), positions.best
    within = times_vector(best[None, :] <= best[:, None], relevant) / best
    above = times_vector(best[None, :] < best[:, None], relevant)
    return TiedMeasures(
        ndcg={
            rule: float(ndcg(ranks, grades, offsets)[0])
            for rule, ranks in positions._asdict().items()
        },
        precision_form=dot(relevant, within) / float(relevant.sum()),
        pairs_form=dot(relevant, (1.0 + above) / best) / float(relevant.sum()),
        average_precision=float(ap(positions.strict, grades, offsets)[0]),
    )


def equal_errors(
    two: ArrayLike, three: ArrayLike, alphas: ArrayLike, alpha: float
) -> EqualErrors:
    """Errors that are equal to their bounds.

    Parameters
    ----------
    two : (2,) float64
        Scores.
    three : (3,) float64
        Scores; the second and the third are equal.
    alphas : (m,) float64
        Sharpnesses for the two.
    alpha : float
        Sharpness for the three.
    """
    learner = surrogates(1.0, 1.0, 1)[0]
    dataset = one_list(three, [1, 0, 0])
    return EqualErrors(
        sweep(learner, two, [1, 0], alphas),
        position_errors(dataset, dataset.X[:, 0], alpha),
    )


def centre_errors(beta: float, gammas: ArrayLike) -> CentreErrors:
    r"""Return the worst error of :math:`\sigma(\beta (k + \gamma - \pi))` for the step.

    The step is :math:`1\{\pi \le k\}`. Among integer positions, k and k + 1 are worst;
    among all, those at and just above k.

    Parameters
    ----------
    gammas : (m,) float64
        From 0 to 1.
    """
    g = np.asarray(gammas, dtype=np.float64)
    below, above = logistic(-beta * np.stack([g, 1.0 - g]))
    at = logistic(beta * np.abs(g))
    return CentreErrors(g, np.maximum(below, above), at)
