r"""RSRank's soft thresholding at every K-th step, converged on four documents.

Algorithm 1 of Z. Sun, T. Qin, Q. Tao, J. Wang, "Robust sparse rank learning for
non-smooth ranking measures", SIGIR 2009, shrinks by :math:`\eta g` after every K-th
step. Truncated gradient (J. Langford, L. Li, T. Zhang, JMLR 10, 2009), from which the
rule comes, shrinks by :math:`K \eta g` then. The paper's rule converges to the solution
of K = 1 with the penalty g / K.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive

# Labels 2, 1, 0, 0; the third feature is independent of them.
FEATURES = ((1.0, 0.0, 0.2), (0.0, 1.0, 0.2), (0.0, 0.0, 0.0), (0.0, 0.0, 0.2))
LABELS = (2, 1, 0, 0)
PASSES = 2000
STEP = 0.02
# Example coefficients for one soft thresholding.
ONCE = np.array([0.3, -0.1, 0.05])


class SettledRule(NamedTuple):
    """The solution to which a thresholding rule converges.

    Attributes
    ----------
    interval : int
        The paper's K.
    coef : (3,) float64
    """

    name: str
    interval: int
    g: float
    coef: Floats


@lru_cache(maxsize=16)
def settled_rules(g: float = 0.4, interval: int = 5) -> tuple[SettledRule, ...]:
    """Return the paper's rule and Langford's for one K, each followed by its
    equivalent."""
    each = (
        (f"K = {interval}, by ηg, as in the paper", interval, g, "paper"),
        (f"K = 1, g / {interval}", 1, g / interval, "paper"),
        (f"K = {interval}, by Kηg, Langford’s", interval, g, "langford"),
        ("K = 1, g", 1, g, "paper"),
    )
    return tuple(
        SettledRule(name, every, weight, _settled(every, weight, rule))
        for name, every, weight, rule in each
    )


def shrunk_once(coef: Floats, threshold: float) -> Floats:
    """Coefficients after one soft thresholding by ``threshold``."""
    from rankcore.algorithms.rsrank import soft_threshold

    # Adding 0 removes the sign of zeros.
    return soft_threshold(np.asarray(coef, dtype=np.float64), threshold) + 0.0


def settled_text() -> str:
    """Return the finding of `settled_rules`, and one soft thresholding as an
    example."""
    once = vector(shrunk_once(ONCE, 0.1), 1)
    return (
        "The paper’s rule settles close to K = 1 with g / "
        f"{settled_rules()[0].interval}: its penalty is weaker than g says. Only "
        "Langford’s rule is close to K = 1 with g itself and removes as many "
        f"features. One soft thresholding by ηg = 0.1 takes {vector(ONCE, 2)} to "
        f"{once}."
    )


def vector(numbers: Floats, digits: int = 3) -> str:
    """Coefficients as text, with a true minus sign."""
    text = ", ".join(f"{n:.{digits}f}" for n in numbers)
    return f"({text})".replace("-", "−")


def _settled(interval: int, g: float, rule: str) -> Floats:
    from rankcore.algorithms.rsrank import RSRank

    learner = RSRank(
        g=g, truncation_interval=interval, shrinkage=rule, learning_rate=STEP
    )
    data = RankingDataset.from_arrays(np.array(FEATURES), np.array(LABELS))
    stop = Stop(max_iterations=PASSES)
    *_, last = drive(learner, data, stop=stop, measures=())
    return np.asarray(last.coef, dtype=np.float64) + 0.0
